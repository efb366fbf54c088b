/*
 * evidence.c
 *		dlints_evidence, the aggregate: what many rows say.
 */
#include "postgres.h"

#include "args.h"
#include "expanded.h"
#include "learn.h"
#include "model.h"

/*
 * A scan over many rows waits for memory more than for arithmetic.  Rows fill
 * a heap page from its end, so the array of the next row most likely lies
 * right below this one's, with a tuple header between: ask for it now.  A
 * guess that is wrong costs nothing, not even a fault.
 */
static void
PrefetchNextArray(Datum array)
{
	const uintptr_t between = 64;	/* header and the other columns */
	const uintptr_t cache_line = 64;
	uintptr_t	end = (uintptr_t) DatumGetPointer(array);
	Size		size = VARSIZE_ANY(DatumGetPointer(array));
	uintptr_t	line = end - Min(size, BLCKSZ) - between;

	for (; line < end; line += cache_line)
		__builtin_prefetch((const void *) line);
}

/* where the transition functions of dlints_evidence find their arguments */
#define EVIDENCE_MODEL_ARGNO	1
#define EVIDENCE_CONTEXT_ARGNO	2
#define EVIDENCE_SHARED_ARGNO	3	/* not in all forms */

static WorkingModel *
StateArgument(FunctionCallInfo fcinfo)
{
	MemoryContext context = AggregateContext(fcinfo);
	DlintsHeader header;

	if (!PG_ARGISNULL(0))
		return WorkingFromState(PG_GETARG_DATUM(0), context);
	header = ModelHeaderFromDatum(PG_GETARG_DATUM(EVIDENCE_MODEL_ARGNO));
	return WorkingCreate(context, &header);
}

/*
 * One more row.  The reward is followed by its time and its weight in the
 * forms that have them.
 */
static Datum
ObserveRow(FunctionCallInfo fcinfo, int reward_argno)
{
	WorkingModel *working;
	const DlintsHeader *model;
	int			i;

	AggregateContext(fcinfo);
	if (NothingObserved(fcinfo, EVIDENCE_MODEL_ARGNO, reward_argno))
		return AggregateSameState(fcinfo);

	working = StateArgument(fcinfo);
	WorkingCheckModel(working, PG_GETARG_DATUM(EVIDENCE_MODEL_ARGNO));
	model = &working->model->header;

	i = WorkingNextPlace(working);
	working->rewards[i] = ArgReward(PG_GETARG_FLOAT8(reward_argno), model);
	working->times[i] = ArgTime(fcinfo, reward_argno + 1, model);
	working->weights[i] = WeightArgument(fcinfo, reward_argno + 2);
	PrefetchNextArray(PG_GETARG_DATUM(EVIDENCE_CONTEXT_ARGNO));
	ArgContext(ArgArray(fcinfo, EVIDENCE_CONTEXT_ARGNO), model,
			   working->contexts + (Size) i * model->context_dim);
	ArgShared(ArgSharedArray(fcinfo, EVIDENCE_SHARED_ARGNO,
							 EVIDENCE_SHARED_ARGNO + PG_NARGS() - reward_argno),
			  model, working->shareds + (Size) i * model->shared_dim);
	WorkingAdded(working, 1);
	PG_RETURN_DATUM(WorkingGetDatum(working));
}

PG_FUNCTION_INFO_V1(dlints_evidence_transfn);

/*
 * dlints_evidence(model dlints, context real[] | double precision[]
 *				   [, shared, of the same type],
 *				   reward double precision
 *				   [, at timestamptz [, weight double precision]])
 *		-> dlints, aggregate
 *
 * What the group's rows say under the model's parameters, the model's own
 * evidence left out; model || evidence is the model that has learned them.  In
 * the order of the aggregate's ORDER BY, which a model by time does not need.
 * at and weight as for dlints_update.  Rows with a NULL context, shared context
 * or reward are no observations; a group without observations gives NULL.
 */
Datum
dlints_evidence_transfn(PG_FUNCTION_ARGS)
{
	return ObserveRow(fcinfo, PG_NARGS() - 1);
}

PG_FUNCTION_INFO_V1(dlints_evidence_at_transfn);

Datum
dlints_evidence_at_transfn(PG_FUNCTION_ARGS)
{
	return ObserveRow(fcinfo, PG_NARGS() - 2);
}

PG_FUNCTION_INFO_V1(dlints_evidence_weight_transfn);

Datum
dlints_evidence_weight_transfn(PG_FUNCTION_ARGS)
{
	return ObserveRow(fcinfo, PG_NARGS() - 3);
}
