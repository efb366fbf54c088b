/*
 * candidates.c
 *		Read the rows of a partition: which of them are candidates, what they
 *		have to agree on, and what they score by.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "windowapi.h"

#include "args.h"
#include "candidates.h"

#define MOST_DRAWS	10000

/* Arguments; those behind the shared context stand one further with one. */
enum
{
	MODEL_ARGNO,
	CONTEXT_ARGNO,
	SHARED_ARGNO,
	K_ARGNO = SHARED_ARGNO,
	DRAWS_ARGNO,
	UNIFORM_ARGNO,
	BONUS_ARGNO,
	GROUP_ARGNO,
	CAP_ARGNO,
	ARGUMENTS,					/* without a shared context */
};

/* What all candidates of a partition have to agree on, as they bring it. */
typedef struct Setting
{
	bool		isnull;
	double		number;
} Setting;

typedef struct Settings
{
	Setting		k;
	Setting		draws;
	Setting		uniform;
	Setting		cap;
} Settings;

/* The names of groups, numbered as they come. */
typedef struct GroupEntry
{
	struct varlena *name;
	int			number;
	uint32		hash;
	char		status;
} GroupEntry;

#define SH_PREFIX			groups
#define SH_ELEMENT_TYPE		GroupEntry
#define SH_KEY_TYPE			struct varlena *
#define SH_KEY				name
#define SH_HASH_KEY(tb, key) \
	hash_bytes((unsigned char *) VARDATA_ANY(key), (int) VARSIZE_ANY_EXHDR(key))
#define SH_EQUAL(tb, a, b) \
	(VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) && \
	 memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The way through the rows of a partition. */
typedef struct Reading
{
	FunctionCallInfo fcinfo;
	WindowObject window;
	const Chooser *chooser;
	int			arguments;
	bool		fixed[ARGUMENTS + 1];	/* the same for all rows: a constant */
	NullableDatum values[ARGUMENTS + 1];	/* of those */
	int64		row;
	MemoryContext row_context;	/* of what a row brings */
	MemoryContext context;		/* of all else, until the choice is made */

	Request		request;
	PreparedModel *prepared;	/* NULL before the first candidate */
	Settings	settings;		/* of the first candidate */
	double		width_factor;
	ArgSpec		expected;		/* what contexts have to be */

	Candidates	candidates;
	groups_hash *group_numbers;
} Reading;

static bool
HasShared(const Reading *reading)
{
	return reading->arguments > ARGUMENTS;
}

/* Where an argument behind the shared context stands. */
static int
Behind(const Reading *reading, int argno)
{
	return HasShared(reading) ? argno + 1 : argno;
}

/*
 * An argument of the present row.  It points into the row, and is gone when
 * the next one is fetched.  Constants are looked at once: a fetch costs more
 * than all else that is done with most arguments.
 */
static NullableDatum
Fetch(Reading *reading, int argno)
{
	NullableDatum result;
	bool		isout;

	if (reading->fixed[argno])
		return reading->values[argno];
	result.value = WinGetFuncArgInPartition(reading->window, argno,
											(int) reading->row,
											WINDOW_SEEK_HEAD, false,
											&result.isnull, &isout);
	Assert(!isout);
	return result;
}

static void
FetchConstants(Reading *reading)
{
	int			i;

	for (i = 0; i < reading->arguments; i++)
	{
		NullableDatum *value = &reading->values[i];

		reading->fixed[i] = get_fn_expr_arg_stable(reading->fcinfo->flinfo, i);
		if (reading->fixed[i])
			value->value = WinGetFuncArgCurrent(reading->window, i, &value->isnull);
	}
}

/* ---------- what must be the same in all rows ---------- */

static Setting
FetchInteger(Reading *reading, int argno)
{
	NullableDatum value = Fetch(reading, Behind(reading, argno));
	Setting		setting = {value.isnull, value.isnull ? 0.0 : DatumGetInt32(value.value)};

	return setting;
}

static Setting
FetchBigint(Reading *reading, int argno)
{
	NullableDatum value = Fetch(reading, Behind(reading, argno));
	Setting		setting = {value.isnull, value.isnull ? 0.0 : (double) DatumGetInt64(value.value)};

	return setting;
}

static Setting
FetchNumber(Reading *reading, int argno)
{
	NullableDatum value = Fetch(reading, Behind(reading, argno));
	Setting		setting = {value.isnull, value.isnull ? 0.0 : DatumGetFloat8(value.value)};

	return setting;
}

