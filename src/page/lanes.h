/*
 * lanes.h
 *		Scores of the rows of "block" and "centroid" under many rankings.
 */
#ifndef DLINTS_PAGE_LANES_H
#define DLINTS_PAGE_LANES_H

#include "page/block_rows.h"
#include "page/blocks.h"

/* BYTE_LANES rankings.  Weights are multiplied by a unit, which is a power of two. */
typedef struct Lanes
{
	int			count;
	ByteWeights factors;
	ByteWeights columns;
	float	   *lengths;		/* of the weights of factors, and of columns; "narrow" follows */
	float	   *narrow;			/* weights of popularity, ages, neighbour score, effect and costs */
	double		units[BYTE_LANES];
} Lanes;

/* A row of one of these tables, and the weights under which it is scored */
typedef struct BlockScorer
{
	PageRequest *page;
	Lanes	   *lanes;
	int			n_lanes;
	int			n_factors;
	int			n_columns;
	int			n_costs;
	int			n_ranked_costs; /* costs that rankings have weights for: all or none */
	int			n_dates;
	int			n_narrow;
	double		now;			/* in Unix time */

	int			count;
	const uint8 *codes;
	const float4 *numbers;
	float		scales[MAX_ITEMS * N_SCALES];
	float	   *narrow;			/* numbers that are not scored by bytes */
	int32		sums[MAX_ITEMS * BYTE_LANES];
	float		scores[MAX_ITEMS * BYTE_LANES];
} BlockScorer;

extern BlockScorer *CreateBlockScorer(PageRequest *page, const Rankings *rankings);
extern bool ReadBlockRow(BlockScorer *scorer, int count, Datum codes, Datum numbers, Datum *keys);
extern void ScoreBlockRow(BlockScorer *scorer, const Lanes *lanes);

#endif							/* DLINTS_PAGE_LANES_H */
