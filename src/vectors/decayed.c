/*
 * decayed.c
 *		The function _dlints_decayed_clicks, which sums the decayed weights of the clicks on each
 *		item.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

#define MAX_MEASURES		16	/* maximum number of half-lives */
/* maximum age of a click in half-lives, so that its weight does not underflow */
#define MAX_HALVINGS		300
#define NO_USER				PG_UINT32_MAX

enum
{
	USER,
	ITEM,
	DAY,
	WEIGHT,
	COLUMNS
};

typedef struct DatedClick
{
	uint32		item;
	uint32		user;			/* index of the user, or NO_USER */
	double		day;
	double		weight;
} DatedClick;

/* Compare clicks by item, user and time, with the newest click first. */
static inline int
CompareClicks(const DatedClick *a, const DatedClick *b)
{
	if (a->item != b->item)
		return a->item < b->item ? -1 : 1;
	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->day != b->day)
		return a->day > b->day ? -1 : 1;
	return (a->weight > b->weight) - (a->weight < b->weight);
}

#define ST_SORT				sort_clicks
#define ST_ELEMENT_TYPE		DatedClick
#define ST_COMPARE(a, b)	CompareClicks(a, b)
#define ST_SCOPE			static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

typedef struct Reader
{
	QueryReader query;			/* must be first */
	KeyNumbers *users;
	KeyNumbers *items;
	int			measures;
	double		half_lives[MAX_MEASURES];	/* half-life of each sum of clicks, in days */
	/* for each sum of clicks, the days within which a user's clicks on an item count once */
	double		periods[MAX_MEASURES];
	DatedClick *clicks;
	Size		count;
	Size		capacity;
	double		newest;			/* day of the newest click in the log */
} Reader;

static void
BeginClicks(QueryReader *query, TupleDesc desc)
{
	Reader	   *reader = (Reader *) query;

	if (desc->natts != COLUMNS)
		RaiseWrongColumns(psprintf("query must return %d columns, not %d", COLUMNS, desc->natts),
						  "The columns are user, item, day and weight.");
	for (int i = DAY; i < COLUMNS; i++)
		if (TupleDescAttr(desc, i)->atttypid != FLOAT8OID)
			RaiseWrongColumns("days and weights must be of type double precision",
							  "The columns are user, item, day and weight.");
	query->columns = COLUMNS;
	reader->users = KeyNumbersCreate(ColumnKey(desc, USER), 0, "users");
	reader->items = KeyNumbersCreate(ColumnKey(desc, ITEM), 0, "items");
	reader->capacity = 1024;
	reader->clicks = palloc(sizeof(DatedClick) * reader->capacity);
	reader->newest = -INFINITY;
}

static void
AddClick(QueryReader *query, const Datum *values, const bool *nulls)
{
	Reader	   *reader = (Reader *) query;
	DatedClick *click;

	if (reader->count == reader->capacity)
	{
		reader->capacity += reader->capacity / 4;
		reader->clicks = repalloc_huge(reader->clicks, sizeof(DatedClick) * reader->capacity);
	}
	click = &reader->clicks[reader->count++];
	click->user = nulls[USER] ? NO_USER : KeyNumbersGet(reader->users, values[USER]);
	click->item = KeyNumbersGet(reader->items, values[ITEM]);
	click->day = ArgBounded(DatumGetFloat8(values[DAY]), "day");
	click->weight = ArgBounded(DatumGetFloat8(values[WEIGHT]), "weight");
	reader->newest = Max(reader->newest, click->day);
}

