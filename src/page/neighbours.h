/*
 * neighbours.h
 *		Neighbour scores: how strongly a user's clicked items predict another item.
 */
#ifndef DLINTS_PAGE_NEIGHBOURS_H
#define DLINTS_PAGE_NEIGHBOURS_H

#include "page/candidates.h"

extern NeighbourScores *CreateNeighbourScores(PageRequest *page);
extern void AddNeighbours(PageRequest *page, NeighbourScores *scores, Datum neighbours,
						  Datum weights, double weight);
extern float4 NeighbourScore(const PageRequest *page, Datum item);
extern float4 ScoreNeighbour(PageRequest *page, Datum item);
extern void ForgetScoredNeighbours(PageRequest *page);
extern bool HasNeighbours(const PageRequest *page);
extern bool ScoresAllNeighbours(const PageRequest *page);
extern void AddBestNeighbours(PageRequest *page, CandidateSet *set, double minimum,
							  uint64 first_tie_key);

#endif							/* DLINTS_PAGE_NEIGHBOURS_H */
