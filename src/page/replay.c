/*
 * recall.c
 *		Searches of the blocks for given rankings: the best items, for replayed
 *		decisions, and the recall of the search, for report().
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"

#include "compat.h"
#include "choose/request.h"
#include "page/candidates.h"
#include "page/lanes.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Length of the lists for which recall is measured */
#define SAMPLED_ITEMS		10

/* Read rankings as returned by _dlints_ranking_weights(), with or without the weights of costs. */
static Rankings
read_rankings(const PageRequest *page, ArrayType *weights)
{
	int			width = page->settings.size + 1;

	if (ARR_NDIM(weights) == 2 && ARR_DIMS(weights)[1] != width)
		width += page->settings.constraints;
	if (ARR_NDIM(weights) != 2 || ARR_DIMS(weights)[1] != width || ARR_HASNULL(weights))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rankings must have %d columns", width)));
	return (Rankings) {ARR_DIMS(weights)[0], width, (double *) ARR_DATA_PTR(weights)};
}

PG_FUNCTION_INFO_V1(dlints_best_in_blocks);

/*
 * _dlints_best_in_blocks(items anyarray, rankings float8[][], n_best integer) -> anyarray
 *		Append to "items" the items of the entered schema's blocks that are among the
 *		"n_best" best under any ranking.
 */
Datum
dlints_best_in_blocks(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	Rankings	rankings;
	PageRequest page;
	BestItems  *best;
	int		   *numbers;
	int			n_numbers;
	Datum	   *given;
	Datum	   *keys;
	int			count;
	ArrayType  *result;

	EnterPage(&page, fcinfo);
	CheckKeyType(fcinfo, 0, page.items_type, "items");
	rankings = read_rankings(&page, PG_GETARG_ARRAYTYPE_P(1));
	best = FindBest(&page, &rankings, Max(PG_GETARG_INT32(2), 1), FreshSeed(), NULL);
	n_numbers = UniteBest(best, &numbers);
	count = ArrayKeys(&page, PG_GETARG_DATUM(0), &given);
	keys = AllocateMany(sizeof(Datum), count + n_numbers);
	memcpy(keys, given, sizeof(Datum) * count);
	for (int i = 0; i < n_numbers; i++)
		keys[count + i] = NumberedItem(best, numbers[i]);
	result = DatumGetArrayTypeP(KeyArray(&page, keys, count + n_numbers));
	result = memcpy(MemoryContextAlloc(caller, VARSIZE(result)), result, VARSIZE(result));
	ClosePage(&page);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Sum of the "n" best scores of a slate */
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
 * _dlints_cluster_recall(rankings float8[][]) -> float8[]
 *		Recall of a search in the blocks with the highest bounds.  The first number is
 *		the sum of the scores of the ten best items found, divided by that of the ten
 *		best of all items; the second is the share of rankings whose best item is found.
 *		NULL if pages search all blocks, or if no ranking has a positive sum.
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
	rankings = read_rankings(&page, PG_GETARG_ARRAYTYPE_P(0));
	page.k = SAMPLED_ITEMS;
	if (HasClusters(&page, FirstShortlistSize(&page)))
	{
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
	PG_RETURN_ARRAYTYPE_P(DatumGetArrayTypeP(ResultVector(results, lengthof(results))));
}
