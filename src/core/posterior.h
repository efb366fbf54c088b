/*
 * posterior.h
 *		What follows from the evidence: the normal distribution of the
 *		coefficients, its mean, draws from it and its widths.
 *
 * Memory is the caller's, as in evidence.h.
 */
#ifndef DLINTS_POSTERIOR_H
#define DLINTS_POSTERIOR_H

#include "evidence.h"

/*
 * What stands beside the evidence: the ridge, and what was known beforehand.
 *
 * A log, another shop, or the model of everybody says something before the first
 * observation.  Its evidence P, p is added to what was learned, so many times,
 * with its level taken out: how items compare is known beforehand, how often
 * anything is clicked is not.
 */
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

/*
 * Cholesky factors of Z = L L' and Z~ = M M', packed; M is NULL where nothing
 * fades (then Z~ = Z).
 */
typedef struct Factor
{
	int			dim;
	double	   *L;
	double	   *M;
} Factor;

extern size_t factor_value_count(int dim, bool fades);
extern void factor_bind(Factor *f, int dim, bool fades, double *values);
extern bool posterior_factor(const Evidence *e, const Prior *prior,
							 Factor *f);
extern void posterior_mean(const Factor *f, const double *b, double *mean);
extern void posterior_draws(const Factor *f, const double *b, double scale,
							int count, const double *normals, double *draws,
							double *work);
extern void posterior_root(const Factor *f, double *root);
extern double posterior_stddev(int dim, const double *root,
							   const double *reduced, double *work);
extern double posterior_score(const Factor *f, const double *b,
							  double *reduced, double *stddev);
extern void posterior_covariance(int dim, const double *root, double *cov);

#endif							/* DLINTS_POSTERIOR_H */
