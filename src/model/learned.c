/*
 * learned.c
 *		What follows when a model's evidence has changed: it is checked, its
 *		reference reward is kept near the rewards, and the memory in use and
 *		the noise are found.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/linalg.h"
#include "core/widen.h"
#include "model/model.h"

/*
 * Comes before whatever calls BLAS.  OpenBLAS takes 128 MB of address space at
 * its first product, and where there is none it tries again for ever, deaf to
 * every signal but SIGQUIT.
 */
void
BlasReady(void)
{
	if (unlikely(!linalg_ready()))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("BLAS needs 128 MB of address space for each process that computes."),
				 errhint("Raise or remove the limit on the server's address space (ulimit -v).")));
}

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

/*
 * Find the memory in use and the noise, from the evidence alone.  A single
 * memory under a given noise has nothing to be found.
 */
static void
ModelChoose(Dlints *model)
{
	DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	MemoryChoice choice = {0, 1.0};
	double	   *work;

	if (memories.count > 1 || header->noise == 0.0)
	{
		CHECK_FOR_INTERRUPTS();
		BlasReady();
		work = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) *
									  memory_choose_work(ModelCoordinates(header),
														 memories.count));
		choice = memory_choose(memories.memory, memories.count, header->ridge,
							   header->intercept, header->reference, work);
		pfree(work);
	}
	header->memory = choice.used + 1;
	header->sigma = header->noise > 0.0 ? header->noise : choice.sigma;
	header->chosen = header->updates;
}

/*
 * A choice takes about D^3 operations, an update D^2: with three memories 14 and
 * 2.5 us at D = 12, 27 and 3.3 us at D = 24, 580 and 39 us at D = 130, where
 * storing the model takes 60 us and more.  So models of up to 12 coordinates
 * choose after each update, larger ones after (D / 12)^2 of them.  That makes
 * at most 14 us an update.  In a short history an eighth of it is enough to
 * change the evidence, and a choice is due then.
 */
#define ALWAYS_CHOSEN_DIM	12

/* So many updates after the last choice the next one is due. */
static int64
ChoiceInterval(const DlintsHeader *header, int64 chosen)
{
	double		dim = (double) ModelCoordinates(header) / ALWAYS_CHOSEN_DIM;

	return Max(1, Min((int64) (dim * dim), chosen / 8));
}

static void
CheckEvidence(Dlints *model)
{
	if (!ModelEvidenceIsValid(model))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints evidence out of range"),
				 errdetail("The sums over contexts and rewards overflow double precision."),
				 errhint("Scale contexts and rewards to moderate size.")));
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

/* The same for one whose evidence has changed in another way. */
void
ModelRevised(Dlints *model)
{
	CheckEvidence(model);
	ModelChoose(model);
}

/*
 * Is it out of the question that another observation makes the sums overflow?
 * What one adds is beneath the last digit of the largest numbers (see widen.h);
 * a change of the reference by at most twice WIDEN_MAX multiplies N by its
 * square, 4e100.  Only models from elsewhere come near.
 */
#define MODERATE_SUM	1e150

bool
ModelIsModerate(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		if (*memories.memory[j].N > MODERATE_SUM ||
			fabs(*memories.memory[j].R) > MODERATE_SUM ||
			*memories.memory[j].S > MODERATE_SUM)
			return false;
	return true;
}
