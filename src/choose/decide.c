/*
 * decide.c
 *		The function dlints_decide: choose among candidates that are passed as arrays.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "choose/decision.h"
#include "choose/request.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define DECIDE_COLUMNS	4

typedef struct Call
{
	FunctionCallInfo fcinfo;
	ArrayType  *items;
	ArrayType  *features;
	int			count;
	PreparedModel *prepared;
	Datum		profile;
	bool		all_items;		/* does the result include candidates that are not chosen? */
} Call;

/* ---------- arrays ---------- */

/* Raise an error unless the array has one element per candidate. */
static void
CheckElementCount(const Call *call, ArrayType *array, const char *name)
{
	ArgSpec		spec = {name, call->count, NULL};

	ArgCheckCount(call->count, ArgElementCount(array, &spec), name);
}

/* Add a float8[] argument, which has a number per candidate, to "sums".  NULLs add nothing. */
static void
AddNumbers(const Call *call, int argno, const char *plural, const char *name, double *sums)
{
	ArrayType  *array = DatumGetArrayTypeP(call->fcinfo->args[argno].value);
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	CheckElementCount(call, array, plural);
	count = ArgElements(array, &elements, &nulls);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			sums[i] += ArgBounded(DatumGetFloat8(elements[i]), name);
}

/* Read the argument "bonus_stddev".  Returns NULL if the argument is NULL. */
static double *
ReadBonusStddevs(const Call *call)
{
	double	   *stddevs;

	if (call->fcinfo->args[DECIDE_BONUS_STDDEV].isnull)
		return NULL;
	stddevs = AllocateZeros(sizeof(double), call->count);
	AddNumbers(call, DECIDE_BONUS_STDDEV, "standard deviations of bonuses", "bonus_stddev", stddevs);
	for (int i = 0; i < call->count; i++)
		if (stddevs[i] < 0.0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bonus_stddev must not be negative")));
	return stddevs;
}

static void
ReadGroups(const Call *call, Candidates *found)
{
	ArrayType  *array = DatumGetArrayTypeP(call->fcinfo->args[DECIDE_CAP_GROUP].value);
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

/* Read "similar_by" as weights of features, by which the similarity is a weighted cosine. */
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

/* Read the argument "similar_by": weights of the features, or a vector for each candidate. */
static void
ReadSimilarBy(const Call *call, const ArgSpec *features, Candidates *found)
{
	ArrayType  *array = ArgArrayConverted(call->fcinfo->args[DECIDE_SIMILAR_BY].value);
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

/* Add each candidate's UCB bonus to "addends", one number per candidate. */
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

/* Compute the number that is added to each candidate's score.  Returns NULL if there is none. */
static double *
MakeAddends(const Call *call, const Request *request)
{
	bool		given = !call->fcinfo->args[DECIDE_BONUS].isnull;
	bool		has_ucb_bonus = request->stddev_factor > 0.0;
	double	   *addends;

	if (!given && !has_ucb_bonus)
		return NULL;
	addends = AllocateZeros(sizeof(double), call->count);
	if (given)
		AddNumbers(call, DECIDE_BONUS, "bonuses", "bonus", addends);
	if (has_ucb_bonus)
		AddUcbBonuses(call, request, addends);
	return addends;
}

/* Read the argument "tie_keys" as nonzero integers.  Returns NULL if the argument is NULL. */
static uint64 *
ReadTieKeys(const Call *call)
{
	uint64	   *keys;
	double	   *numbers;

	if (call->fcinfo->args[DECIDE_TIE_KEYS].isnull)
		return NULL;
	numbers = AllocateZeros(sizeof(double), call->count);
	AddNumbers(call, DECIDE_TIE_KEYS, "tie_keys", "tie_keys", numbers);
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
	Candidates	found = {.rules = ReadRules(call->fcinfo)};
	Request		request;

	RequestInit(&request, NULL, call->prepared, CurrentMemoryContext,
				 call->fcinfo->args[DECIDE_MODEL].value, call->profile);
	found.scores = ScoresCreate(call->prepared, call->profile, call->features,
								MakeAddends(call, &request), ReadBonusStddevs(call),
								found.rules.draws, SeedArgument(call->fcinfo, DECIDE_SEED));
	found.tie_keys = ReadTieKeys(call);
	if (found.rules.cap > 0)
		ReadGroups(call, &found);
	if (found.rules.diversity > 0.0)
		ReadSimilarBy(call, &request.expected, &found);
	return found;
}

/* ---------- rows of the result ---------- */

typedef struct DecisionRows
{
	const Decision *decision;
	ReturnSetInfo *rows;
	Datum	   *items;
	bool	   *nulls;
} DecisionRows;

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

/* Return rows for the candidates that were not chosen, in the order of their indexes. */
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

static void
DecideCall(Call *call, ReturnSetInfo *rows)
{
	ArgSpec		spec;
	Candidates	candidates;
	Decision	decision;

	call->items = DatumGetArrayTypeP(call->fcinfo->args[DECIDE_ITEMS].value);
	call->features = ArgArrayConverted(call->fcinfo->args[DECIDE_FEATURES].value);
	call->profile = call->fcinfo->args[DECIDE_PROFILE].value;
	ArgNotNull(call->fcinfo, DECIDE_ALL_ITEMS, "all_items");
	call->all_items = DatumGetBool(call->fcinfo->args[DECIDE_ALL_ITEMS].value);
	call->prepared = PrepareModel(call->fcinfo, DECIDE_MODEL);
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

PG_FUNCTION_INFO_V1(dlints_decide);

/*
 * dlints_decide(model, items, features, ...): choose k of the items.
 *
 * Row i of the matrix "features" belongs to element i of the array "items".
 */
Datum
dlints_decide(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	MemoryContext work;
	MemoryContext caller;
	Call		call = {.fcinfo = fcinfo};

	if (PG_ARGISNULL(DECIDE_MODEL) || PG_ARGISNULL(DECIDE_ITEMS) ||
		PG_ARGISNULL(DECIDE_FEATURES) || PG_ARGISNULL(DECIDE_PROFILE))
		return (Datum) 0;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints decision", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	DecideCall(&call, rows);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return (Datum) 0;
}
