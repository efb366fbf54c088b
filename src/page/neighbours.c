/*
 * neighbours.c
 *		Neighbour scores, which predict clicks on an item from the user's clicks on other items.
 *
 * The table "neighbour" has a weight for each pair of a clicked item and another item.  The
 * neighbour score of an item is the sum of the weights of the user's clicked items.  In logs with
 * repeated clicks, a clicked item gets a score from the user's clicks on the item instead.  The
 * score is the last feature of an item.
 */
#include "postgres.h"

#include "page/candidates.h"
#include "sql/arrays.h"

/* Maximum neighbour score; we lower larger scores to the maximum */
#define MAX_SCORE		4.0

/* Maximum number of slots in the table "block" at which FindBest() looks up neighbour scores */
#define MAX_LOOKED_UP	20000

/* An item, and its neighbour score, which is computed from the user's clicks */
typedef struct Neighbour
{
	Datum		item;
	double		sum;
	bool		is_scored;		/* has the search in blocks.c already scored the item? */
} Neighbour;

struct NeighbourScores
{
	KeyTable   *numbers;
	int			count;
	int			size;
	Neighbour  *neighbours;
};

/* ---------- sums of weights ---------- */

NeighbourScores *
CreateNeighbourScores(PageRequest *page)
{
	NeighbourScores *scores = palloc0(sizeof(NeighbourScores));

	scores->numbers = CreateKeyTable(page, 1024);
	return scores;
}

static Neighbour *
find_or_add_neighbour(NeighbourScores *scores, Datum item)
{
	bool		is_new;
	int			number = AddKey(scores->numbers, item, scores->count, &is_new);

	if (is_new)
	{
		scores->neighbours = GrowArray(scores->neighbours, scores->count, &scores->size,
									   sizeof(Neighbour));
		scores->neighbours[scores->count++] = (Neighbour) {item, 0.0, false};
	}
	return &scores->neighbours[number];
}

/*
 * Replace the neighbour score of a clicked item by a score from the user's clicks on the item.
 * Subtracts the item's similarity to the profile, which contains the item.
 */
void
SetOwnScore(const PageRequest *page, Datum item, double clicks, double similarity)
{
	find_or_add_neighbour(page->neighbours, item)->sum =
		page->settings.own_share * log10(1.0 + clicks) - similarity / page->settings.click_weight;
}

/* Add the weights of a clicked item's neighbours to their neighbour scores. */
void
AddNeighbours(PageRequest *page, NeighbourScores *scores, Datum neighbours, Datum weights,
			  double weight)
{
	ArrayType  *keys = DatumGetArrayTypePCopy(neighbours);
	ArrayType  *numbers = DatumGetArrayTypeP(weights);
	Datum	   *items;
	int			count;

	if (ARR_HASNULL(keys) || ARR_HASNULL(numbers) ||
		ArrayGetNItems(ARR_NDIM(keys), ARR_DIMS(keys)) !=
		ArrayGetNItems(ARR_NDIM(numbers), ARR_DIMS(numbers)))
		return;
	count = ArrayKeys(page, PointerGetDatum(keys), &items);
	for (int i = 0; i < count; i++)
		find_or_add_neighbour(scores, items[i])->sum +=
			weight * ((float4 *) ARR_DATA_PTR(numbers))[i];
}

/* ---------- neighbour scores of items ---------- */

static double
limited_score(double sum)
{
	return sum > 0.0 ? Min(sum, MAX_SCORE) : 0.0;
}

/* Return the entry of an item, or NULL if the item has none, so that its neighbour score is 0. */
static Neighbour *
find_neighbour(const PageRequest *page, Datum item)
{
	int			number = page->neighbours == NULL ? -1 : FindKey(page->neighbours->numbers, item);

	return number < 0 ? NULL : &page->neighbours->neighbours[number];
}

float4
NeighbourScore(const PageRequest *page, Datum item)
{
	const Neighbour *neighbour = find_neighbour(page, item);

	return neighbour == NULL ? 0.0f : (float4) limited_score(neighbour->sum);
}

/* Return an item's neighbour score for a search.  Marks the item for AddBestNeighbours(). */
float4
ScoreNeighbour(PageRequest *page, Datum item)
{
	Neighbour  *neighbour = find_neighbour(page, item);

	if (neighbour == NULL)
		return 0.0f;
	neighbour->is_scored = true;
	return (float4) limited_score(neighbour->sum);
}

static int
compare_sums(const void *a, const void *b)
{
	double		first = (*(Neighbour *const *) a)->sum;
	double		second = (*(Neighbour *const *) b)->sum;

	return first > second ? -1 : first < second;
}

bool
HasNeighbours(const PageRequest *page)
{
	return page->neighbours != NULL && page->neighbours->count > 0;
}

/* Does FindBest() look up the neighbour score of each item? */
bool
ScoresAllNeighbours(const PageRequest *page)
{
	return HasNeighbours(page) && page->settings.block_items <= MAX_LOOKED_UP;
}

/*
 * Add the items with the highest neighbour scores of at least "minimum" that no search has scored.
 *
 * We add half as many items as a shortlist has, usually two per position of the list.  With ten per
 * position, less than 0.5 % of positions changed in three real logs.
 */
void
AddBestNeighbours(PageRequest *page, CandidateSet *set, double minimum)
{
	NeighbourScores *scores = page->neighbours;
	Neighbour **order;
	KeyTable   *excluded;
	int			count = 0;

	if (!HasNeighbours(page))
		return;
	excluded = ExcludedKeys(page);
	order = palloc(sizeof(Neighbour *) * scores->count);
	for (int i = 0; i < scores->count; i++)
		if (!scores->neighbours[i].is_scored && scores->neighbours[i].sum > 0.0 &&
			limited_score(scores->neighbours[i].sum) >= minimum &&
			FindKey(excluded, scores->neighbours[i].item) < 0)
			order[count++] = &scores->neighbours[i];
	qsort(order, count, sizeof(Neighbour *), compare_sums);
	for (int i = 0; i < Min(count, FirstShortlistSize(page) / 2); i++)
		AddCandidate(set, order[i]->item, 0.0, -1, FIRST_EXTRA_NUMBER + set->count);
}

/* Clear the marks of all items that a search has scored, before the next search. */
void
ForgetScoredNeighbours(PageRequest *page)
{
	for (int i = 0; page->neighbours != NULL && i < page->neighbours->count; i++)
		page->neighbours->neighbours[i].is_scored = false;
}
