/*
 * spectral.c
 *		Tridiagonal forms, eigenvectors and singular vectors of small matrices, by LAPACK.
 */
#include "spectral.h"

#include "lapack.h"

/* Block size of LAPACK's reduction to tridiagonal form */
#define TRIDIAGONAL_BLOCK	32
/* OpenBLAS 0.3.21 may read this many doubles after the end of a vector. */
#define READ_PAST_END		3

size_t
spectral_tridiagonal_work(int d)
{
	return (size_t) d * (TRIDIAGONAL_BLOCK + 1) + READ_PAST_END;
}

/*
 * Reduce a symmetric matrix A to tridiagonal form Q' A Q, and set vector <- Q' vector.  The lower
 * triangle of A, with columns "stride" apart, is overwritten.
 */
void
spectral_tridiagonal(int d, int stride, double *full, double *diagonal,
				   double *below, double *vector, double *work)
{
	int			work_len = d * TRIDIAGONAL_BLOCK;
	int			one_vector = 1;
	double	   *reflectors = work + work_len;
	int			info;

	dsytrd_("L", &d, full, &stride, diagonal, below, reflectors, work, &work_len, &info, 1);
	dormtr_("L", "L", "T", &d, &one_vector, full, &stride, reflectors, vector,
			&d, work, &work_len, &info, 1, 1, 1);
}

/* Factor a tridiagonal matrix T as L D L'.  Returns false unless T is positive definite. */
bool
spectral_tridiagonal_factor(int d, double *diagonal, double *below)
{
	int			info;

	dpttrf_(&d, diagonal, below, &info);
	return info == 0;
}

/* Number of doubles of work space for eigenvectors and rotations */
size_t
spectral_work(int d)
{
	size_t		n = (size_t) d;

	return 5 * n * n + 16 * n + 64;
}

/* Number of ints of work space for eigenvectors and rotations */
size_t
spectral_integers(int d)
{
	return 8 * (size_t) d + 8;
}

/*
 * Replace a symmetric matrix by its eigenvectors, in ascending order of eigenvalues.  Only the
 * lower triangle is read.  Each eigenvector is contiguous.
 */
bool
spectral_eigenvectors(int d, double *full, double *values, double *work, int *integers)
{
	int			work_len = (int) spectral_work(d);
	int			integers_len = (int) spectral_integers(d);
	int			info;

	dsyevd_("V", "L", &d, full, &d, values, work, &work_len, integers, &integers_len, &info, 1, 1);
	return info == 0;
}

/*
 * Compute the orthogonal matrix that is nearest to a square matrix.  Overwrites "full".  "left" and
 * "right" are work space for the singular vectors.
 */
bool
spectral_nearest_rotation(int d, double *full, double *rotation, double *left,
						double *right, double *work, int *integers)
{
	int			work_len = (int) spectral_work(d) - d;
	double		one = 1.0;
	double		zero = 0.0;
	int			info;

	/* "work" begins with the singular values, which are not used */
	dgesdd_("A", &d, &d, full, &d, work, left, &d, right, &d, work + d,
			&work_len, integers, &info, 1);
	dgemm_("N", "N", &d, &d, &d, &one, left, &d, right, &d, &zero, rotation, &d, 1, 1);
	return info == 0;
}
