/*
 * price_program.c
 *		Solve a linear program for dual prices by the simplex method with column generation.
 *
 * Each constraint has a row: mean cost - target + slack - relaxation = 0.  The other columns are
 * choices of candidates for all decisions.  The last row makes the weights of choices sum to 1.
 */
#include "price.h"

#include <float.h>
#include <string.h>

#include "lapack.h"

/* Maximum number of simplex iterations per row of the linear program; about 15 usually suffice */
#define MAX_ITERATIONS_PER_ROW	200

/* Minimum size of a pivot, as a fraction of the largest element of its column */
#define MIN_PIVOT	1e-11

/* Dual values and reduced costs of columns below this number count as 0 */
#define MIN_GAIN	1e-11

/* Relative difference below which two ratios of the ratio test count as equal */
#define RATIO_TOLERANCE	1e-14

/*
 * Write the column for the choices under dual prices.  Returns the mean score of the choices.  We
 * divide costs and scores by their scales.
 */
static double
choice_column(const PriceProgram *p, const double *prices, double *column)
{
	int			kinds = p->rows - 1;
	double		score = price_means(p->all, prices, column) / p->score_scale;

	for (int kind = 0; kind < kinds; kind++)
		column[kind] = p->cost_scales[kind] > 0.0 ?
			(column[kind] - p->targets[kind]) / p->cost_scales[kind] : 0.0;
	column[kinds] = 1.0;
	return score;
}

static void
set_column(PriceProgram *p, int row, ColumnKind type, double score, const double *column)
{
	p->types[row] = type;
	p->scores[row] = score;
	memcpy(p->basis[row], column, sizeof(double) * (size_t) p->rows);
}

/* Invert the basis matrix of the linear program.  Returns false if the matrix is singular. */
static bool
invert_basis(PriceProgram *p)
{
	double		factors[PROGRAM_MAX_ROWS][PROGRAM_MAX_ROWS];
	int			pivots[PROGRAM_MAX_ROWS];
	int			stride = PROGRAM_MAX_ROWS;
	int			info;

	memcpy(factors, p->basis, sizeof(factors));
	memset(p->inverse, 0, sizeof(p->inverse));
	for (int i = 0; i < p->rows; i++)
		p->inverse[i][i] = 1.0;
	dgesv_(&p->rows, &p->rows, factors[0], &stride, pivots, p->inverse[0], &stride, &info);
	return info == 0;
}

/* Compute the variables and dual values of a new basis.  Returns false if it is singular. */
static bool
update_basis(PriceProgram *p, bool is_feasibility)
{
	int			n = p->rows;

	if (!invert_basis(p))
		return false;
	for (int i = 0; i < n; i++)
	{
		p->values[i] = fmax(p->inverse[n - 1][i], 0.0);
		p->duals[i] = 0.0;
	}
	for (int j = 0; j < n; j++)
	{
		double		objective = !is_feasibility ? p->scores[j] :
			p->types[j] == RELAXATION ? -1.0 : 0.0;

		for (int i = 0; i < n; i++)
			p->duals[i] += objective * p->inverse[i][j];
	}
	return true;
}

/* Convert the dual values of the scaled linear program to dual prices of constraints. */
void
program_read_prices(const PriceProgram *p, double *prices)
{
	for (int kind = 0; kind < p->rows - 1; kind++)
		prices[kind] = p->cost_scales[kind] > 0.0 ?
			fmax(p->duals[kind], 0.0) * (p->score_scale / p->cost_scales[kind]) : 0.0;
}

/* Scale dual prices so that the largest is PRICE_MAX, which makes costs outweigh scores. */
static void
maximize_prices(int kinds, double *prices)
{
	double		largest = 0.0;

	for (int kind = 0; kind < kinds; kind++)
		largest = fmax(largest, prices[kind]);
	for (int kind = 0; largest > 0.0 && kind < kinds; kind++)
		prices[kind] *= PRICE_MAX / largest;
}

/* Find a column that improves the objective.  Returns false if none exists. */
static bool
find_column(const PriceProgram *p, bool is_feasibility, ColumnKind *type, double *score,
			double *column)
{
	int			kinds = p->rows - 1;
	double		prices[PRICE_MAX_KINDS];
	double		lowest = -MIN_GAIN;
	double		gain;
	double		size;
	int			entering = -1;

	for (int kind = 0; kind < kinds; kind++)
		if (p->duals[kind] < lowest)
		{
			entering = kind;
			lowest = p->duals[kind];
		}
	if (entering >= 0)
	{
		memset(column, 0, sizeof(double) * (size_t) p->rows);
		column[entering] = 1.0;
		*type = SLACK_OF_TARGET;
		*score = 0.0;
		return true;
	}
	program_read_prices(p, prices);
	if (is_feasibility)
		maximize_prices(kinds, prices);
	*type = CHOICE;
	*score = choice_column(p, prices, column);
	gain = is_feasibility ? 0.0 : *score;
	size = fabs(gain);
	for (int kind = 0; kind <= kinds; kind++)
	{
		gain -= p->duals[kind] * column[kind];
		size += fabs(p->duals[kind] * column[kind]);
	}
	return gain > MIN_GAIN * size;
}

