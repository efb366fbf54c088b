/*
 * update.c
 *		Train models: dlints_update, dlints_update_batch and dlints_accepts.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "learn/update.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* ---------- training on blocks ---------- */

/* Compute the weights of a block of observations under the discount factor with index j. */
static void
WeighBlock(const DlintsHeader *model, int j, const Block *block, double *weights)
{
	double		weight = 1.0;
	double		step = ModelMemoryDecay(model, j, 1, 0);

	for (int i = block->count - 1; i >= 0; i--)
		if (ModelIsByTime(model))
			weights[i] = block->weights[i] *
				ModelMemoryDecay(model, j, 0, TimeBetween(block->times[i], model->newest));
		else
		{
			weights[i] = block->weights[i] * weight;
			weight *= step;
		}
}

/*
 * Update a model's update count and newest time, and set the reference reward of an untrained model
 * with an intercept.  Returns the increase of the newest time in microseconds.
 */
static int64
CountBlock(DlintsHeader *model, const Block *block)
{
	int64		before = model->newest;

	ModelCheckCount(model->updates, block->count);
	if (model->updates == 0 && model->intercept)
		model->reference = block->rewards[0] + 0.0;
	for (int i = 0; ModelIsByTime(model) && i < block->count; i++)
		model->newest = Max(model->newest, block->times[i]);
	model->updates += block->count;
	return before == TIME_UNKNOWN ? 0 : TimeBetween(before, model->newest);
}

/*
 * Train a model on a block of observations, the oldest first (Ghoorchian et al., Algorithm 1).
 *
 * Steps that can raise an error come first, so that an error leaves the model unchanged.
 */
void
LearnReduced(Dlints *model, const Block *block, const double *reduced)
{
	DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	double		weights[EVIDENCE_BLOCK];
	int64		newer;

	CHECK_FOR_INTERRUPTS();
	BlasReady();
	newer = CountBlock(header, block);
	totals_absorb(&header->totals, block->count, block->rewards, header->reference, block->weights);
	for (int j = 0; j < memories.count; j++)
	{
		WeighBlock(header, j, block, weights);
		evidence_absorb(&memories.memory[j], ModelMemoryDecay(header, j, block->count, newer),
						block->count, reduced, block->rewards, header->reference, weights);
	}
	ModelKeepReference(model);
}

/* Train a model on item features and user profiles of observations, the oldest first. */
void
LearnBlock(Dlints *model, const Block *block, const double *features, const double *profiles)
{
	double	   *reduced = palloc(sizeof(double) * (Size) block->count *
								 ModelCoefficientCount(&model->header));

	ReduceFeatures(&model->header, block->count, features, profiles, reduced);
	LearnReduced(model, block, reduced);
	pfree(reduced);
}

/* ---------- SQL functions ---------- */

static void
LearnOne(Dlints *model, const Observation *observation)
{
	Block		block = {
		1, &observation->reward, &observation->time, &observation->weight
	};

	LearnBlock(model, &block, observation->features, observation->profile);
}

PG_FUNCTION_INFO_V1(dlints_update);

/* dlints_update(): train a model on one observation (Ghoorchian et al., Algorithm 1). */
Datum
dlints_update(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	Observation observation;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (ObservationIsMissing(fcinfo, &update_form))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = PG_GETARG_DLINTS_P_COPY(0);
	observation = ObservationCreate(&model->header);
	ReadObservation(fcinfo, &update_form, &model->header, &observation, NULL);
	LearnOne(model, &observation);
	ModelFinishTraining(model);
	PG_RETURN_DLINTS_P(model);
}

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
		LearnBlock(model, &block, batch->features.numbers, batch->profiles.numbers);
	}
	ModelFinishTraining(model);
}

PG_FUNCTION_INFO_V1(dlints_update_batch);

/* dlints_update_batch(): train a model on many observations, faster than dlints_update(). */
Datum
dlints_update_batch(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	Batch		batch;
	int			due;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (ObservationIsMissing(fcinfo, &update_form))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = PG_GETARG_DLINTS_P_COPY(0);
	batch = BatchBegin(fcinfo, &update_form, &model->header);
	due = (int) ModelLastChoice(&model->header, batch.rows);
	LearnRows(model, &batch, 0, due);
	LearnRows(model, &batch, due, batch.rows);
	PG_RETURN_DLINTS_P(model);
}

/* Do a model's sums remain finite after training on an observation? */
static bool
RemainsFinite(Datum datum, const Observation *observation)
{
	Dlints	   *model = ModelCopyFromDatum(datum);

	LearnOne(model, observation);
	return ModelEvidenceIsValid(model);
}

PG_FUNCTION_INFO_V1(dlints_accepts);

/* dlints_accepts(): would dlints_update() succeed for this observation? */
Datum
dlints_accepts(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;
	Observation observation;
	Problem		problem;
	bool		accepts;

	if (PG_ARGISNULL(0) || ObservationIsMissing(fcinfo, &update_form))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	observation = ObservationCreate(&prepared->header);
	accepts = prepared->header.updates < PG_INT64_MAX &&
		ReadObservation(fcinfo, &update_form, &prepared->header, &observation, &problem) &&
		(PreparedIsModerate(prepared) || RemainsFinite(PG_GETARG_DATUM(0), &observation));
	pfree(observation.features);
	pfree(observation.profile);
	PG_RETURN_BOOL(accepts);
}

