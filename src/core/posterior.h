/*
 * posterior.h
 *		Normal posterior distribution of a model's coefficients.
 */
#ifndef DLINTS_POSTERIOR_H
#define DLINTS_POSTERIOR_H

#include "evidence.h"

/* Maximum number of features, including the intercept */
#define POSTERIOR_MAX_DIM	1025

/*
 * Prior of the coefficients: a ridge, and optional sums over observations, such as a click log.  If
 * the model has an intercept, the sums are centered, and do not affect the intercept.
 */
typedef struct Prior
{
	double		ridge;
	double		last_ridge;		/* ridge of the intercept */
	double		weight;			/* factor by which the prior's sums are multiplied */
	const double *N;			/* sum of the weights of the prior's observations */
	const double *p;			/* the prior's sum of rewards times features */
	const double *P;			/* the prior's packed sum of products of features */
	double		sigma;			/* noise standard deviation of the rewards in the prior's sums */
} Prior;

static inline Prior
prior_of_ridge(double ridge)
{
	return (Prior) {ridge, ridge, 0.0, NULL, NULL, NULL, 0.0};
}

extern void prior_from(const Evidence *e, const Rewards *rewards, double *N, double *p, double *P);
extern void prior_add(const Prior *prior, int dim, double *b);
extern bool prior_is_valid(const Prior *prior, int dim);

/*
 * Packed Cholesky factors of the posterior's two matrices (see evidence.h).  M is NULL if they are
 * equal.
 */
typedef struct Factor
{
	int			dim;
	double	   *L;
	double	   *M;
} Factor;

extern size_t factor_value_count(int dim, bool forgets);
extern void factor_bind(Factor *f, int dim, bool forgets, double *values);
extern bool posterior_factor(const Evidence *e, const Prior *prior, Factor *f);
extern void posterior_mean(const Factor *f, const double *b, double *mean);
extern void posterior_shift(const Factor *f, double *b);
extern void posterior_draws(const Factor *f, const double *shift, double scale,
							int count, const double *normals, double *draws);
extern void posterior_root(const Factor *f, double *root);
extern double posterior_stddev(int dim, const double *root, const double *reduced, double *work);
extern double posterior_score(const Factor *f, const double *shift, double *reduced,
							  double *stddev);

#endif							/* DLINTS_POSTERIOR_H */
