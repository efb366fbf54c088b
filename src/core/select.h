/*
 * select.h
 *		Selection of the smallest of many numbers without sorting them.
 */
#ifndef DLINTS_SELECT_H
#define DLINTS_SELECT_H

/*
 * Permute indexes so that the first "n" of "count" are those of the smallest keys.
 * Equal keys are in the order of their indexes.  Keys are not NaN.
 */
extern void select_smallest(const double *keys, int count, int *order, int n);

#endif							/* DLINTS_SELECT_H */
