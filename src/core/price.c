/*
 * price.c
 *		Prices that make decisions cost no more than they may.
 */
#include "price.h"

#include <math.h>
#include <stdbool.h>

/* candidates between pauses */
#define PIECE	100000

/*
 * A price is found to one part in so many, and is looked for from such a part of
 * the usual ones on.
 */
#define MOST_PARTS	(1024.0 * 1024.0)

/* Where costs are so small beside scores, or so large, they count nothing. */
#define MOST_USUAL	1e110

/* That buys all that a price can. */
#define MOST_PRICE	1e150

/* Means of the same costs, added in another order, differ by a smaller part. */
#define ROUNDING	1e-12

/* Prices depend on each other; so often all of them are looked at. */
#define SWEEPS	20

/* Put the k best of a decision under these prices into a slate. */
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
 * What a choice costs on average under these prices, of each kind.  Among equal
 * scores the same ones are chosen under all prices.
 */
void
price_means(const PricedDecisions *all, const double *prices, double *means)
{
	double		chosen = 0.0;
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
}

/* What a choice costs of a kind, if this is its price. */
static double
mean_at(const PricedDecisions *all, double *prices, int kind, double price)
{
	prices[kind] = price;
	price_means(all, prices, all->means);
	return all->means[kind];
}

/* How far numbers are apart. */
static double
spread(int count, const double *numbers)
{
	double		least = numbers[0];
	double		most = numbers[0];
	int			i;

	for (i = 1; i < count; i++)
	{
		least = fmin(least, numbers[i]);
		most = fmax(most, numbers[i]);
	}
	return most - least;
}

/*
 * The least price that makes scores and costs of a decision weigh alike; 0 where
 * none does.  One cost beyond all others so spoils nothing.
 */
static double
least_usual(const PricedDecisions *all, int kind)
{
	double		least = 0.0;
	size_t		d;

	for (d = 0; d < all->count; d++)
	{
		const PricedDecision *one = &all->each[d];
		size_t		n = (size_t) one->candidates;
		double		usual = n == 0 ? 0.0 : spread(one->candidates, one->scores) /
			spread(one->candidates, one->costs + (size_t) kind * n);

		if (usual >= 1.0 / MOST_USUAL && usual <= MOST_USUAL)
			least = least == 0.0 ? usual : fmin(least, usual);
	}
	return least;
}

/*
 * The least price of a kind under which it costs no more than this, or than it
 * does at any price; the others stay.  The higher a price, the less it costs.  So
 * the price is looked for near the one that there is, in steps that grow, until it
 * is between two.
 */
static double
settle(const PricedDecisions *all, double *prices, int kind, double target)
{
	double		least = least_usual(all, kind) / MOST_PARTS;
	double		step = prices[kind] > 0.0 ? 1.0 + 1.0 / MOST_PARTS : 2.0;
	double		high = fmax(prices[kind], least);
	double		low = high;
	double		mean;

	if (least == 0.0)
		return 0.0;
	mean = mean_at(all, prices, kind, high);
	if (mean > target)
	{
		double		possible = mean_at(all, prices, kind, MOST_PRICE);

		target = fmax(target, possible + ROUNDING * fabs(possible));
	}
	for (; mean > target; step *= step)
	{
		low = high;
		high = fmin(high * step, MOST_PRICE);
		mean = mean_at(all, prices, kind, high);
	}
	for (; low == high; step *= step)
	{
		low = fmax(high / step, least);
		if (mean_at(all, prices, kind, low) > target)
			break;
		if (low == least)
			return mean_at(all, prices, kind, 0.0) > target ? least : 0.0;
		high = low;
	}
	while (high > low * (1.0 + 1.0 / MOST_PARTS))
	{
		double		middle = sqrt(low * high);

		if (mean_at(all, prices, kind, middle) > target)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Find the price of each kind under which it costs no more than its target. */
void
price_solve(const PricedDecisions *all, const double *targets, double *prices)
{
	bool		moved = all->kinds > 0;
	int			sweep;
	int			kind;

	for (kind = 0; kind < all->kinds; kind++)
		prices[kind] = 0.0;
	for (sweep = 0; moved && sweep < SWEEPS; sweep++)
	{
		moved = false;
		for (kind = 0; kind < all->kinds; kind++)
		{
			double		before = prices[kind];

			prices[kind] = settle(all, prices, kind, targets[kind]);
			if (fabs(prices[kind] - before) > 1e-5 * before)
				moved = all->kinds > 1;
		}
	}
}
