/*
 * neighbours.h
 *		Weights between items, computed from a click log by ridge regressions.
 *
 * A ridge regression predicts the clicks on an item from the clicks on its k neighbours, which are
 * the items with the largest cosines.  This approximates EASE, which uses all items (Steck,
 * "Embarrassingly Shallow Autoencoders for Sparse Data", 2019).
 */
#ifndef DLINTS_NEIGHBOURS_H
#define DLINTS_NEIGHBOURS_H

#include "panel.h"

/* Maximum number of items per user; we sample the items of more active users */
#define NEIGHBOURS_MAX_CLICKS	3000

/* Neighbours per item: by default, and in sparse logs with at most NEIGHBOURS_MANY_ITEMS items */
#define NEIGHBOURS_FEW			50
#define NEIGHBOURS_MANY			200
#define NEIGHBOURS_MANY_ITEMS	20000

/* Number of popular items, whose dot products with each other are cached (17 MB) */
#define NEIGHBOURS_POPULAR		2048

/* A user's weight in an item's column of the click matrix */
typedef struct NeighbourUse
{
	uint32_t	user;
	float		weight;
} NeighbourUse;

/* A node of the linked list of the neighbours that a user clicked */
typedef struct NeighbourNode
{
	size_t		next;			/* index of the next node of the list; 0: none */
	uint32_t	slot;			/* index of the neighbour among the chosen items */
	float		weight;
} NeighbourNode;

typedef struct Neighbour
{
	uint32_t	item;
	float		weight;
} Neighbour;

typedef struct Neighbours
{
	int			k;				/* maximum number of neighbours */
	double		ridge;

	/* the click log, grouped by item */
	size_t	   *starts;			/* where an item's elements begin in the array "uses" */
	NeighbourUse *uses;
	double	   *squares;		/* squared norms of columns */
	uint32_t   *ranks;			/* rank of each popular item; others: NEIGHBOURS_POPULAR */
	double	   *popular;		/* cached dot products of popular items */

	/* work space for the ridge regression of one item */
	double	   *products;
	uint32_t   *touched;		/* items with a nonzero dot product with the predicted item */
	size_t	   *heads;			/* first list node of each user */
	NeighbourNode *nodes;
	double	   *gram;			/* Gram matrix of the chosen neighbours */
	double	   *cosines;
	double	   *solution;		/* work space of conjugate gradients, 3 k numbers */

	/* neighbours of all items; those of item i begin at index i * k */
	Neighbour  *fitted;
	uint32_t   *counts;			/* neighbours per item */
} Neighbours;

extern void neighbours_limit(SvdMatrix *matrix);
extern void neighbours_adapt(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_index(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_fit(const SvdMatrix *matrix, Neighbours *n);
extern void neighbours_transpose(const SvdMatrix *matrix, const Neighbours *n, size_t *starts,
								 Neighbour *rows);
extern size_t neighbours_popular_len(uint32_t items);
extern uint32_t neighbours_truncate(uint32_t count, uint32_t max, Neighbour *row);

#endif							/* DLINTS_NEIGHBOURS_H */
