/*
 * lanes.h
 *		Score items of the table "block", and means in the table "centroid", under many weight
 *		vectors.
 */
#ifndef DLINTS_PAGE_LANES_H
#define DLINTS_PAGE_LANES_H

#include "page/blocks.h"

/* A group of BYTE_LANES interleaved weight vectors, each multiplied by a power of two ("unit") */
typedef struct Lanes
{
	int			count;
	ByteWeights factors;
	ByteWeights columns;
	/* norms of the weights of latent factors, and of other features */
	float	   *lengths;
	/* weights for features that are stored as floats instead of bytes */
	float	   *narrow;
	double		units[BYTE_LANES];
} Lanes;

/* Computes scores of items, or of means of items, under many weight vectors */
typedef struct BlockScorer
{
	PageRequest *page;
	Lanes	   *lanes;
	int			n_lanes;
	int			n_factors;
	int			n_columns;
	int			n_costs;
	/* number of costs that lower an item's score; 0 without dual prices */
	int			n_ranked_costs;
	int			n_dates;
	int			n_narrow;
	double		now;			/* Unix time of the request */

	int			count;
	int			n_axes;			/* principal axes per mean in a row of "centroid"; 0 for "block" */
	const uint8 *codes;
	const float4 *numbers;
	float		scales[MAX_ITEMS * N_SCALES];
	float	   *narrow;			/* features and costs that are stored as floats instead of bytes */
	int32		sums[MAX_ITEMS * BYTE_LANES];
	float		scores[MAX_ITEMS * BYTE_LANES];
} BlockScorer;

extern BlockScorer *CreateBlockScorer(PageRequest *page, const Rankings *rankings);
extern bool ReadBlockRow(BlockScorer *scorer, int count, int n_axes, Datum codes, Datum numbers,
						 Datum *keys);
extern void ScoreBlockRow(BlockScorer *scorer, const Lanes *lanes);

/* functions in clusters.c */
typedef struct BlockChoice BlockChoice;

extern bool HasClusters(const PageRequest *page, int size);
extern BlockChoice *RankBlocks(BlockScorer *scorer);
extern int	NextBlocks(BlockChoice *choice, const Slate *found, const int **numbers);

#endif							/* DLINTS_PAGE_LANES_H */
