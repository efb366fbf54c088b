/*
 * test_price.c
 *		Dual prices: the lowest prices at which the mean costs of decisions are
 *		within their targets.
 */
#include "oracle.h"

#include "core/price.h"

#define MAX_CANDIDATES	7
#define MAX_KINDS		3
#define MAX_DECISIONS	30

typedef struct World
{
	PricedDecisions all;
	PricedDecision each[MAX_DECISIONS];
} World;

/* Decisions with costs in [0, 1), or that are 0 or 1. */
static PricedDecisions *
world_new(uint64_t *seed, int kinds, int k, bool shares)
{
	World	   *w = allocate(sizeof(World));

	w->all = (PricedDecisions) {
		.kinds = kinds, .k = k, .each = w->each,
		.count = 1 + (size_t) (fabs(dice(seed)) * (MAX_DECISIONS - 1)),
		.scores = guarded(MAX_CANDIDATES),
		.entries = allocate(MAX_CANDIDATES * sizeof(SlateEntry)),
		.means = guarded((size_t) kinds), .pause = count_pause,
	};
	for (int d = 0; d < (int) w->all.count; d++)
	{
		int			n = (int) (fabs(dice(seed)) * (MAX_CANDIDATES + 1));
		double	   *costs = dice_array(seed, (size_t) (n * kinds));

		for (int i = 0; i < n * kinds; i++)
			costs[i] = shares ? costs[i] > 0.3 : fabs(costs[i]);
		w->each[d] = (PricedDecision) {n, dice_array(seed, (size_t) n), costs};
	}
	return &w->all;
}

/* Mean cost of a choice by definition: a candidate is chosen if fewer than k rank before it. */
static void
exact_means(const PricedDecisions *all, const double *prices, double *means)
{
	exact		sums[MAX_KINDS] = {0};
	int			chosen = 0;

	for (size_t d = 0; d < all->count; d++)
	{
		const PricedDecision *one = &all->each[d];
		exact		net[MAX_CANDIDATES] = {0};

		for (int i = 0; i < one->candidates; i++)
		{
			net[i] = one->scores[i];
			for (int kind = 0; kind < all->kinds; kind++)
				net[i] -= (exact) prices[kind] * one->costs[kind * one->candidates + i];
		}
		for (int i = 0; i < one->candidates; i++)
		{
			int			before = 0;

			for (int j = 0; j < one->candidates; j++)
				before += net[j] > net[i];
			for (int kind = 0; before < all->k && kind < all->kinds; kind++)
				sums[kind] += one->costs[kind * one->candidates + i];
			chosen += before < all->k;
		}
	}
	for (int kind = 0; kind < all->kinds; kind++)
		means[kind] = chosen == 0 ? 0 : (double) (sums[kind] / chosen);
}

/* Mean cost of a kind under a given price of it */
static double
mean_at(const PricedDecisions *all, const double *prices, int kind, double price)
{
	double		changed[MAX_KINDS];
	double		means[MAX_KINDS] = {0};

	memcpy(changed, prices, sizeof(double) * (size_t) all->kinds);
	changed[kind] = price;
	exact_means(all, changed, means);
	return means[kind];
}

static void
test_means_equal_their_definition(void **state)
{
	uint64_t	seed = 1;

	for (int round = 0; round < 300; round++)
	{
		int			kinds = 1 + round % MAX_KINDS;
		PricedDecisions *all = world_new(&seed, kinds, 1 + round % 4, round % 2 == 0);
		double		prices[MAX_KINDS] = {fabs(dice(&seed)), 0.0, fabs(dice(&seed))};
		double		expected[MAX_KINDS];
		double	   *means = guarded((size_t) kinds);
		int			kind;

		exact_means(all, prices, expected);
		price_means(all, prices, means);
		for (kind = 0; kind < kinds; kind++)
			assert_near(means[kind], expected[kind], 1e-12);
	}
	assert_true(pauses >= 300);
}

/*
 * The prices meet the targets, and no lower price does.  With several kinds of
 * costs, some choices tie at these prices.  Some targets exclude each other;
 * prices then rise in each sweep.
 */
