/*
 * halving.h
 *		Divide vectors into groups of equal size, with similar vectors in a group, by repeated
 *		halving.
 *
 * A group is halved at the median of the projections on its principal axis.  A tree
 * of axes and medians, made from a sample, divides any number of vectors into parts
 * that fit in memory.  Each part is then halved exactly.
 *
 * Each element of a vector has a weight in the projections.
 */
#ifndef DLINTS_HALVING_H
#define DLINTS_HALVING_H

#include <stdint.h>

/* Maximum depth of a tree of axes and medians */
#define HALVING_MAX_DEPTH	16

/* Vectors to be grouped, and working space.  Functions permute indexes, not vectors. */
typedef struct HalvingSet
{
	int			width;
	const float *vectors;
	const float *weights;
	double	   *projections;	/* working space: one number per vector */
	float	   *rows;			/* working space: halving_rows(width) numbers */
	double	   *axis;			/* working space: 2 * width numbers */
} HalvingSet;

/*
 * Number of floats of a tree: an axis and a median per node.  Node i has children 2 i + 1 and 2 i +
 * 2.
 */
static inline int64_t
halving_tree_size(int width, int depth)
{
	return (((int64_t) 1 << depth) - 1) * (width + 1);
}

extern int64_t halving_rows(int width);
extern void halving_weights(int count, int width, const float *vectors, const float *scale,
							float *weights);
extern void halving_tree(const HalvingSet *set, int count, int *order, int depth, float *tree);
extern int	halving_part(int width, int depth, const float *tree, const float *vector,
						 uint64_t bits);
extern void halving_order(const HalvingSet *set, int count, int *order, int group);

#endif							/* DLINTS_HALVING_H */
