/*
 * price.c
 *		Dual prices of constraints on costs.
 *
 * A single price is found by bisection.  For several constraints, we solve a linear program, and
 * adjust the prices until mean costs meet their targets.
 */
#include "price.h"

#include <string.h>

/* Number of candidates that are processed between two calls of pause() */
#define CANDIDATES_PER_PAUSE	100000

/* Inverse of the maximum relative error of prices */
#define ACCURACY	(1024.0 * 1024.0)

/* Maximum result of usual_price(), and inverse of the minimum */
#define MAX_USUAL_PRICE	1e110

/* Maximum relative difference between two sums of the same costs in another order */
#define ROUNDING	1e-12

/* Maximum numbers of passes over all prices and of linear programs, chosen in 240 random cases */
#define MAX_SWEEPS	2
#define MAX_ROUNDS	20

/* accepted excess of a mean cost if no price meets the target, relative to the range of costs */
#define RELAXED_TOLERANCE	0.01

/* Choose the k candidates with the highest scores minus prices times costs. */
static void
choose(const PricedDecisions *all, const PricedDecision *one, const double *prices, Slate *slate)
{
	int			n = one->candidates;

	for (int i = 0; i < n; i++)
		all->scores[i] = one->scores[i];
	for (int kind = 0; kind < all->kinds; kind++)
	{
		const double *costs = one->costs + (size_t) kind * (size_t) n;

		for (int i = 0; prices[kind] > 0.0 && i < n; i++)
			all->scores[i] -= prices[kind] * costs[i];
	}
	slate_bind(slate, n, all->k, NULL, 0, NULL, NULL, all->entries);
	slate_begin(slate, 0);
	slate_offer(slate, 0, n, all->scores, 1);
	slate_end(slate);
}

/*
 * Write the mean costs of the candidates that are chosen under the given dual prices.  Returns
 * their mean score, after subtraction of the score of each decision's first candidate.
 *
 * Ties are broken by random keys, which are the same in all calls.
 */
double
price_means(const PricedDecisions *all, const double *prices, double *means)
{
	double		chosen = 0.0;
	double		score = 0.0;
	size_t		done = 0;

	for (int kind = 0; kind < all->kinds; kind++)
		means[kind] = 0.0;
	for (size_t d = 0; d < all->count; d++)
	{
		const PricedDecision *one = &all->each[d];
		Slate		slate;

		choose(all, one, prices, &slate);
		for (int kind = 0; kind < all->kinds; kind++)
			for (int i = 0; i < slate.best.count; i++)
				means[kind] += one->costs[(size_t) kind * (size_t) one->candidates +
										  (size_t) slate.best.entries[i].candidate];
		for (int i = 0; i < slate.best.count; i++)
			score += one->scores[slate.best.entries[i].candidate] - one->scores[0];
		chosen += slate.best.count;
		if ((done += (size_t) one->candidates) >= CANDIDATES_PER_PAUSE)
		{
			all->pause();
			done = 0;
		}
	}
	all->pause();
	for (int kind = 0; chosen > 0.0 && kind < all->kinds; kind++)
		means[kind] /= chosen;
	return chosen > 0.0 ? score / chosen : 0.0;
}

/* Set the dual price of constraint "kind" to "price", and return the constraint's mean cost. */
static double
mean_at(const PricedDecisions *all, double *prices, int kind, double price)
{
	prices[kind] = price;
	price_means(all, prices, all->means);
	return all->means[kind];
}

static bool
meets_targets(const PricedDecisions *all, const double *targets, const double *prices)
{
	price_means(all, prices, all->means);
	for (int kind = 0; kind < all->kinds; kind++)
		if (all->means[kind] > targets[kind])
			return false;
	return true;
}

static double
spread(int count, const double *numbers)
{
	double		lowest = numbers[0];
	double		highest = numbers[0];

	for (int i = 1; i < count; i++)
	{
		lowest = fmin(lowest, numbers[i]);
		highest = fmax(highest, numbers[i]);
	}
	return highest - lowest;
}

