/*
 * evidence.h
 *		Evidence of a model: sums over observations under one rate of
 *		forgetting (a memory).
 *
 * With reduced features z, rewards r and weights w a memory consists of
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * where c is a reference reward of the caller: 0, or near the rewards, so
 * that R and S keep their digits.  Forgetting reduces w with age.  With w =
 * discount^age the memory is Algorithm 1 of Ghoorchian, Kortukov and
 * Maghsudi: its matrices are Z = G + ridge I and Z~ = H + ridge I.
 *
 * We store H only in the single memory of a model that forgets, as in the
 * paper.  Each forgetting memory of several stores N2, the sum of w^2, and
 * uses (N2 / N) G for H.  Without forgetting, G stands for H: an observation
 * of weight w then counts as w observations.
 *
 * The caller provides the memory.  Nothing here allocates or depends on
 * PostgreSQL.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Maximum number of observations per evidence_absorb(), which makes one matrix product
 * and at most two rank updates of them
 */
#define EVIDENCE_BLOCK 128

/*
 * Memories with less weight, in observations, count as empty, because
 * rounding errors may leave such a weight.
 */
#define MIN_WEIGHT	1e-6

/*
 * A difference of sums has the rounding errors of both, however large these
 * were.  We tolerate errors that are negligible beside MIN_WEIGHT and the
 * ridge: an absolute error of N, and a fraction of the ridge.
 */
#define WEIGHT_TOLERANCE	(1e-3 * MIN_WEIGHT)
#define RIDGE_TOLERANCE	1e-9

/*
 * Squares and residuals below this fraction of their earlier size are
 * rounding errors: 5,000 times the precision of a double.
 */
#define ROUNDING_SHARE		1e-12

/* Representation of H, the sums with squared weights */
typedef enum Squares
{
	SQUARES_NONE,				/* no forgetting: H = G */
	SQUARES_SUM,				/* N2, the sum of w^2: H = (N2 / N) G */
	SQUARES_MATRIX				/* H itself */
} Squares;

/*
 * Sums over all observations, without forgetting.  "peak" is the largest value that S ever
 * had; it tells the remainder of a retraction from rounding errors.  The four fields are
 * also read as an array of four doubles: evidence.c asserts that the struct has no padding.
 */
typedef struct Totals
{
	double		N;
	double		R;
	double		S;
	double		peak;
} Totals;

/* Interpretation of the rewards' sums */
typedef struct Rewards
{
	bool		intercept;		/* rewards are centered on their mean */
	double		reference;		/* reference reward c of R and S */
	Totals		totals;
} Rewards;

/* Numbers that begin a memory's array: N, R and S */
#define EVIDENCE_SCALARS	3

/*
 * Pointers into one array of the caller, in this order: evidence_bind() lays
 * them out without gaps.  Loops over the whole memory start at N.
 */
typedef struct Evidence
{
	int			dim;			/* D, the number of coordinates of z */
	double	   *N;				/* N, R and S: one number each */
	double	   *R;
	double	   *S;
	double	   *N2;				/* one number with SQUARES_SUM, else NULL */
	double	   *b;				/* dim numbers */
	double	   *G;				/* linalg_packed_len(dim) */
	double	   *H;				/* linalg_packed_len(dim) with SQUARES_MATRIX, else NULL */
} Evidence;

extern size_t evidence_value_count(int dim, Squares squares);
extern void evidence_bind(Evidence *e, int dim, Squares squares, double *values);
extern Squares evidence_squares(const Evidence *e);
extern double evidence_square_share(const Evidence *e);
extern void evidence_absorb(Evidence *e, double decay, int count,
							const double *reduced, const double *rewards,
							double reference, const double *weights, double *work);
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
