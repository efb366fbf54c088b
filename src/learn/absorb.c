/*
 * absorb.c
 *		A block of observations into each memory of a model.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "learn/absorb.h"
#include "posterior/reduce.h"

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
