/*
 * learned.c
 *		Check the sums of a model after a change, and choose discount factor, ridge and noise.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/numbers.h"
#include "core/ridge.h"
#include "model/model.h"

/* Weight of the prior's noise in an estimate of noise, in observations (doc/algorithm.md) */
#define PRIOR_NOISE_OBSERVATIONS	10.0

/* Return the microseconds between two times, at most PG_INT64_MAX. */
int64
TimeBetween(int64 earlier, int64 later)
{
	int64		between;

	return pg_sub_s64_overflow(later, earlier, &between) ? PG_INT64_MAX : between;
}

void
ModelCheckCount(int64 updates, int64 more)
{
	int64		sum;

	if (pg_add_s64_overflow(updates, more, &sum))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints update count out of range")));
}

/* Change the reference reward, which a model subtracts from all rewards, and adjust the sums. */
void
ModelRebase(Dlints *model, double reference)
{
	Memories	memories = ModelMemories(model);

	for (int j = 0; j < memories.count; j++)
		evidence_rebase(&memories.memory[j], model->header.reference - reference);
	totals_rebase(&model->header.totals, model->header.reference - reference);
	model->header.reference = reference;
}

/*
 * Minimum ratio of two sums of squared deviations of rewards: from the mean, and from the
 * reference reward.  With a lower ratio, rounding errors are large, and the mean becomes the
 * reference.
 */
#define MIN_SPREAD_SHARE	1e-4

void
ModelKeepReference(Dlints *model)
{
	Memories	memories = ModelMemories(model);

	if (!model->header.intercept)
		return;
	for (int j = 0; j < memories.count; j++)
	{
		const Evidence *memory = &memories.memory[j];
		double		mean = *memory->R / *memory->N;
		double		reference = model->header.reference + mean;

		/* the mean may exceed WIDEN_MAX in a model from external input */
		if (*memory->N > 0.0 && fabs(reference) <= WIDEN_MAX &&
			*memory->S - *memory->R * mean < MIN_SPREAD_SHARE * *memory->S)
		{
			ModelRebase(model, reference);
			return;
		}
	}
}

static void
CheckEvidence(Dlints *model)
{
	if (!ModelEvidenceIsValid(model))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints evidence out of range"),
				 errdetail("The sums over features and rewards overflow double precision."),
				 errhint("Scale features and rewards to moderate size.")));
}

/* Raise an error for a model from external input whose posterior cannot be computed. */
static void
RaiseNoPosterior(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("dlints evidence out of range"),
			 errdetail("The evidence has no posterior with this ridge and prior.")));
}

static double *
AllocateWorkspace(Size count)
{
	CHECK_FOR_INTERRUPTS();
	BlasReady();
	return MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * count);
}

/* Combine the prior's noise with the estimated noise, which counts as 0 if rewards are equal. */
static double
SigmaWithPrior(double prior, const Evidence *longest, const Rewards *rewards, double sigma)
{
	double		squares = 0.0;

	if (prior == 0.0)
		return sigma;
	if (*longest->N == 0.0)
		return prior;
	if (memory_squares(longest, rewards) > 0.0)
		squares = *longest->N * sigma * sigma;
	return sqrt((squares + PRIOR_NOISE_OBSERVATIONS * prior * prior) /
				(*longest->N + PRIOR_NOISE_OBSERVATIONS));
}

/* Choose the discount factor for predictions, and estimate the noise of rewards. */
static MemoryChoice
ChooseMemory(DlintsHeader *header, const Memories *memories, double prior_sigma)
{
	MemoryChoice choice = {0, 1.0, 0.0};
	Rewards		rewards = ModelRewards(header);
	double	   *work;

	if (memories->count > 1 || header->noise == 0.0 || header->ridge == 0.0)
	{
		work = AllocateWorkspace(memory_choose_work(ModelCoefficientCount(header),
													memories->count));
		choice = memory_choose(memories->memory, memories->count,
							   ModelFirstRidge(header), &rewards, work);
		pfree(work);
		if (choice.used < 0)
			RaiseNoPosterior();
	}
	header->memory = choice.used + 1;
	header->sigma = header->noise > 0.0 ? header->noise :
		SigmaWithPrior(prior_sigma, &memories->memory[memories->count - 1], &rewards, choice.sigma);
	return choice;
}

