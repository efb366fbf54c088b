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

/* A cell of the matrix; cells are grouped by item */
typedef struct NeighbourUse
{
	uint32_t	user;
	float		weight;
} NeighbourUse;

/* A cell of a chosen neighbour, in a list by user */
typedef struct NeighbourNode
{
	size_t		next;			/* next node of the user, plus 1; 0: none */
	uint32_t	slot;			/* index of the item among the neighbours */
	float		weight;
} NeighbourNode;

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

	/* the log by items; array lengths are in brackets */
	size_t	   *starts;			/* first cell of each item, and the end [items + 1] */
	NeighbourUse *uses;			/* cells by item [cells] */
	double	   *squares;		/* squared norms of columns [items] */
	uint32_t   *ranks;			/* rank by clicks, at most NEIGHBOURS_POPULAR [items] */
	double	   *popular;		/* products among the popular items, by rank */

	/* work space for a regression */
	double	   *products;		/* products with the current column [items] */
	uint32_t   *touched;		/* items with a nonzero product [items] */
	size_t	   *heads;			/* first node of each user, plus 1; 0: none [users] */
	NeighbourNode *nodes;		/* [cells] */
	double	   *gram;			/* [k * k] */
	double	   *packed;			/* "gram" in LAPACK's packed form */
	double	   *cosines;		/* [k] */
	double	   *solution;		/* [k] */

	/* results: item i has counts[i] neighbours, from fitted[i * k] on */
	Neighbour  *fitted;			/* [items * k] */
	uint32_t   *counts;			/* [items] */
} Neighbours;

extern void neighbours_limit(SvdMatrix *matrix);
extern void neighbours_index(const SvdMatrix *matrix, Neighbours *n);
extern bool neighbours_fit(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_transpose(const SvdMatrix *matrix, const Neighbours *n, size_t *starts,
								 Neighbour *rows);
extern size_t neighbours_popular_len(uint32_t items);
extern uint32_t neighbours_truncate(uint32_t count, uint32_t max, Neighbour *row);

#endif							/* DLINTS_NEIGHBOURS_H */
