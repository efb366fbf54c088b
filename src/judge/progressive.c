/*
 * progressive.c
 *		What a model would have predicted of each row of a log, had it learned
 *		those before it.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "windowapi.h"

#include "core/numbers.h"
#include "learn/update.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

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
 * Learning a row takes about D^2 operations, computing the mean D^3.  Up to 128
 * coordinates and the intercept each row is predicted from all before it.
 * Beyond, the mean is computed once for several rows, so that it takes no more
 * time for each; early in a history, when a row changes much, for at most a
 * sixteenth of the rows so far.
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
	Prior		prior = ModelPrior(model, ModelPriorNumbers(progress->model));
	Rewards		rewards = ModelRewards(model);
	int			dim = memory->dim;
	double		level = memory_centre(memory, &rewards, progress->b);
	Factor		factor;

	prior_add(&prior, dim, progress->b);
	factor_bind(&factor, dim, false, progress->factor);
	FactorEvidence(memory, &prior, &factor);
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

static const MismatchMessages progressive = {
	.function = "dlints_progressive",
	.rows = "partition",
	.advice = "Partition by what tells the models apart.",
};

/* The model that has learned the rows before this one. */
static Dlints *
CurrentModel(Progress *progress, Datum datum)
{
	if (progress->model == NULL)
		Begin(progress, datum);
	else if (!ValueKeyMatches(&progress->key, datum))
		CheckSameModel(&progress->key, datum, &progressive,
					   GetMemoryChunkContext(progress));
	return progress->model;
}

static void
LearnRow(Dlints *model, const Observation *observation, const double *reduced)
{
	Block		block = {
		1, &observation->reward, &observation->time, &observation->weight
	};

	LearnReduced(model, &block, reduced);
	ModelLearned(model);
}

/* Predict the row and, if it has a reward, learn it. */
static Datum
Predict(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	Progress   *progress = WinGetPartitionLocalMemory(PG_WINDOW_OBJECT(),
													  sizeof(Progress));
	Dlints	   *model;
	Observation observation;
	double	   *reduced;
	double		predicted;

	FetchArguments(fcinfo);
	if (PG_ARGISNULL(0) || FeaturesAreMissing(fcinfo, form))
		PG_RETURN_NULL();
	model = CurrentModel(progress, PG_GETARG_DATUM(0));
	observation = ObservationCreate(&model->header);
	ReadObservation(fcinfo, form, &model->header, &observation, NULL);
	reduced = palloc(sizeof(double) * ModelCoordinates(&model->header));
	ReduceFeatures(&model->header, 1, observation.features, observation.profile,
				   reduced);
	if (!MeanIsRecent(progress))
		ComputeMean(progress);
	predicted = dot_double(ModelCoordinates(&model->header), progress->mean,
						   reduced);
	if (!PG_ARGISNULL(form->reward))
		LearnRow(model, &observation, reduced);
	PG_RETURN_FLOAT8(ResultFinite(predicted));
}

/*
 * dlints_progressive(model, features, reward, ...) OVER (ORDER BY t): what the
 * model expects of the row when it has learned the rows of the partition before
 * it.  Equal to dlints_predict before each dlints_update, up to EXACT_DIM
 * coordinates.
 */
FORM_ENTRY(dlints_progressive, Predict, ObservationForm,
		   .features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5)
