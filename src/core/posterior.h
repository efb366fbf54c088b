/*
 * posterior.h
 *		What follows from the evidence: the normal distribution of the
 *		coefficients, its mean, draws from it and its widths.
 *
 * Memory is the caller's, as in evidence.h.
 */
#ifndef DLINTS_POSTERIOR_H
#define DLINTS_POSTERIOR_H

#include "prior.h"

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
extern void posterior_coordinate_stddevs(int dim, const double *root,
										 double *stddevs);
extern void posterior_covariance(int dim, const double *root, double *cov);

#endif							/* DLINTS_POSTERIOR_H */
