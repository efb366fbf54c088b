/*
 * learned.c
 *		What follows when a model's evidence has changed: it is checked, its
 *		reference reward is kept near the rewards, and the memory in use, the
 *		ridge and the noise are found.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/linalg.h"
#include "core/numbers.h"
#include "core/ridge.h"
#include "model/model.h"

/* so many observations is worth what is known of the noise beforehand */
#define PRIOR_OBSERVATIONS	10.0

/* Microseconds from one time to a later one, as many as there is room for. */
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

/* R and S of all memories about another reference reward. */
void
ModelRebase(Dlints *model, double reference)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		evidence_rebase(&memories.memory[j],
						model->header.reference - reference);
	totals_rebase(&model->header.totals, model->header.reference - reference);
	model->header.reference = reference;
}

/*
 * The first reward may have been an odd one.  Move the reference to the mean
 * reward of a memory whose spread is a smaller share of S than this: S then has
 * fewer than twelve digits left for it.
 */
#define LEAST_SPREAD	1e-4

void
ModelKeepReference(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	int			j;

	if (!model->header.intercept)
		return;
	for (j = 0; j < memories.count; j++)
	{
		const Evidence *memory = &memories.memory[j];
		double		mean = *memory->R / *memory->N;
		double		reference = model->header.reference + mean;

		/* what comes from outside may have a mean that no rewards have */
		if (*memory->N > 0.0 && fabs(reference) <= WIDEN_MAX &&
			*memory->S - *memory->R * mean < LEAST_SPREAD * *memory->S)
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

/* Of what came from outside, since observations leave a posterior. */
static void
NoPosterior(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("dlints evidence out of range"),
			 errdetail("With this ridge and prior it has no posterior.")));
}

static double *
WorkSpace(Size count)
{
	CHECK_FOR_INTERRUPTS();
	BlasReady();
	return MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * count);
}

/*
 * Combine the noise that the prior knows with the noise that the rewards show.  The
 * prior counts as PRIOR_OBSERVATIONS: rewards that are all equal show no noise.
 */
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
	return sqrt((squares + PRIOR_OBSERVATIONS * prior * prior) /
				(*longest->N + PRIOR_OBSERVATIONS));
}

/*
 * Find the memory in use and the noise.  A single memory under a given ridge and
 * noise has nothing to be found.
 */
static MemoryChoice
ChooseMemory(DlintsHeader *header, const Memories *memories, double prior_sigma)
{
	MemoryChoice choice = {0, 1.0, 0.0};
	Rewards		rewards = ModelRewards(header);
	double	   *work;

	if (memories->count > 1 || header->noise == 0.0 || header->ridge == 0.0)
	{
		work = WorkSpace(memory_choose_work(ModelCoordinates(header),
											memories->count));
		choice = memory_choose(memories->memory, memories->count,
							   ModelFirstRidge(header), &rewards, work);
		pfree(work);
		if (choice.used < 0)
			NoPosterior();
	}
	header->memory = choice.used + 1;
	header->sigma = header->noise > 0.0 ? header->noise :
		SigmaWithPrior(prior_sigma, &memories->memory[memories->count - 1], &rewards, choice.sigma);
	return choice;
}

/*
 * Find the ridge, of a model that was given none.  Only the longest memory knows
 * enough for that.
 */
static void
ChooseRidge(DlintsHeader *header, const Memories *memories,
			double parameters)
{
	Rewards		rewards = ModelRewards(header);
	double	   *work;

	header->lambda = ModelFirstRidge(header);
	if (header->ridge > 0.0 || header->memory < header->memories)
		return;
	work = WorkSpace(ridge_find_work(ModelCoordinates(header)));
	header->lambda = ridge_find(&memories->memory[header->memory - 1],
								parameters, header->lambda, &rewards,
								header->noise, work);
	pfree(work);
}

/* Find all that is found, from the evidence alone. */
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
 * A choice takes about D^3 operations, an update D^2: with two or three memories
 * and a ridge to be found 30 and 3 us at D = 24, 1,200 and 30 us at D = 130, where
 * storing the model takes 60 us and more.  So models of up to 12 coordinates
 * choose after each update, larger ones after (D / 12)^2 of them.  That makes
 * some 10 us an update.  In a short history an eighth of it is enough to
 * change the evidence, and a choice is due then.
 */
#define ALWAYS_CHOSEN_DIM	12

/* So many updates after a choice the next one is due. */
static int64
ChoiceInterval(const DlintsHeader *header, int64 chosen)
{
	double		dim = (double) ModelCoordinates(header) / ALWAYS_CHOSEN_DIM;

	return Max(1, Min((int64) (dim * dim), chosen / 8));
}

/*
 * After which of so many updates more is the last of the choices due that single
 * updates would make?  0 if none is.
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
 * The last door before a model that has learned more is stored: what is not
 * finite does not pass.
 */
void
ModelLearned(Dlints *model)
{
	const DlintsHeader *header = &model->header;

	CheckEvidence(model);
	if (header->updates - header->chosen >=
		ChoiceInterval(header, header->chosen))
		ModelChoose(model);
}

/* The last door for what is not learned, but put together. */
void
ModelCheckPosteriors(Dlints *model)
{
	if (!ModelPosteriorsExist(model))
		NoPosterior();
}

/*
 * The same for one that other evidence was added to or taken from, or that has
 * aged, which makes the choice anew.
 */
void
ModelSummed(Dlints *model)
{
	CheckEvidence(model);
	ModelChoose(model);
}

/*
 * The same for one whose evidence was weighed, or that has another ridge.  What
 * came from outside may have a posterior only as it came.
 */
void
ModelRevised(Dlints *model)
{
	ModelSummed(model);
	ModelCheckPosteriors(model);
}

/*
 * Is it out of the question that another observation makes the sums overflow?
 * What one adds is beneath the last digit of the largest numbers (see numbers.h);
 * a change of the reference by at most twice WIDEN_MAX multiplies N by its
 * square, 4e100.  Only models from elsewhere come near.
 */
#define MODERATE_SUM	1e150

bool
ModelIsModerate(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	const Totals *totals = &model->header.totals;
	int			j;

	for (j = 0; j < memories.count; j++)
		if (*memories.memory[j].N > MODERATE_SUM ||
			fabs(*memories.memory[j].R) > MODERATE_SUM ||
			*memories.memory[j].S > MODERATE_SUM)
			return false;
	return totals->N <= MODERATE_SUM && fabs(totals->R) <= MODERATE_SUM &&
		totals->peak <= MODERATE_SUM;
}
