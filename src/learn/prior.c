/*
 * prior.c
 *		What is known beforehand, kept apart from what is learned.
 */
#include "postgres.h"

#include <math.h>

#include "model/model.h"
#include "sql/observation.h"

/* The model with room for a prior of this weight, and none where that is 0. */
static Dlints *
WithRoom(Dlints *model, double weight)
{
	DlintsHeader header = model->header;
	Dlints	   *other;

	header.prior_weight = weight;
	other = ModelAllocate(&header);
	memcpy(other->values, model->values, sizeof(float8) *
		   ModelMemoriesCount(&header, header.memories));
	return other;
}

/* The standard deviation of the rewards of evidence; 0 if they are all the same */
static double
Spread(const Evidence *e)
{
	double		mean = *e->R / *e->N;
	double		variance = *e->S / *e->N - mean * mean;

	if (!(variance > LEAST_SHARE * (*e->S / *e->N)))
		return 0.0;
	return fmin(sqrt(variance), DLINTS_MAX_NOISE);
}

PG_FUNCTION_INFO_V1(dlints_with_prior);

/*
 * dlints_with_prior(model, evidence, weight): the model with the evidence known
 * beforehand, in place of what it had of that kind (core/prior.h)
 */
Datum
dlints_with_prior(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	Dlints	   *evidence;
	Memories	memories;
	Evidence	longest;
	Rewards		rewards;
	double		weight;
	double	   *numbers;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	weight = PG_ARGISNULL(2) ? 1.0 : PG_GETARG_FLOAT8(2);
	CheckWeight(weight, NULL);
	model = PG_GETARG_DLINTS_P(0);
	evidence = PG_GETARG_DLINTS_P(1);
	ModelCheckSameEvidence(&model->header, &evidence->header);
	memories = ModelMemories(evidence);
	longest = memories.memory[memories.count - 1];
	rewards = ModelRewards(&evidence->header);
	model = WithRoom(model, *longest.N > 0.0 ? weight : 0.0);
	if (*longest.N > 0.0)
	{
		numbers = ModelPriorNumbers(model);
		numbers[1] = Spread(&longest);
		prior_from(&longest, &rewards, numbers, numbers + 2,
				   numbers + 2 + longest.dim);
	}
	ModelRevised(model);
	PG_RETURN_DLINTS_P(model);
}
