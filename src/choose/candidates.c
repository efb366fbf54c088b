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

#include "choose/candidates.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* a probability from so many draws has an error below 0.005 */
#define MOST_DRAWS	10000

static const Asker choose = {
	.function = "dlints_choose",
	.rows = "partition",
	.advice = "Use PARTITION BY to choose by several models.",
	.profile_advice = "Use PARTITION BY to choose for several users.",
};

/* arguments of dlints_choose, at most */
#define MOST_ARGUMENTS	9

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
	Setting		epsilon;
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
	const CandidateForm *form;
	bool		fixed[MOST_ARGUMENTS];	/* the same for all rows: a constant */
	NullableDatum values[MOST_ARGUMENTS];	/* of those */
	int64		row;
	MemoryContext row_context;	/* of what a row brings */
	MemoryContext context;		/* of all else, until the choice is made */

	Request		request;
	PreparedModel *prepared;	/* NULL before the first candidate */
	Settings	settings;		/* of the first candidate */

	Candidates	candidates;
	groups_hash *group_numbers;
} Reading;

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

	Assert(reading->fcinfo->nargs <= MOST_ARGUMENTS);
	for (i = 0; i < reading->fcinfo->nargs; i++)
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
	NullableDatum value = Fetch(reading, argno);
	Setting		setting = {value.isnull, value.isnull ? 0.0 : DatumGetInt32(value.value)};

	return setting;
}

static Setting
FetchBigint(Reading *reading, int argno)
{
	NullableDatum value = Fetch(reading, argno);
	Setting		setting = {value.isnull, value.isnull ? 0.0 : (double) DatumGetInt64(value.value)};

	return setting;
}

static Setting
FetchNumber(Reading *reading, int argno)
{
	NullableDatum value = Fetch(reading, argno);
	Setting		setting = {value.isnull, value.isnull ? 0.0 : DatumGetFloat8(value.value)};

	return setting;
}

static Settings
FetchSettings(Reading *reading)
{
	Settings	settings;

	settings.k = FetchBigint(reading, reading->form->k);
	settings.draws = FetchInteger(reading, reading->form->draws);
	settings.epsilon = FetchNumber(reading, reading->form->epsilon);
	settings.cap = FetchInteger(reading, reading->form->cap);
	return settings;
}

static double
NotNull(Setting setting, const char *name)
{
	CheckNotNull(setting.isnull, name);
	return setting.number;
}

/* No more than an int can count, as no partition has more candidates. */
static int
Count(Setting setting, const char *name)
{
	double		number = Min(NotNull(setting, name), (double) PG_INT32_MAX);

	return (int) AtLeastOne((int64) number, name);
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
Epsilon(Setting setting)
{
	double		number = NotNull(setting, "epsilon");

	if (!(number >= 0.0 && number <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be between 0 and 1"),
				 errdetail("The value is %s.",
						   double_to_shortest_decimal(number))));
	return number;
}

static Rules
CheckSettings(const Settings *settings)
{
	Rules		rules;

	rules.k = Count(settings->k, "k");
	rules.draws = DrawCount(settings->draws);
	rules.epsilon = Epsilon(settings->epsilon);
	rules.cap = settings->cap.isnull ? 0 : Count(settings->cap, "cap");
	if (rules.epsilon > 0.0 && rules.cap > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be 0 with a cap"),
				 errdetail("The probabilities of such choices have no closed form."),
				 errhint("Raise the model's exploration, or make some of the decisions with epsilon => 1 and no cap.")));
	return rules;
}

/* A cap without groups would be ignored in silence. */
static void
CheckCapped(const Reading *reading)
{
	int			argno = reading->form->cap_group;

	if (reading->candidates.rules.cap > 0 && reading->fixed[argno] &&
		reading->values[argno].isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cap needs cap_group"),
				 errhint("Say of what there may be so many, as in cap_group => brand.")));
}

static void
CheckSetting(Setting ours, Setting theirs, const char *name)
{
	CheckSame(ours.isnull == theirs.isnull && ours.number == theirs.number,
			  name, "partition");
}

