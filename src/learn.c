/*
 * learn.c
 *		Learn from rewards: single updates and batches, and whether they can be
 *		learned.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "miscadmin.h"

#include "args.h"
#include "history.h"
#include "inplace.h"
#include "learn.h"
#include "model.h"
#include "prepared.h"
#include "reduce.h"

/* What each observation of a block counts in memory j when all are learned. */
static void
WeighBlock(const DlintsHeader *model, int j, const Block *block,
		   double *weights)
{
	double		weight = 1.0;
	double		step = ModelMemoryDecay(model, j, 1, 0);
	int			i;

	for (i = block->count - 1; i >= 0; i--)
		if (ModelIsByTime(model))
			weights[i] = block->weights[i] *
				ModelMemoryDecay(model, j, 0,
								 TimeBetween(block->times[i], model->newest));
		else
		{
			weights[i] = block->weights[i] * weight;
			weight *= step;
		}
}

/* Counts, and the newest time; returns by how much that is newer. */
static int64
CountBlock(DlintsHeader *model, const Block *block)
{
	int64		before = model->newest;
	int			i;

	HistoryCheckCount(model->updates, block->count);
	if (model->updates == 0 && model->intercept)
		model->reference = block->rewards[0] + 0.0;
	for (i = 0; ModelIsByTime(model) && i < block->count; i++)
		model->newest = Max(model->newest, block->times[i]);
	model->updates += block->count;
	return before == TIME_UNKNOWN ? 0 : TimeBetween(before, model->newest);
}

/*
 * Learn a block of reduced contexts, oldest first, into each memory: the
 * updates of Algorithm 1.  Whatever can end in an error comes before the model
 * begins to change: a working model must not be left half changed.
 */
void
LearnReduced(Dlints *model, const Block *block, const double *reduced)
{
	DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	int			dim = memories.memory[0].dim;
	double	   *work = palloc(sizeof(double) *
							  evidence_absorb_work(dim, block->count));
	double		weights[EVIDENCE_BLOCK];
	int64		newer;
	int			j;

	CHECK_FOR_INTERRUPTS();
	BlasReady();
	newer = CountBlock(header, block);
	for (j = 0; j < memories.count; j++)
	{
		WeighBlock(header, j, block, weights);
		evidence_absorb(&memories.memory[j],
						ModelMemoryDecay(header, j, block->count, newer),
						block->count, reduced, block->rewards,
						header->reference, weights, work);
	}
	ModelKeepReference(model);
	pfree(work);
}

/*
 * Learn a block of contexts, oldest first, each with its shared context if the
 * model has one.  Blocks, because one matrix product is several times faster
 * than as many products of a matrix with a vector.
 */
void
LearnBlock(Dlints *model, const Block *block, const double *contexts,
		   const double *shareds)
{
	double	   *reduced = palloc(sizeof(double) * (Size) block->count *
								 ModelCoordinates(&model->header));

	ReduceContexts(&model->header, block->count, contexts, shareds, reduced);
	LearnReduced(model, block, reduced);
	pfree(reduced);
}

/*
 * Is there no observation, because a context or the reward is NULL?  They are
 * the arguments from first_argno to that of the reward.
 */
bool
NothingObserved(FunctionCallInfo fcinfo, int first_argno, int reward_argno)
{
	int			i;

	for (i = first_argno; i <= reward_argno; i++)
		if (PG_ARGISNULL(i))
			return true;
	return false;
}

/* A weight that is not given is 1. */
double
WeightArgument(FunctionCallInfo fcinfo, int argno)
{
	return argno >= PG_NARGS() || PG_ARGISNULL(argno) ? 1.0 :
		ArgWeight(PG_GETARG_FLOAT8(argno));
}

/*
 * How a function is given an observation: a context, and a shared one if the
 * model has any, or what they reduce to.
 */
typedef struct Form
{
	bool		reduced;
	void		(*read) (FunctionCallInfo fcinfo, const DlintsHeader *model,
						 double *context, double *shared);
} Form;

