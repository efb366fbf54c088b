/*
 * evidence.h
 *		Evidence: the sums over observations from which a model is estimated.
 *
 * An observation has features z, a reward r and a weight w = discount^age.  A constant c, the
 * reference reward, keeps rounding errors small.  The sums are
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * The posterior of the paper (Ghoorchian, Kortukov and Maghsudi, Algorithm 1) has the matrices
 *
 *		Z = G + ridge I			Z~ = H + ridge I
 *
 * Models with several discounts do not store H, but estimate it from G and N2, the sum of w^2.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum number of observations per call of evidence_absorb() */
#define EVIDENCE_BLOCK 128

/* Minimum sum of weights; a smaller sum may be a rounding error, and counts as 0 */
#define MIN_WEIGHT	1e-6

/* Accepted rounding error of the difference of two sums of weights */
#define WEIGHT_TOLERANCE	(1e-3 * MIN_WEIGHT)
/* Accepted rounding error of the difference of two matrices, as a fraction of the ridge */
#define RIDGE_TOLERANCE	1e-9

/* Fraction of a sum of squares below which a difference of two sums is a rounding error */
#define ROUNDING_SHARE		1e-12

/* How a model stores sums with squared weights of observations */
typedef enum Squares
{
	SQUARES_NONE,				/* not stored */
	SQUARES_SUM,				/* only sum of w^2 */
	SQUARES_MATRIX				/* sums of products of features, with squared weights */
} Squares;

/*
 * The sums N, R and S over all observations of a model, without discount.  Rounding errors of S
 * are proportional to "peak", the largest past value of S.  The struct has no padding, because
 * evidence.c also uses it as an array.
 */
typedef struct Totals
{
	double		N;
	double		R;
	double		S;
	double		peak;
} Totals;

/* Sums of all rewards, and the reference reward that is subtracted from each reward */
typedef struct Rewards
{
	bool		intercept;
	double		reference;		/* the reference reward c */
	Totals		totals;
} Rewards;

#define EVIDENCE_SCALARS	3

/* Pointers to the discounted sums over observations, which are stored as one array in this order */
typedef struct Evidence
{
	int			dim;			/* number of features */
	double	   *N;
	double	   *R;
	double	   *S;
	double	   *N2;				/* sum of squared weights; NULL unless stored */
	double	   *b;
	double	   *G;				/* packed sum of weights times products of features */
	double	   *H;				/* packed sum of w^2 times products of features, or NULL */
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
