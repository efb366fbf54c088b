/*
 * unit.h
 *		Weighted sums of vectors, scaled to length 1.
 */
#ifndef DLINTS_UNIT_H
#define DLINTS_UNIT_H

#include <stddef.h>

extern void unit_add(size_t count, double weight,
					 const double *restrict vector, double *restrict sum);
extern void unit_scale(size_t count, const double *restrict sum,
					   float *restrict out);

#endif							/* DLINTS_UNIT_H */