/* Check the reward, its time and its weight, which are the last arguments. */
static void
ReadOutcome(FunctionCallInfo fcinfo, const DlintsHeader *model,
			double *reward, int64 *time, double *weight)
{
	int			reward_argno = PG_NARGS() - 3;

	*reward = ArgReward(PG_GETARG_FLOAT8(reward_argno), model);
	*time = ArgTime(fcinfo, reward_argno + 1, model);
	*weight = WeightArgument(fcinfo, reward_argno + 2);
}

/* Add an observation to those that wait. */
static Datum
ObserveInPlace(FunctionCallInfo fcinfo, WorkingModel *working, const Form *form)
{
	const DlintsHeader *model = &working->model->header;
	Size		i;

	WorkingHold(working, form->reduced);
	i = WorkingNextPlace(working);
	ReadOutcome(fcinfo, model, working->rewards + i, working->times + i,
				working->weights + i);
	form->read(fcinfo, model, working->contexts + i * WorkingContextLen(working),
			   working->shareds + i * model->shared_dim);
	WorkingAdded(working, 1);
	return WorkingGetDatum(working);
}

/* The model after one observation. */
static Datum
Observe(FunctionCallInfo fcinfo, const Form *form)
{
	WorkingModel *working;
	Dlints	   *model;
	double	   *context;
	double	   *shared;
	double		reward;
	double		weight;
	int64		time;
	Block		block = {1, &reward, &time, &weight};

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (NothingObserved(fcinfo, 1, PG_NARGS() - 3))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	working = WorkingVariable(fcinfo, 1);
	if (working)
		return ObserveInPlace(fcinfo, working, form);

	model = PG_GETARG_DLINTS_P_COPY(0);
	ReadOutcome(fcinfo, &model->header, &reward, &time, &weight);
	shared = palloc(sizeof(double) * model->header.shared_dim);
	if (form->reduced)
	{
		context = palloc(sizeof(double) * ModelCoordinates(&model->header));
		form->read(fcinfo, &model->header, context, shared);
		LearnReduced(model, &block, context);
	}
	else
	{
		context = palloc(sizeof(double) * model->header.context_dim);
		form->read(fcinfo, &model->header, context, shared);
		LearnBlock(model, &block, context, shared);
	}
	ModelLearned(model);
	PG_RETURN_DLINTS_P(model);
}

static void
ReadContext(FunctionCallInfo fcinfo, const DlintsHeader *model,
			double *context, double *shared)
{
	ArgContext(ArgArray(fcinfo, 1), model, context);
	ArgShared(ArgSharedArray(fcinfo, 2, 5), model, shared);
}

PG_FUNCTION_INFO_V1(dlints_update);

/*
 * dlints_update(model dlints, context anycompatiblearray
 *				 [, shared anycompatiblearray],
 *				 reward double precision,
 *				 at timestamptz DEFAULT NULL,
 *				 weight double precision DEFAULT NULL) -> dlints
 *
 * The model after one more observation: the three updates of Algorithm 1, in
 * each memory.  context has context_dim finite numbers, shared has shared_dim
 * of them and is left out where that is 0, reward is finite; none is beyond
 * 1e50.  at is when it was observed: models that forget by time need it
 * (22004), in any order, others ignore it.  weight, above 0 and at most 1e10,
 * is how many observations it counts for, 1 if NULL.  A NULL model gives NULL;
 * with a NULL context, shared context or reward there is no observation and
 * the model comes back as it was.
 */
Datum
dlints_update(PG_FUNCTION_ARGS)
{
	static const Form form = {false, ReadContext};

	return Observe(fcinfo, &form);
}

