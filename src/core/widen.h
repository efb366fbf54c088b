/*
 * widen.h
 *		Numbers as they come to double precision, checked on the way.
 */
#ifndef DLINTS_WIDEN_H
#define DLINTS_WIDEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The largest absolute value that is learned or reduced.  No sum of squares of
 * reduced contexts overflows then: the square of a reduced number stays below
 * 1e100 times the square of a matrix's largest row sum, which leaves 1e208 for
 * both that and the number of observations.
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