static Settings
FetchSettings(Reading *reading)
{
	Settings	settings;

	settings.k = FetchBigint(reading, K_ARGNO);
	settings.draws = FetchInteger(reading, DRAWS_ARGNO);
	settings.uniform = FetchNumber(reading, UNIFORM_ARGNO);
	settings.cap = FetchInteger(reading, CAP_ARGNO);
	return settings;
}

static double
NotNull(Setting setting, const char *name)
{
	if (setting.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	return setting.number;
}

/* No more than an int can count, as no partition has more candidates. */
static int
AtLeastOne(Setting setting, const char *name)
{
	double		number = NotNull(setting, name);

	if (number < 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name),
				 errdetail("The value is %.0f.", number)));
	return (int) Min(number, (double) PG_INT32_MAX);
}

static int
DrawCount(Setting setting)
{
	int			number = (int) NotNull(setting, "draws");

	if (number < 1 || number > MOST_DRAWS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("draws must be between 1 and %d", MOST_DRAWS),
				 errdetail("The value is %d.", number)));
	return number;
}

static double
Uniform(Setting setting)
{
	double		number = NotNull(setting, "uniform");

	if (!(number >= 0.0 && number <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("uniform must be between 0 and 1"),
				 errdetail("The value is %s.",
						   double_to_shortest_decimal(number))));
	return number;
}

static Rules
CheckSettings(const Settings *settings)
{
	Rules		rules;

	rules.k = AtLeastOne(settings->k, "k");
	rules.draws = DrawCount(settings->draws);
	rules.uniform = Uniform(settings->uniform);
	rules.cap = settings->cap.isnull ? 0 : AtLeastOne(settings->cap, "cap");
	if (rules.uniform > 0.0 && rules.cap > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("uniform must be 0 with a cap"),
				 errdetail("The probabilities of such choices have no closed form."),
				 errhint("Raise the model's exploration, or make some of the decisions with uniform => 1 and no cap.")));
	return rules;
}

/* A cap of nothing would bound nothing, and nobody be told. */
static void
CheckCapped(const Reading *reading)
{
	int			argno = Behind(reading, GROUP_ARGNO);

	if (reading->candidates.rules.cap > 0 && reading->fixed[argno] &&
		reading->values[argno].isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cap needs cap_group"),
				 errhint("Say of what there may be so many, as in cap_group => brand.")));
}

static void
CheckSame(Setting ours, Setting theirs, const char *name)
{
	if (ours.isnull != theirs.isnull || ours.number != theirs.number)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be the same for all rows of a partition", name)));
}

static void
CheckSameSettings(const Settings *ours, const Settings *theirs)
{
	CheckSame(ours->k, theirs->k, "k");
	CheckSame(ours->draws, theirs->draws, "draws");
	CheckSame(ours->uniform, theirs->uniform, "uniform");
	CheckSame(ours->cap, theirs->cap, "cap");
}

/* ---------- candidates ---------- */

/* A row that may be a candidate, before its context is looked at. */
typedef struct Row
{
	bool		other_model;	/* than expected, or the first */
	bool		other_shared;
	Datum		model;			/* copies of those that are */
	Datum		shared;
	Settings	settings;
	double		bonus;
	int			group;
} Row;

static int
GroupNumber(Reading *reading, NullableDatum name)
{
	struct varlena *key;
	GroupEntry *entry;
	bool		found;

	if (name.isnull)
		return -1;
	key = PG_DETOAST_DATUM_PACKED(name.value);
	entry = groups_insert(reading->group_numbers, key, &found);
	if (!found)
	{
		Size		size = VARSIZE_ANY(key);

		entry->number = (int) reading->group_numbers->members - 1;
		entry->name = memcpy(MemoryContextAlloc(reading->context, size), key, size);
	}
	return entry->number;
}

/*
 * All of a row but its context, which comes last and stays valid.  False if
 * its model or its shared context is NULL.
 */
static bool
FetchRow(Reading *reading, Row *row)
{
	NullableDatum value;

	value = Fetch(reading, MODEL_ARGNO);
	if (value.isnull)
		return false;
	row->other_model = !reading->prepared ||
		(!reading->fixed[MODEL_ARGNO] &&
		 !RequestHasModel(&reading->request, value.value));
	if (row->other_model)
		row->model = datumCopy(value.value, false, -1);

	row->other_shared = false;
	if (HasShared(reading))
	{
		value = Fetch(reading, SHARED_ARGNO);
		if (value.isnull)
			return false;
		row->other_shared = !reading->prepared ||
			(!reading->fixed[SHARED_ARGNO] &&
			 !RequestHasShared(&reading->request, value.value));
		if (row->other_shared)
			row->shared = datumCopy(value.value, false, -1);
	}

	row->settings = FetchSettings(reading);
	value = Fetch(reading, Behind(reading, BONUS_ARGNO));
	row->bonus = value.isnull ? 0.0 : DatumGetFloat8(value.value);
	row->group = row->settings.cap.isnull ? -1 :
		GroupNumber(reading, Fetch(reading, Behind(reading, GROUP_ARGNO)));
	return true;
}

