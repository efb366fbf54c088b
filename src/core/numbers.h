/*
 * numbers.h
 *		Loops over the numbers of long arrays: dot products, widening with a
 *		range check, weighted sums, maxima, selection.
 */
#ifndef DLINTS_NUMBERS_H
#define DLINTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Dot product of a weight vector with a feature vector, the cost of each candidate of a
 * recommendation.  A fixed number of independent partial sums lets the compiler vectorize
 * without reassociation.  The result is therefore equal on all CPUs.
 */
extern double dot_float(int n, const double *weights, const float *features);
extern double dot_double(int n, const double *weights, const double *features);

/*
 * Maximum absolute value of a feature or reward, which prevents overflow in sums of squares.
 *
 * A feature vector has at most 65536 numbers.  Entries of a projection matrix P are below 8.6 times
 * a scale of at most 1e10, so P x is below 5.7e65.  The largest coordinate is that of matched
 * feature vectors, below 4 * 65536 * 1e100 = 2.7e105.  Its square is below 7.3e210, and the sum of
 * 2^63 such squares below 6.8e229.
 */
#define WIDEN_MAX	1e50

/*
 * Convert "count" numbers to double precision.  Returns false if one is not finite or its absolute
 * value exceeds WIDEN_MAX.  Writes all numbers in any case.
 */
extern bool widen_float(size_t count, const float *restrict in, double *restrict out);
extern bool widen_double(size_t count, const double *restrict in, double *restrict out);

/* Convert "count" numbers from half precision (binary16), given by their bits. */
extern void widen_half(size_t count, const uint16_t *restrict in, float *restrict out);

/* sum <- sum + weight vector, and out <- sum scaled to length 1 */
extern void unit_add(size_t count, double weight,
					 const double *restrict vector, double *restrict sum);
extern void unit_scale(size_t count, const double *restrict sum, float *restrict out);

/* Largest absolute value of "count" numbers; 0 if there are none */
extern double largest_magnitude(size_t count, const double *numbers);

/* Maximum of "count" numbers; NaN if a number is not finite */
extern double peak_of(size_t count, const double *numbers);

/* Maximum of each lane over "count" rows of scores, as score_lanes() writes them */
extern void peak_of_lanes(size_t count, const double *scores, double *peaks);
extern void peak_of_lanes_float(size_t count, const float *scores, float *peaks);

/*
 * Permute indexes so that the first "n" of "count" are those of the smallest keys.
 * Equal keys are in the order of their indexes.  Keys are not NaN.
 */
extern void select_smallest(const double *keys, int count, int *order, int n);

#endif							/* DLINTS_NUMBERS_H */
