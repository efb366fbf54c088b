/*
 * hash.h
 *		Hash SQL values, and convert names to vectors of random signs.
 */
#ifndef DLINTS_HASH_H
#define DLINTS_HASH_H

extern uint64 HashBytesOf(Datum value, int16 typlen, bool typbyval, uint64 seed);
extern void AddName(const char *name, int len, double weight, int n, double *sum);

#endif							/* DLINTS_HASH_H */