/* The first candidate says what the others have to be. */
static void
BeginWith(Reading *reading, const Row *row)
{
	const Datum *shared = HasShared(reading) ? &row->shared : NULL;
	MemoryContext caller = MemoryContextSwitchTo(reading->context);
	int64		rows = WinGetPartitionRowCount(reading->window) - reading->row;
	Datum		model = datumCopy(row->model, false, -1);	/* outlives the row */
	Candidates *found = &reading->candidates;
	PreparedModel *prepared;
	const Policy *policy;

	reading->settings = row->settings;
	found->rules = CheckSettings(&row->settings);
	CheckCapped(reading);
	if (rows > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many candidates in a partition")));

	prepared = PrepareModelAt(reading->fcinfo->flinfo, model);
	policy = PolicyGet(prepared->header.policy);
	PrepareParts(prepared, policy->widens ? PART_MEAN | PART_ROOT :
				 policy->draws ? PART_DRAW : PART_MEAN);
	RequestBegin(&reading->request, reading->chooser, prepared, reading->context,
				 model, shared);
	if (policy->widens)
		reading->width_factor = prepared->header.exploration;
	reading->expected = ArgContextSpec(&reading->request.model);
	found->scores = ScoresCreate(prepared, shared, (int) rows,
								 found->rules.draws, FreshSeed());
	found->rows = MemoryContextAllocHuge(reading->context, sizeof(int) * rows);
	if (found->rules.cap > 0)
		found->groups = MemoryContextAllocHuge(reading->context, sizeof(int) * rows);
	reading->prepared = prepared;
	MemoryContextSwitchTo(caller);
}

static void
CheckRow(Reading *reading, const Row *row)
{
	if (row->other_model)
		RequestCheckModel(&reading->request, row->model);
	if (row->other_shared)
		RequestCheckShared(&reading->request, row->shared);
	CheckSameSettings(&reading->settings, &row->settings);
}

/* The posterior width at a candidate, as dlints_recommend has it. */
static double
WidthAt(Reading *reading, ArrayType *context)
{
	Datum		shared = PointerGetDatum(reading->request.shared_key.bytes);

	return PreparedWidth(reading->prepared, context,
						 HasShared(reading) ? &shared : NULL);
}

static void
AddCandidate(Reading *reading, const Row *row, Datum context)
{
	ArrayType  *array = ArgArrayConverted(context);
	double		addend = ArgFinite(row->bonus, "bonus");
	Candidates *found = &reading->candidates;
	int			number = ScoresCount(found->scores);

	ArgVector(array, &reading->expected, ScoresRoom(found->scores));
	if (reading->width_factor > 0.0)
		addend += reading->width_factor * WidthAt(reading, array);
	ScoresAdd(found->scores, addend);
	found->rows[number] = (int) reading->row;
	if (found->groups)
		found->groups[number] = row->group;
}

static void
ReadRow(Reading *reading)
{
	Row			row;
	NullableDatum context;

	if (!FetchRow(reading, &row))
		return;
	context = Fetch(reading, CONTEXT_ARGNO);
	if (context.isnull)
		return;
	if (reading->prepared)
		CheckRow(reading, &row);
	else
		BeginWith(reading, &row);
	AddCandidate(reading, &row, context.value);
}

static void
ReadRows(Reading *reading)
{
	int64		rows = WinGetPartitionRowCount(reading->window);
	MemoryContext caller = MemoryContextSwitchTo(reading->row_context);

	for (reading->row = 0; reading->row < rows; reading->row++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(reading->row_context);
		ReadRow(reading);
	}
	MemoryContextSwitchTo(caller);
}

/* Read the partition of a call, into the current memory context. */
Candidates
ReadCandidates(FunctionCallInfo fcinfo, const Chooser *chooser)
{
	Reading    *reading = palloc0(sizeof(Reading));

	reading->fcinfo = fcinfo;
	reading->window = PG_WINDOW_OBJECT();
	reading->chooser = chooser;
	reading->arguments = PG_NARGS();
	reading->context = CurrentMemoryContext;
	reading->row_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dlints candidate",
												 ALLOCSET_SMALL_SIZES);
	reading->group_numbers = groups_create(CurrentMemoryContext, 16, NULL);
	FetchConstants(reading);
	ReadRows(reading);
	if (reading->candidates.groups)
		reading->candidates.group_count = (int) reading->group_numbers->members;
	return reading->candidates;
}
