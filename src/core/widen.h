/*
 * widen.h
 *		Numbers as they come to double precision, checked on the way.
 */
#ifndef DLINTS_WIDEN_H
#define DLINTS_WIDEN_H

#include <stdbool.h>
#include <stddef.h>

/* copy count numbers; false if one of them is not finite */
extern bool widen_float(size_t count, const float *restrict in,
						double *restrict out);
extern bool widen_double(size_t count, const double *restrict in,
						 double *restrict out);

#endif							/* DLINTS_WIDEN_H */
