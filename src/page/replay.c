/*
 * replay.c
 *		Compute logged lists again, under the current models, and measure the recall of searches.
 *
 * Dual prices of constraints are computed from the lists.  report() shows the recall of searches in
 * the table "block".
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "choose/request.h"
#include "page/candidates.h"
#include "page/lanes.h"
#include "sql/args.h"

/* length of the lists with which recall is measured */
#define SAMPLED_ITEMS		10
/* number of posterior draws with which we compute a logged list again */
#define REPLAYED_DRAWS		2
/* number of items to find per weight vector: the minimum, and the number per list position */
#define MIN_BEST			32
#define BEST_PER_POSITION	4
/* dual price, relative to the norm of the weights, at which costs outweigh scores */
#define EXTREME_PRICE		100.0

/* Return the weight vectors by which the models rank items for a user's profile. */
static Rankings
rank_by_profile(PageRequest *page, Datum profile, uint64 seed)
{
	ListPolicy	policy = IsUnknownProfile(page, profile) ? POLICY_UNKNOWN : POLICY_PERSONAL;

	return RankItems(page, policy, ReadModels(page, policy, profile, (int64) seed), false);
}

/* ---------- scores of candidates ---------- */

/*
 * Repeat each weight vector with different dual prices: current prices, zeros, and an extreme
 * price for each constraint.
 */
static Rankings
add_prices(PageRequest *page, const Rankings *draws, const int32 *signs)
{
	int			n_costs = page->settings.constraints;
	int			variants = n_costs + 2;
	int			width = draws->width + n_costs;
	double	   *weights = AllocateZeros(sizeof(double), (Size) draws->count * variants * width);
	const double *penalties = ReadPenalties(page);
	double		square = 0.0;

	for (int i = 0; i < draws->count * draws->width; i++)
		square += draws->weights[i] * draws->weights[i];
	for (int row = 0; row < draws->count * variants; row++)
	{
		double	   *prices = weights + (Size) row * width + draws->width;
		int			variant = row % variants;

		memcpy(weights + (Size) row * width,
			   draws->weights + (Size) (row / variants) * draws->width,
			   sizeof(double) * draws->width);
		for (int c = 0; c < n_costs; c++)
			prices[c] = variant == n_costs + 1 ? -penalties[c] :
				variant == c ? -EXTREME_PRICE * sqrt(square) * signs[c] : 0.0;
	}
	return (Rankings) {draws->count * variants, width, weights};
}

/*
 * Find the items of a logged list, and items that would be on the list under other dual prices.  In
 * small catalogues, which have no rows in the table "block", returns all eligible items.
 */
static CandidateSet *
find_replayed(PageRequest *page, Datum list, const Rankings *draws, const int32 *signs)
{
	Rankings	rankings;
	BestItems  *best;
	Datum	   *shown;
	Datum	   *keys;
	int		   *numbers;
	int			count;
	int			n_numbers;

	page->k = ArrayKeys(page, list, &shown);
	if (page->settings.block_items == 0)
		return ReadShortlist(page, NULL, 0);
	rankings = add_prices(page, draws, signs);
	best = FindBest(page, &rankings, MIN_BEST + BEST_PER_POSITION * page->k, FreshSeed(), NULL);
	n_numbers = UniteBest(best, &numbers);
	count = page->k;
	keys = AllocateMany(sizeof(Datum), count + n_numbers);
	memcpy(keys, shown, sizeof(Datum) * count);
	for (int i = 0; i < n_numbers; i++)
		keys[count++] = NumberedItem(best, numbers[i]);
	return ReadShortlist(page, keys, count);
}

/* Compute the candidates' scores under a weight vector, without dual prices. */
static Datum
replayed_scores(const PageRequest *page, const CandidateSet *set, const double *weights)
{
	int			size = page->settings.size;
	double	   *scores = AllocateNumbers(set->count);

	for (int i = 0; i < set->count; i++)
	{
		scores[i] = set->addends[i] +
			dot_float(size, weights, (float4 *) ARR_DATA_PTR(set->features) + (Size) i * size);
		if (page->settings.has_effects)
			scores[i] += weights[size] * set->effects[i];
	}
	return ResultVector(scores, set->count);
}

