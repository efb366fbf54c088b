/*
 * neighbours.h
 *		Neighbour scores: how strongly a user's clicked items predict another item.
 */
#ifndef DLINTS_PAGE_NEIGHBOURS_H
#define DLINTS_PAGE_NEIGHBOURS_H

#include "page/candidates.h"

typedef struct NeighbourRow
{
	ArrayType  *items;
	ArrayType  *weights;
} NeighbourRow;

extern NeighbourRow *CopyNeighbourRow(NullableDatum items, NullableDatum weights);
extern NeighbourScores *CreateNeighbourScores(PageRequest *page);
extern void AddNeighbourRow(PageRequest *page, NeighbourScores *scores, const NeighbourRow *row,
							double weight);
extern void ReadItemNeighbours(PageRequest *page, Datum item);
extern float4 NeighbourScore(const PageRequest *page, Datum item);
extern float4 ScoreNeighbour(PageRequest *page, Datum item);
extern void ForgetScoredNeighbours(PageRequest *page);
extern bool HasNeighbours(const PageRequest *page);
extern bool ScoresAllNeighbours(const PageRequest *page);
extern void AddBestNeighbours(PageRequest *page, CandidateSet *set, uint64 first_tie_key);

#endif							/* DLINTS_PAGE_NEIGHBOURS_H */
