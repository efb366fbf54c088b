/*
 * widen.h
 *		Numbers as they come to double precision, checked on the way; and halves
 *		to single precision.
 */
#ifndef DLINTS_WIDEN_H
#define DLINTS_WIDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif							/* DLINTS_WIDEN_H */
