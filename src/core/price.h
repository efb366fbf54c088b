/*
 * price.h
 *		Dual prices of constraints: the lowest prices at which decisions, replayed
 *		with score - price x cost, have mean costs within their targets.
 *
 * Prices are the multipliers of a linear program over mixtures of choices: maximize
 * the mean score while the mean cost of each kind is at most its target.
 */
#ifndef DLINTS_PRICE_H
#define DLINTS_PRICE_H

#include <stddef.h>

#include "slate.h"

/* maximum number of kinds of costs */
#define PRICE_MAX_KINDS		16

/* Candidates of one decision */
typedef struct PricedDecision
{
	int			candidates;
	const double *scores;
	const double *costs;		/* one row of "candidates" numbers per kind */
} PricedDecision;

/* Decisions to be replayed under prices, and work space */
typedef struct PricedDecisions
{
	int			kinds;			/* number of kinds of costs, at most PRICE_MAX_KINDS */
	int			k;				/* candidates that a decision chooses */
	size_t		count;
	const PricedDecision *each;
	double	   *scores;			/* work space: maximum number of candidates */
	SlateEntry *entries;		/* work space: maximum number of chosen candidates */
	double	   *means;			/* work space: one number per kind */
	void		(*pause) (void);	/* called every few milliseconds; may not return */
} PricedDecisions;

extern double price_means(const PricedDecisions *all, const double *prices, double *means);
extern void price_solve(const PricedDecisions *all, const double *targets, double *prices);

#endif							/* DLINTS_PRICE_H */