static void
test_prices_are_enough_and_minimal(void **state)
{
	uint64_t	seed = 2;
	int			priced = 0;
	int			beyond = 0;
	int			opposed = 0;

	for (int round = 0; round < 400; round++)
	{
		int			kinds = 1 + round % MAX_KINDS;
		PricedDecisions *all = world_new(&seed, kinds, 1 + round % 3, round % 2 == 0);
		double	   *prices = guarded((size_t) kinds);
		double		targets[MAX_KINDS];
		int			kind;

		for (kind = 0; kind < kinds; kind++)
			targets[kind] = (kinds > 1 ? 0.2 : 0.0) + 0.5 * fabs(dice(&seed));
		price_solve(all, targets, prices);
		for (kind = 0; kind < kinds; kind++)
		{
			double		least = mean_at(all, prices, kind, 1e6);
			double		tie = (kinds - 1) / (double) all->count;
			double		is = mean_at(all, prices, kind, prices[kind] * (1 + 1e-9));

			if (kinds > 1 && prices[kind] > 4.0)
				opposed++;
			else
				assert_true(is <= fmax(targets[kind], least) + tie + 1e-9);
			beyond += least > targets[kind];
			if (prices[kind] > 0.0)
			{
				assert_true(mean_at(all, prices, kind, prices[kind] * 0.9999) >
							targets[kind] - tie);
				priced++;
			}
		}
	}
	assert_true(priced > 300);
	assert_true(beyond > 50);
	assert_true(opposed < 150);
}

/* Set targets to the mean costs at random prices, so that these prices meet them. */
static void
set_possible_targets(const PricedDecisions *all, uint64_t *seed, double *targets)
{
	double		prices[MAX_KINDS];

	for (int kind = 0; kind < all->kinds; kind++)
		prices[kind] = 2.0 * fabs(dice(seed));
	exact_means(all, prices, targets);
}

/*
 * If some prices meet all of two or three targets, the prices found meet them too.  If many choices
 * tie, other prices may be found, but no infinite ones.  Higher prices would cost scores.
 */
static void
test_possible_targets_are_met(void **state)
{
	uint64_t	seed = 3;
	double		score = 0.0;

	for (int round = 0; round < 2280; round++)
	{
		int			kinds = 2 + round % 2;
		bool		ties = round >= 280;
		PricedDecisions *all = world_new(&seed, kinds, 1 + round % 3, ties);
		double		prices[MAX_KINDS];
		double		targets[MAX_KINDS];
		double		means[MAX_KINDS];
		int			kind;

		for (size_t d = 0; ties && d < all->count; d++)
			for (int i = 0; i < all->each[d].candidates; i++)
				((double *) all->each[d].scores)[i] = rint(4.0 * all->each[d].scores[i]);
		set_possible_targets(all, &seed, targets);
		for (kind = 0; kind < kinds; kind++)
			targets[kind] += 1e-3;
		price_solve(all, targets, prices);
		score += price_means(all, prices, means);
		for (kind = 0; kind < kinds; kind++)
		{
			assert_true(prices[kind] < 1e9);
			assert_true(ties || means[kind] <= targets[kind] * (1.0 + 1e-9));
		}
	}
	assert_true(score > 2695.0);
}

/* Targets that exclude each other have prices near those of the nearest possible targets. */
static void
test_impossible_targets_have_the_prices_of_possible_ones(void **state)
{
	double		scores[] = {0.5, 0.4, 0.4};
	double		costs[] = {1.0, 0.0, 1.0, 1.0, 1.0, 0.0};
	PricedDecision each[10];
	double		kept[3];
	SlateEntry	entries[1];
	double		work[2];
	PricedDecisions all = {2, 1, 10, each, kept, entries, work, count_pause};
	double		targets[] = {0.3, 0.3};
	double		prices[2];
	double		means[2];

	for (int d = 0; d < 10; d++)
		/* cppcheck-suppress unreadVariable ; price_solve() reads it through "all" */
		each[d] = (PricedDecision) {3, scores, costs};
	price_solve(&all, targets, prices);
	price_means(&all, prices, means);
	assert_true(prices[0] >= 0.1 * (1 - 1e-6) && prices[0] < 1.0);
	assert_true(prices[1] >= 0.1 * (1 - 1e-6) && prices[1] < 1.0);
	assert_near(means[0] + means[1], 1.0, 1e-9);
}

