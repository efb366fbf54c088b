/*
 * linalg.h
 *		Linear algebra with dense matrices.
 *
 * Symmetric and triangular matrices are packed in LAPACK's rectangular full packed format (RFP,
 * TRANSR = 'N', UPLO = 'L').  Callers check sizes, as BLAS ends the process for invalid sizes.
 */
#ifndef DLINTS_LINALG_H
#define DLINTS_LINALG_H

#include <stdbool.h>
#include <stddef.h>

#define LINALG_MAX_UPDATE	128

/* Number of elements of a packed matrix of order d */
static inline size_t
linalg_packed_len(int d)
{
	return (size_t) d * ((size_t) d + 1) / 2;
}

extern bool linalg_ready(void);

extern size_t linalg_packed_index(int d, int i, int j);
extern void linalg_add_diagonal(int d, double value, double *packed);
extern double linalg_max_diagonal(int d, const double *packed);
extern double linalg_min_diagonal(int d, const double *packed);
extern bool linalg_all_finite(size_t count, const double *values);
extern void linalg_unpack_lower(int d, const double *packed, double *full);

extern void linalg_rank_update(int d, int count, const double *vectors, const double *weights,
							   double factor, double *packed);
extern bool linalg_cholesky(int d, double *packed);
extern void linalg_cholesky_invert(int d, double *factor);
extern double linalg_trace_product(int d, const double *left, const double *right);
extern void linalg_multiply_symmetric(int d, const double *packed,
									  const double *vector, double *out);
extern void linalg_cholesky_solve(int d, const double *factor, int count, double *vectors);
extern void linalg_solve_lower(int d, const double *factor, double *vector);
extern void linalg_solve_lower_transposed(int d, const double *factor, int count, double *vectors);
extern void linalg_multiply_lower(int d, const double *packed, int count, double *vectors);
extern void linalg_multiply_lower_transposed(int d, const double *packed, double *vector);
extern void linalg_combine(int len, int rows, const double *vectors, int count,
						   const double *weights, int weights_len, double *sums, int sums_len);
extern void linalg_dot_each(int len, int count, const double *vectors,
							const double *vector, double *dots);
extern double linalg_norm(int len, const double *vector);
extern void linalg_project(int len, int rows, const double *matrix,
						   int count, const double *vectors, double *out, int out_len);
extern void linalg_gram(int d, const double *columns, double *full);
extern void linalg_cross(int rows, int columns, int count, const double *left, int left_stride,
						 const double *right, int right_stride, double *full, int stride);

#endif							/* DLINTS_LINALG_H */
