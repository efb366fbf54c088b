/*
 * choose.c
 *		dlints_choose: choices that come with their probabilities.
 *
 * The first row of a partition reads all of them and decides; the others read
 * what was decided.  M parameters are drawn and the first of them acts.  A
 * candidate's probability is how often the M draws choose it: given all of
 * them, which one comes first is chance, so that this is the exact probability
 * of the decision, whatever is done to the scores inside each draw.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "windowapi.h"

#include "choose/candidates.h"
#include "core/random.h"
#include "core/slate.h"
#include "sql/results.h"

/* What a row is told. */
typedef struct Choice
{
	double		score;
	double		probability;
	int			rank;			/* 0: not chosen */
	bool		candidate;
} Choice;

/* columns of dlints_choice */
#define CHOICE_COLUMNS	3

/* Kept with a partition. */
typedef struct Decision
{
	Choice	   *choices;		/* of each row; NULL until it is made */
	TupleDesc	row_type;
} Decision;

static Slate
MakeSlate(const Candidates *from, int k, int candidates)
{
	int			group_count = from->group_count;
	int		   *sizes = MemoryContextAllocHuge(CurrentMemoryContext,
											   sizeof(int) * Max(group_count, 1));
	SlateHeap  *caps = MemoryContextAllocHuge(CurrentMemoryContext,
											  sizeof(SlateHeap) * Max(group_count, 1));
	Size		entries = slate_entries(candidates, k, from->groups,
										from->rules.cap, group_count, sizes);
	Slate		slate;

	slate_bind(&slate, candidates, k, from->groups, group_count, sizes, caps,
			   MemoryContextAllocHuge(CurrentMemoryContext,
									  mul_size(sizeof(SlateEntry), entries)));
	return slate;
}

/* Is this one of the choices that are not the policy's? */
static bool
IsRandom(double epsilon)
{
	return (double) (FreshSeed() >> 11) < epsilon * 9007199254740992.0;
}

/* What was chosen acts. */
static void
TakeRanks(const Candidates *from, Slate *slate, Choice *choices)
{
	int			i;

	slate_sort(slate);
	for (i = 0; i < slate->best.count; i++)
		choices[from->rows[slate->best.entries[i].candidate]].rank = i + 1;
}