/* Compute the candidates' costs, one row per constraint, negated for minimum constraints. */
static Datum
replayed_costs(const PageRequest *page, const CandidateSet *set, const int32 *signs)
{
	int			n_costs = page->settings.constraints;
	double	   *costs = AllocateNumbers((Size) set->count * n_costs);

	for (int c = 0; c < n_costs; c++)
		for (int i = 0; i < set->count; i++)
			costs[(Size) c * set->count + i] = signs[c] * set->costs[(Size) i * n_costs + c];
	return ResultMatrix(costs, n_costs, set->count);
}

PG_FUNCTION_INFO_V1(dlints_replay_list);

/*
 * _dlints_replay_list(): return the scores and costs of a logged list's candidates under the
 * current model: its items, and items that would be on the list under other dual prices.
 */
Datum
dlints_replay_list(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	ArrayType  *array;
	const int32 *signs;
	PageRequest page;
	Rankings	draws;
	CandidateSet *set;

	for (int i = 2; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			return (Datum) 0;
	array = PG_GETARG_ARRAYTYPE_P(5);
	signs = (int32 *) ARR_DATA_PTR(array);
	EnterRequest(&page, fcinfo);
	CheckKeyType(fcinfo, 2, page.items_type, "items");
	if (ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != page.settings.constraints)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"signs\" must have a number per constraint")));
	draws = rank_by_profile(&page, PG_GETARG_DATUM(3), (uint64) PG_GETARG_INT64(4));
	draws.count = Min(draws.count, REPLAYED_DRAWS);
	ReadUser(&page, NotGiven(), false); /* sets page.neighbours */
	set = find_replayed(&page, PG_GETARG_DATUM(2), &draws, signs);
	if (set->count > 0)
		ReadFeatures(&page, set);
	for (int row = 0; row < draws.count && set->count > 0; row++)
	{
		Datum		values[] = {
			replayed_scores(&page, set, draws.weights + (Size) row * draws.width),
			replayed_costs(&page, set, signs)};
		bool		nulls[2] = {false};

		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
	ClosePage(&page);
	return (Datum) 0;
}

static double
sum_best(const Slate *slate, int n)
{
	double		sum = 0.0;

	for (int i = 0; i < Min(n, slate->best.count); i++)
		sum += slate->best.entries[i].score;
	return sum;
}

PG_FUNCTION_INFO_V1(dlints_cluster_recall);

/*
 * _dlints_cluster_recall(): measure how many of the best items a search finds without reading all
 * blocks of items.
 *
 * Returns the sum of the scores of the best items found, divided by that of the best of all items,
 * and the share of posterior draws whose best item is found.  Returns NULL if searches read all
 * blocks.
 */
Datum
dlints_cluster_recall(PG_FUNCTION_ARGS)
{
	Rankings	rankings;
	PageRequest page;
	BestItems  *all;
	BestItems  *found;
	double		results[2] = {0.0, 0.0};
	int			counted = 0;

	EnterPage(&page, fcinfo);
	page.k = SAMPLED_ITEMS;
	if (HasClusters(&page, FirstShortlistSize(&page)))
	{
		rankings = rank_by_profile(&page, PG_GETARG_DATUM(0), (uint64) PG_GETARG_INT64(1));
		all = FindBest(&page, &rankings, SAMPLED_ITEMS, 1, NULL);
		found = FindMostOfBest(&page, &rankings, FirstShortlistSize(&page), 1);
		for (int r = 0; r < rankings.count; r++)
		{
			double		sum = sum_best(&all->slates[r], SAMPLED_ITEMS);

			if (!(sum > 0.0))
				continue;
			counted++;
			results[0] += sum_best(&found->slates[r], SAMPLED_ITEMS) / sum;
			results[1] += sum_best(&found->slates[r], 1) >= sum_best(&all->slates[r], 1);
		}
	}
	ClosePage(&page);
	if (counted == 0)
		PG_RETURN_NULL();
	for (int i = 0; i < lengthof(results); i++)
		results[i] /= counted;
	return ResultVector(results, lengthof(results));
}
