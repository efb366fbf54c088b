/*
 * choose.c
 *		dlints_choose and dlints_choose_arms: choices that come with their
 *		probabilities.
 *
 * The first row of a partition reads all of them, which of them are candidates,
 * what they have to agree on and what they score by, and decides; the others read
 * what was decided.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "windowapi.h"

#include "choose/decision.h"
#include "sql/args.h"
#include "sql/arrays.h"

static const MismatchMessages choose = {
	.function = "dlints_choose",
	.rows = "partition",
	.advice = "Use PARTITION BY to choose by several models, or dlints_choose_arms where each row has a model of its own.",
	.profile_advice = "Use PARTITION BY to choose for several users.",
};

/* arguments of dlints_choose, at most */
#define MOST_ARGUMENTS	9

/* The rows of a partition that may be chosen. */
typedef struct PartitionCandidates
{
	Candidates	candidates;
	int		   *rows;			/* where each stands in the partition */
} PartitionCandidates;

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

	Settings	settings;		/* of the first candidate */
	PartitionCandidates found;	/* without scores before that */
	Groups	   *groups;

	/* where they share a model */
	Request		request;
	PreparedModel *prepared;	/* NULL where they do not */
	SharedScores *shared;

	/* where they have one each */
	ArmScores  *arms;
} Reading;

/*
 * An argument of the present row.  It points into the row, and is gone when
 * the next one is fetched.  Constants are looked at once: a fetch costs more
 * than all else that is done with most arguments.
 */