/* A context that is reduced already, and ends as one with an intercept does. */
static void
ReadReduced(FunctionCallInfo fcinfo, const DlintsHeader *model,
			double *reduced, double *shared)
{
	ArgSpec		spec = {"reduced context", ModelCoordinates(model), model, false};

	ArgVector(ArgArray(fcinfo, 1), &spec, reduced);
	if (model->intercept && reduced[spec.len - 1] != 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("last coordinate of a reduced context must be 1 for a model with an intercept"),
				 errdetail("The value is %s.",
						   double_to_shortest_decimal(reduced[spec.len - 1]))));
}

PG_FUNCTION_INFO_V1(dlints_update_reduced);

/*
 * dlints_update_reduced(model dlints, reduced anycompatiblearray,
 *						 reward double precision,
 *						 at timestamptz DEFAULT NULL,
 *						 weight double precision DEFAULT NULL) -> dlints
 *
 * As dlints_update, for an observation of which the reduced context z (as
 * dlints_project returns it, the 1 of an intercept last) was logged and the
 * context was not.
 */
Datum
dlints_update_reduced(PG_FUNCTION_ARGS)
{
	static const Form form = {true, ReadReduced};

	return Observe(fcinfo, &form);
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

/* Times of so many observations, which models by count do not ask for. */
static int64 *
BatchTimes(FunctionCallInfo fcinfo, int argno, const DlintsHeader *model,
		   int rows)
{
	ArrayType  *array;
	ArgSpec		spec = {"array of times", rows, model, false};
	int64	   *times;
	int			i;

	if (!ModelIsByTime(model))
	{
		times = palloc(sizeof(int64) * Max(rows, 1));
		for (i = 0; i < rows; i++)
			times[i] = TIME_UNKNOWN;
		return times;
	}
	if (PG_ARGISNULL(argno))
		ArgTime(fcinfo, argno, model);	/* says so */
	array = PG_GETARG_ARRAYTYPE_P(argno);
	ArgCheckSameCount("times", rows, ArgVectorLength(array, &spec));
	times = (int64 *) ARR_DATA_PTR(array);
	for (i = 0; i < rows; i++)
		ArgTimeValue(times[i]);
	return times;
}

/* Weights of so many observations, 1 where none are given. */
static double *
BatchWeights(FunctionCallInfo fcinfo, int argno, int rows)
{
	double	   *weights = palloc(sizeof(double) * Max(rows, 1));
	ArgSpec		spec = {"array of weights", rows, NULL, false};
	int			i;

	for (i = 0; i < rows; i++)
		weights[i] = 1.0;
	if (PG_ARGISNULL(argno))
		return weights;
	ArgCheckSameCount("weights", rows,
					  ArgVectorLength(ArgArray(fcinfo, argno), &spec));
	ArgVector(ArgArray(fcinfo, argno), &spec, weights);
	for (i = 0; i < rows; i++)
		ArgWeight(weights[i]);
	return weights;
}

/* What the arguments of dlints_update_batch say, checked but for the numbers. */
typedef struct Batch
{
	int			rows;
	BatchPart	contexts;
	BatchPart	shareds;
	BatchPart	rewards;
	int64	   *times;
	double	   *weights;
} Batch;

static Batch
BeginBatch(FunctionCallInfo fcinfo, const DlintsHeader *model)
{
	int			reward_argno = PG_NARGS() - 3;
	Batch		batch;
	ArrayType  *array;
	ArgSpec		spec;

	array = ArgArray(fcinfo, 1);
	spec = ArgContextSpec(model);
	spec.name = "array of contexts";
	batch.rows = ArgMatrixRows(array, &spec);
	batch.contexts = BeginBatchPart(array, spec, batch.rows);

	array = ArgSharedArray(fcinfo, 2, 5);
	spec = ArgSharedSpec(model);
	spec.name = "array of shared contexts";
	ArgCheckShared(array, "shareds", model);
	if (array)
		ArgCheckSameCount("shared contexts", batch.rows,
						  ArgMatrixRows(array, &spec));
	batch.shareds = BeginBatchPart(array, spec, batch.rows);

	array = ArgArray(fcinfo, reward_argno);
	spec = ArgRewardSpec(model);
	ArgCheckSameCount("rewards", batch.rows, ArgVectorLength(array, &spec));
	batch.rewards = BeginBatchPart(array, spec, batch.rows);
	batch.times = BatchTimes(fcinfo, reward_argno + 1, model, batch.rows);
	batch.weights = BatchWeights(fcinfo, reward_argno + 2, batch.rows);
	return batch;
}

/* So many rows, as numbers, into the blocks of their parts. */
static void
ReadBatch(Batch *batch, int row, int count)
{
	ReadBatchPart(&batch->contexts, row, count);
	if (batch->shareds.array)
		ReadBatchPart(&batch->shareds, row, count);
	ReadBatchPart(&batch->rewards, row, count);
}

/* Add a batch that is no longer than a block to what waits. */
static Datum
BatchInPlace(WorkingModel *working, Batch *batch)
{
	const DlintsHeader *model = &working->model->header;
	Size		i;

	WorkingHold(working, false);
	i = WorkingPlaces(working, batch->rows);
	batch->contexts.block = working->contexts + i * model->context_dim;
	batch->shareds.block = working->shareds + i * model->shared_dim;
	batch->rewards.block = working->rewards + i;
	ReadBatch(batch, 0, batch->rows);
	memcpy(working->times + i, batch->times, sizeof(int64) * batch->rows);
	memcpy(working->weights + i, batch->weights, sizeof(double) * batch->rows);
	WorkingAdded(working, batch->rows);
	return WorkingGetDatum(working);
}

PG_FUNCTION_INFO_V1(dlints_update_batch);

/*
 * dlints_update_batch(model dlints, contexts anycompatiblearray
 *					   [, shareds anycompatiblearray],
 *					   rewards double precision[],
 *					   ats timestamptz[] DEFAULT NULL,
 *					   weights double precision[] DEFAULT NULL) -> dlints
 *
 * The model after a batch of observations, oldest first: the same as single
 * updates in array order.  contexts has one row of context_dim numbers for
 * each reward, shareds one of shared_dim numbers (and is left out where that
 * is 0), ats and weights one element.  Either all of the batch is learned or,
 * on an error, none.
 */
Datum
dlints_update_batch(PG_FUNCTION_ARGS)
{
	WorkingModel *working = NULL;
	DlintsHeader header;
	Dlints	   *model;
	Batch		batch;
	int			row;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (NothingObserved(fcinfo, 1, PG_NARGS() - 3))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	header = WorkingHeader(PG_GETARG_DATUM(0));
	batch = BeginBatch(fcinfo, &header);
	/* a longer one is learned at once, and what a copy costs is little then */
	if (batch.rows <= EVIDENCE_BLOCK)
		working = WorkingVariable(fcinfo, batch.rows);
	if (working)
		return BatchInPlace(working, &batch);

	model = PG_GETARG_DLINTS_P_COPY(0);
	for (row = 0; row < batch.rows; row += EVIDENCE_BLOCK)
	{
		Block		block = {
			Min(EVIDENCE_BLOCK, batch.rows - row), batch.rewards.block,
			batch.times + row, batch.weights + row
		};

		ReadBatch(&batch, row, block.count);
		LearnBlock(model, &block, batch.contexts.block, batch.shareds.block);
	}
	ModelLearned(model);
	PG_RETURN_DLINTS_P(model);
}

/* Would the model take these arguments? */
static bool
Accepts(FunctionCallInfo fcinfo, const Datum *shared)
{
	const DlintsHeader *model = WorkingParameters(fcinfo, 0);
	ArgSpec		spec = ArgContextSpec(model);
	ArgSpec		shared_spec = ArgSharedSpec(model);
	double	   *numbers = palloc(sizeof(double) *
								 Max(model->context_dim, model->shared_dim));
	ArrayType  *array;
	Problem		problem;
	bool		accepts;

	accepts = model->updates < PG_INT64_MAX &&
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
	const DlintsHeader *model = WorkingParameters(fcinfo, 0);
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
