/*
 * hash.h
 *		Hashes of values, and names as vectors of random signs (feature hashing).
 */
#ifndef DLINTS_HASH_H
#define DLINTS_HASH_H

extern uint64 HashBytesOf(Datum value, int16 typlen, bool typbyval, uint64 seed);
extern void AddName(const char *name, int len, double weight, int n, double *sum);

#endif							/* DLINTS_HASH_H */
