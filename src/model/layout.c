/*
 * layout.c
 *		Compute the sizes and positions of a model's arrays from its header.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "core/ridge.h"
#include "model/model.h"

/* Return how a model combines item features and a user profile. */
Kind
ModelKind(const DlintsHeader *header)
{
	return (Kind) {header->interactions, header->feature_dim, header->reduced_dim,
		header->intercept != 0};
}

/*
 * Return the random projection of a model.  With user profiles, the projection's scale is divided
 * by 4 (see core/kinds.h).
 */
Projection
ModelProjection(const DlintsHeader *header)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;

	Assert(ModelHasProjection(header));
	return (Projection) {(uint64) header->seed,
		header->projection_scale / (matched ? MATCHED_SCALE : 1.0),
		header->feature_dim, header->reduced_dim};
}

/* Return the number of coefficients of a model, including the intercept. */
int
ModelCoefficientCount(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_reduced_len(&kind);
}

/* Return the number of weights of item features, plus 1 for an intercept. */
int
ModelLiftedLen(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_lifted_len(&kind);
}

/* Do the weights of old observations decay under the discount factor with index j? */
bool
ModelMemoryFades(const DlintsHeader *header, int j)
{
	return memory_fades(j, header->memories, ModelIsByTime(header) ? 0.0 : header->discount);
}

/*
 * Return the factor by which sums decay under the discount factor with index j.  The sums decay
 * over "updates" observations or, with half-lives, over "time" microseconds.
 */
double
ModelMemoryDecay(const DlintsHeader *header, int j, int64 updates, int64 time)
{
	if (!ModelMemoryFades(header, j))
		return 1.0;
	if (ModelIsByTime(header))
		return exp2(-((double) time / USECS_PER_SEC) / memory_half_life(j, header->half_life));
	return pow(memory_discount(j, header->memories, header->discount), (double) updates);
}

/* Return how a model stores sums with squared weights for the discount factor with index j. */
Squares
ModelMemorySquares(const DlintsHeader *header, int j)
{
	if (!ModelMemoryFades(header, j))
		return SQUARES_NONE;
	return header->memories > 1 ? SQUARES_SUM : SQUARES_MATRIX;
}

/* Return the number of doubles in the sums under the first "memories" discount factors. */
Size
ModelMemoriesCount(const DlintsHeader *header, int memories)
{
	int			dim = ModelCoefficientCount(header);
	Size		count = 0;

	for (int j = 0; j < memories; j++)
		count = add_size(count, evidence_value_count(dim, ModelMemorySquares(header, j)));
	return count;
}

/* Return the number of doubles in the prior of a model, or 0 without a prior. */
Size
ModelPriorCount(const DlintsHeader *header)
{
	int			dim = ModelCoefficientCount(header);

	return header->prior_weight > 0.0 ? 2 + (Size) dim + linalg_packed_len(dim) : 0;
}

/* Return the number of doubles that a stored model has.  Untrained models omit their sums. */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return add_size(header->updates > 0 ?
					ModelMemoriesCount(header, header->memories) : 0, ModelPriorCount(header));
}

/* Return the size in bytes of a model whose header is followed by "count" doubles. */
Size
ModelSizeOf(Size count)
{
	return add_size(sizeof(DlintsHeader), mul_size(count, sizeof(float8)));
}

Size
ModelStoredSize(const DlintsHeader *header)
{
	return ModelSizeOf(ModelStoredCount(header));
}

/* Format the dimensions of a model as a type modifier, such as "(8,matched,intercept)". */
char *
ModelShape(const DlintsHeader *header)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", header->feature_dim);
	if (header->reduced_dim > 0)
		appendStringInfo(&buf, ",%d", header->reduced_dim);
	if (header->interactions == INTERACTIONS_MATCHED)
		appendStringInfoString(&buf, ",matched");
	if (header->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/* Return pointers to a model's sums over observations for each discount factor. */
Memories
ModelMemories(Dlints *model)
{
	int			dim = ModelCoefficientCount(&model->header);
	double	   *values = model->values;
	Memories	memories;

	memories.count = model->header.memories;
	for (int j = 0; j < memories.count; j++)
	{
		Squares		squares = ModelMemorySquares(&model->header, j);

		evidence_bind(&memories.memory[j], dim, squares, values);
		values += evidence_value_count(dim, squares);
	}
	return memories;
}

double *
ModelPriorNumbers(Dlints *model)
{
	return model->values +
		ModelMemoriesCount(&model->header, model->header.memories);
}

/* Return the address of the first stored double.  Models without updates store no sums. */
double *
ModelStoredNumbers(Dlints *model)
{
	return model->header.updates > 0 ? model->values : ModelPriorNumbers(model);
}

/* Number of observations per feature that halve a prior's weight (doc/algorithm.md, "Prior") */
#define PRIOR_HALVING_OBSERVATIONS		10.0

/*
 * Return the prior of a model, or only its ridge if "numbers" is NULL.
 *
 * If recent rewards contradict older ones, the model uses a smaller discount factor than its
 * largest one.  The weight of the prior is then 0.
 */
Prior
ModelPrior(const DlintsHeader *header, const double *numbers)
{
	int			dim = ModelCoefficientCount(header);
	double		steady = PRIOR_HALVING_OBSERVATIONS * dim;
	Prior		prior = prior_of_ridge(header->lambda);

	if (header->intercept)
		prior.last_ridge = ModelFirstRidge(header);
	if (header->prior_weight > 0.0 && numbers != NULL)
	{
		if (header->memory == header->memories)
			prior.weight = header->prior_weight * steady /
				(steady + header->totals.N);
		prior.N = numbers;
		prior.sigma = numbers[1];
		prior.p = numbers + 2;
		prior.P = prior.p + dim;
	}
	return prior;
}

/* Return the ridge of an untrained model: the one that the user has set, or RIDGE_START. */
double
ModelFirstRidge(const DlintsHeader *header)
{
	return header->ridge > 0.0 ? header->ridge : RIDGE_START;
}

/* Return the noise of an untrained model: the one that the user has set, the prior's, or 1. */
double
ModelFirstSigma(Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Prior		prior = ModelPrior(header, ModelPriorNumbers(model));

	if (header->noise > 0.0)
		return header->noise;
	return prior.sigma > 0.0 ? prior.sigma : 1.0;
}

Rewards
ModelRewards(const DlintsHeader *header)
{
	return (Rewards) {header->intercept != 0, header->reference, header->totals};
}
