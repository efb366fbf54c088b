/*
 * posterior.h
 *		Posterior of the coefficients: a normal distribution with its mean,
 *		draws and standard deviations.
 *
 * The caller provides the memory, as in evidence.h.
 */
#ifndef DLINTS_POSTERIOR_H
#define DLINTS_POSTERIOR_H

#include "evidence.h"

/*
 * Prior of the coefficients: a ridge, and evidence P, p from another source, such as a click log or
 * another model.  We add both to a model's own evidence.
 *
 * P and p are weighted and centered on the mean reward: we use differences between items, but not
 * how often items are clicked.
 */
typedef struct Prior
{
	double		ridge;
	double		last_ridge;		/* ridge of the intercept; never estimated */
	double		weight;			/* factor of P and p; 0 without prior evidence */
	const double *N;			/* sum of the prior's weights */
	const double *p;			/* sum of r z over the prior: dim numbers */
	const double *P;			/* sum of z z' over the prior, a packed matrix */
	double		sigma;			/* noise of the prior's rewards; 0 if they are all equal */
} Prior;

static inline Prior
prior_of_ridge(double ridge)
{
	Prior		prior = {ridge, ridge, 0.0, NULL, NULL, NULL, 0.0};

	return prior;
}

extern void prior_from(const Evidence *e, const Rewards *rewards, double *N, double *p, double *P);
extern void prior_add(const Prior *prior, int dim, double *b);
extern bool prior_is_valid(const Prior *prior, int dim);

/* Packed Cholesky factors Z = L L' and Z~ = M M'; M is NULL without a discount (Z~ = Z) */
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
