/*
 * shortlist.c
 *		Find the candidates from which a list is chosen.
 *
 * In small catalogues, we read and score all eligible items.  In large catalogues, we search for
 * items with high scores, and then check which of these items are eligible.  Both use the
 * posterior draws that choose the list.
 */
#include "postgres.h"

#include "nodes/plannodes.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

#include "choose/request.h"
#include "page/candidates.h"
#include "page/lanes.h"
#include "sql/args.h"

/* number of items to find per weight vector: the minimum, and the number per list position */
#define MIN_ITEMS			32
#define ITEMS_PER_POSITION	4
/* number of items to find per weight vector for lists with diversity */
#define MIN_DIVERSE_ITEMS	100
#define DIVERSE_ITEMS_PER_POSITION	10
/* factor by which more items are searched if too few of them are eligible */
#define GROWTH				4
/* a search finds at most 1/MAX_PART of all items per weight vector */
#define MAX_PART			4
/* in catalogues with fewer items, all eligible items are read */
#define MIN_SHORTLISTED		2000
/* if fewer than 1/MIN_CANDIDATE_PART of all items may be eligible, all of these are read */
#define MIN_CANDIDATE_PART	20
/* maximum number of new items, which have no stored vector, among the candidates */
#define MAX_NEW_ITEMS		"1000"
/* number of items to find per group in excess of the group's maximum, because scores are rounded */
#define CAP_MARGIN			2

static const PageQuery top_trends = {
	"SELECT t.item, t.score::float8, NULL::text FROM trend t ORDER BY t.score DESC", {0}};

static const PageQuery items_on_trial = {
	"SELECT v.item, NULL::float8, NULL::text FROM item_vector v WHERE v.effect_stddev IS NOT NULL", {0}};

/* Select new items, whose keys are larger than all keys in the table "item_vector". */
static const PageQuery new_items = {
	"SELECT a.item, NULL::float8, {cap_group} FROM allowed($1, $2) a{cap_group_of}\n"
	"WHERE  a.item > (SELECT v.item FROM item_vector v ORDER BY v.item DESC LIMIT 1)\n"
	"ORDER  BY a.item DESC LIMIT " MAX_NEW_ITEMS,
	{ARG_USER, JSONBOID}};

static const PageQuery count_candidates = {
	"SELECT FROM allowed($1, $2)", {ARG_USER, JSONBOID}};

/* Find items that become candidates regardless of their scores, such as trending items. */
static CandidateSet *
find_extra_items(PageRequest *page, ListPolicy policy, double neighbour_score)
{
	CandidateSet *result;

	if (policy == POLICY_TRENDING)
		return ReadItems(page, &top_trends, NULL);
	result = policy == POLICY_PERSONAL && page->settings.has_random_effects ?
		ReadItems(page, &items_on_trial, NULL) : CreateCandidates(0);
	if (policy == POLICY_PERSONAL)
		AddBestNeighbours(page, result, neighbour_score);
	return result;
}

/* ---------- best items of rankings ---------- */

int
FirstShortlistSize(const PageRequest *page)
{
	return page->settings.diversity > 0.0 ?
		Max(MIN_DIVERSE_ITEMS, DIVERSE_ITEMS_PER_POSITION * page->k) :
		Max(MIN_ITEMS, ITEMS_PER_POSITION * page->k);
}

/* Count an item of a group.  Returns false if the list has the group's maximum already. */
static bool
fits_cap(const PageRequest *page, int group, int *counts)
{
	return group < 0 || page->settings.cap == 0 || counts[group]++ < page->settings.cap;
}

/* Function that returns an item's index among the eligible items, or -1 */
typedef int (*ItemFinder) (const void *items, int candidate);

/* An eligible item that is among the best under a weight vector */
typedef struct FoundItem
{
	int			number;
	double		score;
} FoundItem;

static int
compare_found(const void *a, const void *b)
{
	double		first = ((const FoundItem *) a)->score;
	double		second = ((const FoundItem *) b)->score;

	return (first < second) - (first > second);
}

/* Add the effects of the user's history to the scores of found items, and sort the items again. */
static void
add_histories(FoundItem *found, int count, const CandidateSet *eligible)
{
	for (int i = 0; i < count; i++)
		found[i].score += eligible->addends[found[i].number];
	qsort(found, count, sizeof(FoundItem), compare_found);
}

/*
 * Mark the eligible items found under a weight vector that can be on the list.  Returns a number
 * above k if the search found enough eligible items.
 *
 * Lowers "neighbour_score" to the minimum with which an item that was not found can be on the list.
 */
