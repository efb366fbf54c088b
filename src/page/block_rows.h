/*
 * block_rows.h
 *		The format of rows of the tables "block" and "centroid".
 *
 * A row of "block" has the items of a block; a row of "centroid" has the means of blocks instead.
 * "codes" contains for each item a scale for its latent factors, a scale for the features of its
 * columns, and then both, one byte each (core/byte_score.h).  "numbers" contains popularity,
 * effect, costs and dates.  The features of dates depend on the time, and are computed when a row
 * is scored.
 */
#ifndef DLINTS_PAGE_BLOCK_ROWS_H
#define DLINTS_PAGE_BLOCK_ROWS_H

#include "core/byte_score.h"
#include "page/page.h"

/* Maximum number of items in a block, and of blocks in a row of centroids */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Number of values per item in "numbers" before its costs: popularity and effect */
#define FIRST_COST		2
/* A block is written again if the popularity of an item changed by more than this fraction. */
#define POPULARITY_CHANGE	0.05
/* Number of elements in "spreads" before those of "numbers": one for factors, one for columns */
#define N_SPREADS		2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

#endif							/* DLINTS_PAGE_BLOCK_ROWS_H */
