/*
 * clicks.c
 *		Read the clicks of a user, from the click log, logged rewards and the argument "recent".
 */
#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "page/candidates.h"
#include "page/clicks.h"
#include "page/tables.h"
#include "sql/arrays.h"

/* maximum number of a user's newest lists from which clicks are read */
#define MAX_LISTS		200

static const PageQuery log_clicks = {
	"SELECT c.item, c.at, c.weight::float8 FROM click c WHERE same_user(c.user_id, $1) AND isfinite(c.at)\n"
	"ORDER  BY c.at DESC LIMIT 500", {ARG_USER}};

/* maximum age of a click that belongs to the user's present visit */
#define VISIT		USECS_PER_HOUR

/* Raise an error if the recommender's view "click" cannot be read. */
static const PageQuery no_clicks = {"SELECT FROM click LIMIT 0", {0}};

/* Select the newest lists of a session, from requests without a user. */
static const PageQuery session_lists = {
	"SELECT d.user_id, d.id, d.at, d.items FROM decision d\n"
	"WHERE  hashtextextended(d.session, 0) = hashtextextended($1, 0) AND d.session = $1 AND d.user_id IS NULL\n"
	"AND    d.items IS NOT NULL\n"
	"ORDER  BY d.id DESC LIMIT 200", {TEXTOID}};

static const PageTable user_lists = {"decision", 5, {
		{"user_id", ARG_USER}, {"id", INT8OID}, {"at", TIMESTAMPTZOID}, {"items", ARG_ITEMS},
		{"expected", FLOAT4ARRAYOID}}};

static const PageTable list_rewards = {"reward", 3, {
		{"decision", INT8OID}, {"item", ARG_ITEM}, {"value", FLOAT8OID}}};

/* Add a click to the sums of the clicked item.  The weight of the click decays with age. */
static void
add_click(ClickedItems *clicked, Datum item, TimestampTz at, double weight, bool is_excluded)
{
	const PageSettings *settings = &clicked->page->settings;
	double		days = ((double) settings->now - (double) at) / USECS_PER_DAY;
	double		decay = DecayOf(days, settings->half_life);
	int			number = FindKey(clicked->numbers, item);
	ClickedItem *one;

	if (number < 0)
	{
		clicked->each = GrowArray(clicked->each, clicked->count, &clicked->size,
								  sizeof(ClickedItem));
		number = clicked->count++;
		item = CopyKey(clicked->page, item);
		AddKey(clicked->numbers, item, number, NULL);
		clicked->each[number] = (ClickedItem) {.item = item, .maximum = -1.0};
	}
	one = &clicked->each[number];
	one->sum += weight * decay;
	one->absolute_sum += fabs(weight * decay);
	one->maximum = Max(one->maximum, Max(Min(weight, 1.0), -1.0) * decay);
	one->is_excluded |= is_excluded;
	clicked->newest = Max(clicked->newest, decay);
	decay = DecayOf(days, settings->own_half_life);
	clicked->newest_own = Max(clicked->newest_own, decay);
	if (at < settings->now - VISIT)
		one->own += ((weight > 0.0) - (weight < 0.0)) * decay;
}

/* State of reading a user's clicks from the click log and from rewards */
typedef struct ClickReader
{
	ClickedItems *clicked;
	/* items that were clicked after this time are excluded from the list */
	TimestampTz excluded_from;
	List	   *lists;			/* logged lists of the user or session */
	const struct ShownList *list;	/* the logged list whose rewards are being read */
	KeyTable   *shown;			/* items on the logged list; NULL until needed */
	KeyTable   *recent;			/* items in the argument "recent", or NULL */
	bool		is_of_session;
	/* positions of impressions that are already in the user's history */
	Bitmapset  *counted;
} ClickReader;

/* ---------- the click log ---------- */

static void
read_log_click(void *arg, const Datum *values, const bool *nulls)
{
	ClickReader *reader = arg;
	MemoryContext caller = MemoryContextSwitchTo(reader->clicked->page->memory);
	TimestampTz at = DatumGetTimestampTz(values[1]);

	if (!nulls[0] && !nulls[2])
		add_click(reader->clicked, values[0], at, DatumGetFloat8(values[2]),
				  at > reader->excluded_from);
	MemoryContextSwitchTo(caller);
}

static void
read_log_clicks(PageRequest *page, void *arg)
{
	static const Oid types[] = {ARG_ITEM, TIMESTAMPTZOID, FLOAT8OID, InvalidOid};

	ReadRows(page, &log_clicks, 0, &page->user, types, read_log_click, arg);
}

/* Read the user's clicks from the click log.  Stops with a warning if a row raises an error. */
static void
try_log_clicks(PageRequest *page, ClickReader *reader)
{
	ErrorData  *error = TryStep(page, read_log_clicks, reader);

	if (error == NULL)
		return;
	if (!IsRowError(error->sqlerrcode))
		ReThrowError(error);
	if (IsObjectError(error->sqlerrcode))
		RunSelect(page, &no_clicks, NULL);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("in the argument \"clicks\": %s", error->message),
			 errdetail("The list ignores clicks of the user that cannot be read.")));
	FreeErrorData(error);
}

/* ---------- clicks on earlier lists ---------- */

typedef struct ShownList
{
	int64		id;
	TimestampTz at;
	Datum		items;
	/* expected rewards of the list's items; NULL: the list does not change the user's history */
	ArrayType  *expected;
} ShownList;

