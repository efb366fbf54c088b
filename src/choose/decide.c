/*
 * decide.c
 *		The function dlints_decide: choose among candidates that are passed as arrays.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "choose/decision.h"
#include "choose/request.h"
#include "sql/args.h"
#include "sql/key_numbers.h"

/* Maximum number of posterior draws, for propensities with a standard error of at most 0.005 */
#define MAX_DRAWS	10000

/* argument numbers of dlints_decide */
enum
{
	DECIDE_MODEL,
	DECIDE_ITEMS,
	DECIDE_FEATURES,
	DECIDE_K,
	DECIDE_PROFILE,
	DECIDE_DRAWS,
	DECIDE_EPSILON,
	DECIDE_BONUS,
	DECIDE_BONUS_STDDEV,
	DECIDE_CAP_GROUP,
	DECIDE_CAP,
	DECIDE_SIMILAR_BY,
	DECIDE_DIVERSITY,
	DECIDE_SEED,
	DECIDE_ALL_ITEMS,
	DECIDE_TIE_KEYS
};

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

/* ---------- settings ---------- */

static double
CheckFraction(double number, const char *name)
{
	if (!(number >= 0.0 && number <= 1.0))
		ArgRaiseOutOfRange(name, "between 0 and 1", number);
	return number;
}

/* Raise an error if an exploration rate is combined with a maximum per group or with diversity. */
static void
CheckEpsilonAlone(const Rules *rules)
{
	bool		capped = rules->cap > 0;

	if (rules->epsilon > 0.0 && (capped || rules->diversity > 0.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be 0 with %s", capped ? "a cap" : "diversity"),
				 errdetail("The probabilities of such choices have no closed form."),
				 errhint("Raise the model's exploration, or make some of the decisions with epsilon => 1 and no %s.",
						 capped ? "cap" : "diversity")));
}

static void
CheckGiven(FunctionCallInfo fcinfo, int argno, const char *message, const char *hint)
{
	if (PG_ARGISNULL(argno))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", message),
				 errhint("%s", hint)));
}

static Rules
ReadRules(FunctionCallInfo fcinfo)
{
	Rules		rules = {.k = ArgCount(fcinfo, DECIDE_K)};

	ArgNotNull(fcinfo, DECIDE_DRAWS, "draws");
	rules.draws = PG_GETARG_INT32(DECIDE_DRAWS);
	if (rules.draws < 1 || rules.draws > MAX_DRAWS)
		ArgRaiseOutOfRange("draws", psprintf("between 1 and %d", MAX_DRAWS), rules.draws);
	ArgNotNull(fcinfo, DECIDE_EPSILON, "epsilon");
	rules.epsilon = CheckFraction(PG_GETARG_FLOAT8(DECIDE_EPSILON), "epsilon");
	if (!PG_ARGISNULL(DECIDE_CAP))
		rules.cap = (int) ArgCheckPositive(PG_GETARG_INT32(DECIDE_CAP), "cap");
	if (!PG_ARGISNULL(DECIDE_DIVERSITY))
		rules.diversity = CheckFraction(PG_GETARG_FLOAT8(DECIDE_DIVERSITY), "diversity");
	CheckEpsilonAlone(&rules);
	if (rules.cap > 0)
		CheckGiven(fcinfo, DECIDE_CAP_GROUP, "cap needs cap_group",
				   "Pass the group of each candidate, as in cap_group => brand.");
	if (rules.diversity > 0.0)
		CheckGiven(fcinfo, DECIDE_SIMILAR_BY, "diversity needs similar_by",
				   "Pass a vector for each candidate, as in similar_by => features.");
	return rules;
}

/* ---------- arrays ---------- */

/* Raise an error unless the array has one element per candidate. */
static void
CheckElementCount(const Call *call, ArrayType *array, const char *name)
{
	ArgSpec		spec = {name, call->count, NULL};

	ArgCheckCount(call->count, ArgElementCount(array, &spec), name);
}

/* Add the elements of a float8[] argument to "sums", one element per candidate.  NULL adds 0. */
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
	KeyNumbers *groups = KeyNumbersCreate(TextKey(), 0, "groups");
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	CheckElementCount(call, array, "groups");
	count = ArgElements(array, &elements, &nulls);
	found->groups = AllocateMany(sizeof(int), count);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found->groups[i] = nulls[i] ? -1 : (int) KeyNumbersGet(groups, elements[i]);
	}
	found->group_count = (int) KeyNumbersCount(groups);
}

/* Read the argument "similar_by": one vector per candidate. */
static void
ReadSimilarBy(const Call *call, Candidates *found)
{
	ArrayType  *array = ArgArrayConverted(call->fcinfo->args[DECIDE_SIMILAR_BY].value);
	ArgSpec		spec = {"array of vectors", ARR_NDIM(array) == 2 ? ARR_DIMS(array)[1] : 0, NULL};

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

/* Return the sum of bonuses for each candidate's score, or NULL without bonuses. */
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
		ReadSimilarBy(call, &found);
	return found;
}

/* ---------- rows of the result ---------- */

static void
StoreCandidate(const Decision *decision, int number, int rank, NullableDatum item,
			   ReturnSetInfo *rows)
{
	Datum		values[] = {
		item.value, Int32GetDatum(rank), Float8GetDatum(decision->scores[number]),
		Float8GetDatum(DecisionProbability(decision, number))};
	bool		nulls[] = {item.isnull, rank == 0, false, false};

	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

/* Return rows for the chosen candidates, then for the other candidates in the order of "items". */
static void
StoreDecision(const Call *call, const Decision *decision, ReturnSetInfo *rows)
{
	bool	   *chosen = AllocateZeros(sizeof(bool), decision->candidates);
	Datum	   *items;
	bool	   *nulls;

	ArgElements(call->items, &items, &nulls);
	for (int i = 0; i < decision->chosen_count; i++)
	{
		int			number = decision->chosen[i];
		NullableDatum item = {items[number], nulls[number]};

		chosen[number] = true;
		StoreCandidate(decision, number, i + 1, item, rows);
	}
	for (int i = 0; call->all_items && i < decision->candidates; i++)
		if (!chosen[i])
			StoreCandidate(decision, i, 0, (NullableDatum) {items[i], nulls[i]}, rows);
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

/* dlints_decide(): choose k items.  Row i of the matrix "features" belongs to items[i]. */
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
