/*
 * price_program.h
 *		The linear program for several dual prices: the mixture of choices with
 *		the highest mean score whose mean costs meet the targets.
 *
 * A choice is the set of candidates chosen under one set of prices, in all decisions.  A choice is
 * a column of the program, with a mean score and mean costs.
 */
#ifndef DLINTS_PRICE_PROGRAM_H
#define DLINTS_PRICE_PROGRAM_H

#include <stdbool.h>

#include "price.h"

/* Maximum number of rows of the program: one per constraint, and one for the sum of weights */
#define PROGRAM_MAX_ROWS	(PRICE_MAX_KINDS + 1)

/* Maximum price.  Costs times this price exceed all scores, which then have no effect. */
#define PRICE_MAX	1e150

/* Relaxed targets are raised by this further fraction of the usual spread of costs */
#define PRICE_SLACK	1e-9

typedef enum ColumnKind
{
	CHOICE, SLACK_OF_TARGET, RELAXATION
} ColumnKind;

typedef struct PriceProgram
{
	/* fields set by the caller */
	const PricedDecisions *all;
	int			rows;			/* number of constraints, plus 1 */
	double		targets[PRICE_MAX_KINDS];	/* target mean costs; raised if no choice meets all */
	double		score_scale;	/* usual spread of a decision's scores */
	double		cost_scales[PRICE_MAX_KINDS];	/* usual spread of costs; 0 fixes the price at 0 */

	/* current basis: an element per basic variable */
	ColumnKind	types[PROGRAM_MAX_ROWS];
	double		scores[PROGRAM_MAX_ROWS];	/* objective coefficients of the basic variables */
	double		basis[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];	/* column of each basic variable */
	double		inverse[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];
	double		values[PROGRAM_MAX_ROWS];	/* values of the basic variables */
	double		duals[PROGRAM_MAX_ROWS];
} PriceProgram;

extern bool program_solve(PriceProgram *p);
extern void program_read_prices(const PriceProgram *p, double *prices);

#endif							/* DLINTS_PRICE_PROGRAM_H */