/* Let a column enter the basis.  Returns false if the linear program is unbounded. */
static bool
enter_column(PriceProgram *p, ColumnKind type, double score, const double *column)
{
	int			n = p->rows;
	double		change[PROGRAM_MAX_ROWS];
	double		largest = 0.0;
	double		ratio = DBL_MAX;
	int			leaving = -1;

	for (int i = 0; i < n; i++)
	{
		change[i] = 0.0;
		for (int j = 0; j < n; j++)
			change[i] += p->inverse[j][i] * column[j];
		largest = fmax(largest, fabs(change[i]));
	}
	for (int i = 0; i < n; i++)
		if (change[i] > MIN_PIVOT * largest)
			ratio = fmin(ratio, p->values[i] / change[i]);
	for (int i = 0; i < n; i++)
		if (change[i] > MIN_PIVOT * largest &&
			p->values[i] <= (ratio + RATIO_TOLERANCE) * change[i] &&
			(leaving < 0 || p->types[i] == RELAXATION ||
			 (p->types[leaving] != RELAXATION && change[i] > change[leaving])))
			leaving = i;
	if (leaving < 0)
		return false;
	set_column(p, leaving, type, score, column);
	return true;
}

/* Return the row of a basic variable that relaxes a cost target, or -1. */
static int
relaxation_row(const PriceProgram *p)
{
	for (int row = 0; row < p->rows; row++)
		if (p->types[row] == RELAXATION)
			return row;
	return -1;
}

/* Iterate until the basis is optimal.  Returns false if the simplex method fails. */
static bool
improve(PriceProgram *p, bool is_feasibility)
{
	for (int i = 0; i < MAX_ITERATIONS_PER_ROW * p->rows; i++)
	{
		ColumnKind	type;
		double		score;
		double		column[PROGRAM_MAX_ROWS];

		if (is_feasibility && relaxation_row(p) < 0)
			return true;
		if (!update_basis(p, is_feasibility))
			return false;
		if (!find_column(p, is_feasibility, &type, &score, column))
			return true;
		if (!enter_column(p, type, score, column))
			return false;
	}
	return false;
}

/*
 * Set the initial basis: slack variables, and the choices under dual prices of zero.  If these
 * choices exceed a target, the relaxation replaces a slack variable.
 */
static void
begin_basis(PriceProgram *p)
{
	int			kinds = p->rows - 1;
	double		prices[PRICE_MAX_KINDS] = {0.0};
	double		column[PROGRAM_MAX_ROWS];
	double		unit[PROGRAM_MAX_ROWS] = {0.0};
	double		score = choice_column(p, prices, column);
	int			worst = 0;

	for (int kind = 0; kind < kinds; kind++)
	{
		if (column[kind] > column[worst])
			worst = kind;
		unit[kind] = 1.0;
		set_column(p, kind, SLACK_OF_TARGET, 0.0, unit);
		unit[kind] = 0.0;
	}
	set_column(p, kinds, CHOICE, score, column);
	if (column[worst] > 0.0)
	{
		for (int kind = 0; kind < kinds; kind++)
			unit[kind] = p->cost_scales[kind] > 0.0 ? -1.0 : 0.0;
		set_column(p, worst, RELAXATION, 0.0, unit);
	}
}

/* Raise cost targets that cannot all be met.  Returns false if all targets can be met. */
static bool
relax_targets(PriceProgram *p)
{
	int			row = relaxation_row(p);
	bool		relaxed = false;

	if (row < 0)
		return false;
	for (int kind = 0; kind < p->rows - 1; kind++)
		if (p->duals[kind] > MIN_GAIN)
		{
			p->targets[kind] += (p->values[row] + PRICE_SLACK) * p->cost_scales[kind];
			relaxed = true;
		}
	return relaxed;
}

/* Solve the linear program, with higher cost targets if necessary.  Returns false on failure. */
bool
program_solve(PriceProgram *p)
{
	for (int round = 0; round < p->rows; round++)
	{
		begin_basis(p);
		if (!improve(p, true))
			return false;
		if (!relax_targets(p))
			return improve(p, false);
	}
	return false;
}
