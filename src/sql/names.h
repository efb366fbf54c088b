/*
 * names.h
 *		Hashing of names, in any encoding, to signs of features.
 */
#ifndef DLINTS_NAMES_H
#define DLINTS_NAMES_H

extern void AddName(const char *name, int len, double weight, int n, double *sum);

#endif							/* DLINTS_NAMES_H */
