/*
 * price.c
 *		Dual prices of constraints on the costs of decisions.
 *
 * Several prices are the dual solution of a linear program: choose a mixture of
 * choices (each a mean score and mean costs) with the highest mean score whose mean
 * costs meet the targets.  The simplex method solves it, with column generation: the
 * best choice under the current prices is the column that enters the basis.  Then
 * each price moves to the nearest value at which the choices themselves, rather than
 * a mixture of them, meet the targets.
 */
#include "price.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* candidates between two calls of pause() */
#define PIECE	100000

/*
 * Relative accuracy of a price, as its inverse; a search begins at this fraction of
 * the lowest usual price
 */
#define ACCURACY	(1024.0 * 1024.0)

/* Ratios of scores to costs beyond this number, or below its inverse, are ignored. */
#define MAX_USUAL	1e110

/* A price at which scores no longer matter */
#define MAX_PRICE	1e150

/* Relative difference between means that sum the same costs in another order */
#define ROUNDING	1e-12

/* Rows of the linear program: one per target, and the sum of weights */
#define MAX_ROWS	(PRICE_MAX_KINDS + 1)

/* Simplex iterations per row, against cycles; about 15 suffice */
#define MAX_ITERATIONS_PER_ROW	200

/* Elements below this part of the largest element of a column are no pivots. */
#define MIN_PIVOT	1e-11

/* Reduced costs below this part of their terms are rounding errors. */
#define MIN_GAIN	1e-11

/* Distance from the minimum possible cost, as a part of the usual spread of costs */
#define SLACK		1e-9

/* Passes that raise prices near a solution, and solutions with tighter targets (240 random cases) */
#define MAX_SWEEPS	2
#define MAX_ROUNDS	20

/* Put the k best candidates of a decision under the prices into a slate. */
static void
choose(const PricedDecisions *all, const PricedDecision *one,
	   const double *prices, Slate *slate)
{
	int			n = one->candidates;
	int			kind;
	int			i;

	for (i = 0; i < n; i++)
		all->scores[i] = one->scores[i];
	for (kind = 0; kind < all->kinds; kind++)
	{
		const double *costs = one->costs + (size_t) kind * (size_t) n;

		for (i = 0; prices[kind] > 0.0 && i < n; i++)
			all->scores[i] -= prices[kind] * costs[i];
	}
	slate_bind(slate, n, all->k, NULL, 0, NULL, NULL, all->entries);
	slate_begin(slate, 0);
	slate_offer(slate, 0, n, all->scores, 1);
	slate_end(slate);
}

/*
 * Compute the mean cost per choice under the prices, of each kind.  Returns the mean
 * score, where the score of a decision's first candidate counts as 0.  Ties are broken
 * in the same way under all prices.
 */
static double
choice_means(const PricedDecisions *all, const double *prices, double *means)
{
	double		chosen = 0.0;
	double		score = 0.0;
	size_t		done = 0;
	size_t		d;
	int			kind;
	int			i;

	for (kind = 0; kind < all->kinds; kind++)
		means[kind] = 0.0;
	for (d = 0; d < all->count; d++)
	{
		const PricedDecision *one = &all->each[d];
		Slate		slate;

		choose(all, one, prices, &slate);
		for (kind = 0; kind < all->kinds; kind++)
			for (i = 0; i < slate.best.count; i++)
				means[kind] += one->costs[(size_t) kind * (size_t) one->candidates +
										  (size_t) slate.best.entries[i].candidate];
		for (i = 0; i < slate.best.count; i++)
			score += one->scores[slate.best.entries[i].candidate] - one->scores[0];
		chosen += slate.best.count;
		if ((done += (size_t) one->candidates) >= PIECE)
		{
			all->pause();
			done = 0;
		}
	}
	all->pause();
	for (kind = 0; chosen > 0.0 && kind < all->kinds; kind++)
		means[kind] /= chosen;
	return chosen > 0.0 ? score / chosen : 0.0;
}

/* Compute the mean cost per choice under the prices, of each kind. */
void
price_means(const PricedDecisions *all, const double *prices, double *means)
{
	choice_means(all, prices, means);
}

/* The mean cost of a kind if its price were "price" */
static double
mean_at(const PricedDecisions *all, double *prices, int kind, double price)
{
	prices[kind] = price;
	price_means(all, prices, all->means);
	return all->means[kind];
}

