/*
 * long_history.h
 *		Histories of any length, learned block by block, or learned and taken
 *		back, and how far what is left of them is from their definition in long
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

/* what feature vectors are like */
typedef struct LongKind
{
	const char *name;
	void		(*fill) (uint64_t *state, double *features);
	bool		repeats;		/* adds the same numbers again and again */
} LongKind;

typedef struct LongHistory
{
	const LongKind *kind;
	double		discount;
	int64_t		count;			/* a multiple of 1000 */
	int			block;			/* observations learned at a time */
} LongHistory;

extern const LongKind long_kinds[];
extern const int long_kind_count;

typedef struct LongResult
{
	bool		factored;
	double		N;				/* worst errors */
	double		b;
	double		G;
	double		H;				/* NaN when there is none */
	double		condition;		/* of Z */
	double		raised;			/* added to the ridge by the factorisation */
	double		solve;			/* of the mean, as solution for this evidence */
	double		mean;			/* of the mean, with what the evidence lacks */
	double		prediction;		/* of the last feature vectors' expected rewards, with
								 * both, relative to the size of rewards */
} LongResult;

extern LongResult long_history_run(const LongHistory *h);
extern double long_evidence_promise(const LongHistory *h);
extern double long_mean_promise(const LongResult *r);
extern bool long_promises_kept(const LongHistory *h, const LongResult *r);

/*
 * Each observation is learned alone and, when so many more have come, taken
 * back alone: what is left is a window of the latest.
 */
#define LONG_WINDOW		1000

typedef struct LongReturn
{
	const LongKind *kind;
	double		half_life;		/* in observations; 0: forgets nothing */
	Squares		squares;
	int64_t		count;			/* of observations, and of those taken back */
} LongReturn;

typedef struct LongDrift
{
	int64_t		refused;
	double		drift;			/* worst error of a hundred looks, and the last */
	bool		definite;		/* always, but for as much */
} LongDrift;

#define LONG_DRIFT		1e-9	/* what is promised */

extern LongDrift long_return_run(const LongReturn *h);
extern bool long_return_kept(const LongDrift *r);

#endif							/* DLINTS_LONG_HISTORY_H */
