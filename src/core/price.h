/*
 * price.h
 *		Dual prices of constraints: the lowest prices at which mean costs meet their targets, if
 *		candidates are chosen by score - price x cost.
 *
 * Prices are the multipliers of a linear program over mixtures of choices: maximize the mean score
 * while the mean cost of each constraint is at most its target.
 */
#ifndef DLINTS_PRICE_H
#define DLINTS_PRICE_H

#include <stddef.h>

#include "slate.h"

/* Maximum number of constraints, each with its own kind of cost */
#define PRICE_MAX_KINDS		16

/* Scores and costs of a decision's candidates */
typedef struct PricedDecision
{
	int			candidates;
	const double *scores;
	const double *costs;		/* for each constraint, a row of "candidates" costs */
} PricedDecision;

/* Logged decisions, for which lists are computed again under other prices; and work space */
typedef struct PricedDecisions
{
	int			kinds;			/* number of constraints, at most PRICE_MAX_KINDS */
	int			k;				/* number of candidates chosen per decision */
	size_t		count;
	const PricedDecision *each;
	double	   *scores;			/* work space: scores of a decision's candidates */
	SlateEntry *entries;		/* work space: a decision's chosen candidates */
	double	   *means;			/* work space: mean cost of each constraint */
	void		(*pause) (void);	/* called every few milliseconds; may raise an error */
} PricedDecisions;

extern double price_means(const PricedDecisions *all, const double *prices, double *means);
extern void price_solve(const PricedDecisions *all, const double *targets, double *prices);

#endif							/* DLINTS_PRICE_H */