static NullableDatum
Fetch(const void *from, int argno)
{
	const Reading *reading = from;
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

/*
 * A model or a profile.  What it points to goes with the next fetch, unless it is
 * a constant: so it is copied, where it is not the one that all rows are expected
 * to bring.  False if it is NULL.
 */
static bool
FetchValue(const Reading *reading, int argno, const ValueKey *expected,
		   bool *is_other, Datum *value)
{
	NullableDatum found = Fetch(reading, argno);

	if (found.isnull)
		return false;
	*is_other = !reading->prepared ||
		(!reading->fixed[argno] && !ValueKeyMatches(expected, found.value));
	if (*is_other)
		*value = reading->fixed[argno] ? found.value :
			datumCopy(found.value, false, -1);
	return true;
}

/* ---------- candidates that share a model ---------- */

static void
BeginShared(Reading *reading, const Row *row, int rows)
{
	Candidates *found = &reading->found.candidates;
	Datum		model = datumCopy(row->model, false, -1);	/* outlives the row */

	reading->prepared = PrepareModelAt(reading->fcinfo->flinfo, model);
	RequestBegin(&reading->request, &choose, reading->prepared,
				 reading->context, model, row->profile);
	reading->shared = SharedScoresCreate(reading->prepared, row->profile, rows,
										 found->rules.draws);
	found->scores = (Scores *) reading->shared;
}

static void
AddShared(Reading *reading, const Row *row, ArrayType *features)
{
	double		addend = ArgFinite(row->bonus, "bonus");
	double	   *room = SharedScoresRoom(reading->shared);

	if (row->other_model)
		RequestCheckModel(&reading->request, row->model);
	if (row->other_profile)
		RequestCheckProfile(&reading->request, row->profile);
	ArgVector(features, &reading->request.expected, room);
	if (reading->request.width_factor > 0.0)
		addend += RequestWidth(&reading->request, reading->prepared, room);
	SharedScoresAdd(reading->shared, addend);
}

/* ---------- candidates that have a model each ---------- */

static void
BeginArms(Reading *reading, int rows)
{
	reading->arms = ArmScoresCreate(rows);
	reading->found.candidates.scores = (Scores *) reading->arms;
}

static void
AddArm(Reading *reading, const Row *row, ArrayType *features)
{
	PreparedModel *prepared = PrepareModelAt(reading->fcinfo->flinfo, row->model);
	ArmScore	score = ArmScoreOf(prepared, features, row->profile);

	score.mean += ArgFinite(row->bonus, "bonus");
	ArmScoresAdd(reading->arms, score);
}

/* ---------- rows ---------- */

/*
 * All of a row but its features, which comes last and stays valid.  False if
 * its model or its profile is NULL.
 */
static bool
FetchRow(Reading *reading, Row *row)
{
	const CandidateForm *form = reading->form;
	NullableDatum value;

	if (!FetchValue(reading, form->model, &reading->request.model_key,
					&row->other_model, &row->model) ||
		!FetchValue(reading, form->profile, &reading->request.profile_key,
					&row->other_profile, &row->profile))
		return false;
	row->settings = FetchSettings(form, Fetch, reading);
	value = Fetch(reading, form->bonus);
	row->bonus = value.isnull ? 0.0 : DatumGetFloat8(value.value);
	row->group = row->settings.cap.isnull ? -1 :
		GroupNumber(reading->groups, Fetch(reading, form->cap_group));
	return true;
}

/* Does a constant say that there are no groups? */
static bool
HasGroups(const Reading *reading)
{
	int			argno = reading->form->cap_group;

	return !(reading->fixed[argno] && reading->values[argno].isnull);
}

/* The first candidate says what the others have to be. */
static void
BeginWith(Reading *reading, const Row *row)
{
	MemoryContext caller = MemoryContextSwitchTo(reading->context);
	int64		rows = WinGetPartitionRowCount(reading->window) - reading->row;
	Candidates *found = &reading->found.candidates;

	reading->settings = row->settings;
	found->rules = CheckSettings(&row->settings);
	CheckCapped(&found->rules, HasGroups(reading));
	if (rows > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many candidates in a partition")));

	if (reading->form->arms)
		BeginArms(reading, (int) rows);
	else
		BeginShared(reading, row, (int) rows);
	reading->found.rows = AllocateMany(sizeof(int), rows);
	if (found->rules.cap > 0)
		found->groups = AllocateMany(sizeof(int), rows);
	MemoryContextSwitchTo(caller);
}

static void
AddCandidate(Reading *reading, const Row *row, Datum features)
{
	Candidates *found = &reading->found.candidates;
	int			number = found->scores->count;

	if (reading->form->arms)
		AddArm(reading, row, ArgArrayConverted(features));
	else
		AddShared(reading, row, ArgArrayConverted(features));
	reading->found.rows[number] = (int) reading->row;
	if (found->groups)
		found->groups[number] = row->group;
}

static void
ReadRow(Reading *reading)
{
	Row			row = {.group = -1};
	NullableDatum features;

	if (!FetchRow(reading, &row))
		return;
	features = Fetch(reading, reading->form->features);
	if (features.isnull)
		return;
	if (reading->found.candidates.scores)
		CheckSameSettings(&reading->settings, &row.settings);
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
static PartitionCandidates
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
	reading->groups = GroupsCreate();
	FetchConstants(reading);
	ReadRows(reading);
	if (reading->found.candidates.groups)
		reading->found.candidates.group_count = GroupsCount(reading->groups);
	return reading->found;
}

/* ---------- what is decided ---------- */

/* What is decided of a row. */
typedef struct Choice
{
	double		score;
	double		probability;
	int			rank;			/* 0: not chosen */
	bool		candidate;
} Choice;

/* columns of dlints_choice */
#define CHOICE_COLUMNS	3

/* Kept with a partition, in its local memory. */
typedef struct PartitionChoices
{
	Choice	   *choices;		/* of each row; NULL until it is made */
	TupleDesc	row_type;
} PartitionChoices;

/* What a decision says of each row that it is about. */
static void
FillChoices(const PartitionCandidates *found, Choice *choices)
{
	Decision	decision = Decide(&found->candidates);
	int			i;

	for (i = 0; i < decision.candidates; i++)
	{
		Choice	   *choice = &choices[found->rows[i]];

		choice->candidate = true;
		choice->score = decision.scores[i];
		choice->probability = DecisionProbability(&decision, i);
	}
	for (i = 0; i < decision.chosen_count; i++)
		choices[found->rows[decision.chosen[i]]].rank = i + 1;
}

/* Read the partition and decide; the choices of all rows stay with it. */
static Choice *
DecidePartition(FunctionCallInfo fcinfo, const CandidateForm *form,
				MemoryContext context)
{
	int64		rows = WinGetPartitionRowCount(PG_WINDOW_OBJECT());
	Choice	   *choices = MemoryContextAllocExtended(context, mul_size(sizeof(Choice), rows),
													 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints choice",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	PartitionCandidates found = ReadCandidates(fcinfo, form);

	if (found.candidates.scores)
		FillChoices(&found, choices);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return choices;
}

/* The choices of the current partition, made with its first row. */
static PartitionChoices *
CurrentPartition(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	WindowObject window = PG_WINDOW_OBJECT();
	PartitionChoices *partition;

	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
	partition = WinGetPartitionLocalMemory(window, sizeof(PartitionChoices));
	if (!partition->choices)
		partition->choices = DecidePartition(fcinfo, form,
											 GetMemoryChunkContext(partition));
	return partition;
}

/* The row type of the result, kept with the partition. */
static TupleDesc
RowType(FunctionCallInfo fcinfo, PartitionChoices *partition)
{
	MemoryContext caller;

	if (partition->row_type)
		return partition->row_type;
	caller = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->row_type = lookup_rowtype_tupdesc_copy(get_fn_expr_rettype(fcinfo->flinfo), -1);
	if (partition->row_type->natts != CHOICE_COLUMNS)
		elog(ERROR, "return type must be dlints_choice");
	MemoryContextSwitchTo(caller);
	return partition->row_type;
}

/* The choice of the current row, as a value of dlints_choice. */
static Datum
ReturnChoice(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	PartitionChoices *partition = CurrentPartition(fcinfo, form);
	const Choice *choice = &partition->choices[WinGetCurrentPosition(PG_WINDOW_OBJECT())];
	Datum		values[CHOICE_COLUMNS];
	bool		nulls[CHOICE_COLUMNS] = {false};

	if (!choice->candidate)
		PG_RETURN_NULL();
	nulls[0] = (choice->rank == 0);
	values[0] = Int32GetDatum(choice->rank);
	values[1] = Float8GetDatum(choice->score);
	values[2] = Float8GetDatum(choice->probability);
	return HeapTupleGetDatum(heap_form_tuple(RowType(fcinfo, partition),
											 values, nulls));
}

/*
 * dlints_choose(model, features, ...) OVER (PARTITION BY request): k of the rows
 * of a partition, as dlints_recommend chooses, with the probability of each
 */
FORM_ENTRY(dlints_choose, ReturnChoice, CandidateForm,
		   .model = 0, .features = 1, .k = 2, .profile = 3, .draws = 4,
		   .epsilon = 5, .bonus = 6, .cap_group = 7, .cap = 8)

/*
 * The same of arms, each of which brings a model of its own and is scored as
 * dlints_recommend_arms does
 */
FORM_ENTRY(dlints_choose_arms, ReturnChoice, CandidateForm,
		   .arms = true, .model = 0, .features = 1, .k = 2, .profile = 3, .draws = 4,
		   .epsilon = 5, .bonus = 6, .cap_group = 7, .cap = 8)
