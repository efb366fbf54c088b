/*
 * evidence.h
 *		What observations say, under one rate of forgetting: a memory.
 *
 * With reduced features z, rewards r and weights w a memory keeps
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * where c is a reference reward of the caller's (0, or near the rewards, so
 * that R and S keep their digits).  Forgetting makes w smaller with age: by
 * discount^age it is Algorithm 1 of Ghoorchian, Kortukov and Maghsudi, whose
 * matrices are Z = G + ridge I and Z~ = H + ridge I at every step.
 *
 * H is kept where the paper's algorithm is asked for: in the only memory of a
 * model, if it fades.  One of several that fades keeps N2, the sum of w^2, and
 * takes (N2 / N) G for H.  Where nothing fades G stands for H: a weight then
 * says how many observations there were.
 *
 * Memory is the caller's.  Nothing here allocates, and nothing knows of
 * PostgreSQL.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* observations absorbed at a time: one matrix product, two rank updates */
#define EVIDENCE_BLOCK 128

/*
 * Less than this part of an observation says nothing: it may be what rounding
 * leaves of more.
 */
#define LEAST_WEIGHT	1e-6

/*
 * Small differences have the rounding errors of what was taken before, however
 * large that was.  These are told by what they are in the end held against: an
 * observation that says something, and the ridge.
 */
#define LEAST_OF_WEIGHT	(1e-3 * LEAST_WEIGHT)
#define LEAST_OF_RIDGE	1e-9

/* squares, and residuals, below this share of what they were are rounding */
#define LEAST_SHARE		1e-12

/* What a memory keeps of the squares of weights. */
typedef enum Squares
{
	SQUARES_NONE,				/* nothing fades: H = G */
	SQUARES_SUM,				/* N2: H is taken to be (N2 / N) G */
	SQUARES_MATRIX				/* H */
} Squares;

/*
 * What was ever learned, of which nothing fades.  The peak is the largest that
 * S has been, so that what is left after taking back can be told from rounding.
 */
typedef struct Totals
{
	double		N;
	double		R;
	double		S;
	double		peak;
} Totals;

/* How the sums of rewards are to be read. */
typedef struct Rewards
{
	bool		intercept;		/* about their mean */
	double		reference;		/* about which R and S are sums */
	Totals		totals;
} Rewards;

/* Views of the caller's numbers, in this order. */
typedef struct Evidence
{
	int			dim;			/* D */
	double	   *N;				/* one number each */
	double	   *R;
	double	   *S;
	double	   *N2;				/* with SQUARES_SUM, else NULL */
	double	   *b;				/* dim numbers */
	double	   *G;				/* linalg_packed_len(dim) */
	double	   *H;				/* as many with SQUARES_MATRIX, else NULL */
} Evidence;

extern size_t evidence_value_count(int dim, Squares squares);
extern void evidence_bind(Evidence *e, int dim, Squares squares,
						  double *values);
extern Squares evidence_squares(const Evidence *e);
extern double evidence_square_share(const Evidence *e);
extern void evidence_absorb(Evidence *e, double decay, int count,
							const double *reduced, const double *rewards,
							double reference, const double *weights,
							double *work);
extern void evidence_scale(Evidence *e, double factor);
extern void evidence_add(Evidence *e, const Evidence *other);
extern bool evidence_subtract(Evidence *e, const Evidence *other,
							  const Totals *left, double ridge, double *work);
extern void evidence_rebase(Evidence *e, double shift);
extern void evidence_settle(Evidence *e);
extern bool evidence_is_valid(const Evidence *e);

extern void totals_absorb(Totals *t, int count, const double *rewards,
						  double reference, const double *weights);
extern void totals_scale(Totals *t, double factor);
extern void totals_add(Totals *t, const Totals *other);
extern bool totals_subtract(Totals *t, const Totals *other);
extern void totals_rebase(Totals *t, double shift);
extern bool totals_are_valid(const Totals *t);

#endif							/* DLINTS_EVIDENCE_H */