/* Difference between the largest and the smallest number */
static double
spread(int count, const double *numbers)
{
	double		lowest = numbers[0];
	double		highest = numbers[0];
	int			i;

	for (i = 1; i < count; i++)
	{
		lowest = fmin(lowest, numbers[i]);
		highest = fmax(highest, numbers[i]);
	}
	return highest - lowest;
}

/*
 * The price that makes scores and costs of a decision equally important; 0 if there is
 * none.
 */
static double
usual_price(const PricedDecision *one, int kind)
{
	size_t		n = (size_t) one->candidates;
	double		usual = n == 0 ? 0.0 : spread(one->candidates, one->scores) /
		spread(one->candidates, one->costs + (size_t) kind * n);

	return usual >= 1.0 / MAX_USUAL && usual <= MAX_USUAL ? usual : 0.0;
}

/*
 * The lowest usual price of a kind; 0 if no decision has one.  The lowest, so that
 * one decision with an extreme cost cannot raise the start of a search.
 */
static double
lowest_usual_price(const PricedDecisions *all, int kind)
{
	double		lowest = 0.0;
	size_t		d;

	for (d = 0; d < all->count; d++)
	{
		double		usual = usual_price(&all->each[d], kind);

		if (usual > 0.0)
			lowest = lowest == 0.0 ? usual : fmin(lowest, usual);
	}
	return lowest;
}

/* The geometric mean of the usual prices of a kind; 0 if no decision has one */
static double
mean_usual_price(const PricedDecisions *all, int kind)
{
	double		sum = 0.0;
	size_t		count = 0;
	size_t		d;

	for (d = 0; d < all->count; d++)
	{
		double		usual = usual_price(&all->each[d], kind);

		if (usual > 0.0)
		{
			sum += log(usual);
			count++;
		}
	}
	return count == 0 ? 0.0 : exp(sum / (double) count);
}

/* ---------- one price ---------- */

/* A search for the price of a kind, while all other prices stay. */
typedef struct Search
{
	const PricedDecisions *all;
	const double *targets;
	double	   *prices;
	int			kind;
	bool		all_kinds;		/* all targets count, rather than that of the kind */
} Search;

/* Does a mean exceed its target at this price? */
static bool
is_exceeded(const Search *s, double price)
{
	int			kind;

	mean_at(s->all, s->prices, s->kind, price);
	if (!s->all_kinds)
		return s->all->means[s->kind] > s->targets[s->kind];
	for (kind = 0; kind < s->all->kinds; kind++)
		if (s->all->means[kind] > s->targets[kind])
			return true;
	return false;
}

/*
 * The lowest price at which no target is exceeded.  The search starts at the present
 * price, up or down, in steps that grow, until the price is between two.  The target
 * of the kind must be possible.
 */
