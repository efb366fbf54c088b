/*
 * decide.c
 *		Choices that come with their probabilities: dlints_choose and
 *		dlints_probability.
 *
 * The first row of a partition reads all of them and decides; the others read
 * what was decided.  M parameters are drawn and the first of them acts.  A
 * candidate's probability is how often the M draws choose it: given all of
 * them, which one comes first is chance, so that this is the exact probability
 * of the decision, whatever is done to the scores inside each draw.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "windowapi.h"

#include "args.h"
#include "core/random.h"
#include "core/slate.h"
#include "draw.h"
#include "scores.h"

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

/* The same, checked. */
typedef struct Rules
{
	int			k;
	int			draws;
	double		uniform;
	int			cap;			/* 0: none */
} Rules;

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

/* What a row is told. */
typedef struct Choice
{
	double		score;
	double		probability;
	int			rank;			/* 0: not chosen */
	bool		candidate;
} Choice;

/* Kept with a partition. */
typedef struct Decision
{
	Choice	   *choices;		/* of each row; NULL until it is made */
	TupleDesc	row_type;
} Decision;

/* The way through the rows of a partition. */
typedef struct Reading
{
	FunctionCallInfo fcinfo;
	WindowObject window;
	int			arguments;
	bool		fixed[ARGUMENTS + 1];	/* the same for all rows: a constant */
	NullableDatum values[ARGUMENTS + 1];	/* of those */
	int64		row;
	MemoryContext row_context;	/* of what a row brings */
	MemoryContext context;		/* of all else, until the choice is made */

	Request		request;
	PreparedModel *prepared;	/* NULL before the first candidate */
	Settings	settings;		/* of the first candidate */
	Rules		rules;
	double		width_factor;
	ArgSpec		expected;		/* what contexts have to be */

	Scores	   *scores;
	int		   *rows;			/* of candidates */
	int		   *groups;			/* theirs, if there is a cap */
	groups_hash *group_numbers;
} Reading;

static const Chooser choose = {
	.function = "dlints_choose",
	.rows = "partition",
	.advice = "Use PARTITION BY to choose by several models.",
	.shared_advice = "Use PARTITION BY to choose for several users.",
};

static const Chooser probability = {
	.function = "dlints_probability",
	.rows = "partition",
	.advice = "Use PARTITION BY to choose by several models.",
	.shared_advice = "Use PARTITION BY to choose for several users.",
};

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

	settings.k = FetchInteger(reading, K_ARGNO);
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

static int
AtLeastOne(Setting setting, const char *name)
{
	int			number = (int) NotNull(setting, name);

	if (number < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name),
				 errdetail("The value is %d.", number)));
	return number;
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
				 errdetail("The probabilities of such choices have no closed form.")));
	return rules;
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
BeginWith(Reading *reading, const Row *row, const Chooser *chooser)
{
	const Datum *shared = HasShared(reading) ? &row->shared : NULL;
	MemoryContext caller = MemoryContextSwitchTo(reading->context);
	int64		rows = WinGetPartitionRowCount(reading->window) - reading->row;
	Datum		model = datumCopy(row->model, false, -1);	/* outlives the row */
	PreparedModel *prepared;
	const Policy *policy;

	reading->settings = row->settings;
	reading->rules = CheckSettings(&row->settings);
	if (rows > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many candidates in a partition")));

	prepared = PrepareModelAt(reading->fcinfo->flinfo, model);
	policy = PolicyGet(prepared->header.policy);
	PrepareParts(prepared, policy->widens ? PART_MEAN | PART_ROOT :
				 policy->draws ? PART_DRAW : PART_MEAN);
	RequestBegin(&reading->request, chooser, prepared, reading->context,
				 model, shared);
	if (policy->widens)
		reading->width_factor = prepared->header.exploration;
	reading->expected = ArgContextSpec(&reading->request.model);
	reading->scores = ScoresCreate(prepared, shared, (int) rows,
								   reading->rules.draws, FreshSeed());
	reading->rows = MemoryContextAllocHuge(reading->context, sizeof(int) * rows);
	if (reading->rules.cap > 0)
		reading->groups = MemoryContextAllocHuge(reading->context, sizeof(int) * rows);
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
	int			number = ScoresCount(reading->scores);

	ArgVector(array, &reading->expected, ScoresRoom(reading->scores));
	if (reading->width_factor > 0.0)
		addend += reading->width_factor * WidthAt(reading, array);
	ScoresAdd(reading->scores, addend);
	reading->rows[number] = (int) reading->row;
	if (reading->groups)
		reading->groups[number] = row->group;
}

static void
ReadRow(Reading *reading, const Chooser *chooser)
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
		BeginWith(reading, &row, chooser);
	AddCandidate(reading, &row, context.value);
}

