/*
 * numbers.h
 *		Fast loops over long arrays of numbers.
 */
#ifndef DLINTS_NUMBERS_H
#define DLINTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compute the dot product of weights and features.  Results are equal on all CPUs. */
extern double dot_float(int n, const double *weights, const float *features);
extern double dot_double(int n, const double *weights, const double *features);

/* Maximum absolute value of features and rewards, which keeps sums of squares finite */
#define WIDEN_MAX	1e50

/* Convert numbers to double precision.  Returns false for a number that exceeds WIDEN_MAX. */
extern bool widen_float(size_t count, const float *restrict in, double *restrict out);
extern bool widen_double(size_t count, const double *restrict in, double *restrict out);

/* Convert half-precision numbers, given by their bits. */
extern void widen_half(size_t count, const uint16_t *restrict in, float *restrict out);

/* Add a weighted vector to "sum". */
extern void unit_add(size_t count, double weight,
					 const double *restrict vector, double *restrict sum);

/* Scale the vector "sum" to length 1, and write it to "out". */
extern void unit_scale(size_t count, const double *restrict sum, float *restrict out);

/* Return the largest absolute value of "count" numbers; 0 if "count" is 0. */
extern double largest_magnitude(size_t count, const double *numbers);

/* Return the maximum of "count" numbers, or NaN if any number is not finite. */
extern double peak_of(size_t count, const double *numbers);

/* Compute the maximum score under each weight vector, from scores that score_lanes() wrote. */
extern void peak_of_lanes(size_t count, const double *scores, double *peaks);

/* Permute indexes so that the first "n" have the smallest keys.  Lower indexes break ties. */
extern void select_smallest(const double *keys, int count, int *order, int n);

#endif							/* DLINTS_NUMBERS_H */
