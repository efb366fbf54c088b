/*
 * history.c
 *		Adjust scores of items by the rewards of the user's earlier impressions.
 *
 * The score of an item that the user has seen changes by its mean expected reward times the
 * relative excess of actual over expected rewards.  The setting history_prior shrinks the change.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "page/candidates.h"
#include "sql/arrays.h"

/* minimum expected reward of an item, as a fraction of the mean over the user's impressions */
#define MIN_EXPECTED	0.1

/* Sums over the impressions of an item to the user, with weights that decay with age */
typedef struct ShownItem
{
	Datum		item;
	double		weight;
	double		expected;
	double		reward;
} ShownItem;

struct UserHistory
{
	TimestampTz settled_until;	/* impressions before this time count even without a reward */
	int			n_examined;
	/* examination probability of each position; the last one is for all later positions */
	const float8 *examination;
	double		weight;			/* sum of the weights of all items */
	double		expected;		/* sum of the expected rewards of all items */
	KeyTable   *numbers;			/* indexes of "items" */
	int			count;
	int			size;
	ShownItem  *items;
};

/* Create page->history, for the user's earlier impressions; NULL if they do not change scores. */
void
BeginHistory(PageRequest *page)
{
	const PageSettings *settings = &page->settings;
	UserHistory *history;

	page->history = NULL;
	if (settings->history_prior <= 0.0 || page->user.isnull)
		return;
	page->history = history = palloc0(sizeof(UserHistory));
	history->settled_until = DatumGetTimestampTz(
		DirectFunctionCall2(timestamptz_mi_interval, TimestampTzGetDatum(settings->now),
							settings->attribution_window));
	if (!settings->examination.isnull)
	{
		ArrayType  *array = DatumGetArrayTypeP(settings->examination.value);

		history->n_examined = ARR_HASNULL(array) ? 0 :
			ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
		history->examination = (float8 *) ARR_DATA_PTR(array);
	}
	history->numbers = CreateKeyTable(page, 64);
}

static ShownItem *
find_or_add_item(UserHistory *history, Datum item)
{
	bool		is_new;
	int			number = AddKey(history->numbers, item, history->count, &is_new);

	if (is_new)
	{
		history->items = GrowArray(history->items, history->count, &history->size,
								   sizeof(ShownItem));
		history->items[history->count++] = (ShownItem) {item, 0.0, 0.0, 0.0};
	}
	return &history->items[number];
}

static double
decay_since(const PageRequest *page, TimestampTz at)
{
	return DecayOf(((double) page->settings.now - (double) at) / USECS_PER_DAY,
				   page->settings.half_life);
}

/* Is a list so old that its attribution window has passed? */
bool
IsSettled(const PageRequest *page, TimestampTz at)
{
	return at < page->history->settled_until;
}

/* Add impressions of a list to the user's history: the one at "position", or all for -1. */
void
AddImpressions(PageRequest *page, Datum list, ArrayType *expected, TimestampTz at, int position)
{
	UserHistory *history = page->history;
	double		decay = decay_since(page, at);
	Datum	   *items;
	int			count = ArrayKeys(page, list, &items);

	if (ARR_HASNULL(expected))
		return;
	count = Min(count, ArrayGetNItems(ARR_NDIM(expected), ARR_DIMS(expected)));
	for (int i = Max(position, 0); i < (position < 0 ? count : Min(position + 1, count)); i++)
	{
		ShownItem  *shown = find_or_add_item(history, items[i]);
		double		weight = decay * (history->n_examined == 0 ? 1.0 :
									  history->examination[Min(i, history->n_examined - 1)]);
		double		sum = weight * page->settings.history_ratio *
			Max(((float4 *) ARR_DATA_PTR(expected))[i], 0.0f);

		shown->weight += weight;
		shown->expected += sum;
		history->weight += weight;
		history->expected += sum;
	}
}

/* Add the reward of an impression that is already in the user's history. */
void
AddReward(PageRequest *page, Datum item, TimestampTz at, double reward)
{
	int			number = FindKey(page->history->numbers, item);

	if (number >= 0)
		page->history->items[number].reward += decay_since(page, at) * reward;
}

/* Return the number that the user's history adds to the score of an item. */
static double
history_effect(const PageRequest *page, const ShownItem *shown)
{
	double		mean = page->history->expected / page->history->weight;
	double		expected = Max(shown->expected, MIN_EXPECTED * mean * shown->weight);

	return LimitBonus(expected / shown->weight * (shown->reward - expected) /
					  (expected + page->settings.history_prior));
}

double
HistoryEffect(const PageRequest *page, Datum item)
{
	int			number = page->history == NULL ? -1 : FindKey(page->history->numbers, item);

	return number < 0 ? 0.0 : history_effect(page, &page->history->items[number]);
}

/* Add the effects of the user's history to the scores of candidates. */
void
AddHistory(const PageRequest *page, KeyTable *numbers, CandidateSet *set)
{
	const UserHistory *history = page->history;

	for (int i = 0; history != NULL && i < history->count; i++)
	{
		int			number = FindKey(numbers, history->items[i].item);

		if (number >= 0)
			set->addends[number] += history_effect(page, &history->items[i]);
	}
}

/* Add items whose scores the user's history raises, because searches ignore histories. */
void
AddRaisedItems(const PageRequest *page, CandidateSet *set)
{
	const UserHistory *history = page->history;
	KeyTable   *excluded = history == NULL ? NULL : ExcludedKeys(page);

	for (int i = 0; history != NULL && i < history->count; i++)
		if (history_effect(page, &history->items[i]) > 0.0 &&
			FindKey(excluded, history->items[i].item) < 0)
			AddCandidate(set, history->items[i].item, 0.0, -1, FIRST_EXTRA_NUMBER + set->count);
}
