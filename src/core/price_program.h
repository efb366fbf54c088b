/*
 * price_program.h
 *		The linear program whose dual values are the prices of constraints.
 *
 * Its solution is the mixture of choices with the highest mean score whose mean costs meet the
 * targets.
 */
#ifndef DLINTS_PRICE_PROGRAM_H
#define DLINTS_PRICE_PROGRAM_H

#include <stdbool.h>

#include "price.h"

/* Maximum number of rows: one per constraint, and one for the sum of weights */
#define PROGRAM_MAX_ROWS	(PRICE_MAX_KINDS + 1)

/* Maximum price, at which scores have no effect on choices */
#define PRICE_MAX	1e150

/* Relaxed targets are raised further by this fraction of the spread of costs. */
#define PRICE_SLACK	1e-9

typedef enum ColumnKind
{
	CHOICE, SLACK_OF_TARGET, RELAXATION
} ColumnKind;

typedef struct PriceProgram
{
	/* fields that the caller sets */
	const PricedDecisions *all;
	int			rows;			/* constraints plus 1 */
	double		targets[PRICE_MAX_KINDS];	/* raised if necessary */
	double		score_scale;	/* usual spread of scores in a decision */
	double		cost_scales[PRICE_MAX_KINDS];	/* usual spread of each constraint's costs */

	/* current basis of the program: an element per basic variable */
	ColumnKind	types[PROGRAM_MAX_ROWS];
	double		scores[PROGRAM_MAX_ROWS];	/* objective coefficients */
	double		basis[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];	/* columns */
	double		inverse[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];
	double		values[PROGRAM_MAX_ROWS];
	double		duals[PROGRAM_MAX_ROWS];
} PriceProgram;

extern bool program_solve(PriceProgram *p);
extern void program_read_prices(const PriceProgram *p, double *prices);

#endif							/* DLINTS_PRICE_PROGRAM_H */