/*
 * Set the ridge to the user's value or to an estimate.  If recent rewards contradict older ones,
 * the initial ridge is used instead of an estimate.
 */
static void
ChooseRidge(DlintsHeader *header, const Memories *memories, double parameters)
{
	Rewards		rewards = ModelRewards(header);
	double	   *work;

	header->lambda = ModelFirstRidge(header);
	if (header->ridge > 0.0 || header->memory < header->memories)
		return;
	work = AllocateWorkspace(ridge_find_work(ModelCoefficientCount(header)));
	header->lambda = ridge_find(&memories->memory[header->memory - 1],
								parameters, header->lambda, &rewards, header->noise, work);
	pfree(work);
}

/* Choose the discount factor, noise and ridge of a model from its sums over observations. */
static void
ModelChoose(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	Prior		prior = ModelPrior(&model->header, ModelPriorNumbers(model));
	MemoryChoice choice = ChooseMemory(&model->header, &memories, prior.sigma);

	ChooseRidge(&model->header, &memories, choice.parameters);
	model->header.chosen = model->header.updates;
}

/*
 * Number of coefficients up to which a model always chooses its discount factor, noise and ridge
 * after each update.  For larger models, the choice takes much longer than the update.
 */
#define MAX_DIM_CHOSEN_ALWAYS	12

/*
 * Return the number of updates between two choices of discount factor, noise and ridge.  The
 * number grows with the number of updates, because estimates change quickly at first.
 */
static int64
ChoiceInterval(const DlintsHeader *header, int64 chosen)
{
	double		dim = (double) ModelCoefficientCount(header) / MAX_DIM_CHOSEN_ALWAYS;

	return Max(1, Min((int64) (dim * dim), chosen / 8));
}

/*
 * Find the last of the next "more" updates after which the model chooses its discount factor, noise
 * and ridge.  Returns its number, counted from 1, or 0 if there is none.
 */
int64
ModelLastChoice(const DlintsHeader *header, int64 more)
{
	int64		last = 0;
	int64		next = header->chosen - header->updates +
		ChoiceInterval(header, header->chosen);

	ModelCheckCount(header->updates, more);
	while (next <= more)
	{
		last = Max(next, 1);
		next = last + ChoiceInterval(header, header->updates + last);
	}
	return last;
}

/*
 * Check a model after training.  Raises an error if sums overflow.  Every ChoiceInterval() updates,
 * also chooses the discount factor, noise and ridge.
 */
void
ModelFinishTraining(Dlints *model)
{
	const DlintsHeader *header = &model->header;

	CheckEvidence(model);
	if (header->updates - header->chosen >= ChoiceInterval(header, header->chosen))
		ModelChoose(model);
}

/* Raise an error unless the prior, and the sums under each discount factor, give a posterior. */
void
ModelCheckPosteriors(Dlints *model)
{
	if (!ModelPosteriorsExist(model))
		RaiseNoPosterior();
}

/* Check that the sums of a model are finite, and choose its discount factor, noise and ridge. */
void
ModelFinishSum(Dlints *model)
{
	CheckEvidence(model);
	ModelChoose(model);
}

/* Check a model after a change of its parameters or prior, and choose its discount factor. */
void
ModelFinishRevision(Dlints *model)
{
	ModelFinishSum(model);
	ModelCheckPosteriors(model);
}

/* Limit of a model's sums below which another observation cannot cause an overflow */
#define MAX_MODERATE_SUM	1e150

bool
ModelIsModerate(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	const Totals *totals = &model->header.totals;

	for (int j = 0; j < memories.count; j++)
		if (*memories.memory[j].N > MAX_MODERATE_SUM ||
			fabs(*memories.memory[j].R) > MAX_MODERATE_SUM ||
			*memories.memory[j].S > MAX_MODERATE_SUM)
			return false;
	return totals->N <= MAX_MODERATE_SUM && fabs(totals->R) <= MAX_MODERATE_SUM &&
		totals->peak <= MAX_MODERATE_SUM;
}
