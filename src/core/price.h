/*
 * price.h
 *		Dual prices of constraints on mean costs.
 *
 * Candidates are chosen by score minus price times cost.
 */
#ifndef DLINTS_PRICE_H
#define DLINTS_PRICE_H

#include <stddef.h>

#include "slate.h"

/* Maximum number of constraints */
#define PRICE_MAX_KINDS		16

/* Scores and costs of a decision's candidates */
typedef struct PricedDecision
{
	int			candidates;
	const double *scores;
	const double *costs;		/* costs: one row per constraint */
} PricedDecision;

/* Decisions whose candidates are chosen again under other prices, and work space */
typedef struct PricedDecisions
{
	int			kinds;			/* number of constraints */
	int			k;				/* number of candidates chosen per decision */
	size_t		count;
	const PricedDecision *each;
	double	   *scores;			/* work space */
	SlateEntry *entries;		/* work space */
	double	   *means;			/* work space */
	void		(*pause) (void);	/* called between steps; may raise an error */
} PricedDecisions;

extern double price_means(const PricedDecisions *all, const double *prices, double *means);
extern void price_solve(const PricedDecisions *all, const double *targets, double *prices);

#endif							/* DLINTS_PRICE_H */
