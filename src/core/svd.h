/*
 * svd.h
 *		Leading singular vectors of a click matrix.
 *
 * The sparse matrix A of users by items is scaled: each row is divided by the
 * square root of its sum, each column by the fourth root of its sum.  Time is
 * linear in the number of cells, plus small matrices of order "columns".
 *
 * The caller provides the memory.  Results do not depend on the order of input, if
 * the caller sorts users, items and the cells of each user.
 */
#ifndef DLINTS_SVD_H
#define DLINTS_SVD_H

#include "panel.h"

/* Number of directions in addition to the requested ones, to speed up convergence */
#define SVD_SPARE		10

typedef struct Svd
{
	int			columns;
	double	   *panel;			/* start vectors, then right singular vectors */
	double	   *spare;			/* work space: panel_spare() doubles, at least one per item */
	double	   *values;			/* singular values in descending order */
	double	   *work;			/* work space: svd_work() doubles */
} Svd;

extern size_t svd_work(int columns);
extern void svd_scale(SvdMatrix *matrix, double *roots);
extern void svd_start(const SvdMatrix *matrix, Svd *svd, const uint64_t *hashes, int known,
					  const double *vectors);
extern bool svd_decompose(const SvdMatrix *matrix, Svd *svd);
extern bool svd_refine(const SvdMatrix *matrix, Svd *svd);
extern void svd_vectors(const SvdMatrix *matrix, const Svd *svd,
						const uint64_t *hashes, int len, double *vectors);
extern bool svd_turn(const SvdMatrix *matrix, int len, const double *onto,
					 double *vectors, double *work);

#endif							/* DLINTS_SVD_H */
