/*
 * evidence.c
 *		dlints_evidence, the aggregate: what many rows say.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "args.h"
#include "history.h"
#include "learn.h"
#include "model.h"
#include "prepared.h"

/*
 * The state of dlints_evidence: what has been learned, and a block of
 * observations that wait until it is full.
 */
typedef struct EvidenceState
{
	MemoryContext context;		/* of all of this */
	ValueKey	key;			/* of the model argument seen last */
	Dlints	   *model;			/* its parameters and the evidence so far */
	int			capacity;		/* observations that the arrays can hold */
	int			pending;		/* observations that wait in them */
	double	   *contexts;
	double	   *shareds;
	double		rewards[EVIDENCE_BLOCK];
	int64		times[EVIDENCE_BLOCK];
	double		weights[EVIDENCE_BLOCK];
} EvidenceState;

static EvidenceState *
EvidenceStateCreate(MemoryContext context, const DlintsHeader *model)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	EvidenceState *state = palloc0(sizeof(EvidenceState));

	state->context = context;
	state->model = ModelCreate(model);
	MemoryContextSwitchTo(caller);
	return state;
}

static double *
Grow(EvidenceState *state, double *numbers, Size count)
{
	return numbers ? repalloc(numbers, sizeof(double) * count) :
		MemoryContextAlloc(state->context, sizeof(double) * count);
}

/*
 * Groups can be many and small: start with room for a few observations and
 * double it up to a block.
 */
static void
EvidenceStateGrow(EvidenceState *state)
{
	const DlintsHeader *model = &state->model->header;
	Size		capacity = Min(Max(state->capacity * 2, 8), EVIDENCE_BLOCK);

	state->contexts = Grow(state, state->contexts,
						   capacity * model->context_dim);
	state->shareds = Grow(state, state->shareds, capacity * model->shared_dim);
	state->capacity = capacity;
}

/* Learn what waits into a model that has the state's evidence so far. */
static void
LearnPending(const EvidenceState *state, Dlints *model)
{
	Block		block = {
		state->pending, state->rewards, state->times, state->weights
	};

	if (state->pending > 0)
		LearnBlock(model, &block, state->contexts, state->shareds);
}

/*
 * Learn what waits into the state's own model.  Whether the sums are finite is
 * asked once, of the result: what has overflowed stays so.
 */
static void
EvidenceStateFlush(EvidenceState *state)
{
	LearnPending(state, state->model);
	state->pending = 0;
}

/* All the evidence in a new model; the state stays as it is. */
static Dlints *
EvidenceStateResult(const EvidenceState *state)
{
	Dlints	   *result = palloc(VARSIZE(state->model));

	memcpy(result, state->model, VARSIZE(state->model));
	LearnPending(state, result);
	ModelLearned(result);
	return result;
}

/*
 * Rows of one group may bring the model in different states, but it has to
 * mean the same by its evidence; the first row's parameters are used.
 */
static void
EvidenceStateCheckModel(EvidenceState *state, Datum datum)
{
	DlintsHeader header;

	if (ValueKeyMatches(&state->key, datum))
		return;
	header = ModelHeaderFromDatum(datum);
	ModelCheckSameEvidence(&state->model->header, &header);
	ValueKeyReplace(&state->key, datum, state->context);
}

/*
 * A scan over many rows waits for memory more than for arithmetic.  Rows fill
 * a heap page from its end, so the array of the next row most likely lies
 * right below this one's, with a tuple header between: ask for it now.  A
 * guess that is wrong costs nothing, not even a fault.
 */
static void
PrefetchNextArray(const ArrayType *array)
{
	const uintptr_t between = 64;	/* header and the other columns */
	const uintptr_t cache_line = 64;
	uintptr_t	end = (uintptr_t) array;
	uintptr_t	line = end - Min(VARSIZE(array), BLCKSZ) - between;

	for (; line < end; line += cache_line)
		__builtin_prefetch((const void *) line);
}

/* where the transition functions of dlints_evidence find their arguments */
#define EVIDENCE_MODEL_ARGNO	1
#define EVIDENCE_CONTEXT_ARGNO	2
#define EVIDENCE_SHARED_ARGNO	3	/* not in all forms */

