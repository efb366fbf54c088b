/*
 * decide.c
 *		dlints_decide: a decision over candidates in arrays.
 *
 * Arrays are read in place, so that the cost per candidate is the arithmetic
 * only.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "choose/decision.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* number of result columns */
#define DECIDE_COLUMNS	4

/* Arguments of a call */
typedef struct Call
{
	FunctionCallInfo fcinfo;
	const CandidateForm *form;
	ArrayType  *items;
	ArrayType  *features;
	int			count;
	PreparedModel *prepared;
	Datum		profile;
	bool		all_items;		/* return items that are not chosen, too */
} Call;

static NullableDatum
GetArgument(const Call *call, int argno)
{
	return call->fcinfo->args[argno];
}

/* ---------- arrays ---------- */

/* Raise an error unless an array has one element per row of features. */
static void
CheckElementCount(const Call *call, ArrayType *array, const char *name)
{
	ArgSpec		spec = {name, call->count, NULL};

	ArgCheckCount(call->count, ArgElementCount(array, &spec), name);
}

/*
 * Add the numbers of a float8[] to "sums", one per candidate.  NULL elements
 * count as 0; others must be finite.
 */
static void
AddNumbers(const Call *call, int argno, const char *plural, const char *name, double *sums)
{
	ArrayType  *array = DatumGetArrayTypeP(GetArgument(call, argno).value);
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	CheckElementCount(call, array, plural);
	count = ArgElements(array, &elements, &nulls);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			sums[i] += ArgFinite(DatumGetFloat8(elements[i]), name);
}

/* Read the standard deviations of the bonuses; NULL if the argument is NULL. */
static double *
ReadBonusStddevs(const Call *call)
{
	double	   *stddevs;

	if (GetArgument(call, call->form->bonus_stddev).isnull)
		return NULL;
	stddevs = AllocateZeros(sizeof(double), call->count);
	AddNumbers(call, call->form->bonus_stddev, "standard deviations of bonuses", "bonus_stddev", stddevs);
	for (int i = 0; i < call->count; i++)
		if (stddevs[i] < 0.0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bonus_stddev must not be negative")));
	return stddevs;
}

/* Read the group of each candidate. */
static void
ReadGroups(const Call *call, Candidates *found)
{
	ArrayType  *array = DatumGetArrayTypeP(GetArgument(call, call->form->cap_group).value);
	Groups	   *groups = GroupsCreate();
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	CheckElementCount(call, array, "groups");
	count = ArgElements(array, &elements, &nulls);
	found->groups = AllocateMany(sizeof(int), count);
	for (int i = 0; i < count; i++)
	{
		NullableDatum name = {elements[i], nulls[i]};

		CHECK_FOR_INTERRUPTS();
		found->groups[i] = GroupNumber(groups, name);
	}
	found->group_count = GroupsCount(groups);
}

/*
 * Read similar_by as weights of the features: similarity is then the cosine
 * of weighted features.
 */
static void
ReadSimilarWeights(const Call *call, ArrayType *array, const ArgSpec *features, Candidates *found)
{
	ArgSpec		spec = {"weights of similar_by", features->len, features->model};
	double	   *roots = palloc(sizeof(double) * spec.len);

	ArgVector(array, &spec, roots);
	for (int i = 0; i < spec.len; i++)
	{
		if (roots[i] < 0.0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("weights of similar_by must not be negative")));
		roots[i] = sqrt(roots[i]);
	}
	found->similar_by = call->features;
	found->similar = *features;
	found->similar_roots = roots;
}

/* Read similar_by: weights of the features, or a vector of any length for each candidate. */
static void
ReadSimilarBy(const Call *call, const ArgSpec *features, Candidates *found)
{
	ArrayType  *array = ArgArrayConverted(GetArgument(call, call->form->similar_by).value);
	ArgSpec		spec = {"array of vectors", ARR_NDIM(array) == 2 ? ARR_DIMS(array)[1] : 0, NULL};

	if (ARR_NDIM(array) == 1)
	{
		ReadSimilarWeights(call, array, features, found);
		return;
	}
	ArgCheckCount(call->count, ArgMatrixRows(array, &spec), "rows of similar_by");
	found->similar_by = array;
	found->similar = spec;
}

/* ---------- candidates ---------- */

/* Add the UCB bonus of each candidate to "addends". */
static void
AddUcbBonuses(const Call *call, const Request *request, double *addends)
{
	double	   *features = palloc(sizeof(double) * request->expected.len);

	for (int i = 0; i < call->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(call->features, &request->expected, i, 1, features);
		addends[i] += RequestUcbBonus(request, call->prepared, features);
	}
}

/* Compute the numbers that are added to the candidates' scores; NULL if there are none. */
static double *
MakeAddends(const Call *call, const Request *request)
{
	bool		given = !GetArgument(call, call->form->bonus).isnull;
	bool		has_ucb_bonus = request->stddev_factor > 0.0;
	double	   *addends;

	if (!given && !has_ucb_bonus)
		return NULL;
	addends = AllocateZeros(sizeof(double), call->count);
	if (given)
		AddNumbers(call, call->form->bonus, "bonuses", "bonus", addends);
	if (has_ucb_bonus)
		AddUcbBonuses(call, request, addends);
	return addends;
}