static void
read_list(void *arg, const Datum *values, const bool *nulls)
{
	ClickReader *reader = arg;
	MemoryContext caller = MemoryContextSwitchTo(reader->clicked->page->memory);
	PageRequest *page = reader->clicked->page;
	ShownList  *list = palloc(sizeof(ShownList));

	list->id = DatumGetInt64(values[1]);
	list->at = DatumGetTimestampTz(values[2]);
	list->items = PointerGetDatum(DatumGetArrayTypePCopy(values[3]));
	list->expected = NULL;
	if (!reader->is_of_session && page->history != NULL)
	{
		list->expected = DatumGetArrayTypePCopy(values[4]);
		if (IsSettled(page, list->at))
			AddImpressions(page, list->items, list->expected, list->at, -1);
	}
	reader->lists = lappend(reader->lists, list);
	MemoryContextSwitchTo(caller);
}

/*
 * Add a reward to the user's history and, if positive, to the user's clicks.
 *
 * Before the attribution window has passed, only impressions with a reward enter the history.
 * Rewards of items that the list lacks are ignored.
 */
static void
read_reward(void *arg, const Datum *values, const bool *nulls)
{
	ClickReader *reader = arg;
	ClickedItems *clicked = reader->clicked;
	MemoryContext caller = MemoryContextSwitchTo(clicked->page->memory);
	const ShownList *list = reader->list;
	double		value = DatumGetFloat8(values[2]);
	int			position;

	if (value != 0.0)
	{
		if (reader->shown == NULL)
			reader->shown = TableOfKeys(clicked->page, list->items);
		position = FindKey(reader->shown, values[1]);
		if (position >= 0 && list->expected != NULL)
		{
			if (!IsSettled(clicked->page, list->at) && !bms_is_member(position, reader->counted))
			{
				AddImpressions(clicked->page, list->items, list->expected, list->at, position);
				reader->counted = bms_add_member(reader->counted, position);
			}
			AddReward(clicked->page, values[1], list->at, value);
		}
		if (value > 0.0 && position >= 0 && FindKey(reader->recent, values[1]) < 0)
			add_click(clicked, values[1], list->at, 1.0,
					  !reader->is_of_session && list->at > reader->excluded_from);
	}
	MemoryContextSwitchTo(caller);
}

static void
read_rewards(PageRequest *page, ClickReader *reader)
{
	LogTable   *log;
	ListCell   *cell;

	if (reader->lists == NIL)
		return;
	log = OpenLog(page, &list_rewards, 1);
	foreach(cell, reader->lists)
	{
		reader->list = lfirst(cell);
		reader->shown = NULL;
		reader->counted = NULL;
		LookUpDecision(log, reader->list->id, read_reward, reader);
	}
	CloseLog(log);
	reader->lists = NIL;
}

static void
read_user_rewards(PageRequest *page, ClickReader *reader)
{
	LogTable   *log = OpenLog(page, &user_lists, 2);

	LookUpNewest(log, page->user.value, MAX_LISTS, read_list, reader);
	CloseLog(log);
	read_rewards(page, reader);
}

/* Return the time after which clicked items are excluded from the list, or infinity. */
static TimestampTz
excluded_from(const PageRequest *page, bool excludes_clicked)
{
	const PageSettings *settings = &page->settings;

	if (!excludes_clicked || settings->repeat_after.isnull || page->user.isnull)
		return DT_NOEND;
	return DatumGetTimestampTz(DirectFunctionCall2(timestamptz_mi_interval,
												   TimestampTzGetDatum(settings->now),
												   settings->repeat_after.value));
}

/*
 * Read the clicks of the user.  Items in the argument "recent" count as clicked now.
 *
 * Weights are relative to the newest click, so that a user who returns after a long time has a
 * profile.
 */
ClickedItems *
ReadClicks(PageRequest *page, NullableDatum recent, bool excludes_clicked)
{
	ClickedItems *clicked = palloc0(sizeof(ClickedItems));
	ClickReader reader = {
		.clicked = clicked, .excluded_from = excluded_from(page, excludes_clicked)};
	Datum	   *items = NULL;
	int			n_recent = recent.isnull ? 0 : ArrayKeys(page, recent.value, &items);

	clicked->page = page;
	clicked->numbers = CreateKeyTable(page, 0);
	BeginHistory(page);
	if (page->settings.has_clicks && !page->user.isnull)
	{
		if (page->skips_failing)
			try_log_clicks(page, &reader);
		else
			read_log_clicks(page, &reader);
	}
	if (!page->user.isnull)
		read_user_rewards(page, &reader);
	if (!page->session.isnull && VARSIZE_ANY_EXHDR(DatumGetPointer(page->session.value)) > 0)
	{
		static const Oid types[] = {ARG_USER, INT8OID, TIMESTAMPTZOID, ARG_ITEMS, InvalidOid};

		reader.is_of_session = true;
		reader.recent = n_recent == 0 ? NULL : TableOfKeys(page, recent.value);
		ReadRows(page, &session_lists, 0, &page->session, types, read_list, &reader);
		read_rewards(page, &reader);
	}
	for (int i = 0; i < n_recent; i++)
		add_click(clicked, items[i], page->settings.now, 1.0, false);
	for (int i = 0; i < clicked->count; i++)
	{
		clicked->each[i].sum /= clicked->newest;
		clicked->each[i].absolute_sum /= clicked->newest;
		clicked->each[i].maximum /= clicked->newest;
		clicked->each[i].own /= clicked->newest_own;
	}
	return clicked;
}
