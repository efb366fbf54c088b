/*
 * neighbours.h
 *		Item-to-item weights from a click log: local ridge regressions.
 *
 * A is the matrix of users by items, with elements of at most 1.  Column i of A
 * is predicted from the columns N of the k items with the largest cosine to it:
 *
 *		w_i = (A_N'A_N + ridge I)^-1 A_N'A_i
 *
 * The weights of a user's clicked items for item i then sum to a prediction of the click on i.
 * Steck's EASE ("Embarrassingly Shallow Autoencoders for Sparse Data", 2019) is the regression on
 * all items.
 *
 * The caller provides the memory.  Results do not depend on the order of the log if
 * the caller sorts users, items and the cells of each user.
 */
#ifndef DLINTS_NEIGHBOURS_H
#define DLINTS_NEIGHBOURS_H

#include <stdbool.h>

#include "panel.h"

/* Maximum number of items per user (more are sampled); time is quadratic in this number */
#define NEIGHBOURS_MAX_CLICKS	3000

/* Number of popular items whose products are cached, in a triangle of 17 MB */
#define NEIGHBOURS_POPULAR		2048

/* A nonzero element of an item's column in the matrix of users by items */
typedef struct NeighbourUse
{
	uint32_t	user;
	float		weight;
} NeighbourUse;

/* A matrix cell of a chosen neighbour, in a linked list of one user's cells */
typedef struct NeighbourNode
{
	size_t		next;			/* index of the user's next node, plus 1; 0 at the end */
	uint32_t	slot;			/* index of the item among the chosen neighbours */
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
	int			k;				/* maximum number of neighbours per regression */
	double		ridge;

	/* the click log, grouped by item */
	size_t	   *starts;			/* index of each item's first cell, then the number of cells */
	NeighbourUse *uses;			/* matrix cells, grouped by item */
	double	   *squares;		/* squared norm of each item's column */
	uint32_t   *ranks;			/* rank of each item by squared norm, <= NEIGHBOURS_POPULAR */
	double	   *popular;		/* products of popular items' columns: a lower triangle */

	/* work space for a regression */
	double	   *products;		/* product of each item's column with the current item's */
	uint32_t   *touched;		/* items whose product with the current item is nonzero */
	size_t	   *heads;			/* index of each user's first node, plus 1; 0: empty list */
	NeighbourNode *nodes;		/* nodes of the lists, at most one per cell */
	double	   *gram;			/* products of the chosen columns: k * k numbers */
	double	   *packed;			/* the matrix "gram" in LAPACK's packed form */
	double	   *cosines;		/* cosine of each chosen item */
	double	   *solution;		/* regression weight of each chosen item */

	/* results: item i has counts[i] neighbours, from fitted[i * k] on */
	Neighbour  *fitted;			/* neighbours of all items: items * k elements */
	uint32_t   *counts;			/* number of neighbours of each item */
} Neighbours;

extern void neighbours_limit(SvdMatrix *matrix);
extern void neighbours_index(const SvdMatrix *matrix, Neighbours *n);
extern bool neighbours_fit(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_transpose(const SvdMatrix *matrix, const Neighbours *n, size_t *starts,
								 Neighbour *rows);
extern size_t neighbours_popular_len(uint32_t items);
extern uint32_t neighbours_truncate(uint32_t count, uint32_t max, Neighbour *row);

#endif							/* DLINTS_NEIGHBOURS_H */
