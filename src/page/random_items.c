/*
 * random_items.c
 *		Draw random items from a large catalogue, as candidates of a random list.
 *
 * Each row of the table "block" has slots for items, some of which are empty.  We draw slots until
 * enough eligible items are found.  For the propensities, we estimate the number of eligible items.
 *
 * If the n-th draw from N slots finds the last of m wanted items, the number of eligible items has
 * the unbiased estimate (m - 1) / (n - 1) * N (Haldane, 1945).  If a limit of n draws ends the
 * search, the unbiased estimate is m / n * N (Girshick, Mosteller and Savage, 1946).
 */
#include "postgres.h"

#include "choose/request.h"
#include "page/candidates.h"
#include "page/tables.h"
#include "sql/args.h"

/* minimum number of eligible items to draw, for a standard error of propensities of about 5 % */
#define MIN_FOUND			400
/* number of eligible items to draw per position of the list */
#define FOUND_PER_POSITION	4
/* factor by which we draw more items than expected, so that one round usually suffices */
#define MORE_DRAWS			1.25
/* maximum number of items to draw per eligible item that we need */
#define MAX_DRAWS			20
#define DRAW_BITS			32

static const PageTable block_items = {"block", 2, {{"n", INT4OID}, {"items", ARG_ITEMS}}};

typedef struct RandomSearch
{
	PageRequest *page;
	uint64		seed;
	uint64		n_bits;			/* number of random numbers used so far */
	int64		n_in_blocks;	/* number of slots in the table "block" */
	/* number of slots plus number of new items, which are numbered after the slots */
	int64		n_places;
	const CandidateSet *new_items;
	uint8	   *is_drawn;		/* bitmap of drawn slots and new items */
	int			n_wanted;		/* number of eligible items to draw */
	int			limit;			/* maximum number of draws */
	int			n_drawn;
	int			slot;			/* index of the drawn slot in its row of the table "block" */
	Datum	   *drawn;			/* key of each drawn item */
	bool	   *is_empty;		/* for each draw: is the slot empty? */
	KeyTable   *eligible;		/* eligible items among the drawn items */
	int			n_eligible;
} RandomSearch;

/* ---------- draws ---------- */

/* Return the number of a random slot or new item that has not been drawn. */
static int64
draw_place(RandomSearch *search)
{
	for (;;)
	{
		/* probabilities of two places differ by a factor of at most about 1 + n_places / 2^32 */
		uint64		bits = random_bits(search->seed, search->n_bits++) >> DRAW_BITS;
		int64		place = (int64) ((bits * (uint64) search->n_places) >> DRAW_BITS);
		uint8		bit = (uint8) (1 << (place % 8));

		if ((search->is_drawn[place / 8] & bit) != 0)
			continue;
		search->is_drawn[place / 8] |= bit;
		return place;
	}
}

/* Copy the item in the drawn slot, if any, from its row of the table "block". */
static void
read_slot(void *arg, const Datum *values, const bool *nulls)
{
	RandomSearch *search = arg;
	Datum	   *keys;
	MemoryContext caller;

	if (search->slot >= ArrayKeys(search->page, values[1], &keys))
		return;
	caller = MemoryContextSwitchTo(search->page->memory);
	search->drawn[search->n_drawn] = CopyKey(search->page, keys[search->slot]);
	search->is_empty[search->n_drawn] = false;
	MemoryContextSwitchTo(caller);
}

/* Draw items until the total number of draws is "count". */
static void
draw_items(RandomSearch *search, TableLookup *blocks, int count)
{
	int			slots = search->page->settings.block_slots;

	for (; search->n_drawn < count; search->n_drawn++)
	{
		int64		place = draw_place(search);
		Datum		block = Int32GetDatum((int32) (place / slots));

		search->slot = (int) (place % slots);
		search->is_empty[search->n_drawn] = place < search->n_in_blocks;
		if (place >= search->n_in_blocks)
			search->drawn[search->n_drawn] =
				search->new_items->items[place - search->n_in_blocks];
		else
			LookUp(blocks, block, 1, read_slot, search);
	}
}

/* ---------- candidates ---------- */

static void
find_eligible(RandomSearch *search)
{
	Datum	   *keys = AllocateMany(sizeof(Datum), search->n_drawn);
	int			count = 0;

	for (int i = 0; i < search->n_drawn; i++)
		if (!search->is_empty[i])
			keys[count++] = search->drawn[i];
	search->eligible = CreateKeyTable(search->page, search->n_drawn);
	search->n_eligible =
		ReadAllowed(search->page, POLICY_RANDOM, search->eligible, keys, count)->count;
}

/*
 * Return the first eligible items drawn as candidates, or NULL if they cannot fill a list.  We
 * estimate their share of all eligible items from the first "n_wanted" eligible items drawn.
 */
static CandidateSet *
choose_found(const RandomSearch *search)
{
	int			size = FOUND_PER_POSITION * search->page->k;
	CandidateSet *result = CreateCandidates(size);
	bool	   *is_found = AllocateZeros(sizeof(bool), search->n_eligible);
	int			found = 0;
	int			n = 0;

	for (; n < search->n_drawn && found < search->n_wanted; n++)
	{
		int			number = search->is_empty[n] ? -1 :
			FindKey(search->eligible, search->drawn[n]);

		if (number < 0 || is_found[number])
			continue;
		is_found[number] = true;
		if (++found <= size)
			AddCandidate(result, search->drawn[n], 0.0, -1, 0);
	}
	if (found < search->page->k)
		return NULL;
	result->share = (double) result->count / search->n_places *
		(found == search->n_wanted ? (n - 1.0) / (found - 1.0) : (double) n / found);
	return result;
}

/* Return the number of draws after which enough eligible items are probably found. */
static int
next_count(const RandomSearch *search)
{
	double		rate = Max(search->n_eligible, 1) / Max((double) search->n_drawn, 1.0);

	return (int) Min(MORE_DRAWS * search->n_wanted / rate, search->limit);
}

/* Draw random candidates from all items.  Returns NULL if too few drawn items are eligible. */
CandidateSet *
DrawCandidates(PageRequest *page, const CandidateSet *new_items)
{
	RandomSearch search = {.page = page, .seed = FreshSeed(), .new_items = new_items};
	TableLookup *blocks = BeginLookup(page, &block_items);

	search.n_wanted = Max(MIN_FOUND, FOUND_PER_POSITION * page->k);
	search.n_in_blocks = page->settings.block_items;
	search.n_places = search.n_in_blocks + new_items->count;
	search.limit = (int) Min((int64) search.n_wanted * MAX_DRAWS, search.n_places);
	search.is_drawn = AllocateZeros(1, search.n_places / 8 + 1);
	search.drawn = AllocateMany(sizeof(Datum), search.limit);
	search.is_empty = AllocateMany(sizeof(bool), search.limit);
	while (search.n_eligible < search.n_wanted && search.n_drawn < search.limit)
	{
		draw_items(&search, blocks, next_count(&search));
		find_eligible(&search);
	}
	EndLookup(blocks);
	return choose_found(&search);
}
