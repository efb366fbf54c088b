/*
 * update.c
 *		Learn from rewards: blocks of observations, single updates and batches, and
 *		whether they can be learned.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "learn/update.h"
#include "model/model.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* ---------- a block of observations into each memory ---------- */

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

	ModelCheckCount(model->updates, block->count);
	if (model->updates == 0 && model->intercept)
		model->reference = block->rewards[0] + 0.0;
	for (i = 0; ModelIsByTime(model) && i < block->count; i++)
		model->newest = Max(model->newest, block->times[i]);
	model->updates += block->count;
	return before == TIME_UNKNOWN ? 0 : TimeBetween(before, model->newest);
}

/*
 * Learn a block of reduced features, oldest first, into each memory: the
 * updates of Algorithm 1.  Whatever can end in an error comes before the model
 * begins to change: a working model must not be left half changed.
 */
void
LearnReduced(Dlints *model, const Block *block, const double *reduced)
{
	DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	int			dim = memories.memory[0].dim;
	double	   *work = palloc(sizeof(double) * dim * block->count);
	double		weights[EVIDENCE_BLOCK];
	int64		newer;
	int			j;

	CHECK_FOR_INTERRUPTS();
	BlasReady();
	newer = CountBlock(header, block);
	totals_absorb(&header->totals, block->count, block->rewards,
				  header->reference, block->weights);
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
 * Learn a block of feature vectors, oldest first, each with its profile if the
 * model has one.  Blocks, because one matrix product is several times faster
 * than as many products of a matrix with a vector.
 */
void
LearnBlock(Dlints *model, const Block *block, const double *features,
		   const double *profiles)
{
	double	   *reduced = palloc(sizeof(double) * (Size) block->count *
								 ModelCoordinates(&model->header));

	ReduceFeatures(&model->header, block->count, features, profiles, reduced);
	LearnReduced(model, block, reduced);
	pfree(reduced);
}

/* ---------- functions ---------- */

static void
Learn(Dlints *model, const Observation *observation)
{
	Block		block = {
		1, &observation->reward, &observation->time, &observation->weight
	};

	LearnBlock(model, &block, observation->features, observation->profile);
}

/* The model after one observation. */
static Datum
Update(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	Dlints	   *model;
	Observation observation;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (ObservationIsMissing(fcinfo, form))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = PG_GETARG_DLINTS_P_COPY(0);
	observation = ObservationCreate(&model->header);
	ReadObservation(fcinfo, form, &model->header, &observation, NULL);
	Learn(model, &observation);
	ModelLearned(model);
	PG_RETURN_DLINTS_P(model);
}

/*
 * The model after one more observation: the three updates of Algorithm 1, in each
 * memory
 */
FORM_ENTRY(dlints_update, Update, ObservationForm,
		   .features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5)

/* Learn rows of a batch, a block at a time. */
static void
LearnRows(Dlints *model, Batch *batch, int row, int end)
{
	Block		block;

	if (row == end)
		return;
	for (; row < end; row += block.count)
	{
		block.count = Min(EVIDENCE_BLOCK, end - row);
		block.rewards = batch->rewards.numbers;
		block.times = batch->times + row;
		block.weights = batch->weights + row;
		BatchRead(batch, row, block.count);
		LearnBlock(model, &block, batch->features.numbers,
				   batch->profiles.numbers);
	}
	ModelLearned(model);
}

/*
 * The model after a batch, which is to choose its memory as single updates
 * would: when it was last due, and not at the end.
 */
static Datum
UpdateBatch(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	Dlints	   *model;
	Batch		batch;
	int			due;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (ObservationIsMissing(fcinfo, form))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = PG_GETARG_DLINTS_P_COPY(0);
	batch = BatchBegin(fcinfo, form, &model->header);
	due = (int) ModelLastChoice(&model->header, batch.rows);
	LearnRows(model, &batch, 0, due);
	LearnRows(model, &batch, due, batch.rows);
	PG_RETURN_DLINTS_P(model);
}

/* The same as single updates in array order */
FORM_ENTRY(dlints_update_batch, UpdateBatch, ObservationForm,
		   .features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5)

/*
 * Would the sums of the model still be finite?  Of moderate ones that is known
 * without learning.
 */
static bool
StaysFinite(Datum datum, const Observation *observation)
{
	Dlints	   *model = ModelCopyFromDatum(datum);

	Learn(model, observation);
	return ModelEvidenceIsValid(model);
}

/* Would dlints_update take these arguments? */
static Datum
Accepts(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	PreparedModel *prepared;
	Observation observation;
	Problem		problem;
	bool		accepts;

	if (PG_ARGISNULL(0) || ObservationIsMissing(fcinfo, form))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	observation = ObservationCreate(&prepared->header);
	accepts = prepared->header.updates < PG_INT64_MAX &&
		ReadObservation(fcinfo, form, &prepared->header, &observation, &problem) &&
		(PreparedIsModerate(prepared) ||
		 StaysFinite(PG_GETARG_DATUM(0), &observation));
	pfree(observation.features);
	pfree(observation.profile);
	PG_RETURN_BOOL(accepts);
}

/* Would dlints_update learn this observation?  Never an error */
FORM_ENTRY(dlints_accepts, Accepts, ObservationForm,
		   .features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5)