/* A maximum below the minimum of the same costs: both are missed by the same amount. */
static void
test_targets_that_exclude_each_other_are_missed_equally(void **state)
{
	uint64_t	seed = 4;
	int			tried = 0;

	for (int round = 0; round < 100; round++)
	{
		PricedDecisions *all = world_new(&seed, 2, 1, false);
		const double targets[] = {0.45, -0.55};
		double		prices[2] = {0};
		double		means[2];

		for (size_t d = 0; d < all->count; d++)
			for (int i = 0, n = all->each[d].candidates; i < n; i++)
				((double *) all->each[d].costs)[n + i] = -all->each[d].costs[i];
		if (mean_at(all, prices, 0, 1e6) > 0.4 || mean_at(all, prices, 1, 1e6) > -0.6)
			continue;
		price_solve(all, targets, prices);
		price_means(all, prices, means);
		assert_near(means[0], 0.5, 1.5 / (double) all->count);
		tried++;
	}
	assert_true(tried > 50);
}

/* The price of one kind of costs, in decisions with at most 4 candidates, has this value. */
static void
check_price(PricedDecision *each, size_t count, int k, double target, double expected,
			double tolerance)
{
	double		kept[4];
	SlateEntry	entries[4];
	double		mean;
	PricedDecisions all = {1, k, count, each, kept, entries, &mean, count_pause};
	double		price = 0.0;

	price_solve(&all, &target, &price);
	assert_near(price, expected, tolerance);
}

/* A minimum is a maximum of the negated costs. */
static void
test_minimum_is_a_maximum_of_negative_costs(void **state)
{
	double		scores[] = {1.0, 0.9, 0.5};
	double		costs[] = {0.0, -1.0, 0.0};
	PricedDecision one = {3, scores, costs};

	check_price(&one, 1, 1, -0.5, 0.1, 1e-6);
	check_price(&one, 1, 1, 0.0, 0.0, 0.0);
}

/*
 * Three of four candidates have the lowest possible mean cost.  Their costs
 * are added in different orders under different prices.
 */
static void
test_lowest_possible_target_is_met(void **state)
{
	double		scores[] = {0.5, 0.5, 0.1, 0.8};
	double		costs[] = {0.9, 0.6, 0.6, 0.1};
	PricedDecision one = {4, scores, costs};

	check_price(&one, 1, 3, 0.0, 4.0 / 3.0, 1e-5);
}

/* No candidates, equal costs, and numbers that differ by factors of 1e40 and 1e120 */
static void
test_degenerate_decisions_have_finite_prices(void **state)
{
	double		scores[] = {1e20, -1e20};
	double		extreme[] = {1e100, -1e100};
	double		costs[] = {2e-20, 1e-20};
	double		same[] = {3.0, 3.0};
	PricedDecision each[] = {{0, scores, same}, {2, scores, same}};
	PricedDecision apart[] = {{2, scores, costs}, {2, extreme, costs}};

	check_price(each, 0, 1, 1.0, 0.0, 0.0);
	check_price(each, 2, 1, 1.0, 0.0, 0.0);
	check_price(&apart[0], 1, 1, 1.5e-20, 2e40, 2e35);
	check_price(&apart[1], 1, 1, 1.5e-20, 0.0, 0.0);
}

/* One decision with an extreme cost, also if all other costs are 0 */
static void
test_outliers_change_no_price(void **state)
{
	double		scores[] = {0.5, 0.6};
	double		costs[] = {0.001, 0.01};
	double		far[] = {0.001, 1e50};
	double		near[] = {0.5, 0.5 + 1e-15};
	PricedDecision each[] = {{2, scores, costs}, {2, scores, far}, {2, near, far}};

	/* this small price suffices for the other decisions */
	check_price(each, 3, 1, 0.005, 0.0, 1e-40);
	check_price(each, 3, 1, 0.001, 0.1 / 0.009, 1e-4);
}

TEST_PROGRAM("price",
	test_of(test_means_equal_their_definition),
	test_of(test_prices_are_enough_and_minimal),
	test_of(test_possible_targets_are_met),
	test_of(test_impossible_targets_have_the_prices_of_possible_ones),
	test_of(test_targets_that_exclude_each_other_are_missed_equally),
	test_of(test_minimum_is_a_maximum_of_negative_costs),
	test_of(test_lowest_possible_target_is_met),
	test_of(test_degenerate_decisions_have_finite_prices),
	test_of(test_outliers_change_no_price),)
