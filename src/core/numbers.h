/*
 * numbers.h
 *		What is done with every number of long lists: dot products, widening with
 *		a check, weighted sums, the highest score.
 */
#ifndef DLINTS_NUMBERS_H
#define DLINTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Dot products of a weight vector with one feature vector: what every candidate
 * of a recommendation costs.  A fixed number of independent partial sums lets the
 * compiler vectorise without reassociating, so that every CPU gives the same
 * answer.
 */
extern double dot_float(int n, const double *weights, const float *features);
extern double dot_double(int n, const double *weights, const double *features);

/*
 * The largest absolute value that is learned or reduced.  With it, no sum of
 * squares overflows.  A feature vector has at most 65536 numbers.  Entries of P
 * are below 8.6 times a scale of at most 1e10, so P x is below 5.7e65.  The
 * largest coordinate is that of matched feature vectors, below 4 * 65536 *
 * 1e100 = 2.7e105: its square is below 7.3e210, and the sum of 2^63 such
 * squares below 6.8e229.
 */
#define WIDEN_MAX	1e50

/*
 * Copy count numbers; false if one of them is not finite or beyond WIDEN_MAX
 * (which a float cannot be).  All are copied either way.
 */
extern bool widen_float(size_t count, const float *restrict in,
						double *restrict out);
extern bool widen_double(size_t count, const double *restrict in,
						 double *restrict out);

/* Copy count numbers of half precision (binary16), given by their bits. */
extern void widen_half(size_t count, const uint16_t *restrict in,
					   float *restrict out);

/* Weighted sums of vectors, scaled to length 1. */
extern void unit_add(size_t count, double weight,
					 const double *restrict vector, double *restrict sum);
extern void unit_scale(size_t count, const double *restrict sum,
					   float *restrict out);

/* The highest of some numbers; NaN if one of them is not finite. */
extern double peak_of(size_t count, const double *numbers);

/* The same of each lane of as many rows of scores as score_lanes makes. */
extern void peak_of_lanes(size_t count, const double *scores, double *peaks);
extern void peak_of_lanes_float(size_t count, const float *scores,
								float *peaks);

#endif							/* DLINTS_NUMBERS_H */
