/*
 * varied_lists.h
 *		Lists under many draws, in which a twin of what is chosen counts less.
 */
#ifndef DLINTS_VARIED_LISTS_H
#define DLINTS_VARIED_LISTS_H

#include "postgres.h"

#include "choose/decision.h"
#include "core/slate.h"

typedef struct VariedLists VariedLists;

extern VariedLists *VariedListsCreate(const Candidates *from, int draws);
extern void VariedListsTake(VariedLists *lists, int draw, const ScoresStrip *strip);
extern void VariedListsNarrow(VariedLists *lists, const Slate *slates, int draws);
extern int	VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen);

#endif							/* DLINTS_VARIED_LISTS_H */
