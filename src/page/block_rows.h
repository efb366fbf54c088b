/*
 * block_rows.h
 *		The format of rows of the tables "block" and "centroid".
 *
 * Both have two values per row.  "codes" has for each item the scales of its factors
 * and of its columns, and then a byte per number of these (core/byte_score.h).
 * "numbers" has its popularity, its effect, its costs and its dates.  Features of dates
 * depend on the time, and are computed when rows are scored.  A row of centroids has
 * the mean of each of its blocks in place of an item.
 */
#ifndef DLINTS_PAGE_BLOCK_ROWS_H
#define DLINTS_PAGE_BLOCK_ROWS_H

#include "core/byte_score.h"
#include "page/page.h"

/* Maximum number of items in a block, and of blocks in a row of centroids */
#define MAX_ITEMS		256
#define N_SCALES		2
#define SCALE_BYTES		(N_SCALES * sizeof(float4))
/* Numbers of an item before its costs */
#define FIRST_COST		2
/* Part of its popularity by which an item may differ from its block */
#define POPULARITY_CHANGE	0.05
/* Spreads of a block before those of its numbers: of factors and of columns */
#define N_SPREADS		2

static inline Size
item_bytes(int factors, int columns)
{
	return SCALE_BYTES + byte_padded(factors) + byte_padded(columns);
}

#endif							/* DLINTS_PAGE_BLOCK_ROWS_H */