static void
CheckSameSettings(const Settings *ours, const Settings *theirs)
{
	CheckSetting(ours->k, theirs->k, "k");
	CheckSetting(ours->draws, theirs->draws, "draws");
	CheckSetting(ours->epsilon, theirs->epsilon, "epsilon");
	CheckSetting(ours->cap, theirs->cap, "cap");
}

/* ---------- candidates ---------- */

/* A row that may be a candidate, before its features are looked at. */
typedef struct Row
{
	bool		other_model;	/* than expected, or the first */
	bool		other_profile;
	Datum		model;			/* copies of those that are */
	Datum		profile;
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
 * A value that all rows are to agree on: copied, since the next fetch ends it,
 * unless it is the one that is expected.  False if it is NULL.
 */
static bool
FetchCommon(Reading *reading, int argno, const ValueKey *expected,
			bool *is_other, Datum *copy)
{
	NullableDatum value = Fetch(reading, argno);

	if (value.isnull)
		return false;
	*is_other = !reading->prepared ||
		(!reading->fixed[argno] && !ValueKeyMatches(expected, value.value));
	if (*is_other)
		*copy = datumCopy(value.value, false, -1);
	return true;
}

/*
 * All of a row but its features, which comes last and stays valid.  False if
 * its model or its profile is NULL.
 */
static bool
FetchRow(Reading *reading, Row *row)
{
	const CandidateForm *form = reading->form;
	NullableDatum value;

	if (!FetchCommon(reading, form->model, &reading->request.model_key,
					 &row->other_model, &row->model) ||
		!FetchCommon(reading, form->profile, &reading->request.profile_key,
					 &row->other_profile, &row->profile))
		return false;
	row->settings = FetchSettings(reading);
	value = Fetch(reading, form->bonus);
	row->bonus = value.isnull ? 0.0 : DatumGetFloat8(value.value);
	row->group = row->settings.cap.isnull ? -1 :
		GroupNumber(reading, Fetch(reading, form->cap_group));
	return true;
}

/* The first candidate says what the others have to be. */
static void
BeginWith(Reading *reading, const Row *row)
{
	MemoryContext caller = MemoryContextSwitchTo(reading->context);
	int64		rows = WinGetPartitionRowCount(reading->window) - reading->row;
	Datum		model = datumCopy(row->model, false, -1);	/* outlives the row */
	Candidates *found = &reading->candidates;
	PreparedModel *prepared;

	reading->settings = row->settings;
	found->rules = CheckSettings(&row->settings);
	CheckCapped(reading);
	if (rows > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many candidates in a partition")));

	prepared = PrepareModelAt(reading->fcinfo->flinfo, model);
	RequestBegin(&reading->request, &choose, prepared, reading->context,
				 model, row->profile);
	found->scores = ScoresCreate(prepared, row->profile, (int) rows,
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
	if (row->other_profile)
		RequestCheckProfile(&reading->request, row->profile);
	CheckSameSettings(&reading->settings, &row->settings);
}

static void
AddCandidate(Reading *reading, const Row *row, Datum features)
{
	ArrayType  *array = ArgArrayConverted(features);
	double		addend = ArgFinite(row->bonus, "bonus");
	Candidates *found = &reading->candidates;
	int			number = ScoresCount(found->scores);

	ArgVector(array, &reading->request.expected, ScoresRoom(found->scores));
	if (reading->request.width_factor > 0.0)
		addend += RequestWidth(&reading->request, reading->prepared, array);
	ScoresAdd(found->scores, addend);
	found->rows[number] = (int) reading->row;
	if (found->groups)
		found->groups[number] = row->group;
}

static void
ReadRow(Reading *reading)
{
	Row			row;
	NullableDatum features;

	if (!FetchRow(reading, &row))
		return;
	features = Fetch(reading, reading->form->features);
	if (features.isnull)
		return;
	if (reading->prepared)
		CheckRow(reading, &row);
	else
		BeginWith(reading, &row);
	AddCandidate(reading, &row, features.value);
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
ReadCandidates(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	Reading    *reading = palloc0(sizeof(Reading));

	reading->fcinfo = fcinfo;
	reading->window = PG_WINDOW_OBJECT();
	reading->form = form;
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
