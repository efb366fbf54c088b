/*
 * neighbours.h
 *		Item-to-item weights from a click log: local ridge regressions.
 *
 * A is the matrix of users by items, with elements of at most 1.  Column i of A
 * is predicted from the columns N of the k items with the largest cosine to it:
 *
 *		w_i = (A_N'A_N + ridge I)^-1 A_N'A_i
 *
 * The sum of a user's clicked items' weights for item i is then a prediction of
 * the click on i.  Steck's EASE ("Embarrassingly Shallow Autoencoders for Sparse
 * Data", 2019) is the regression on all items.
 *
 * The caller provides the memory.  Results do not depend on the order of the log if
 * the caller sorts users, items and the cells of each user.
 */
#ifndef DLINTS_NEIGHBOURS_H
#define DLINTS_NEIGHBOURS_H

#include <stdbool.h>

#include "panel.h"

/*
 * Maximum items per user.  We draw a sample of more items, because time is quadratic
 * in their number.
 */
#define NEIGHBOURS_MAX_CLICKS	3000

/* Number of popular items whose products are cached, in a triangle of 17 MB */
#define NEIGHBOURS_POPULAR		2048

/* A cell of the matrix, in the list of its item's cells */
typedef struct NeighbourUse
{
	size_t		next;			/* next use of the user by a neighbour, plus 1; 0: none */
	double		weight;
	uint32_t	user;
	uint32_t	slot;			/* number of the item among the neighbours */
} NeighbourUse;

/* An item and a weight */
typedef struct Neighbour
{
	uint32_t	item;
	float		weight;
} Neighbour;

typedef struct Neighbours
{
	int			k;				/* maximum neighbours per regression */
	double		ridge;

	/* the log by items */
	size_t	   *starts;			/* items + 1: of each item's uses */
	NeighbourUse *uses;			/* a use per cell */
	double	   *squares;		/* items: squared norms of columns */
	uint32_t   *ranks;			/* items: by clicks; NEIGHBOURS_POPULAR for all further ones */
	double	   *popular;		/* products among the popular items, by rank */

	/* work space for a regression */
	double	   *products;		/* items: products with the present column */
	uint32_t   *touched;		/* items with a product that is not 0 */
	size_t	   *heads;			/* users: first use, plus 1 */
	double	   *gram;			/* k x k */
	double	   *packed;			/* "gram" in LAPACK's packed form */
	double	   *cosines;		/* k */
	double	   *solution;		/* k */

	/* results: item i has counts[i] neighbours, from fitted[i * k] on */
	Neighbour  *fitted;			/* items * k elements */
	uint32_t   *counts;			/* one number per item */
} Neighbours;

extern void neighbours_limit(SvdMatrix *matrix);
extern void neighbours_index(const SvdMatrix *matrix, Neighbours *n);
extern bool neighbours_fit(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_transpose(const SvdMatrix *matrix, const Neighbours *n, size_t *starts,
								 Neighbour *rows);
extern size_t neighbours_popular_len(uint32_t items);
extern uint32_t neighbours_truncate(uint32_t count, uint32_t max, Neighbour *row);

#endif							/* DLINTS_NEIGHBOURS_H */
