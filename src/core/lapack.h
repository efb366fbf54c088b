/*
 * lapack.h
 *		Prototypes of the functions of BLAS and LAPACK that we use.
 */
#ifndef DLINTS_LAPACK_H
#define DLINTS_LAPACK_H

#include <stddef.h>

/* Fortran functions take a hidden length for each character argument, after all arguments. */
typedef size_t fortran_len;

extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
				   const double *alpha, const double *a, const int *lda, const double *b,
				   const int *ldb, const double *beta, double *c, const int *ldc, fortran_len,
				   fortran_len);
extern void dgemv_(const char *trans, const int *m, const int *n, const double *alpha,
				   const double *a, const int *lda, const double *x, const int *incx,
				   const double *beta, double *y, const int *incy, fortran_len);
extern double ddot_(const int *n, const double *x, const int *incx,
					const double *y, const int *incy);
extern double dnrm2_(const int *n, const double *x, const int *incx);
extern void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a,
				   const int *lda, const double *x, const int *incx, const double *beta, double *y,
				   const int *incy, fortran_len);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
				   const double *alpha, const double *a, const int *lda, const double *beta,
				   double *c, const int *ldc, fortran_len, fortran_len);
extern void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag,
				   const int *m, const int *n, const double *alpha, const double *a, const int *lda,
				   double *b, const int *ldb, fortran_len, fortran_len, fortran_len, fortran_len);
extern void dtrmv_(const char *uplo, const char *trans, const char *diag,
				   const int *n, const double *a, const int *lda, double *x,
				   const int *incx, fortran_len, fortran_len, fortran_len);
extern void dtrsv_(const char *uplo, const char *trans, const char *diag,
				   const int *n, const double *a, const int *lda, double *x,
				   const int *incx, fortran_len, fortran_len, fortran_len);
extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b,
				   const int *ldb, int *info);
extern void dpftrf_(const char *transr, const char *uplo, const int *n,
					double *a, int *info, fortran_len, fortran_len);
extern void dpftri_(const char *transr, const char *uplo, const int *n,
					double *a, int *info, fortran_len, fortran_len);
extern void dpftrs_(const char *transr, const char *uplo, const int *n,
					const int *nrhs, const double *a, double *b,
					const int *ldb, int *info, fortran_len, fortran_len);
extern void dtfsm_(const char *transr, const char *side, const char *uplo, const char *trans,
				   const char *diag, const int *m, const int *n, const double *alpha,
				   const double *a, double *b, const int *ldb, fortran_len, fortran_len,
				   fortran_len, fortran_len, fortran_len);
extern void dtfttr_(const char *transr, const char *uplo, const int *n, const double *arf,
					double *a, const int *lda, int *info, fortran_len, fortran_len);

extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
					double *w, double *work, const int *lwork, int *iwork, const int *liwork,
					int *info, fortran_len, fortran_len);
extern void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda,
					double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
					const int *lwork, int *iwork, int *info, fortran_len);

/* The functions above have 32-bit integers as arguments (LP64, not ILP64). */
typedef char int_is_32_bits[sizeof(int) == 4 ? 1 : -1];

#endif							/* DLINTS_LAPACK_H */
