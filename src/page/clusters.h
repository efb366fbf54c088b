/*
 * clusters.h
 *		Choice of the blocks that are searched in large catalogues.
 */
#ifndef DLINTS_PAGE_CLUSTERS_H
#define DLINTS_PAGE_CLUSTERS_H

#include "page/lanes.h"

typedef struct BlockChoice BlockChoice;

extern bool HasClusters(const PageRequest *page, int size);
extern BlockChoice *RankBlocks(BlockScorer *scorer);
extern int	NextBlocks(BlockChoice *choice, const float *thresholds, const int **numbers);

#endif							/* DLINTS_PAGE_CLUSTERS_H */
