/*
 * evidence.h
 *		Evidence: the sums over observations from which a model is estimated.
 *
 * With features z, rewards r, weights w and a reference reward c, the sums are
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * A reference reward close to the rewards keeps the rounding errors of R and S small.  The paper of
 * Ghoorchian, Kortukov and Maghsudi (Algorithm 1) has weights w = discount^age and the matrices
 *
 *		Z = G + ridge I			Z~ = H + ridge I
 *
 * A model with one discount stores H, as in the paper.  A model with several discounts stores only
 * N2, the sum of w^2, and uses (N2 / N) G for H.  Without a discount, G replaces H.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of observations per call of evidence_absorb() */
#define EVIDENCE_BLOCK 128

/* Minimum sum of weights: a smaller one may be a rounding error, and counts as 0. */
#define MIN_WEIGHT	1e-6

/*
 * Tolerated rounding errors of the difference of two sums of weights and, as a fraction of the
 * ridge, of the difference of two matrices
 */
#define WEIGHT_TOLERANCE	(1e-3 * MIN_WEIGHT)
#define RIDGE_TOLERANCE	1e-9

/* Fraction of a sum of squares below which a difference of two such sums is a rounding error */
#define ROUNDING_SHARE		1e-12

/* How a model stores sums with squared weights w^2 (H or N2 above) */
typedef enum Squares
{
	SQUARES_NONE,				/* not stored */
	SQUARES_SUM,				/* only sum of w^2 */
	SQUARES_MATRIX				/* the matrix H, sum of w^2 z z' */
} Squares;

/*
 * Sums over all observations, without a discount.  "peak" is the largest earlier value of S, the
 * sum of squared rewards.  It bounds the rounding error of S.  The struct has no padding, because
 * evidence.c also uses it as an array.
 */
typedef struct Totals
{
	double		N;
	double		R;
	double		S;
	double		peak;
} Totals;

/* Sums of all rewards, and the reference reward that is subtracted from each */
typedef struct Rewards
{
	bool		intercept;
	double		reference;		/* the reference reward c */
	Totals		totals;
} Rewards;

#define EVIDENCE_SCALARS	3

/* Pointers to sums over discounted observations.  The sums are in one array, in this order. */
typedef struct Evidence
{
	int			dim;			/* number of features */
	double	   *N;
	double	   *R;
	double	   *S;
	double	   *N2;				/* sum of squared weights; NULL unless stored */
	double	   *b;
	double	   *G;				/* packed sum of w z z' */
	double	   *H;				/* packed sum of w^2 z z'; NULL unless stored */
} Evidence;

extern size_t evidence_value_count(int dim, Squares squares);
extern void evidence_bind(Evidence *e, int dim, Squares squares, double *values);
extern Squares evidence_squares(const Evidence *e);
extern double evidence_square_share(const Evidence *e);
extern void evidence_absorb(Evidence *e, double decay, int count,
							const double *reduced, const double *rewards,
							double reference, const double *weights);
extern void evidence_scale(Evidence *e, double factor);
extern void evidence_add(Evidence *e, const Evidence *other);
extern bool evidence_subtract(Evidence *e, const Evidence *other,
							  const Totals *left, double ridge, double *work);
extern void evidence_rebase(Evidence *e, double shift);
extern void evidence_flush(Evidence *e);
extern bool evidence_is_valid(const Evidence *e);

extern void totals_absorb(Totals *t, int count, const double *rewards,
						  double reference, const double *weights);
extern void totals_scale(Totals *t, double factor);
extern void totals_add(Totals *t, const Totals *other);
extern bool totals_subtract(Totals *t, const Totals *other);
extern void totals_rebase(Totals *t, double shift);
extern bool totals_are_valid(const Totals *t);

#endif							/* DLINTS_EVIDENCE_H */