/* How often each candidate is among the best, the first time in earnest. */
static int *
CountChoices(const Candidates *from, Slate *slate, bool acts, Choice *choices)
{
	int			candidates = ScoresCount(from->scores);
	int		   *counts = MemoryContextAllocExtended(CurrentMemoryContext,
													sizeof(int) * candidates,
													MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint64		lots = FreshSeed();
	int			draw;
	int			i;

	for (draw = 0; draw < from->rules.draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		slate_choose(slate, ScoresUnder(from->scores, draw),
					 random_bits(lots, draw));
		for (i = 0; i < slate->best.count; i++)
			counts[slate->best.entries[i].candidate]++;
		if (draw == 0 && acts)
			TakeRanks(from, slate, choices);
	}
	return counts;
}

/* A random subset in random order: all are equal, and lots decide. */
static void
TakeAny(const Candidates *from, Slate *slate, Choice *choices)
{
	Size		size = sizeof(double) * slate->candidates;

	slate_choose(slate, MemoryContextAllocExtended(CurrentMemoryContext, size,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO),
				 FreshSeed());
	TakeRanks(from, slate, choices);
}

/* The scores that act are gone once there are others. */
static void
TakeScores(const Candidates *from, Choice *choices)
{
	const double *scores = ScoresUnder(from->scores, 0);
	double		level = ScoresLevel(from->scores);
	int			i;

	for (i = 0; i < ScoresCount(from->scores); i++)
	{
		Choice	   *choice = &choices[from->rows[i]];

		choice->candidate = true;
		choice->score = ResultFinite(scores[i] + level);
	}
}

static void
Choose(const Candidates *from, Choice *choices)
{
	const Rules *rules = &from->rules;
	int			candidates = ScoresCount(from->scores);
	int			k = Min(rules->k, candidates);
	Slate		slate = MakeSlate(from, k, candidates);
	bool		any = IsRandom(rules->epsilon);
	int		   *counts;
	int			i;

	ScoresComplete(from->scores);
	TakeScores(from, choices);
	counts = CountChoices(from, &slate, !any, choices);
	if (any)
		TakeAny(from, &slate, choices);
	for (i = 0; i < candidates; i++)
		/* two shares of 1 may round to more than 1 */
		choices[from->rows[i]].probability =
			Min(1.0, (1.0 - rules->epsilon) * counts[i] / rules->draws +
				rules->epsilon * k / candidates);
}

/* Read the partition and decide; what all rows are told stays with it. */
static Choice *
Decide(FunctionCallInfo fcinfo, const CandidateForm *form, MemoryContext context)
{
	int64		rows = WinGetPartitionRowCount(PG_WINDOW_OBJECT());
	Choice	   *choices = MemoryContextAllocExtended(context, mul_size(sizeof(Choice), rows),
													 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints choice",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	Candidates	candidates = ReadCandidates(fcinfo, form);

	if (candidates.scores)
		Choose(&candidates, choices);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return choices;
}

/* The decision that the present row is told of, made if it is the first. */
static Decision *
CurrentDecision(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Decision   *decision;

	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
	decision = WinGetPartitionLocalMemory(window, sizeof(Decision));
	if (!decision->choices)
		decision->choices = Decide(fcinfo, form, GetMemoryChunkContext(decision));
	return decision;
}

static const Choice *
CurrentChoice(FunctionCallInfo fcinfo, const Decision *decision)
{
	return &decision->choices[WinGetCurrentPosition(PG_WINDOW_OBJECT())];
}

/* The row type of the result, kept with the partition. */
static TupleDesc
RowType(FunctionCallInfo fcinfo, Decision *decision)
{
	MemoryContext caller;

	if (decision->row_type)
		return decision->row_type;
	caller = MemoryContextSwitchTo(GetMemoryChunkContext(decision));
	decision->row_type = lookup_rowtype_tupdesc_copy(get_fn_expr_rettype(fcinfo->flinfo), -1);
	if (decision->row_type->natts != CHOICE_COLUMNS)
		elog(ERROR, "return type must be dlints_choice");
	MemoryContextSwitchTo(caller);
	return decision->row_type;
}

/* What the present row is told. */
static Datum
Tell(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	Decision   *decision = CurrentDecision(fcinfo, form);
	const Choice *choice = CurrentChoice(fcinfo, decision);
	Datum		values[CHOICE_COLUMNS];
	bool		nulls[CHOICE_COLUMNS] = {false};

	if (!choice->candidate)
		PG_RETURN_NULL();
	nulls[0] = (choice->rank == 0);
	values[0] = Int32GetDatum(choice->rank);
	values[1] = Float8GetDatum(choice->score);
	values[2] = Float8GetDatum(choice->probability);
	return HeapTupleGetDatum(heap_form_tuple(RowType(fcinfo, decision),
											 values, nulls));
}

/*
 * dlints_choose(model dlints, features real[] | dlints_vector,
 *				 k bigint DEFAULT 1, profile, of the same type, DEFAULT '{}',
 *				 draws integer DEFAULT 100,
 *				 epsilon double precision DEFAULT 0,
 *				 bonus double precision DEFAULT 0,
 *				 cap_group text DEFAULT NULL, cap integer DEFAULT NULL)
 *		OVER (PARTITION BY request) -> dlints_choice, window function
 *
 * Choose k of the rows of a partition as dlints_recommend does, with the
 * probability of each: (1 - epsilon) times the share of "draws" draws that
 * choose it, the first of which acts, plus epsilon times that of a random
 * subset, which acts instead as often.  "bonus" is added to the score of a
 * candidate, and at most "cap" of a "cap_group" are chosen, under each draw.
 * rank is NULL where a candidate is not chosen; the score is that under the
 * draw that acts.  A row with a NULL model, features or profile is no candidate
 * and gets NULL.  All but features, bonus and cap_group must be the same in all
 * rows of a partition.
 */
CANDIDATE_ENTRY(dlints_choose, Tell,
				.model = 0, .features = 1, .k = 2, .profile = 3, .draws = 4,
				.epsilon = 5, .bonus = 6, .cap_group = 7, .cap = 8)
