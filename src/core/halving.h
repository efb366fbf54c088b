/*
 * halving.h
 *		Divide vectors into groups of similar vectors by repeated halving.
 *
 * Each group is halved at the median of the projections on its principal axis.  If the vectors do
 * not fit in memory, they are first divided by a tree, which is built from a sample.
 */
#ifndef DLINTS_HALVING_H
#define DLINTS_HALVING_H

#include <stdint.h>

#define HALVING_MAX_DEPTH	16

/* Maximum number of vectors from which we estimate a principal axis */
#define HALVING_ROWS		256

/* Vectors that are grouped by permuting their indexes */
typedef struct HalvingSet
{
	int			width;
	const float *vectors;
	const float *weights;
	double	   *projections;	/* work space: one double per vector */
	float	   *rows;			/* work space: HALVING_ROWS rows */
	double	   *axis;			/* work space */
} HalvingSet;

/* Return the number of floats of a binary tree.  Node i has the children 2 i + 1 and 2 i + 2. */
static inline int64_t
halving_tree_size(int width, int depth)
{
	return (((int64_t) 1 << depth) - 1) * (width + 1);
}

extern void halving_split_axis(int count, int width, float *rows, double *work, float *axis);
extern void halving_weights(int count, int width, const float *vectors, const float *scale,
							float *weights);
extern void halving_tree(const HalvingSet *set, int count, int *order, int depth, float *tree);
extern int	halving_part(int width, int depth, const float *tree, const float *vector,
						 uint64_t bits);
extern void halving_order(const HalvingSet *set, int count, int *order, int group);

#endif							/* DLINTS_HALVING_H */
