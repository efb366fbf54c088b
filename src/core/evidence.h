/*
 * evidence.h
 *		Evidence: sums over a model's observations under one discount.  A
 *		model has one or several such sums, called its memories.
 *
 * With reduced features z, rewards r and weights w, the sums are
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * The reference reward c is 0 or close to the rewards; R and S then lose few digits.  With
 * w = discount^age we get Algorithm 1 of Ghoorchian, Kortukov and Maghsudi, whose matrices are
 * Z = G + ridge I and Z~ = H + ridge I.
 *
 * As in the paper, a model with a single, discounted memory stores H.  A model with several
 * memories stores N2, the sum of w^2, for each discounted one, and uses (N2 / N) G for H.  A memory
 * without a discount uses G for H: an observation of weight w then counts as w observations.
 *
 * The caller provides the storage.  Nothing here allocates or depends on PostgreSQL.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum observations per call of evidence_absorb(), which adds them as matrix products */
#define EVIDENCE_BLOCK 128

/* Evidence with a smaller sum of weights counts as empty: it may be rounding errors. */
#define MIN_WEIGHT	1e-6

/*
 * Errors that we tolerate after a subtraction of evidence: of the sum of weights, and of matrices
 * as a fraction of the ridge.  A difference has the rounding errors of both sums, which may be
 * large; these errors are negligible beside MIN_WEIGHT and the ridge.
 */
#define WEIGHT_TOLERANCE	(1e-3 * MIN_WEIGHT)
#define RIDGE_TOLERANCE	1e-9

/*
 * Sums of squares below this fraction of their earlier value are rounding errors: about 5,000 times
 * the precision of a double.
 */
#define ROUNDING_SHARE		1e-12

/* Representation of H, the sum of w^2 z z' */
typedef enum Squares
{
	SQUARES_NONE,				/* H is not stored, because G replaces it without a discount */
	SQUARES_SUM,				/* only N2, the sum of w^2, is stored: H is (N2 / N) G */
	SQUARES_MATRIX				/* the matrix H is stored */
} Squares;

/*
 * N, R and S over all observations, without a discount.  "peak" is the largest value that S ever
 * had, by which we recognize rounding errors.  The struct has no padding, since evidence.c also
 * processes it as an array.
 */
typedef struct Totals
{
	double		N;
	double		R;
	double		S;
	double		peak;
} Totals;

/* How to interpret the sums of rewards in evidence */
typedef struct Rewards
{
	bool		intercept;		/* does the model center rewards on their mean? */
	double		reference;		/* reference reward c, from which R and S are measured */
	Totals		totals;
} Rewards;

/* Number of doubles at the start of evidence: N, R and S */
#define EVIDENCE_SCALARS	3

/*
 * Sums of weighted observations, as pointers into one array of the caller.  evidence_bind() lays
 * them out in this order without gaps.  Loops over all sums start at N.
 */
typedef struct Evidence
{
	int			dim;			/* number of reduced features z */
	double	   *N;				/* the sums N, R and S, a number each */
	double	   *R;
	double	   *S;
	double	   *N2;				/* sum of squared weights with SQUARES_SUM, else NULL */
	double	   *b;				/* sum of w r z: dim numbers */
	double	   *G;				/* sum of w z z', a packed matrix */
	double	   *H;				/* sum of w^2 z z', packed, with SQUARES_MATRIX, else NULL */
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
