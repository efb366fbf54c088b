/*
 * progressive.c
 *		What a model would have predicted, had it learned the log row by row.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "windowapi.h"

#include "args.h"
#include "learn.h"
#include "model.h"
#include "prepared.h"
#include "reduce.h"

/* What a partition keeps from row to row. */
typedef struct Progress
{
	ValueKey	key;			/* of the model argument */
	Dlints	   *model;			/* which has learned the rows so far */
	double	   *mean;			/* psi-hat */
	double	   *factor;			/* room to compute it */
	double	   *b;
	int64		updates;		/* of the model when it was computed */
	uint8		memory;			/* in use then */
} Progress;

/*
 * A factor costs D^3 / 3, what else a row takes D^2.  Up to so many
 * coordinates, 128 and an intercept, there is one for each row; beyond, one for
 * so many rows that it costs about as much as the rest.
 */
#define EXACT_DIM		129

/* The row's arguments, where other functions find theirs. */
static void
FetchArguments(FunctionCallInfo fcinfo)
{
	int			i;

	for (i = 0; i < PG_NARGS(); i++)
		fcinfo->args[i].value = WinGetFuncArgCurrent(PG_WINDOW_OBJECT(), i,
													 &fcinfo->args[i].isnull);
}

/* A copy of the model, in memory that goes with the partition. */
static void
Begin(Progress *progress, Datum datum)
{
	MemoryContext context = GetMemoryChunkContext(progress);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Dlints	   *model = ModelCopyFromDatum(datum);
	int			dim = ModelCoordinates(&model->header);

	progress->mean = palloc(sizeof(double) * dim);
	progress->b = palloc(sizeof(double) * dim);
	progress->factor = palloc(sizeof(double) * factor_value_count(dim, true));
	progress->updates = -1;
	ValueKeySet(&progress->key, datum, context);
	progress->model = model;
	MemoryContextSwitchTo(caller);
}

/* Compute the mean of the memory in use. */
static void
MakeMean(Progress *progress)
{
	const DlintsHeader *model = &progress->model->header;
	Memories	memories = ModelMemories(progress->model);
	const Evidence *evidence = &memories.memory[model->memory - 1];
	int			dim = evidence->dim;
	Factor		factor;
	double		level;

	BlasReady();
	factor_bind(&factor, dim, evidence->H != NULL, progress->factor);
	if (!posterior_factor(evidence, model->ridge, &factor))
		NoPosterior();
	level = memory_centre(evidence, model->intercept, model->reference,
						  progress->b);
	posterior_mean(&factor, progress->b, progress->mean);
	progress->mean[dim - 1] += level;
	progress->updates = model->updates;
	progress->memory = model->memory;
}

static bool
MeanIsDue(const Progress *progress)
{
	return progress->model->header.updates > progress->updates;
}

PG_FUNCTION_INFO_V1(dlints_progressive);

Datum
dlints_progressive(PG_FUNCTION_ARGS)
{
	Progress   *progress = WinGetPartitionLocalMemory(PG_WINDOW_OBJECT(), sizeof(Progress));
	int			reward_argno = PG_NARGS() - 3;
	const DlintsHeader *model;
	double	   *reduced;
	double		predicted;

	FetchArguments(fcinfo);
	if (NothingObserved(fcinfo, 0, reward_argno - 1))
		PG_RETURN_NULL();
	if (progress->model == NULL)
		Begin(progress, PG_GETARG_DATUM(0));
	else if (!ValueKeyMatches(&progress->key, PG_GETARG_DATUM(0)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model must be the same for all rows of a partition")));
	model = &progress->model->header;
	reduced = ReduceContext(model, ArgArray(fcinfo, 1),
							ArgSharedDatum(fcinfo, 2, 5));
	if (MeanIsDue(progress))
		MakeMean(progress);
	predicted = ResultFinite(dot_double(ModelCoordinates(model), progress->mean, reduced));
	if (!PG_ARGISNULL(reward_argno))
	{
		double		reward = ArgReward(PG_GETARG_FLOAT8(reward_argno), model);
		int64		time = ArgTime(fcinfo, reward_argno + 1, model);
		double		weight = WeightArgument(fcinfo, reward_argno + 2);
		Block		block = {1, &reward, &time, &weight};

		LearnReduced(progress->model, &block, reduced);
		ModelLearned(progress->model);
	}
	PG_RETURN_FLOAT8(predicted);
}
