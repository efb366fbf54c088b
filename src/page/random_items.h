/*
 * random_items.h
 *		Candidates for random lists in large catalogues.
 */
#ifndef DLINTS_PAGE_RANDOM_ITEMS_H
#define DLINTS_PAGE_RANDOM_ITEMS_H

#include "page/candidates.h"

extern CandidateSet *DrawCandidates(PageRequest *page, const CandidateSet *new_items);

#endif							/* DLINTS_PAGE_RANDOM_ITEMS_H */