static void
ReadRows(Reading *reading, const Chooser *chooser)
{
	int64		rows = WinGetPartitionRowCount(reading->window);
	MemoryContext caller = MemoryContextSwitchTo(reading->row_context);

	for (reading->row = 0; reading->row < rows; reading->row++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(reading->row_context);
		ReadRow(reading, chooser);
	}
	MemoryContextSwitchTo(caller);
}

/* ---------- the choice ---------- */

static Slate
MakeSlate(const Reading *reading, int k, int candidates)
{
	int			group_count = reading->groups ? (int) reading->group_numbers->members : 0;
	int		   *sizes = palloc(sizeof(int) * Max(group_count, 1));
	SlateHeap  *caps = palloc(sizeof(SlateHeap) * Max(group_count, 1));
	Size		entries = slate_entries(candidates, k, reading->groups,
										reading->rules.cap, group_count, sizes);
	Slate		slate;

	slate_bind(&slate, candidates, k, reading->groups, group_count, sizes, caps,
			   MemoryContextAllocHuge(CurrentMemoryContext,
									  mul_size(sizeof(SlateEntry), entries)));
	return slate;
}

/* Is this one of the choices that are not the policy's? */
static bool
IsUniform(double uniform)
{
	return (double) (FreshSeed() >> 11) < uniform * 9007199254740992.0;
}

/* What was chosen acts. */
static void
TakeRanks(const Reading *reading, Slate *slate, Choice *choices)
{
	int			i;

	slate_sort(slate);
	for (i = 0; i < slate->best.count; i++)
		choices[reading->rows[slate->best.entries[i].candidate]].rank = i + 1;
}

/* How often each candidate is among the best, the first time in earnest. */
static int *
CountChoices(Reading *reading, Slate *slate, bool acts, Choice *choices)
{
	int			candidates = ScoresCount(reading->scores);
	int		   *counts = MemoryContextAllocExtended(CurrentMemoryContext,
													sizeof(int) * candidates,
													MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint64		lots = FreshSeed();
	int			draw;
	int			i;

	for (draw = 0; draw < reading->rules.draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		slate_choose(slate, ScoresUnder(reading->scores, draw),
					 random_bits(lots, draw));
		for (i = 0; i < slate->best.count; i++)
			counts[slate->best.entries[i].candidate]++;
		if (draw == 0 && acts)
			TakeRanks(reading, slate, choices);
	}
	return counts;
}

/* A random subset in random order: all are equal, and lots decide. */
static void
TakeAny(const Reading *reading, Slate *slate, Choice *choices)
{
	Size		size = sizeof(double) * slate->candidates;

	slate_choose(slate, MemoryContextAllocExtended(CurrentMemoryContext, size,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO),
				 FreshSeed());
	TakeRanks(reading, slate, choices);
}

/* The scores that act are gone once there are others. */
static void
TakeScores(Reading *reading, Choice *choices)
{
	const double *scores = ScoresUnder(reading->scores, 0);
	double		level = ScoresLevel(reading->scores);
	int			i;

	for (i = 0; i < ScoresCount(reading->scores); i++)
	{
		Choice	   *choice = &choices[reading->rows[i]];

		choice->candidate = true;
		choice->score = ResultFinite(scores[i] + level);
	}
}

static void
Choose(Reading *reading, Choice *choices)
{
	const Rules *rules = &reading->rules;
	int			candidates = ScoresCount(reading->scores);
	int			k = Min(rules->k, candidates);
	Slate		slate = MakeSlate(reading, k, candidates);
	bool		any = IsUniform(rules->uniform);
	int		   *counts;
	int			i;

	ScoresComplete(reading->scores);
	TakeScores(reading, choices);
	counts = CountChoices(reading, &slate, !any, choices);
	if (any)
		TakeAny(reading, &slate, choices);
	for (i = 0; i < candidates; i++)
		choices[reading->rows[i]].probability =
			(1.0 - rules->uniform) * counts[i] / rules->draws +
			rules->uniform * k / candidates;
}

/* Read the partition and decide; what all rows are told stays with it. */
static Choice *
Decide(FunctionCallInfo fcinfo, WindowObject window, MemoryContext context,
	   const Chooser *chooser)
{
	int64		rows = WinGetPartitionRowCount(window);
	Choice	   *choices = MemoryContextAllocExtended(context, mul_size(sizeof(Choice), rows),
													 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints choice",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Reading	   *reading = palloc0(sizeof(Reading));

	reading->fcinfo = fcinfo;
	reading->window = window;
	reading->arguments = PG_NARGS();
	reading->context = work;
	reading->row_context = AllocSetContextCreate(work, "dlints candidate",
												 ALLOCSET_SMALL_SIZES);
	reading->group_numbers = groups_create(work, 16, NULL);
	FetchConstants(reading);
	ReadRows(reading, chooser);
	if (reading->prepared)
		Choose(reading, choices);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return choices;
}

/* The decision that the present row is told of, made if it is the first. */
static Decision *
CurrentDecision(FunctionCallInfo fcinfo, const Chooser *chooser)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Decision   *decision;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "window function called without a window");
	decision = WinGetPartitionLocalMemory(window, sizeof(Decision));
	if (!decision->choices)
		decision->choices = Decide(fcinfo, window, GetMemoryChunkContext(decision),
								   chooser);
	return decision;
}

