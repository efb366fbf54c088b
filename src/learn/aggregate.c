/*
 * aggregate.c
 *		dlints_evidence, the aggregate: what many rows say.
 */
#include "postgres.h"

#include "core/clones.h"
#include "learn/working.h"
#include "sql/args.h"

/* The first argument is the state, the second the model. */
#define MODEL_ARGNO		1

/*
 * A scan over many rows waits for memory more than for arithmetic.  Rows fill a
 * heap page from its end, so the array of the next row most likely lies right
 * below this one's, with a tuple header between: ask for it now.  A wrong guess
 * costs nothing, not even a fault.  Without it dlints_evidence takes a fifth
 * longer with three memories, a quarter with one.
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
		PREFETCH((const void *) line);
}

/* One more row. */
static Datum
ObserveRow(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	MemoryContext aggregate = AggregateContext(fcinfo);
	WorkingModel *working;
	Observation observation;

	if (PG_ARGISNULL(MODEL_ARGNO) || ObservationIsMissing(fcinfo, form))
		return AggregateSameState(fcinfo);

	working = PG_ARGISNULL(0) ?
		WorkingCreate(aggregate, PG_GETARG_DATUM(MODEL_ARGNO)) :
		WorkingFromState(PG_GETARG_DATUM(0), aggregate);
	WorkingCheckModel(working, PG_GETARG_DATUM(MODEL_ARGNO));
	observation = WorkingPlace(working);
	PrefetchNextArray(PG_GETARG_DATUM(form->features));
	ReadObservation(fcinfo, form, &working->model->header, &observation, NULL);
	WorkingAdd(working, &observation);
	PG_RETURN_DATUM(EOHPGetRWDatum(&working->object));
}

/*
 * dlints_evidence(model, features, reward [, profile [, at [, weight]]]): what the
 * group's rows say under the model's parameters, the model's own evidence left
 * out
 */
PG_FUNCTION_INFO_V1(dlints_evidence_transfn);

Datum
dlints_evidence_transfn(PG_FUNCTION_ARGS)
{
	static const ObservationForm forms[] = {
		{.features = 2, .reward = 3},
		{.features = 2, .reward = 3, .profile = 4},
		{.features = 2, .reward = 3, .profile = 4, .at = 5},
		{.features = 2, .reward = 3, .profile = 4, .at = 5, .weight = 6},
	};

	return ObserveRow(fcinfo, &forms[PG_NARGS() - 4]);
}
