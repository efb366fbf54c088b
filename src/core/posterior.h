/*
 * posterior.h
 *		Discounted linear Thompson sampling: what observations say (the
 *		evidence) and what follows from it (the posterior).
 *
 * With reduced contexts z, rewards r and discount gamma, Algorithm 1 of
 * Ghoorchian, Kortukov and Maghsudi keeps
 *
 *		G <- gamma   G + z z'
 *		H <- gamma^2 H + z z'
 *		b <- gamma   b + r z
 *
 * from zero; the paper's matrices are Z = G + ridge I and Z~ = H + ridge I at
 * every step.  With gamma = 1 the two coincide and H is not kept.
 *
 * Memory is the caller's.  Nothing here allocates, and nothing knows of
 * PostgreSQL.
 */
#ifndef DLINTS_POSTERIOR_H
#define DLINTS_POSTERIOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* observations absorbed at a time: one matrix product, two rank updates */
#define POSTERIOR_BLOCK 128

/*
 * What observations alone say.  The scalars belong to the struct, the arrays
 * to the caller: b has dim numbers, G and H linalg_packed_len(dim) each.
 */
typedef struct Evidence
{
	int			dim;			/* d */
	double		discount;		/* gamma, in (0, 1] */
	int64_t		updates;		/* observations seen */
	double		weight_sum;		/* sum of gamma^age */
	double		reward_sum;		/* sum of gamma^age r */
	double		reward_square_sum;	/* sum of gamma^age r^2 */
	double	   *b;
	double	   *G;
	double	   *H;				/* NULL when discount is 1 */
} Evidence;

/*
 * Cholesky factors of Z = L L' and Z~ = M M', packed; M is NULL when the
 * discount is 1 (then Z~ = Z).
 */
typedef struct Factor
{
	int			dim;
	double	   *L;
	double	   *M;
} Factor;

static inline bool
evidence_has_second(double discount)
{
	return discount < 1.0;
}

/* learning */
extern size_t evidence_value_count(int dim, double discount);
extern void evidence_bind(Evidence *e, int dim, double discount,
						  double *values);
extern void evidence_clear(Evidence *e);
extern void evidence_absorb(Evidence *e, int count, double *reduced,
							const double *rewards);
extern void evidence_concat(Evidence *earlier, const Evidence *later);
extern void evidence_settle(Evidence *e);
extern bool evidence_is_valid(const Evidence *e);

/* the posterior */
extern size_t factor_value_count(int dim, double discount);
extern void factor_bind(Factor *f, int dim, double discount, double *values);
extern bool posterior_factor(const Evidence *e, double ridge, Factor *f);
extern void posterior_mean(const Evidence *e, const Factor *f, double *mean);
extern size_t posterior_draw_work(int dim);
extern void posterior_draw(const Evidence *e, const Factor *f,
						   double exploration, const double *normals,
						   double *draw, double *work);
extern void posterior_root(const Factor *f, double *root);
extern double posterior_stddev(int len, int dim, const double *root,
							   const double *vector, double *work);
extern void posterior_coordinate_stddevs(int dim, const double *root,
										 double *stddevs);
extern void posterior_covariance(int dim, const double *root, double *cov);

#endif							/* DLINTS_POSTERIOR_H */
