/*
 * block_rows.h
 *		Format of the tables "block" and "centroid".
 *
 * A row of "block" describes at most MAX_ITEMS items.  A row of "centroid" describes as many blocks
 * by their means.  The column "codes" has features that are rounded to bytes (see
 * core/byte_score.h), after two scales.  The column "numbers" has popularity, effect on rewards,
 * costs and dates.  Features of dates are computed when a row is scored.
 */
#ifndef DLINTS_PAGE_BLOCK_ROWS_H
#define DLINTS_PAGE_BLOCK_ROWS_H

#include "core/byte_score.h"
#include "page/page.h"

/* maximum number of items in a block, and of blocks in a row of "centroid" */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Index of an item's first cost in "numbers" */
#define FIRST_COST		2
/* A block is rewritten if an item's popularity has changed by more than this fraction. */
#define POPULARITY_CHANGE	0.05
/* Number of spreads of features in "spreads", before the spreads of "numbers" */
#define N_SPREADS		2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

#endif							/* DLINTS_PAGE_BLOCK_ROWS_H */