static int
mark_best(const PageRequest *page, const BestItems *best, int ranking, const CandidateSet *eligible,
		  ItemFinder find, const void *items, bool *is_marked, double *neighbour_score)
{
	const SlateHeap *list = &best->slates[ranking].best;
	bool		marks_all = page->settings.diversity > 0.0 || page->settings.cap > 0;
	int		   *counts = AllocateZeros(sizeof(int), eligible->group_count);
	FoundItem  *found = AllocateMany(sizeof(FoundItem), list->count);
	int			count = 0;
	double		least = -INFINITY;
	int			filled = 0;

	for (int i = 0; i < list->count; i++)
	{
		int			number = find(items, list->entries[i].candidate);

		if (number >= 0)
			found[count++] = (FoundItem) {number, list->entries[i].score};
	}
	if (items != NULL && page->history != NULL)
		add_histories(found, count, eligible);
	for (int i = 0; i < count; i++)
	{
		if (filled >= page->k && !marks_all && found[i].score < least)
		{
			/* if the search found a score below "least", it found all items that may be listed */
			filled += list->entries[list->count - 1].score < least;
			break;
		}
		is_marked[found[i].number] = true;
		/* items that the search missed have at most the score of the last item found */
		if (filled <= page->k && found[i].score >= list->entries[list->count - 1].score &&
			fits_cap(page, eligible->groups[found[i].number], counts) && ++filled == page->k)
			least = found[i].score - best->margins[ranking];
	}
	pfree(found);
	pfree(counts);
	if (marks_all || list->count == 0)
		*neighbour_score = 0.0;
	else if (best->neighbour_weights[ranking] > 0.0)
		*neighbour_score = Min(*neighbour_score,
							   (least - list->entries[list->count - 1].score) /
							   best->neighbour_weights[ranking]);
	return filled;
}

/* Mark the items of "extra" that "eligible" contains, and return the others. */
static CandidateSet *
mark_extra_items(const CandidateSet *extra, CandidateSet *eligible, KeyTable *numbers,
				 bool *is_marked)
{
	CandidateSet *others = CreateCandidates(extra->count);

	for (int i = 0; i < extra->count; i++)
	{
		int			number = FindKey(numbers, extra->items[i]);

		if (number < 0)
		{
			AddCandidate(others, extra->items[i], extra->addends[i], -1, extra->numbers[i]);
			continue;
		}
		is_marked[number] = true;
		eligible->addends[number] += extra->addends[i];
	}
	return others;
}

/* ---------- all eligible items ---------- */

static int
find_same(const void *items, int candidate)
{
	return candidate;
}

/* Remove eligible items that cannot be on the list under any posterior draw. */
static CandidateSet *
cut_candidates(PageRequest *page, ListPolicy policy, const PageModels *models, int64 seed,
			   CandidateSet *all, KeyTable *numbers)
{
	Rankings	rankings = RankItems(page, policy, models, page->settings.constraints > 0);
	EligibleItems eligible = {numbers, all->count, all->addends,
		page->settings.cap > 0 && policy != POLICY_RANDOM ? all->groups : NULL, all->group_count,
	page->settings.cap + CAP_MARGIN};
	BestItems  *best = FindBest(page, &rankings, FirstShortlistSize(page), (uint64) seed,
								&eligible);
	CandidateSet *extra;
	double		neighbour_score = INFINITY;
	bool	   *is_marked = AllocateZeros(sizeof(bool), all->count);
	CandidateSet *result = CreateCandidates(FirstShortlistSize(page));

	for (int r = 0; r < rankings.count; r++)
		mark_best(page, best, r, all, find_same, NULL, is_marked, &neighbour_score);
	extra = find_extra_items(page, policy, neighbour_score);
	mark_extra_items(extra, all, numbers, is_marked);
	for (int i = 0; i < all->count; i++)
		if (is_marked[i] || !best->is_found[i])
			AddCandidate(result, all->items[i], all->addends[i], all->groups[i],
						 (uint64) i);
	result->group_count = all->group_count;
	result->is_cut = result->count < all->count;
	return result;
}

/*
 * Read the eligible items that may be on the list.  Trending lists always call cut_candidates(),
 * because it also adds the trends to the scores.
 */
static CandidateSet *
candidates_of_all(PageRequest *page, ListPolicy policy, const PageModels *models, int64 seed)
{
	KeyTable   *numbers = CreateKeyTable(page, (uint32) Min(page->settings.block_items,
															MIN_SHORTLISTED));
	CandidateSet *all = ReadAllowed(page, policy, numbers, NULL, 0);
	int			uncut = page->settings.diversity > 0.0 ? MIN_SHORTLISTED : FirstShortlistSize(page);

	if (policy != POLICY_TRENDING && (page->settings.block_items == 0 || all->count <= uncut))
		return all;
	return cut_candidates(page, policy, models, seed, all, numbers);
}