static double
find_price(const Search *s)
{
	double		before = s->prices[s->kind];
	double		least = lowest_usual_price(s->all, s->kind) / ACCURACY;
	double		step = before > 0.0 ? 1.0 + 1.0 / ACCURACY : 2.0;
	double		high = fmax(before, least);
	double		low = high;

	if (least == 0.0)
		return 0.0;
	for (; is_exceeded(s, high) && high < MAX_PRICE; step *= step)
	{
		low = high;
		high = fmin(high * step, MAX_PRICE);
	}
	for (; low == high; step *= step)
	{
		low = fmax(high / step, least);
		if (is_exceeded(s, low))
			break;
		if (low == least)
			return is_exceeded(s, 0.0) ? least : 0.0;
		high = low;
	}
	while (high > low * (1.0 + 1.0 / ACCURACY))
	{
		double		middle = sqrt(low * high);

		if (is_exceeded(s, middle))
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The target of a kind, or the minimum possible cost if that is higher */
static double
possible_target(const PricedDecisions *all, int kind, double target)
{
	double		prices[PRICE_MAX_KINDS] = {0.0};
	double		lowest = mean_at(all, prices, kind, MAX_PRICE);
	return fmax(target, lowest + ROUNDING * fabs(lowest));
}

/* ---------- several prices: the linear program ---------- */

typedef enum ColumnKind
{
	CHOICE, SLACK_OF_TARGET, RELAXATION
} ColumnKind;

/*
 * The linear program in scaled numbers: scores over their usual spread, and costs as
 * excess over the target, over their usual spread.  Each row but the last says that
 * the excess plus a slack, minus the common relaxation, is 0; the last one says that
 * the weights of choices sum to 1.
 */
typedef struct Program
{
	const PricedDecisions *all;
	int			rows;
	double		targets[PRICE_MAX_KINDS];
	double		score_scale;
	double		cost_scales[PRICE_MAX_KINDS];	/* 0: the kind has no price */
	ColumnKind	types[MAX_ROWS];	/* of the columns in the basis */
	double		scores[MAX_ROWS];	/* objective of each */
	double		basis[MAX_ROWS][MAX_ROWS];	/* one column of the program per row */
	double		inverse[MAX_ROWS][MAX_ROWS];
	double		values[MAX_ROWS];	/* of the variables in the basis */
	double		duals[MAX_ROWS];
} Program;

/* Geometric mean of the spreads of scores (kind < 0) or of costs; 0 if all are 0 */
static double
usual_spread(const PricedDecisions *all, int kind)
{
	double		sum = 0.0;
	size_t		count = 0;
	size_t		d;

	for (d = 0; d < all->count; d++)
	{
		const PricedDecision *one = &all->each[d];
		size_t		n = (size_t) one->candidates;
		double		size = n == 0 ? 0.0 :
			spread(one->candidates, kind < 0 ? one->scores : one->costs + (size_t) kind * n);

		if (size > 0.0)
		{
			sum += log(size);
			count++;
		}
	}
	return count == 0 ? 0.0 : exp(sum / (double) count);
}

/* The column of the choice under these prices; returns its scaled score. */
static double
choice_column(const Program *p, const double *prices, double *column)
{
	int			kinds = p->rows - 1;
	double		score = choice_means(p->all, prices, column) / p->score_scale;
	int			kind;

	for (kind = 0; kind < kinds; kind++)
		column[kind] = p->cost_scales[kind] > 0.0 ?
			(column[kind] - p->targets[kind]) / p->cost_scales[kind] : 0.0;
	column[kinds] = 1.0;
	return score;
}

static void
set_column(Program *p, int row, ColumnKind type, double score, const double *column)
{
	p->types[row] = type;
	p->scores[row] = score;
	memcpy(p->basis[row], column, sizeof(double) * (size_t) p->rows);
}

/* Invert the basis by Gauss-Jordan elimination with row pivoting; false if singular. */
static bool
invert_basis(Program *p)
{
	double		work[MAX_ROWS][2 * MAX_ROWS];
	int			n = p->rows;
	int			i;
	int			j;
	int			step;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			work[i][j] = p->basis[j][i];
			work[i][n + j] = i == j;
		}
	for (step = 0; step < n; step++)
	{
		int			pivot = step;

		for (i = step + 1; i < n; i++)
			if (fabs(work[i][step]) > fabs(work[pivot][step]))
				pivot = i;
		if (!(fabs(work[pivot][step]) > 0.0))
			return false;
		for (j = 0; j < 2 * n; j++)
		{
			double		element = work[pivot][j];

			work[pivot][j] = work[step][j];
			work[step][j] = element;
		}
		for (j = 2 * n - 1; j >= step; j--)
			work[step][j] /= work[step][step];
		for (i = 0; i < n; i++)
			for (j = 2 * n - 1; i != step && j >= step; j--)
				work[i][j] -= work[i][step] * work[step][j];
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			p->inverse[i][j] = work[i][n + j];
	return true;
}

/* Compute values and duals of a new basis; false if it is singular. */
static bool
update_basis(Program *p, bool is_feasibility)
{
	int			n = p->rows;
	int			i;
	int			j;

	if (!invert_basis(p))
		return false;
	for (i = 0; i < n; i++)
	{
		p->values[i] = fmax(p->inverse[i][n - 1], 0.0);
		p->duals[i] = 0.0;
	}
	for (j = 0; j < n; j++)
	{
		double		objective = !is_feasibility ? p->scores[j] :
			p->types[j] == RELAXATION ? -1.0 : 0.0;

		for (i = 0; i < n; i++)
			p->duals[i] += objective * p->inverse[j][i];
	}
	return true;
}

/* The prices that the duals stand for.  For feasibility, scores do not matter. */
static void
read_prices(const Program *p, bool is_feasibility, double *prices)
{
	double		largest = 0.0;
	int			kind;

	for (kind = 0; kind < p->rows - 1; kind++)
	{
		prices[kind] = p->cost_scales[kind] > 0.0 ?
			fmax(p->duals[kind], 0.0) * (p->score_scale / p->cost_scales[kind]) : 0.0;
		largest = fmax(largest, prices[kind]);
	}
	for (kind = 0; is_feasibility && largest > 0.0 && kind < p->rows - 1; kind++)
		prices[kind] *= MAX_PRICE / largest;
}

/*
 * Find the column that improves the objective most per unit: the slack of a target
 * whose dual is negative, or the choice under the duals as prices.  False if none
 * does.
 */
static bool
find_column(const Program *p, bool is_feasibility, ColumnKind *type, double *score,
			double *column)
{
	int			kinds = p->rows - 1;
	double		prices[PRICE_MAX_KINDS];
	double		lowest = -MIN_GAIN;
	double		gain;
	double		size;
	int			entering = -1;
	int			kind;

	for (kind = 0; kind < kinds; kind++)
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
	read_prices(p, is_feasibility, prices);
	*type = CHOICE;
	*score = choice_column(p, prices, column);
	gain = is_feasibility ? 0.0 : *score;
	size = fabs(gain);
	for (kind = 0; kind <= kinds; kind++)
	{
		gain -= p->duals[kind] * column[kind];
		size += fabs(p->duals[kind] * column[kind]);
	}
	return gain > MIN_GAIN * size;
}

/* Put a column into the basis, for the first one that reaches 0; false if none does. */
static bool
enter_column(Program *p, ColumnKind type, double score, const double *column)
{
	int			n = p->rows;
	double		change[MAX_ROWS];
	double		largest = 0.0;
	double		ratio = DBL_MAX;
	int			leaving = -1;
	int			i;
	int			j;

	for (i = 0; i < n; i++)
	{
		change[i] = 0.0;
		for (j = 0; j < n; j++)
			change[i] += p->inverse[i][j] * column[j];
		largest = fmax(largest, fabs(change[i]));
	}
	for (i = 0; i < n; i++)
		if (change[i] > MIN_PIVOT * largest)
			ratio = fmin(ratio, p->values[i] / change[i]);
	for (i = 0; i < n; i++)
		if (change[i] > MIN_PIVOT * largest &&
			p->values[i] <= (ratio + 1e-14) * change[i] &&
			(leaving < 0 || p->types[i] == RELAXATION ||
			 (p->types[leaving] != RELAXATION && change[i] > change[leaving])))
			leaving = i;
	if (leaving < 0)
		return false;
	set_column(p, leaving, type, score, column);
	return true;
}

/* The row of the relaxation in the basis, or -1 */
static int
relaxation_row(const Program *p)
{
	int			row;

	for (row = 0; row < p->rows; row++)
		if (p->types[row] == RELAXATION)
			return row;
	return -1;
}

/* Improve the basis until it is optimal, or, for feasibility, not relaxed any more. */
static bool
improve(Program *p, bool is_feasibility)
{
	int			i;

	for (i = 0; i < MAX_ITERATIONS_PER_ROW * p->rows; i++)
	{
		ColumnKind	type;
		double		score;
		double		column[MAX_ROWS];

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

/* The first basis: the choice without prices, and the relaxation that it needs */
static void
begin_basis(Program *p)
{
	int			kinds = p->rows - 1;
	double		prices[PRICE_MAX_KINDS] = {0.0};
	double		column[MAX_ROWS];
	double		unit[MAX_ROWS] = {0.0};
	double		score = choice_column(p, prices, column);
	int			worst = 0;
	int			kind;

	for (kind = 0; kind < kinds; kind++)
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
		for (kind = 0; kind < kinds; kind++)
			unit[kind] = p->cost_scales[kind] > 0.0 ? -1.0 : 0.0;
		set_column(p, worst, RELAXATION, 0.0, unit);
	}
}

/* Relax the targets that exclude each other by what the basis needs; false if none. */
static bool
relax_targets(Program *p)
{
	int			row = relaxation_row(p);
	bool		relaxed = false;
	int			kind;

	if (row < 0)
		return false;
	for (kind = 0; kind < p->rows - 1; kind++)
		if (p->duals[kind] > MIN_GAIN)
		{
			p->targets[kind] += (p->values[row] + SLACK) * p->cost_scales[kind];
			relaxed = true;
		}
	return relaxed;
}

/*
 * Solve the linear program.  Targets that exclude each other are relaxed by the same
 * part of their usual spread, as little as possible.
 */
static bool
solve_program(Program *p)
{
	int			round;

	for (round = 0; round < p->rows; round++)
	{
		begin_basis(p);
		if (!improve(p, true))
			return false;
		if (!relax_targets(p))
			return improve(p, false);
	}
	return false;
}

/* ---------- several prices: choices rather than mixtures ---------- */

/* Do the choices meet all targets under these prices? */
static bool
is_kept(const PricedDecisions *all, const double *targets, const double *prices)
{
	int			kind;

	price_means(all, prices, all->means);
	for (kind = 0; kind < all->kinds; kind++)
		if (all->means[kind] > targets[kind])
			return false;
	return true;
}

/* Raise prices until the choices meet all targets, if a few passes suffice. */
static void
raise_prices(const PricedDecisions *all, const double *targets, double *prices)
{
	int			sweep;
	int			kind;

	for (sweep = 0; sweep < MAX_SWEEPS && !is_kept(all, targets, prices); sweep++)
	{
		for (kind = 0; kind < all->kinds; kind++)
		{
			Search		search = {all, targets, prices, kind, false};

			if (mean_at(all, prices, kind, prices[kind]) > targets[kind])
				prices[kind] = find_price(&search);
		}
	}
}

/* Lower each price as far as the choices meet all targets. */
static void
lower_prices(const PricedDecisions *all, const double *targets, double *prices)
{
	int			kind;

	for (kind = 0; kind < all->kinds; kind++)
	{
		Search		search = {all, targets, prices, kind, true};

		if (prices[kind] > 0.0)
			prices[kind] = find_price(&search);
	}
}

/* The largest excess of a mean over its target, as a part of the usual spread of costs */
static double
largest_excess(const Program *p, const double *targets, const double *prices)
{
	double		largest = 0.0;
	int			kind;

	price_means(p->all, prices, p->all->means);
	for (kind = 0; kind < p->all->kinds; kind++)
		if (p->all->means[kind] > targets[kind])
			largest = fmax(largest, p->cost_scales[kind] > 0.0 ?
						   (p->all->means[kind] - targets[kind]) / p->cost_scales[kind] : 0.0);
	return largest;
}

/*
 * Find prices at which the choices meet the targets: near the solution of the program,
 * or else near that for tighter targets.  If there are none, those with the least
 * excess.
 */
static void
round_prices(Program *p, const double *targets, double *prices)
{
	double		least = INFINITY;
	int			round;
	int			kind;

	for (round = 0; round < MAX_ROUNDS && solve_program(p); round++)
	{
		double		trial[PRICE_MAX_KINDS];
		double		excess;

		read_prices(p, false, trial);
		price_means(p->all, trial, p->all->means);
		for (kind = 0; kind < p->all->kinds; kind++)
			p->targets[kind] -= fmax(p->all->means[kind] - targets[kind], 0.0);
		raise_prices(p->all, targets, trial);
		excess = largest_excess(p, targets, trial);
		if (excess < least)
		{
			least = excess;
			memcpy(prices, trial, sizeof(double) * (size_t) p->all->kinds);
		}
		if (excess == 0.0)
			break;
	}
}

/* Find the prices of several kinds. */
static void
solve_several(const PricedDecisions *all, const double *targets, double *prices)
{
	Program		program = {.all = all, .rows = all->kinds + 1};
	double		possible[PRICE_MAX_KINDS];
	int			kind;

	program.score_scale = usual_spread(all, -1);
	for (kind = 0; kind < all->kinds; kind++)
	{
		prices[kind] = 0.0;
		program.cost_scales[kind] = program.score_scale > 0.0 && mean_usual_price(all, kind) > 0.0 ?
			usual_spread(all, kind) : 0.0;
		possible[kind] = possible_target(all, kind, targets[kind]);
		if (possible[kind] > targets[kind])
			possible[kind] += SLACK * program.cost_scales[kind];
		program.targets[kind] = possible[kind];
	}
	round_prices(&program, possible, prices);
	if (is_kept(all, possible, prices))
		lower_prices(all, possible, prices);
}

/*
 * Find the lowest prices at which the choices meet their targets.  A target that no price
 * meets counts as the minimum possible cost.
 */
void
price_solve(const PricedDecisions *all, const double *targets, double *prices)
{
	double		target;
	Search		search = {all, &target, prices, 0, false};

	if (all->kinds > 1)
		solve_several(all, targets, prices);
	else if (all->kinds == 1)
	{
		target = possible_target(all, 0, targets[0]);
		prices[0] = 0.0;
		prices[0] = find_price(&search);
	}
}