static const Choice *
CurrentChoice(FunctionCallInfo fcinfo, const Decision *decision)
{
	return &decision->choices[WinGetCurrentPosition(PG_WINDOW_OBJECT())];
}

PG_FUNCTION_INFO_V1(dlints_choose);

/*
 * dlints_choose(model dlints, context anycompatiblearray
 *				 [, shared anycompatiblearray], k integer DEFAULT 1,
 *				 draws integer DEFAULT 100,
 *				 uniform double precision DEFAULT 0,
 *				 bonus double precision DEFAULT 0,
 *				 cap_group text DEFAULT NULL, cap integer DEFAULT NULL)
 *		OVER (PARTITION BY request) -> dlints_choice, window function
 *
 * Choose k of the rows of a partition as dlints_recommend does, with the
 * probability of each: (1 - uniform) times the share of "draws" draws that
 * choose it, the first of which acts, plus uniform times that of a random
 * subset, which acts instead as often.  "bonus" is added to the score of a
 * candidate, and at most "cap" of a "cap_group" are chosen, under each draw.
 * rank is NULL where a candidate is not chosen; the score is that under the
 * draw that acts.  A row with a NULL model, context or shared context is no
 * candidate and gets NULL.  All but context, bonus and cap_group must be the
 * same in all rows of a partition.
 */
Datum
dlints_choose(PG_FUNCTION_ARGS)
{
	Decision   *decision = CurrentDecision(fcinfo, &choose);
	const Choice *choice = CurrentChoice(fcinfo, decision);
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	if (!choice->candidate)
		PG_RETURN_NULL();
	if (!decision->row_type)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(decision));

		decision->row_type = lookup_rowtype_tupdesc_copy(get_fn_expr_rettype(fcinfo->flinfo), -1);
		MemoryContextSwitchTo(caller);
	}
	nulls[0] = (choice->rank == 0);
	values[0] = Int32GetDatum(choice->rank);
	values[1] = Float8GetDatum(choice->score);
	values[2] = Float8GetDatum(choice->probability);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(decision->row_type, values, nulls)));
}

PG_FUNCTION_INFO_V1(dlints_probability);

/*
 * dlints_probability(the arguments of dlints_choose)
 *		OVER (PARTITION BY request) -> double precision, window function
 *
 * The probability that dlints_choose would give, of a decision that is not
 * taken.
 */
Datum
dlints_probability(PG_FUNCTION_ARGS)
{
	Decision   *decision = CurrentDecision(fcinfo, &probability);
	const Choice *choice = CurrentChoice(fcinfo, decision);

	if (!choice->candidate)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(choice->probability);
}
