/*
 * progressive.c
 *		What a model would have predicted of each row of a log, had it learned
 *		those before it.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "windowapi.h"

#include "args.h"
#include "learn.h"
#include "model.h"
#include "prepared.h"
#include "reduce.h"
#include "results.h"

/* What a partition keeps from row to row. */
typedef struct Progress
{
	ValueKey	key;			/* of the model argument */
	Dlints	   *model;			/* it has learned the rows so far */
	double	   *mean;			/* psi-hat */
	int64		updates;		/* of the model when that was computed */
	int			memory;			/* in use then; 0 before the first time */
	double	   *b;				/* work space for it */
	double	   *factor;
} Progress;

/*
 * Learning a row costs about D^2, computing the mean D^3.  Up to so many
 * coordinates, 128 and the intercept, each row is predicted from all before it.
 * Beyond, the mean is computed once for so many rows that it costs no more than
 * it does there, and early in a history, when a row says much, for fewer.
 */
#define EXACT_DIM		129
#define BLOCK_SHARE		16

static int64
MostBehind(const DlintsHeader *model)
{
	int64		dim = ModelCoordinates(model);

	if (dim <= EXACT_DIM)
		return 0;
	return Min(dim * dim / ((int64) EXACT_DIM * EXACT_DIM),
			   model->updates / BLOCK_SHARE);
}

/* Is the mean that of the model, or near enough? */
static bool
MeanIsRecent(const Progress *progress)
{
	const DlintsHeader *model = &progress->model->header;

	return progress->memory == model->memory &&
		model->updates - progress->updates <= MostBehind(model);
}

/* Compute the mean of the memory in use, which needs one matrix of the two. */
static void
ComputeMean(Progress *progress)
{
	const DlintsHeader *model = &progress->model->header;
	Memories	memories = ModelMemories(progress->model);
	const Evidence *memory = &memories.memory[model->memory - 1];
	int			dim = memory->dim;
	double		level = memory_centre(memory, model->intercept,
									  model->reference, progress->b);
	Factor		factor;

	factor_bind(&factor, dim, false, progress->factor);
	FactorEvidence(memory, model->ridge, &factor);
	posterior_mean(&factor, progress->b, progress->mean);
	progress->mean[dim - 1] += level;
	progress->updates = model->updates;
	progress->memory = model->memory;
}

/* A copy of the model, in memory that goes with the partition. */
static void
Begin(Progress *progress, Datum datum)
{
	MemoryContext context = GetMemoryChunkContext(progress);
	MemoryContext caller = MemoryContextSwitchTo(context);
	int			dim;

	progress->model = ModelCopyFromDatum(datum);
	dim = ModelCoordinates(&progress->model->header);
	progress->mean = palloc(sizeof(double) * dim);
	progress->b = palloc(sizeof(double) * dim);
	progress->factor = palloc(sizeof(double) * factor_value_count(dim, false));
	ValueKeySet(&progress->key, datum, context);
	MemoryContextSwitchTo(caller);
}

/* Another stored copy of it will do, and is the one to be expected next. */
static void
CheckSameModel(Progress *progress, Datum datum)
{
	if (ValueKeyMatches(&progress->key, datum))
		return;
	if (!ModelEquals(PointerGetDatum(progress->key.bytes), datum))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model must be the same for all rows of a partition"),
				 errhint("Partition by what tells the models apart.")));
	ValueKeyReplace(&progress->key, datum, GetMemoryChunkContext(progress));
}

static void
LearnRow(FunctionCallInfo fcinfo, Dlints *model, int reward_argno,
		 const double *reduced)
{
	double		reward = ArgReward(PG_GETARG_FLOAT8(reward_argno), &model->header);
	int64		time = ArgTime(fcinfo, reward_argno + 1, &model->header);
	double		weight = WeightArgument(fcinfo, reward_argno + 2);
	Block		block = {1, &reward, &time, &weight};

	LearnReduced(model, &block, reduced);
	ModelLearned(model);
}

/* The current row's arguments, put where other functions find theirs. */
static void
FetchArguments(FunctionCallInfo fcinfo)
{
	WindowObject window = PG_WINDOW_OBJECT();
	int			i;

	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
	for (i = 0; i < PG_NARGS(); i++)
		fcinfo->args[i].value = WinGetFuncArgCurrent(window, i,
													 &fcinfo->args[i].isnull);
	/* no row before this one will be asked for */
	WinSetMarkPosition(window, WinGetCurrentPosition(window));
}

PG_FUNCTION_INFO_V1(dlints_progressive);

/*
 * dlints_progressive(model dlints, context anycompatiblearray
 *					  [, shared anycompatiblearray],
 *					  reward double precision,
 *					  at timestamptz DEFAULT NULL,
 *					  weight double precision DEFAULT NULL)
 *		OVER (ORDER BY ...) -> double precision, window function
 *
 * The reward that the model expects of the row's context when it has learned
 * the rows of the partition before this one, in the window's order: progressive
 * validation.  Equal to dlints_predict before each dlints_update, up to
 * EXACT_DIM coordinates.  Frames do not matter.  The model, the same for all
 * rows of a partition (22023), is not changed.  Arguments are those of
 * dlints_update.  Without a model, context or shared context NULL; where only
 * the reward is NULL it is predicted and nothing learned.
 */
Datum
dlints_progressive(PG_FUNCTION_ARGS)
{
	Progress   *progress = WinGetPartitionLocalMemory(PG_WINDOW_OBJECT(),
													  sizeof(Progress));
	int			reward_argno = PG_NARGS() - 3;
	double	   *reduced;
	double		predicted;

	FetchArguments(fcinfo);
	if (NothingObserved(fcinfo, 0, reward_argno - 1))
		PG_RETURN_NULL();
	if (progress->model == NULL)
		Begin(progress, PG_GETARG_DATUM(0));
	else
		CheckSameModel(progress, PG_GETARG_DATUM(0));

	reduced = ReduceContext(&progress->model->header, ArgArray(fcinfo, 1),
							ArgSharedDatum(fcinfo, 2, 5));
	if (!MeanIsRecent(progress))
		ComputeMean(progress);
	predicted = dot_double(ModelCoordinates(&progress->model->header),
						   progress->mean, reduced);
	if (!PG_ARGISNULL(reward_argno))
		LearnRow(fcinfo, progress->model, reward_argno, reduced);
	PG_RETURN_FLOAT8(ResultFinite(predicted));
}