/* Sum the decayed weights of an item's clicks.  Clicks of a user within a period count once. */
static double
SumClicks(const Reader *reader, const DatedClick *clicks, Size count, int measure)
{
	double		half_life = reader->half_lives[measure];
	double		sum = 0.0;
	double		decay = 0.0;
	double		weight = 0.0;	/* largest weight of the user's clicks in the current period */
	double		last = 0.0;

	for (Size i = 0; i < count; i++)
	{
		double		age = reader->newest - clicks[i].day;
		double		period = floor(age / reader->periods[measure]);

		if (i == 0 || clicks[i].user == NO_USER || clicks[i].user != clicks[i - 1].user ||
			period != last)
		{
			sum += decay * weight;
			decay = exp2(-Min(age / half_life, MAX_HALVINGS));
			weight = clicks[i].weight;
			last = period;
		}
		else
			weight = Max(weight, clicks[i].weight);
	}
	return sum + decay * weight;
}

static void
PutSums(ReturnSetInfo *rows, const Reader *reader)
{
	Datum	   *items = KeyNumbersValues(reader->items);
	bool		nulls[2] = {false, false};
	Size		end;

	for (Size start = 0; start < reader->count; start = end)
	{
		double		sums[MAX_MEASURES];
		Datum		values[2];

		for (end = start + 1;
			 end < reader->count && reader->clicks[end].item == reader->clicks[start].item;)
			end++;
		for (int i = 0; i < reader->measures; i++)
			sums[i] = SumClicks(reader, reader->clicks + start, end - start, i);
		values[0] = items[reader->clicks[start].item];
		values[1] = ResultVector(sums, reader->measures);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		pfree(DatumGetPointer(values[1]));
		CHECK_FOR_INTERRUPTS();
	}
}

/* Read an array of numbers of days, which must be positive.  Returns its length. */
static int
ReadDays(FunctionCallInfo fcinfo, int argno, const char *name, double *days)
{
	ArgSpec		spec = {name, 0, NULL};
	ArrayType  *array = ArgArrayConverted(PG_GETARG_DATUM(argno));

	spec.len = ArgVectorLength(array, &spec);
	if (spec.len > MAX_MEASURES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s must have at most %d elements", name, MAX_MEASURES),
				 errdetail("It has %d.", spec.len)));
	ArgVector(array, &spec, days);
	for (int i = 0; i < spec.len; i++)
		if (days[i] <= 0.0)
			ArgRaiseOutOfRange(name, "greater than 0", days[i]);
	return spec.len;
}

PG_FUNCTION_INFO_V1(dlints_decayed_clicks);

/*
 * _dlints_decayed_clicks(): return sums of the weights of each item's clicks, decayed under
 * several half-lives.  A user's clicks on an item within a period count once.
 */
Datum
dlints_decayed_clicks(PG_FUNCTION_ARGS)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "dlints decayed clicks",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	ReturnSetInfo *rows;
	TupleDesc	desc;
	Reader		reader;
	char	   *query;

	memset(&reader, 0, sizeof(reader));
	CheckColumnsExpected(fcinfo, "Write AS (item integer, sums double precision[]).");
	rows = ResultRows(fcinfo);
	desc = rows->setDesc;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	reader.measures = ReadDays(fcinfo, 1, "half_lives", reader.half_lives);
	if (ReadDays(fcinfo, 2, "periods", reader.periods) != reader.measures)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("half_lives and periods must have the same length")));
	reader.query.function = "_dlints_decayed_clicks";
	reader.query.first_required = ITEM;
	reader.query.context = work;
	reader.query.begin = BeginClicks;
	reader.query.row = AddClick;

	old = MemoryContextSwitchTo(work);
	ReadQuery(query, &reader.query);
	if (reader.count > 0)
	{
		if (desc->natts != 2 || TupleDescAttr(desc, 0)->atttypid != KeyNumbersType(reader.items) ||
			TupleDescAttr(desc, 1)->atttypid != FLOAT8ARRAYOID)
			RaiseWrongColumns("the column definition list must have an item and its sums",
							  "Write AS (item integer, sums double precision[]), with the type of the items.");
		sort_clicks(reader.clicks, reader.count);
		PutSums(rows, &reader);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	ReleaseFreedMemory();
	return (Datum) 0;
}
