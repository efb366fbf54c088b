/*
 * svd.h
 *		The leading singular vectors of who did what with which item: a sparse
 *		matrix A of users by items, each row divided by the square root of its sum
 *		and each column by the fourth root.
 *
 * Time is linear in the cells, but for small matrices of order "columns" of a
 * panel; memory comes from the caller.
 *
 * Nothing here depends on the order in which something was read, as long as
 * users, items and the cells of a user are in an order of their own.
 */
#ifndef DLINTS_SVD_H
#define DLINTS_SVD_H

#include <stdbool.h>

#include "panel.h"

/* directions that are computed beside those that are wanted */
#define SVD_SPARE		10

typedef struct Svd
{
	int			columns;
	double	   *panel;			/* where it starts; then singular vectors */
	double	   *spare[2];		/* two more; refining needs the first */
	double	   *values;			/* singular values, largest first */
	double	   *work;			/* svd_work() doubles */
} Svd;

extern size_t svd_work(int columns);
extern void svd_scale(SvdMatrix *matrix, double *roots);
extern void svd_start(const SvdMatrix *matrix, Svd *svd,
					  const uint64_t *hashes, int known,
					  const double *vectors);
extern bool svd_decompose(const SvdMatrix *matrix, Svd *svd);
extern bool svd_refine(const SvdMatrix *matrix, Svd *svd);
extern void svd_vectors(const SvdMatrix *matrix, const Svd *svd,
						const uint64_t *hashes, int len, double *vectors);
extern bool svd_turn(const SvdMatrix *matrix, int len, const double *onto,
					 double *vectors, double *work);

#endif							/* DLINTS_SVD_H */