/* ---------- shortlists ---------- */

/* Items that are among the best under at least one weight vector, sorted by number */
typedef struct Union
{
	int			count;
	int		   *numbers;
	int		   *eligible;		/* index of each item among the eligible items, or -1 */
} Union;

static int
find_in_union(const void *items, int candidate)
{
	const Union *all = items;
	int			place = FindNumber(all->numbers, all->count, candidate);

	return place < 0 ? -1 : all->eligible[place];
}

/* Read which of the best items are eligible, and add their keys to "keys". */
static CandidateSet *
read_best(PageRequest *page, ListPolicy policy, const BestItems *best, Union *all, KeyTable *keys)
{
	Datum	   *items = AllocateMany(sizeof(Datum), all->count);
	CandidateSet *eligible;

	for (int i = 0; i < all->count; i++)
		items[i] = NumberedItem(best, all->numbers[i]);
	eligible = ReadAllowed(page, policy, keys, items, all->count);
	for (int i = 0; i < all->count; i++)
	{
		int			number = all->eligible[i] = FindKey(keys, items[i]);

		if (number >= 0)
			eligible->numbers[number] = (uint64) all->numbers[i];
	}
	return eligible;
}

/* Add the items of "extra" that are eligible to a shortlist of candidates. */
static void
add_extra_items(PageRequest *page, ListPolicy policy, const CandidateSet *extra,
				CandidateSet *shortlist)
{
	KeyTable   *keys = CreateKeyTable(page, extra->count);
	CandidateSet *eligible;
	bool	   *is_added;

	if (extra->count == 0)
		return;
	eligible = ReadAllowed(page, policy, keys, extra->items, extra->count);
	is_added = AllocateZeros(sizeof(bool), eligible->count);
	for (int i = 0; i < extra->count; i++)
	{
		int			number = FindKey(keys, extra->items[i]);

		if (number < 0 || is_added[number])
			continue;
		is_added[number] = true;
		AddCandidate(shortlist, eligible->items[number],
					 eligible->addends[number] + extra->addends[i], eligible->groups[number],
					 extra->numbers[i]);
	}
	shortlist->group_count = eligible->group_count;
	shortlist->n_scored += eligible->count;
}

static CandidateSet *
keep_marked(const CandidateSet *set, const bool *is_marked)
{
	CandidateSet *result = CreateCandidates(set->count);

	for (int i = 0; i < set->count; i++)
		if (is_marked[i])
			AddCandidate(result, set->items[i], set->addends[i], set->groups[i], set->numbers[i]);
	result->group_count = set->group_count;
	result->n_scored = set->count;
	result->is_cut = true;
	return result;
}

/*
 * Create a shortlist of the best eligible items.  Returns NULL if they fill fewer than k + 1
 * positions.  Random tie-breaking needs the additional position (see choose/decision.c).
 */
static CandidateSet *
try_shortlist(PageRequest *page, ListPolicy policy, const Rankings *rankings,
			  const BestItems *best)
{
	Union		all = {0};
	KeyTable   *keys;
	CandidateSet *eligible;
	CandidateSet *extra;
	CandidateSet *result;
	bool	   *is_marked;
	double		neighbour_score = INFINITY;

	all.count = UniteBest(best, &all.numbers);
	all.eligible = AllocateMany(sizeof(int), all.count);
	keys = CreateKeyTable(page, all.count);
	eligible = read_best(page, policy, best, &all, keys);
	is_marked = AllocateZeros(sizeof(bool), eligible->count);
	for (int r = 0; r < rankings->count; r++)
		if (mark_best(page, best, r, eligible, find_in_union, &all, is_marked,
					  &neighbour_score) <= page->k)
			return NULL;
	extra = find_extra_items(page, policy, neighbour_score);
	AddRaisedItems(page, extra);
	extra = mark_extra_items(extra, eligible, keys, is_marked);
	result = keep_marked(eligible, is_marked);
	add_extra_items(page, policy, extra, result);
	return result;
}

/* Read new items, whose keys are larger than all keys in the table "item_vector". */
static CandidateSet *
read_new_items(PageRequest *page)
{
	NullableDatum args[] = {page->user, Given(page->context)};

	return page->settings.has_ordered_key && !page->skips_failing ?
		ReadItems(page, &new_items, args) : CreateCandidates(0);
}

