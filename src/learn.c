/*
 * learn.c
 *		Learn from rewards: single updates, batches, evidence of many rows,
 *		and the concatenation of histories.
 */
#include "postgres.h"

#include "common/int.h"
#include "common/shortest_dec.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "args.h"
#include "model.h"
#include "prepared.h"
#include "reduce.h"

static void
CheckCount(int64 updates, int64 more)
{
	int64		sum;

	if (pg_add_s64_overflow(updates, more, &sum))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints update count out of range")));
}

/* Reduced contexts into the evidence, which they are overwritten by. */
static void
Absorb(Evidence *evidence, int count, double *reduced, const double *rewards)
{
	CheckCount(evidence->counts.updates, count);
	BlasReady();
	evidence_absorb(evidence, count, reduced, rewards);
}

/*
 * Learn a block of at most EVIDENCE_BLOCK contexts, oldest first, each with
 * its shared context if the model has one.  Blocks, because one matrix product
 * is several times faster than as many products of a matrix with a vector.
 */
static void
LearnBlock(const DlintsHeader *model, Evidence *evidence, int count,
		   const double *contexts, const double *shareds,
		   const double *rewards)
{
	double	   *reduced = palloc(sizeof(double) * (Size) count * evidence->dim);

	CHECK_FOR_INTERRUPTS();
	ReduceContexts(model, count, contexts, shareds, reduced);
	Absorb(evidence, count, reduced, rewards);
	pfree(reduced);
}

/*
 * Is there no observation, because a context or the reward is NULL?  They are
 * the arguments from first_argno to the last.
 */
