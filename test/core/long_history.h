/*
 * long_history.h
 *		Histories of any length, trained in blocks, or trained and retracted,
 *		and the errors of the remaining sums against their definition in long
 *		double.
 *
 * Errors of G and H are relative to sqrt(G_ii G_jj), those of b to
 * sqrt(G_ii sum of gamma^age r^2): the largest size that the element can have
 * (Cauchy-Schwarz), and so the size of the numbers that went into it.  On the
 * diagonal that is the plain relative error.  Relative to the element itself
 * it would say nothing, since a sum of many signs may come out near zero.
 */
#ifndef DLINTS_LONG_HISTORY_H
#define DLINTS_LONG_HISTORY_H

#include "oracle.h"

#define LONG_DIM		16
#define LONG_RIDGE		1.0

/* Distributions of feature vectors */
typedef struct LongKind
{
	const char *name;
	void		(*fill) (uint64_t *state, double *features);
	bool		repeats;		/* equal feature vectors */
} LongKind;

typedef struct LongHistory
{
	const LongKind *kind;
	double		discount;
	int64_t		count;			/* a multiple of 1000 */
	int			block;			/* observations per block */
} LongHistory;

extern const LongKind long_kinds[];
extern const int long_kind_count;

typedef struct LongResult
{
	bool		factored;
	double		N;				/* worst errors */
	double		b;
	double		G;
	double		H;				/* NaN if H is not stored */
	double		condition;		/* condition number of Z */
	double		raised;			/* increase of the ridge by the factorization */
	double		solve;			/* error of the mean, given the evidence */
	double		mean;			/* error of the mean, including errors of the evidence */
	double		prediction;		/* error of the last feature vectors' expected rewards, including
								 * errors of the evidence, relative to the size of rewards */
} LongResult;

extern LongResult long_history_run(const LongHistory *h);
extern double long_evidence_promise(const LongHistory *h);
extern double long_mean_promise(const LongResult *r);
extern bool long_promises_kept(const LongHistory *h, const LongResult *r);

/*
 * Each observation is trained separately, and retracted separately when a number of others
 * has followed, so that a window of the latest observations remains.
 */
#define LONG_WINDOW		1000

typedef struct LongReturn
{
	const LongKind *kind;
	double		half_life;		/* half-life in observations; 0: no forgetting */
	Squares		squares;
	int64_t		count;			/* number of observations; as many are retracted */
} LongReturn;

typedef struct LongDrift
{
	int64_t		refused;
	double		drift;			/* worst error of a hundred comparisons, and the last error */
	bool		definite;		/* G was positive semidefinite in each comparison */
} LongDrift;

#define LONG_DRIFT		1e-9	/* bound of "drift" */

extern LongDrift long_return_run(const LongReturn *h);
extern bool long_return_kept(const LongDrift *r);

#endif							/* DLINTS_LONG_HISTORY_H */
