/*
 * spectral.c
 *		Eigenvectors and singular vectors of small matrices, by LAPACK.
 */
#include "spectral.h"

#include "lapack.h"

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
