/*
 * shared_candidates.h
 *		Which items "candidates" allows, shared by the pages of a statement.
 */
#ifndef DLINTS_PAGE_SHARED_CANDIDATES_H
#define DLINTS_PAGE_SHARED_CANDIDATES_H

#include "page/candidates.h"
#include "page/kept_rows.h"

extern KeptTable *SharedCandidates(const PageRequest *page);
extern int	UnknownCandidates(KeptTable *shared, const Datum *items, int count, Datum *unknown);
extern void ShareCandidates(const PageRequest *page, KeptTable *shared, const Datum *items,
							int count, const CandidateSet *allowed, KeyTable *numbers);

#endif							/* DLINTS_PAGE_SHARED_CANDIDATES_H */
