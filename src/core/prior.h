/*
 * prior.h
 *		What stands beside the evidence: the ridge, and what was known
 *		beforehand.
 *
 * A log, another shop, or the model of everybody says something before the first
 * observation.  Its evidence P, p is added to what was learned, so many times,
 * with its level taken out: how items compare is known beforehand, how often
 * anything is clicked is not.
 */
#ifndef DLINTS_PRIOR_H
#define DLINTS_PRIOR_H

#include "evidence.h"

typedef struct Prior
{
	double		ridge;
	double		last_ridge;		/* an intercept's, which is shrunk no further */
	double		weight;			/* 0: P does not count */
	const double *N;			/* one number: observations behind it */
	const double *p;			/* dim numbers */
	const double *P;			/* linalg_packed_len(dim) */
	double		sigma;			/* of its rewards; 0: they are all the same */
} Prior;

static inline Prior
prior_of_ridge(double ridge)
{
	Prior		prior = {ridge, ridge, 0.0, NULL, NULL, NULL, 0.0};

	return prior;
}

extern void prior_from(const Evidence *e, const Rewards *rewards, double *N,
					   double *p, double *P);
extern void prior_add(const Prior *prior, int dim, double *b);
extern bool prior_is_valid(const Prior *prior, int dim);

#endif							/* DLINTS_PRIOR_H */
