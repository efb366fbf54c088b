/*
 * progressive.c
 *		The window function dlints_progressive, which predicts each row's reward from the rows
 *		before it.
 */
#include "postgres.h"

#include "windowapi.h"

#include "learn/update.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

typedef struct Progress
{
	ValueKey	key;			/* identifies the argument "model" */
	Dlints	   *model;			/* model trained on earlier rows of the partition */
	double	   *mean;			/* posterior mean */
	int64		updates;		/* number of the model's updates when "mean" was computed */
	int			memory;			/* index of the discount factor under which "mean" was computed */
	double	   *b;				/* work space */
	double	   *factor;
} Progress;

/*
 * Maximum number of coefficients of a model that predicts each row from all earlier rows.
 * Predictions of larger models may omit the newest 1/MAX_LAG_DIVISOR of these rows, to save time.
 */
#define MAX_EXACT_DIM		129
#define MAX_LAG_DIVISOR		16

static int64
MaxLag(const DlintsHeader *model)
{
	int64		dim = ModelCoefficientCount(model);

	if (dim <= MAX_EXACT_DIM)
		return 0;
	return Min(dim * dim / ((int64) MAX_EXACT_DIM * MAX_EXACT_DIM),
			   model->updates / MAX_LAG_DIVISOR);
}

/* Is the posterior mean recent enough for predicting the current row? */
static bool
MeanIsRecent(const Progress *progress)
{
	const DlintsHeader *model = &progress->model->header;

	return progress->memory == model->memory &&
		model->updates - progress->updates <= MaxLag(model);
}

static void
ComputeMean(Progress *progress)
{
	const DlintsHeader *model = &progress->model->header;
	Memories	memories = ModelMemories(progress->model);
	const Evidence *memory = &memories.memory[model->memory - 1];
	Prior		prior = ModelPrior(model, ModelPriorNumbers(progress->model));
	Rewards		rewards = ModelRewards(model);
	int			dim = memory->dim;
	double		level = memory_center(memory, &rewards, progress->b);
	Factor		factor;

	prior_add(&prior, dim, progress->b);
	factor_bind(&factor, dim, false, progress->factor);
	FactorEvidence(memory, &prior, &factor);
	posterior_mean(&factor, progress->b, progress->mean);
	progress->mean[dim - 1] += level;
	progress->updates = model->updates;
	progress->memory = model->memory;
}

/* Copy the model, and allocate work space until the end of the partition. */
static void
BeginPartition(Progress *progress, Datum datum)
{
	MemoryContext context = GetMemoryChunkContext(progress);
	MemoryContext caller = MemoryContextSwitchTo(context);
	int			dim;

	progress->model = ModelCopyFromDatum(datum);
	dim = ModelCoefficientCount(&progress->model->header);
	progress->mean = palloc(sizeof(double) * dim);
	progress->b = palloc(sizeof(double) * dim);
	progress->factor = palloc(sizeof(double) * factor_value_count(dim, false));
	ValueKeySet(&progress->key, datum, context);
	MemoryContextSwitchTo(caller);
}

/* Store the current row's arguments in fcinfo->args. */
static void
FetchArguments(FunctionCallInfo fcinfo)
{
	WindowObject window = PG_WINDOW_OBJECT();

	WinCheckAndInitializeNullTreatment(window, false, fcinfo);
	for (int i = 0; i < PG_NARGS(); i++)
		fcinfo->args[i].value = WinGetFuncArgCurrent(window, i, &fcinfo->args[i].isnull);
	/* let the executor discard earlier rows of the partition */
	WinSetMarkPosition(window, WinGetCurrentPosition(window));
}

static const MismatchMessages progressive = {
	.function = "dlints_progressive",
	.rows = "partition",
	.advice = "Add the key of the models to PARTITION BY.",
};

/* Return the model that is trained on the preceding rows of the partition. */
static Dlints *
CurrentModel(Progress *progress, Datum datum)
{
	if (progress->model == NULL)
		BeginPartition(progress, datum);
	else if (!ValueKeyMatches(&progress->key, datum))
		CheckSameModel(&progress->key, datum, &progressive, GetMemoryChunkContext(progress));
	return progress->model;
}

static void
LearnRow(Dlints *model, const Observation *observation, const double *reduced)
{
	Block		block = {
		1, &observation->reward, &observation->time, &observation->weight
	};

	LearnReduced(model, &block, reduced);
	ModelFinishTraining(model);
}

PG_FUNCTION_INFO_V1(dlints_progressive);

/*
 * dlints_progressive(): predict each row's reward with a model that is trained on the rows before.
 * Rows with a NULL reward are predicted, but not used for training.
 */
Datum
dlints_progressive(PG_FUNCTION_ARGS)
{
	Progress   *progress = WinGetPartitionLocalMemory(PG_WINDOW_OBJECT(), sizeof(Progress));
	Dlints	   *model;
	Observation observation;
	double	   *reduced;
	double		predicted;

	FetchArguments(fcinfo);
	if (PG_ARGISNULL(0) || FeaturesAreMissing(fcinfo, &update_form))
		PG_RETURN_NULL();
	model = CurrentModel(progress, PG_GETARG_DATUM(0));
	observation = ObservationCreate(&model->header);
	ReadObservation(fcinfo, &update_form, &model->header, &observation, NULL);
	reduced = palloc(sizeof(double) * ModelCoefficientCount(&model->header));
	ReduceFeatures(&model->header, 1, observation.features, observation.profile, reduced);
	if (!MeanIsRecent(progress))
		ComputeMean(progress);
	predicted = dot_double(ModelCoefficientCount(&model->header), progress->mean, reduced);
	if (!PG_ARGISNULL(update_form.reward))
		LearnRow(model, &observation, reduced);
	PG_RETURN_FLOAT8(ResultFinite(predicted));
}
