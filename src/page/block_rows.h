/*
 * block_rows.h
 *		The format of rows of the tables "block" and "centroid".
 *
 * A row of "block" describes up to MAX_ITEMS items.  A row of "centroid" describes the means of
 * blocks in the same way.  "codes" has two scales per item, then its latent factors and its
 * features of columns as bytes (core/byte_score.h).  "numbers" has popularity, effect, costs and
 * dates per item.  Features of dates are computed from the dates when a row is scored, since they
 * depend on the current time.
 */
#ifndef DLINTS_PAGE_BLOCK_ROWS_H
#define DLINTS_PAGE_BLOCK_ROWS_H

#include "core/byte_score.h"
#include "page/page.h"

/* Maximum number of items in a block, and of blocks in a row of centroids */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Index of an item's first cost in "numbers", after popularity and effect */
#define FIRST_COST		2
/* A block is written again if the popularity of an item changed by more than this fraction. */
#define POPULARITY_CHANGE	0.05
/* Index of the first number's spread in "spreads", after the spreads of factors and columns */
#define N_SPREADS		2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

#endif							/* DLINTS_PAGE_BLOCK_ROWS_H */
