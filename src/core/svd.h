/*
 * svd.h
 *		Leading singular vectors of a sparse matrix A of users by items.
 */
#ifndef DLINTS_SVD_H
#define DLINTS_SVD_H

#include "panel.h"

/* Number of additional singular vectors, which speed up convergence */
#define SVD_SPARE		10

/* Maximum number of products with the matrix A'A; more did not improve recommendations */
#define SVD_MAX_PRODUCTS	16

typedef struct Svd
{
	int			columns;
	double	   *panel;			/* item vectors */
	double	   *spare;			/* work space: panel_spare() doubles */
	double	   *values;			/* singular values, descending */
	double	   *work;			/* work space: svd_work() doubles */
} Svd;

extern size_t svd_work(int columns);
extern void svd_scale(SvdMatrix *matrix, double *roots);
extern void svd_start(const SvdMatrix *matrix, Svd *svd, const uint64_t *hashes, int known,
					  const double *vectors);
extern bool svd_decompose(const SvdMatrix *matrix, Svd *svd, int max_products);
extern void svd_vectors(const SvdMatrix *matrix, const Svd *svd,
						const uint64_t *hashes, int len, double *vectors);
extern bool svd_turn(const SvdMatrix *matrix, int len, const double *onto,
					 double *vectors, double *work);

#endif							/* DLINTS_SVD_H */