/* Create longer and longer shortlists until one fills the list, or return NULL. */
static CandidateSet *
grow_shortlist(PageRequest *page, ListPolicy policy, const PageModels *models, int64 seed)
{
	Rankings	rankings = RankItems(page, policy, models, page->settings.constraints > 0);
	int64		size = FirstShortlistSize(page);
	CandidateSet *result = NULL;
	CandidateSet *added;

	if (HasClusters(page, (int) size))
		result = try_shortlist(page, policy, &rankings,
							   FindMostOfBest(page, &rankings, (int) size, (uint64) seed));
	for (; result == NULL && size <= page->settings.block_items / MAX_PART; size *= GROWTH)
		result = try_shortlist(page, policy, &rankings,
							   FindBest(page, &rankings, (int) size, (uint64) seed, NULL));
	if (result == NULL)
		return NULL;
	added = read_new_items(page);
	for (int i = 0; i < added->count; i++)
	{
		double		addend = HistoryEffect(page, added->items[i]);

		/* try_shortlist() has already added items whose scores the user's history raises */
		if (addend <= 0.0)
			AddCandidate(result, added->items[i], addend, added->groups[i],
						 FIRST_NEW_NUMBER + (uint64) i);
	}
	result->group_count = Max(result->group_count, added->group_count);
	result->n_scored += added->count;
	return result;
}

/* Create a shortlist of trending items.  Returns NULL if they cannot fill the list. */
static CandidateSet *
trend_shortlist(PageRequest *page)
{
	CandidateSet *trend = find_extra_items(page, POLICY_TRENDING, 0.0);
	int			size = FirstShortlistSize(page);
	int		   *counts;
	int			filled = 0;
	KeyTable   *numbers;
	CandidateSet *result;

	for (;; size *= GROWTH)
	{
		numbers = CreateKeyTable(page, trend->count);
		result = ReadAllowed(page, POLICY_TRENDING, numbers, trend->items, Min(size, trend->count));
		counts = AllocateZeros(sizeof(int), result->group_count);
		for (int i = filled = 0; i < result->count; i++)
			filled += fits_cap(page, result->groups[i], counts);
		if (filled >= page->k || size >= trend->count)
			break;
	}
	for (int i = 0; i < trend->count; i++)
	{
		int			number = FindKey(numbers, trend->items[i]);

		if (number >= 0)
			result->addends[number] = trend->addends[i];
	}
	result->n_scored = result->count;
	return filled >= page->k ? result : NULL;
}

/* Does PostgreSQL's planner expect fewer than "items" eligible items? */
static bool
estimated_below(PageRequest *page, double items)
{
	SPIPlanPtr	plan = PagePlan(page, &count_candidates, 0);
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	double		rows;

	if (cached == NULL)
		return false;
	rows = linitial_node(PlannedStmt, cached->stmt_list)->planTree->plan_rows;
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	return rows < items;
}

/* Must all eligible items be read?  Bonuses, for example, may bring any item into the list. */
static bool
takes_all(PageRequest *page, ListPolicy policy)
{
	const PageSettings *settings = &page->settings;

	return settings->block_items <= MIN_SHORTLISTED || !settings->has_item_index ||
		(settings->has_bonus && IsPredicted(policy)) ||
		(settings->has_filter &&
		 estimated_below(page, (double) settings->block_items / MIN_CANDIDATE_PART));
}

static CandidateSet *
random_subset(const PageRequest *page, CandidateSet *all)
{
	int			size = Min(ITEMS_PER_POSITION * page->k, all->count);
	uint64		seed = FreshSeed();

	for (int i = 0; i < size; i++)
	{
		int			other = i + (int) (random_bits(seed, (uint64) i) % (uint64) (all->count - i));
		Datum		item = all->items[i];

		all->items[i] = all->items[other];
		all->items[other] = item;
	}
	all->share = size < all->count ? (double) size / all->count : 1.0;
	all->count = size;
	return all;
}

CandidateSet *
FindCandidates(PageRequest *page, ListPolicy policy, const PageModels *models, int64 seed)
{
	CandidateSet *result = NULL;

	if (policy == POLICY_RANDOM)
	{
		if (!takes_all(page, policy))
			result = DrawCandidates(page, read_new_items(page));
		return result != NULL ? result :
			random_subset(page, ReadAllowed(page, policy, CreateKeyTable(page, 0), NULL, 0));
	}
	if (policy == POLICY_TRENDING)
		result = trend_shortlist(page);
	else if (!takes_all(page, policy))
		result = grow_shortlist(page, policy, models, seed);
	return result != NULL ? result : candidates_of_all(page, policy, models, seed);
}
