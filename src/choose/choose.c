/*
 * choose.c
 *		dlints_choose and dlints_choose_arms: choices that come with their
 *		probabilities.
 *
 * The first row of a partition reads all of them and decides; the others read
 * what was decided.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "windowapi.h"

#include "choose/candidates.h"
#include "sql/args.h"

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
