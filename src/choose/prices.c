/*
 * prices.c
 *		The aggregate dlints_prices: find dual prices at which lists meet their mean cost targets.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/scores.h"
#include "core/price.h"
#include "sql/args.h"

/* argument numbers of the transition function */
#define SCORES_ARGNO	1
#define COSTS_ARGNO		2
#define K_ARGNO			3
#define TARGETS_ARGNO	4

typedef struct PricesState
{
	MemoryContext context;
	PricedDecisions all;
	PricedDecision *each;
	int			room;			/* allocated length of the array of decisions */
	int			max_candidates;	/* largest number of candidates of a decision */
	double	   *targets;
} PricesState;

static PricesState *
BeginPrices(FunctionCallInfo fcinfo)
{
	MemoryContext context = AggregateContext(fcinfo);
	ArrayType  *targets = ArgArray(fcinfo, TARGETS_ARGNO);
	PricesState *state = MemoryContextAllocZero(context, sizeof(PricesState));
	ArgSpec		spec = {"targets", 0, NULL};
	int			kinds = ArgVectorLength(targets, &spec);

	if (kinds < 1 || kinds > PRICE_MAX_KINDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be 1 to %d targets", PRICE_MAX_KINDS),
				 errdetail("There are %d.", kinds)));
	state->context = context;
	state->all.kinds = kinds;
	state->all.k = ArgCount(fcinfo, K_ARGNO);
	state->all.pause = CheckInterrupts;
	state->targets = MemoryContextAlloc(context, sizeof(double) * kinds);
	spec.len = kinds;
	ArgVector(targets, &spec, state->targets);
	return state;
}

/* Raise an error unless all rows of a group have equal arguments "targets" and "k". */
static void
CheckSameRows(FunctionCallInfo fcinfo, PricesState *state)
{
	ArgSpec		spec = {"targets", state->all.kinds, NULL};
	double		targets[PRICE_MAX_KINDS];

	CheckSameValue(ArgCount(fcinfo, K_ARGNO) == state->all.k, "k");
	ArgVector(ArgArray(fcinfo, TARGETS_ARGNO), &spec, targets);
	CheckSameValue(memcmp(targets, state->targets, sizeof(double) * state->all.kinds) == 0,
				   "targets");
}

static void
AddDecision(PricesState *state, ArrayType *scores, ArrayType *costs)
{
	ArgSpec		spec = {"scores", 0, NULL};
	ArgSpec		rows = {"costs", 0, NULL};
	int			n = ArgVectorLength(scores, &spec);
	int			kinds = state->all.kinds;
	double	   *numbers = AllocateNumbers((Size) (1 + kinds) * n);

	spec.len = rows.len = n;
	ArgVector(scores, &spec, numbers);
	if (n > 0 && ArgMatrixRows(costs, &rows) != kinds)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected a row of costs for each target"),
				 errdetail("Rows of costs: %d, targets: %d.",
						   ArgMatrixRows(costs, &rows), kinds)));
	if (n > 0)
		ArgMatrixSlice(costs, &rows, 0, kinds, numbers + n);
	state->each = GrowArray(state->each, state->all.count, &state->room, sizeof(PricedDecision));
	state->each[state->all.count++] = (PricedDecision)
	{
		n, numbers, numbers + n
	};
	state->max_candidates = Max(state->max_candidates, n);
}

PG_FUNCTION_INFO_V1(dlints_prices_transfn);

/*
 * dlints_prices(): return the lowest dual prices that meet the cost targets, and the mean costs.
 * Each row has the candidates of one decision, which chooses the k best.
 */
Datum
dlints_prices_transfn(PG_FUNCTION_ARGS)
{
	PricesState *state;
	ArrayType  *scores;
	ArrayType  *costs;
	MemoryContext caller;

	if (PG_ARGISNULL(SCORES_ARGNO) || PG_ARGISNULL(COSTS_ARGNO) || PG_ARGISNULL(TARGETS_ARGNO))
		return AggregateSameState(fcinfo);
	if (PG_ARGISNULL(0))
		state = BeginPrices(fcinfo);
	else
	{
		state = (PricesState *) PG_GETARG_POINTER(0);
		CheckSameRows(fcinfo, state);
	}
	scores = ArgArray(fcinfo, SCORES_ARGNO);
	costs = ArgArray(fcinfo, COSTS_ARGNO);
	caller = MemoryContextSwitchTo(state->context);
	AddDecision(state, scores, costs);
	MemoryContextSwitchTo(caller);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(dlints_prices_finalfn);

Datum
dlints_prices_finalfn(PG_FUNCTION_ARGS)
{
	PricesState *state;
	PricedDecisions all;
	double		result[2 * PRICE_MAX_KINDS];
	double		means[PRICE_MAX_KINDS];

	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (PricesState *) PG_GETARG_POINTER(0);
	all = state->all;
	all.each = state->each;
	all.scores = AllocateNumbers(state->max_candidates);
	all.entries = AllocateMany(sizeof(SlateEntry), Min(all.k, state->max_candidates));
	all.means = means;
	BlasReady();
	price_solve(&all, state->targets, result);
	price_means(&all, result, result + all.kinds);
	return ResultMatrix(result, 2, all.kinds);
}
