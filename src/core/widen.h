/*
 * widen.h
 *		Numbers as they come to double precision, checked on the way.
 */
#ifndef DLINTS_WIDEN_H
#define DLINTS_WIDEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The largest absolute value that is learned or reduced.  With it, no sum of
 * squares overflows: P, Q and R have normals below 8.6, two of them multiplied
 * by a scale of at most 1e10, and there are at most 65536 numbers in a context
 * and a shared context each, so that (Q x) o (R u) stays below
 * (65536 * 8.6 * 1e50)^2 * 1e10 = 3.2e121, its square below 1.1e243, and the sum
 * of 2^63 such squares below 1e262.
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

#endif							/* DLINTS_WIDEN_H */
