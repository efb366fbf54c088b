/*
 * price_program.h
 *		The linear program behind several dual prices: the mixture of choices
 *		with the highest mean score whose mean costs meet the targets.
 *
 * Under one set of prices, the candidates chosen in all decisions form a choice.  It is a
 * column of the program, with a mean score and mean costs.
 */
#ifndef DLINTS_PRICE_PROGRAM_H
#define DLINTS_PRICE_PROGRAM_H

#include <stdbool.h>

#include "price.h"

/* Rows of the program: one per kind of cost, and the sum of weights */
#define PROGRAM_MAX_ROWS	(PRICE_MAX_KINDS + 1)

/* A price at which scores no longer matter */
#define PRICE_MAX	1e150

/* Increment of a relaxed target, as a fraction of the usual spread of costs */
#define PRICE_SLACK	1e-9

typedef enum ColumnKind
{
	CHOICE, SLACK_OF_TARGET, RELAXATION
} ColumnKind;

typedef struct PriceProgram
{
	/* set by the caller */
	const PricedDecisions *all;
	int			rows;			/* kinds of costs, plus 1 */
	double		targets[PRICE_MAX_KINDS];	/* raised if they exclude each other */
	double		score_scale;	/* usual spread of scores */
	double		cost_scales[PRICE_MAX_KINDS];	/* usual spread of costs; 0: no price */

	/* current basis, by row */
	ColumnKind	types[PROGRAM_MAX_ROWS];
	double		scores[PROGRAM_MAX_ROWS];	/* objective of each column */
	double		basis[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];	/* one column per row */
	double		inverse[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];
	double		values[PROGRAM_MAX_ROWS];	/* values of the basic variables */
	double		duals[PROGRAM_MAX_ROWS];
} PriceProgram;

extern bool program_solve(PriceProgram *p);
extern void program_read_prices(const PriceProgram *p, double *prices);

#endif							/* DLINTS_PRICE_PROGRAM_H */