/* Read the tie-break keys of a shortlist's candidates as nonzero integers. */
static uint64 *
ReadTieKeys(const Call *call)
{
	uint64	   *keys;
	double	   *numbers;

	if (GetArgument(call, call->form->tie_keys).isnull)
		return NULL;
	numbers = AllocateZeros(sizeof(double), call->count);
	AddNumbers(call, call->form->tie_keys, "tie_keys", "tie_keys", numbers);
	keys = AllocateMany(sizeof(uint64), call->count);
	for (int i = 0; i < call->count; i++)
	{
		if (!(numbers[i] > 0.0 && numbers[i] < 1.0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("tie_keys must be between 0 and 1")));
		keys[i] = Max((uint64) ldexp(numbers[i], 64), 1);
	}
	return keys;
}

static Candidates
ReadCandidates(Call *call)
{
	Candidates	found = {.rules = ReadRules(call->fcinfo, call->form)};
	Request		request;

	RequestInit(&request, NULL, call->prepared, CurrentMemoryContext,
				 GetArgument(call, call->form->model).value, call->profile);
	found.scores = ScoresCreate(call->prepared, call->profile, call->features,
								MakeAddends(call, &request), ReadBonusStddevs(call),
								found.rules.draws, SeedArgument(call->fcinfo, call->form->seed));
	found.tie_keys = ReadTieKeys(call);
	if (found.rules.cap > 0)
		ReadGroups(call, &found);
	if (found.rules.diversity > 0.0)
		ReadSimilarBy(call, &request.expected, &found);
	return found;
}

/* ---------- the result ---------- */

typedef struct DecisionRows
{
	const Decision *decision;
	ReturnSetInfo *rows;
	Datum	   *items;
	bool	   *nulls;			/* null flags of "items" */
} DecisionRows;

/* Return the row of a candidate; rank 0 becomes NULL. */
static void
StoreCandidate(const DecisionRows *result, int number, int rank)
{
	Datum		values[DECIDE_COLUMNS];
	bool		nulls[DECIDE_COLUMNS] = {result->nulls[number], rank == 0, false, false};

	CHECK_FOR_INTERRUPTS();
	values[0] = result->items[number];
	values[1] = Int32GetDatum(rank);
	values[2] = Float8GetDatum(result->decision->scores[number]);
	values[3] = Float8GetDatum(DecisionProbability(result->decision, number));
	tuplestore_putvalues(result->rows->setResult, result->rows->setDesc, values, nulls);
}

/* Return the rows of candidates that were not chosen, in the order of the arrays. */
static void
StoreOthers(const DecisionRows *result)
{
	const Decision *decision = result->decision;
	bool	   *chosen = AllocateZeros(sizeof(bool), decision->candidates);

	for (int i = 0; i < decision->chosen_count; i++)
		chosen[decision->chosen[i]] = true;
	for (int i = 0; i < decision->candidates; i++)
		if (!chosen[i])
			StoreCandidate(result, i, 0);
}

static void
StoreDecision(const Call *call, const Decision *decision, ReturnSetInfo *rows)
{
	DecisionRows result = {.decision = decision, .rows = rows};

	ArgElements(call->items, &result.items, &result.nulls);
	for (int i = 0; i < decision->chosen_count; i++)
		StoreCandidate(&result, decision->chosen[i], i + 1);
	if (call->all_items)
		StoreOthers(&result);
}

/* Read the candidates, decide, and return the chosen ones. */
static void
DecideCall(Call *call, ReturnSetInfo *rows)
{
	ArgSpec		spec;
	Candidates	candidates;
	Decision	decision;

	call->items = DatumGetArrayTypeP(GetArgument(call, call->form->item).value);
	call->features = ArgArrayConverted(GetArgument(call, call->form->features).value);
	call->profile = GetArgument(call, call->form->profile).value;
	ArgNotNull(call->fcinfo, call->form->all_items, "all_items");
	call->all_items = DatumGetBool(GetArgument(call, call->form->all_items).value);
	call->prepared = PrepareModel(call->fcinfo, call->form->model);
	spec = ArgFeatureSpec(&call->prepared->header);
	spec.name = "array of features";
	call->count = ArgMatrixRows(call->features, &spec);
	CheckElementCount(call, call->items, "items");
	if (call->count == 0)
		return;
	candidates = ReadCandidates(call);
	decision = Decide(&candidates);
	StoreDecision(call, &decision, rows);
}

static Datum
DecideAndReturn(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	MemoryContext work;
	MemoryContext caller;
	Call		call = {.fcinfo = fcinfo, .form = form};

	if (PG_ARGISNULL(form->model) || PG_ARGISNULL(form->item) ||
		PG_ARGISNULL(form->features) || PG_ARGISNULL(form->profile))
		return (Datum) 0;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints decision", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	DecideCall(&call, rows);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return (Datum) 0;
}

/*
 * dlints_decide(model, items, features, ...): choose k of the items by their
 * features, given as one row of a matrix per item
 */
FORM_ENTRY(dlints_decide, DecideAndReturn, CandidateForm,
		   .model = 0, .item = 1, .features = 2, .k = 3, .profile = 4,
		   .draws = 5, .epsilon = 6, .bonus = 7, .bonus_stddev = 8, .cap_group = 9,
		   .cap = 10, .similar_by = 11, .diversity = 12, .seed = 13, .all_items = 14,
		   .tie_keys = 15)