/*
 * One more row.  The reward is followed by its time and its weight in the
 * forms that have them.
 */
static Datum
ObserveRow(FunctionCallInfo fcinfo, int reward_argno)
{
	EvidenceState *state = PG_ARGISNULL(0) ? NULL :
		(EvidenceState *) PG_GETARG_POINTER(0);
	MemoryContext context = AggregateContext(fcinfo);
	Datum		datum = PG_GETARG_DATUM(EVIDENCE_MODEL_ARGNO);
	const DlintsHeader *model;
	ArrayType  *array;
	int			i;

	if (NothingObserved(fcinfo, EVIDENCE_MODEL_ARGNO, reward_argno))
		return AggregateSameState(fcinfo);

	if (state == NULL)
	{
		DlintsHeader header = ModelHeaderFromDatum(datum);

		state = EvidenceStateCreate(context, &header);
		ValueKeySet(&state->key, datum, context);
	}
	EvidenceStateCheckModel(state, datum);
	model = &state->model->header;

	if (state->pending == state->capacity)
		EvidenceStateGrow(state);
	i = state->pending;
	state->rewards[i] = ArgReward(PG_GETARG_FLOAT8(reward_argno), model);
	state->times[i] = ArgTime(fcinfo, reward_argno + 1, model);
	state->weights[i] = WeightArgument(fcinfo, reward_argno + 2);
	array = ArgArray(fcinfo, EVIDENCE_CONTEXT_ARGNO);
	PrefetchNextArray(array);
	ArgContext(array, model, state->contexts + (Size) i * model->context_dim);
	ArgShared(ArgSharedArray(fcinfo, EVIDENCE_SHARED_ARGNO,
							 EVIDENCE_SHARED_ARGNO + PG_NARGS() - reward_argno),
			  model, state->shareds + (Size) i * model->shared_dim);

	if (++state->pending == EVIDENCE_BLOCK)
		EvidenceStateFlush(state);
	PG_RETURN_POINTER(state);
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

PG_FUNCTION_INFO_V1(dlints_evidence_finalfn);

Datum
dlints_evidence_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DLINTS_P(EvidenceStateResult((EvidenceState *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(dlints_evidence_combinefn);

/*
 * Without ORDER BY the rows have no order that anybody asked for, so that the
 * history of one worker followed by that of another is as good as any.  (With
 * ORDER BY PostgreSQL does not split an aggregate.)
 */
Datum
dlints_evidence_combinefn(PG_FUNCTION_ARGS)
{
	MemoryContext context = AggregateContext(fcinfo);
	EvidenceState *state;
	EvidenceState *other;

	if (PG_ARGISNULL(1))
		return AggregateSameState(fcinfo);
	other = (EvidenceState *) PG_GETARG_POINTER(1);
	state = PG_ARGISNULL(0) ?
		EvidenceStateCreate(context, &other->model->header) :
		(EvidenceState *) PG_GETARG_POINTER(0);

	EvidenceStateFlush(state);
	HistoryConcat(state->model, EvidenceStateResult(other));
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(dlints_evidence_serialfn);

Datum
dlints_evidence_serialfn(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	AggregateContext(fcinfo);
	pq_begintypsend(&buf);
	ModelSend(&buf, EvidenceStateResult((EvidenceState *) PG_GETARG_POINTER(0)));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

PG_FUNCTION_INFO_V1(dlints_evidence_deserialfn);

Datum
dlints_evidence_deserialfn(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	StringInfoData buf;
	EvidenceState *state;

	AggregateContext(fcinfo);
	bytes = PG_GETARG_BYTEA_PP(0);
	initStringInfo(&buf);
	appendBinaryStringInfo(&buf, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));

	state = palloc0(sizeof(EvidenceState));
	state->context = CurrentMemoryContext;
	state->model = ModelReceive(&buf);
	pq_getmsgend(&buf);
	pfree(buf.data);
	PG_RETURN_POINTER(state);
}
