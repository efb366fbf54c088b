/*
 * price.h
 *		Dual prices of constraints on mean costs.
 *
 * A decision chooses the candidates with the highest scores minus prices times costs.
 */
#ifndef DLINTS_PRICE_H
#define DLINTS_PRICE_H

#include "slate.h"

/* Maximum number of constraints */
#define PRICE_MAX_KINDS		16

/* Scores and costs of the candidates of one decision */
typedef struct PricedDecision
{
	int			candidates;
	const double *scores;
	const double *costs;		/* costs, with one row per constraint */
} PricedDecision;

/* Decisions that are repeated under different dual prices, and work space */
typedef struct PricedDecisions
{
	int			kinds;			/* number of constraints */
	int			k;				/* number of candidates to choose per decision */
	size_t		count;
	const PricedDecision *each;
	double	   *scores;			/* work space */
	SlateEntry *entries;		/* work space */
	double	   *means;			/* work space */
	/* called between steps; may raise an error to cancel the computation */
	void		(*pause) (void);
} PricedDecisions;

extern double price_means(const PricedDecisions *all, const double *prices, double *means);
extern void price_solve(const PricedDecisions *all, const double *targets, double *prices);

/* ---------- the linear program (price_program.c) ---------- */

/* Maximum number of rows of the linear program: one per constraint, one for the sum of weights */
#define PROGRAM_MAX_ROWS	(PRICE_MAX_KINDS + 1)

/* Maximum dual price, so high that costs outweigh all scores */
#define PRICE_MAX	1e150

/* Tolerance added to a cost target that cannot be met, as a fraction of the range of costs */
#define PRICE_SLACK	1e-9

typedef enum ColumnKind
{
	CHOICE, SLACK_OF_TARGET, RELAXATION
} ColumnKind;

/*
 * A linear program whose dual values are the prices of constraints.  Its solution is the mixture
 * of choices with the highest mean score among those that meet the cost targets.
 */
typedef struct PriceProgram
{
	/* fields that the caller sets */
	const PricedDecisions *all;
	int			rows;			/* constraints plus 1 */
	double		targets[PRICE_MAX_KINDS];	/* mean cost targets, raised if they cannot be met */
	double		score_scale;	/* geometric mean over decisions of the range of scores */
	/* geometric mean over decisions of the range of costs; 0: the constraint is ignored */
	double		cost_scales[PRICE_MAX_KINDS];

	/* current basis of the linear program, with one element per basic variable */
	ColumnKind	types[PROGRAM_MAX_ROWS];
	double		scores[PROGRAM_MAX_ROWS];	/* objective coefficients */
	double		basis[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];	/* columns of the basis */
	double		inverse[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];
	double		values[PROGRAM_MAX_ROWS];
	double		duals[PROGRAM_MAX_ROWS];
} PriceProgram;

extern bool program_solve(PriceProgram *p);
extern void program_read_prices(const PriceProgram *p, double *prices);

#endif							/* DLINTS_PRICE_H */
