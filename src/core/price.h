/*
 * price.h
 *		Prices of costs: what a unit of each takes off the score of a candidate,
 *		so that decisions, made once more, cost no more than they may.
 *
 * They are the multipliers of a linear program that its decisions solve
 * greedily: the least ones that are enough.
 */
#ifndef DLINTS_PRICE_H
#define DLINTS_PRICE_H

#include <stddef.h>

#include "slate.h"

/* Candidates, of which k were to be chosen. */
typedef struct PricedDecision
{
	int			candidates;
	const double *scores;
	const double *costs;		/* of each kind as many as there are candidates */
} PricedDecision;

/* Decisions that are made once more. */
typedef struct PricedDecisions
{
	int			kinds;			/* of costs */
	int			k;
	size_t		count;
	const PricedDecision *each;
	double	   *scores;			/* room for those of the most candidates */
	SlateEntry *entries;		/* room for the most that are chosen */
	double	   *means;			/* room for a number of each kind */
	void		(*pause) (void);	/* called every few milliseconds; need not
									 * return */
} PricedDecisions;

extern void price_means(const PricedDecisions *all, const double *prices,
						double *means);
extern void price_solve(const PricedDecisions *all, const double *targets,
						double *prices);

#endif							/* DLINTS_PRICE_H */