/* Return the geometric mean over decisions of the range of costs, or of scores if kind < 0. */
static double
usual_spread(const PricedDecisions *all, int kind)
{
	double		sum = 0.0;
	size_t		count = 0;

	for (size_t d = 0; d < all->count; d++)
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

/*
 * Return the ratio of the usual range of scores to the usual range of a constraint's costs, or 0
 * if the ratio is extreme.  The constraint then gets the price 0.
 */
static double
usual_price(const PricedDecisions *all, int kind)
{
	double		usual = usual_spread(all, -1) / usual_spread(all, kind);

	return usual >= 1.0 / MAX_USUAL_PRICE && usual <= MAX_USUAL_PRICE ? usual : 0.0;
}

/* ---------- one constraint ---------- */

/* A search for the dual price of one constraint while other prices are fixed */
typedef struct Search
{
	const PricedDecisions *all;
	const double *targets;
	double	   *prices;
	int			kind;
	/* true: mean costs must meet all targets; false: only the target of "kind" */
	bool		all_kinds;
} Search;

/* Would a mean cost exceed its target under the dual price "price"? */
static bool
is_exceeded(const Search *s, double price)
{
	if (!s->all_kinds)
		return mean_at(s->all, s->prices, s->kind, price) > s->targets[s->kind];
	s->prices[s->kind] = price;
	return !meets_targets(s->all, s->targets, s->prices);
}

/*
 * Find the lowest dual price of a constraint at which mean costs meet their targets.  We take
 * growing steps from the current price, and bisect the last step.
 */
static double
find_price(const Search *s)
{
	double		before = s->prices[s->kind];
	double		least = usual_price(s->all, s->kind) / (ACCURACY * ACCURACY);
	double		step = before > 0.0 ? 1.0 + 1.0 / ACCURACY : 2.0;
	double		high = before > 0.0 ? before : least;
	double		low = high;

	if (least == 0.0)
		return 0.0;
	/* the lower bound of the search must not exceed the current price */
	least = fmin(least, high);
	for (; is_exceeded(s, high) && high < PRICE_MAX; step *= step)
	{
		low = high;
		high = fmin(high * step, PRICE_MAX);
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

/* Return a constraint's target, or the lowest possible mean cost if that is higher. */
static double
possible_target(const PricedDecisions *all, int kind, double target)
{
	double		prices[PRICE_MAX_KINDS] = {0.0};
	double		lowest = mean_at(all, prices, kind, PRICE_MAX);

	return fmax(target, lowest + ROUNDING * fabs(lowest));
}

/* ---------- prices of several constraints ---------- */

/* Raise dual prices until mean costs meet all targets, or for at most MAX_SWEEPS passes. */
static void
raise_prices(const PricedDecisions *all, const double *targets, double *prices)
{
	for (int sweep = 0; sweep < MAX_SWEEPS && !meets_targets(all, targets, prices); sweep++)
	{
		for (int kind = 0; kind < all->kinds; kind++)
		{
			Search		search = {all, targets, prices, kind, false};

			if (mean_at(all, prices, kind, prices[kind]) > targets[kind])
				prices[kind] = find_price(&search);
		}
	}
}

/* Lower each dual price as far as mean costs still meet all targets. */
static void
lower_prices(const PricedDecisions *all, const double *targets, double *prices)
{
	for (int kind = 0; kind < all->kinds; kind++)
	{
		Search		search = {all, targets, prices, kind, true};

		if (prices[kind] > 0.0)
			prices[kind] = find_price(&search);
	}
}

/* Return the largest excess of a mean cost over its target, relative to the range of costs. */
static double
largest_excess(const PriceProgram *p, const double *targets, const double *prices)
{
	double		largest = 0.0;

	price_means(p->all, prices, p->all->means);
	for (int kind = 0; kind < p->all->kinds; kind++)
		if (p->all->means[kind] > targets[kind])
			largest = fmax(largest, p->cost_scales[kind] > 0.0 ?
						   (p->all->means[kind] - targets[kind]) / p->cost_scales[kind] : 0.0);
	return largest;
}

/*
 * Find dual prices under which mean costs meet their targets.  Each round solves a linear program
 * with targets lowered by the last round's excesses.
 *
 * Returns the prices with the smallest excess if targets cannot be met.
 */
static void
round_prices(PriceProgram *p, double *targets, double *prices)
{
	double		least = INFINITY;
	double		tolerance = 0.0;

	for (int round = 0; round < MAX_ROUNDS && program_solve(p); round++)
	{
		double		trial[PRICE_MAX_KINDS];
		double		excess;

		if (round == 0 && memcmp(targets, p->targets, sizeof(p->targets)) != 0)
		{
			memcpy(targets, p->targets, sizeof(p->targets));
			tolerance = RELAXED_TOLERANCE;
		}
		program_read_prices(p, trial);
		price_means(p->all, trial, p->all->means);
		for (int kind = 0; kind < p->all->kinds; kind++)
			p->targets[kind] -= fmax(p->all->means[kind] - targets[kind], 0.0);
		raise_prices(p->all, targets, trial);
		excess = largest_excess(p, targets, trial);
		if (excess < least)
		{
			least = excess;
			memcpy(prices, trial, sizeof(double) * (size_t) p->all->kinds);
		}
		if (excess <= tolerance)
			break;
	}
}

static void
solve_several(const PricedDecisions *all, const double *targets, double *prices)
{
	PriceProgram program = {.all = all, .rows = all->kinds + 1};
	double		possible[PRICE_MAX_KINDS] = {0};

	program.score_scale = usual_spread(all, -1);
	for (int kind = 0; kind < all->kinds; kind++)
	{
		prices[kind] = 0.0;
		if (program.score_scale > 0.0 && usual_price(all, kind) > 0.0)
			program.cost_scales[kind] = usual_spread(all, kind);
		possible[kind] = possible_target(all, kind, targets[kind]);
		if (possible[kind] > targets[kind])
			possible[kind] += PRICE_SLACK * program.cost_scales[kind];
		program.targets[kind] = possible[kind];
	}
	round_prices(&program, possible, prices);
	if (meets_targets(all, possible, prices))
		lower_prices(all, possible, prices);
}

/*
 * Find the lowest dual prices under which mean costs meet their targets.  A target that cannot be
 * met is replaced by the lowest possible mean cost.
 */
void
price_solve(const PricedDecisions *all, const double *targets, double *prices)
{
	if (all->kinds > 1)
		solve_several(all, targets, prices);
	else if (all->kinds == 1)
	{
		double		target = possible_target(all, 0, targets[0]);
		Search		search = {all, &target, prices, 0, false};

		prices[0] = 0.0;
		prices[0] = find_price(&search);
	}
}