static bool
NothingObserved(FunctionCallInfo fcinfo, int first_argno)
{
	int			i;

	for (i = first_argno; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			return true;
	return false;
}

/*
 * The model after one observation, of which "reduce" makes the reduced
 * context.  The first argument is the model, the last the reward.
 */
static Datum
Observe(FunctionCallInfo fcinfo,
		double *(*reduce) (FunctionCallInfo fcinfo, const DlintsHeader *model))
{
	Dlints	   *model;
	Evidence	evidence;
	double	   *reduced;
	double		reward;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (NothingObserved(fcinfo, 1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	model = PG_GETARG_DLINTS_P_COPY(0);
	reward = ArgReward(PG_GETARG_FLOAT8(PG_NARGS() - 1), &model->header);
	reduced = reduce(fcinfo, &model->header);

	ModelGetEvidence(model, &evidence);
	Absorb(&evidence, 1, reduced, &reward);
	ModelPutEvidence(model, &evidence);
	PG_RETURN_DLINTS_P(model);
}

static double *
ContextArgument(FunctionCallInfo fcinfo, const DlintsHeader *model)
{
	return ReduceContext(model, ArgArray(fcinfo, 1),
						 ArgSharedDatum(fcinfo, 2, 3));
}

PG_FUNCTION_INFO_V1(dlints_update);

/*
 * dlints_update(model dlints, context anycompatiblearray
 *				 [, shared anycompatiblearray],
 *				 reward double precision) -> dlints
 *
 * The model after one more observation: the three updates of Algorithm 1.
 * context has context_dim finite numbers, shared has shared_dim of them and is
 * left out where that is 0, reward is finite; none is beyond 1e50.  A NULL
 * model gives NULL; with any other NULL there is no observation and the model
 * comes back as it was.
 */
Datum
dlints_update(PG_FUNCTION_ARGS)
{
	return Observe(fcinfo, ContextArgument);
}

/* A context that is reduced already, and ends as one with an intercept does. */
static double *
ReducedArgument(FunctionCallInfo fcinfo, const DlintsHeader *model)
{
	ArgSpec		spec = {"reduced context", ModelCoordinates(model), model};
	double	   *reduced = palloc(sizeof(double) * spec.len);

	ArgVector(ArgArray(fcinfo, 1), &spec, reduced);
	if (model->intercept && reduced[spec.len - 1] != 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("last coordinate of a reduced context must be 1 for a model with an intercept"),
				 errdetail("The value is %s.",
						   double_to_shortest_decimal(reduced[spec.len - 1]))));
	return reduced;
}

PG_FUNCTION_INFO_V1(dlints_update_reduced);

/*
 * dlints_update_reduced(model dlints, reduced anycompatiblearray,
 *						 reward double precision) -> dlints
 *
 * As dlints_update, for an observation of which the reduced context z (from
 * dlints_project: reduced_dim numbers, followed by 1 with an intercept) was
 * logged and the context was not.
 */
Datum
dlints_update_reduced(PG_FUNCTION_ARGS)
{
	return Observe(fcinfo, ReducedArgument);
}

/* An array with rows of one kind, and some of them as numbers. */
typedef struct BatchPart
{
	ArrayType  *array;
	ArgSpec		spec;
	double	   *block;
} BatchPart;

static BatchPart
BeginBatchPart(ArrayType *array, ArgSpec spec, int rows)
{
	BatchPart	part = {array, spec, NULL};

	part.block = palloc(sizeof(double) * Min(rows, EVIDENCE_BLOCK) *
						(Size) spec.len);
	return part;
}

static void
ReadBatchPart(BatchPart *part, int row, int count)
{
	ArgMatrixSlice(part->array, &part->spec, row, count, part->block);
}

PG_FUNCTION_INFO_V1(dlints_update_batch);

/*
 * dlints_update_batch(model dlints, contexts anycompatiblearray
 *					   [, shareds anycompatiblearray],
 *					   rewards double precision[]) -> dlints
 *
 * The model after a batch of observations, oldest first: the same as single
 * updates in array order.  contexts has one row of context_dim numbers for
 * each reward, shareds one of shared_dim numbers (and is left out where that
 * is 0).  Either all of the batch is learned or, on an error, none.
 */
Datum
dlints_update_batch(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	BatchPart	contexts;
	BatchPart	shareds;
	BatchPart	rewards;
	ArgSpec		spec;
	ArrayType  *array;
	Evidence	evidence;
	int			rows;
	int			row;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (NothingObserved(fcinfo, 1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	model = PG_GETARG_DLINTS_P_COPY(0);

	array = ArgArray(fcinfo, 1);
	spec = ArgContextSpec(&model->header);
	spec.name = "array of contexts";
	rows = ArgMatrixRows(array, &spec);
	contexts = BeginBatchPart(array, spec, rows);

	array = ArgSharedArray(fcinfo, 2, 3);
	spec = ArgSharedSpec(&model->header);
	spec.name = "array of shared contexts";
	ArgCheckShared(array, "shareds", &model->header);
	if (array)
		ArgCheckSameCount("shared contexts", rows, ArgMatrixRows(array, &spec));
	shareds = BeginBatchPart(array, spec, rows);

	array = ArgArray(fcinfo, PG_NARGS() - 1);
	spec = ArgRewardSpec(&model->header);
	ArgCheckSameCount("rewards", rows, ArgVectorLength(array, &spec));
	rewards = BeginBatchPart(array, spec, rows);

	ModelGetEvidence(model, &evidence);
	for (row = 0; row < rows; row += EVIDENCE_BLOCK)
	{
		int			count = Min(EVIDENCE_BLOCK, rows - row);

		ReadBatchPart(&contexts, row, count);
		if (shareds.array)
			ReadBatchPart(&shareds, row, count);
		ReadBatchPart(&rewards, row, count);
		LearnBlock(&model->header, &evidence, count, contexts.block,
				   shareds.block, rewards.block);
	}
	ModelPutEvidence(model, &evidence);
	PG_RETURN_DLINTS_P(model);
}

/* Would the model take these arguments? */
static bool
Accepts(FunctionCallInfo fcinfo, const Datum *shared)
{
	const DlintsHeader *model = &PrepareModel(fcinfo, 0)->header;
	ArgSpec		spec = ArgContextSpec(model);
	ArgSpec		shared_spec = ArgSharedSpec(model);
	double	   *numbers = palloc(sizeof(double) *
								 Max(model->context_dim, model->shared_dim));
	ArrayType  *array;
	Problem		problem;
	bool		accepts;

	accepts = model->counts.updates < PG_INT64_MAX &&
		SharedIsExpected(shared != NULL, "shared", model, &problem) &&
		ArrayIsNumeric(PG_GETARG_DATUM(1), &array, &problem) &&
		VectorIsValid(array, &spec, numbers, &problem) &&
		(shared == NULL ||
		 (ArrayIsNumeric(*shared, &array, &problem) &&
		  VectorIsValid(array, &shared_spec, numbers, &problem)));
	pfree(numbers);
	return accepts;
}

PG_FUNCTION_INFO_V1(dlints_accepts);

/*
 * dlints_accepts(model dlints, context anycompatiblearray
 *				  [, shared anycompatiblearray],
 *				  reward double precision) -> boolean
 *
 * Would dlints_update learn this observation?  False where it would raise an
 * error for its numbers or their count; never an error itself.  NULL with any
 * NULL.
 */
Datum
dlints_accepts(PG_FUNCTION_ARGS)
{
	const DlintsHeader *model = &PrepareModel(fcinfo, 0)->header;
	Problem		problem;

	PG_RETURN_BOOL(RewardIsValid(PG_GETARG_FLOAT8(PG_NARGS() - 1), model,
								 &problem) &&
				   Accepts(fcinfo, ArgSharedDatum(fcinfo, 2, 3)));
}

PG_FUNCTION_INFO_V1(dlints_accepts_context);

/*
 * dlints_accepts(model dlints, context anycompatiblearray
 *				  [, shared anycompatiblearray]) -> boolean
 *
 * The same of a context, and shared context, without a reward.
 */
Datum
dlints_accepts_context(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(Accepts(fcinfo, ArgSharedDatum(fcinfo, 2, 2)));
}

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
LearnPending(const EvidenceState *state, Dlints *model, Evidence *evidence)
{
	ModelGetEvidence(model, evidence);
	if (state->pending > 0)
		LearnBlock(&model->header, evidence, state->pending, state->contexts,
				   state->shareds, state->rewards);
}

/*
 * Learn what waits into the state's own model.  Whether the sums are finite is
 * asked once, of the result: what has overflowed stays so.
 */
static void
EvidenceStateFlush(EvidenceState *state)
{
	Evidence	evidence;

	LearnPending(state, state->model, &evidence);
	state->model->header.counts = evidence.counts;
	state->pending = 0;
}

/* All the evidence in a new model; the state stays as it is. */
static Dlints *
EvidenceStateResult(const EvidenceState *state)
{
	Dlints	   *result = palloc(VARSIZE(state->model));
	Evidence	evidence;

	memcpy(result, state->model, VARSIZE(state->model));
	LearnPending(state, result, &evidence);
	ModelPutEvidence(result, &evidence);
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

PG_FUNCTION_INFO_V1(dlints_evidence_transfn);

/*
 * dlints_evidence(model dlints, context real[] | double precision[]
 *				   [, shared, of the same type],
 *				   reward double precision) -> dlints, aggregate
 *
 * What the group's rows say under the model's parameters, in the order of the
 * aggregate's ORDER BY, the model's own evidence left out; model || evidence
 * is the model that has learned them.  Rows with a NULL are no observations; a
 * group without observations gives NULL.
 */
Datum
dlints_evidence_transfn(PG_FUNCTION_ARGS)
{
	EvidenceState *state = PG_ARGISNULL(0) ? NULL :
		(EvidenceState *) PG_GETARG_POINTER(0);
	MemoryContext context = AggregateContext(fcinfo);
	const DlintsHeader *model;
	ArrayType  *array;
	double		reward;

	if (NothingObserved(fcinfo, 1))
		return AggregateSameState(fcinfo);

	if (state == NULL)
	{
		DlintsHeader header = ModelHeaderFromDatum(PG_GETARG_DATUM(1));

		state = EvidenceStateCreate(context, &header);
		ValueKeySet(&state->key, PG_GETARG_DATUM(1), context);
	}
	EvidenceStateCheckModel(state, PG_GETARG_DATUM(1));
	model = &state->model->header;

	reward = ArgReward(PG_GETARG_FLOAT8(PG_NARGS() - 1), model);
	if (state->pending == state->capacity)
		EvidenceStateGrow(state);
	array = ArgArray(fcinfo, 2);
	PrefetchNextArray(array);
	ArgContext(array, model,
			   state->contexts + (Size) state->pending * model->context_dim);
	ArgShared(ArgSharedArray(fcinfo, 3, 4), model,
			  state->shareds + (Size) state->pending * model->shared_dim);
	state->rewards[state->pending++] = reward;

	if (state->pending == EVIDENCE_BLOCK)
		EvidenceStateFlush(state);
	PG_RETURN_POINTER(state);
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

/* earlier <- earlier || later, in place */
static void
ConcatInPlace(Dlints *earlier, Dlints *later)
{
	Evidence	left;
	Evidence	right;

	ModelCheckSameEvidence(&earlier->header, &later->header);
	CheckCount(earlier->header.counts.updates, later->header.counts.updates);
	ModelGetEvidence(earlier, &left);
	ModelGetEvidence(later, &right);
	evidence_concat(&left, &right);
	ModelPutEvidence(earlier, &left);
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
	ConcatInPlace(state->model, EvidenceStateResult(other));
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

/*
 * An aggregate's running state may be changed where it stands, unless it is
 * still as it came from the table.
 */
static Dlints *
WritableLeft(FunctionCallInfo fcinfo)
{
	struct varlena *left = (struct varlena *) PG_GETARG_POINTER(0);

	if (AggCheckCallContext(fcinfo, NULL) && !VARATT_IS_EXTENDED(left))
		return PG_GETARG_DLINTS_P(0);
	return PG_GETARG_DLINTS_P_COPY(0);
}

PG_FUNCTION_INFO_V1(dlints_concat);

/*
 * dlints || dlints, dlints_concat(dlints, dlints) -> dlints;
 * also the transition and combine function of dlints_concat_agg
 *
 * The model that has seen the left history and then the right one.  Both
 * sides must agree on context_dim, reduced_dim, shared_dim, intercept, seed,
 * projection_scale and discount; ridge, exploration and policy are the left
 * side's.  A NULL side gives the other one, as with arrays.
 */
Datum
dlints_concat(PG_FUNCTION_ARGS)
{
	Dlints	   *left;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));

	left = WritableLeft(fcinfo);
	ConcatInPlace(left, PG_GETARG_DLINTS_P(1));
	PG_RETURN_DLINTS_P(left);
}
