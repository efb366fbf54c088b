/*
 * parts.c
 *		Compute results from a model: mean and covariance of the posterior, and draws.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/random.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "sql/args.h"

StaticAssertDecl(DLINTS_MAX_DIM + 1 <= POSTERIOR_MAX_DIM, "posterior of too few features");

static double *
AllocatePart(PreparedModel *prepared, Size count)
{
	return PreparedAlloc(prepared, count * sizeof(double));
}

/* Compute the Cholesky factors of the posterior.  Raises an error if it does not exist. */
void
FactorEvidence(const Evidence *evidence, const Prior *prior, Factor *factor)
{
	BlasReady();
	if (!posterior_factor(evidence, prior, factor))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("posterior of dlints model does not exist"),
				 errdetail("The evidence is not positive semidefinite, or out of range with ridge and prior.")));
}

static double *
CopyNumbers(PreparedModel *prepared, const double *numbers, Size count)
{
	return memcpy(AllocatePart(prepared, count), numbers, count * sizeof(double));
}

/*
 * Compute the results of a model that the flags in "parts" select, except existing results.  We
 * store complete results only, because an error may stop the computation.
 */
static void
MakeParts(PreparedModel *prepared, int parts)
{
	const DlintsHeader *header = &prepared->header;
	int			dim = prepared->dim;
	bool		both = parts != PART_MEAN &&
		ModelMemoryFades(header, header->memory - 1);
	Evidence	evidence = ModelMemoryFromDatum(prepared->datum, header, both);
	Prior		prior = ModelPriorFromDatum(prepared->datum, header);
	Rewards		rewards = ModelRewards(header);
	Size		count = factor_value_count(dim, both);
	double	   *b = palloc(sizeof(double) * dim);
	double	   *factors = palloc(sizeof(double) * count);
	Factor		factor;

	factor_bind(&factor, dim, both, factors);
	FactorEvidence(&evidence, &prior, &factor);
	prepared->level = memory_center(&evidence, &rewards, b);
	prior_add(&prior, dim, b);
	if ((parts & PART_MEAN) && !prepared->mean)
	{
		double	   *mean = AllocatePart(prepared, dim);

		posterior_mean(&factor, b, mean);
		mean[dim - 1] += prepared->level;
		prepared->mean = mean;
	}
	if ((parts & PART_ROOT) && !prepared->root)
	{
		Size		size = (Size) dim * dim;
		double	   *root = AllocatePart(prepared, size);

		posterior_root(&factor, root);
		for (Size i = 0; i < size; i++)
			root[i] *= header->sigma;
		prepared->root = root;
	}
	if ((parts & PART_DRAW) && !prepared->factors)
	{
		posterior_shift(&factor, b);
		prepared->shift = CopyNumbers(prepared, b, dim);
		prepared->factors = CopyNumbers(prepared, factors, count);
	}
}

/* Compute the results of a model that the flags in "parts" select, in a temporary work space. */
void
PrepareParts(PreparedModel *prepared, int parts)
{
	MemoryContext work;
	MemoryContext caller;

	if ((parts & PART_MEAN) && !prepared->mean && ModelStoredCount(&prepared->header) == 0)
		prepared->mean = memset(AllocatePart(prepared, prepared->dim), 0,
								prepared->dim * sizeof(double));
	if (((parts & PART_MEAN) == 0 || prepared->mean) &&
		((parts & PART_ROOT) == 0 || prepared->root) &&
		((parts & PART_DRAW) == 0 || prepared->factors))
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints parts", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	MakeParts(prepared, parts);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/*
 * Convert the posterior mean to weights of item features, for one user profile.  The weights are
 * cached, because queries usually process the rows of a user together.
 */
const double *
PreparedWeights(PreparedModel *prepared, Datum profile)
{
	if (prepared->lifted && ValueKeyMatches(&prepared->profile_key, profile))
		return prepared->weights;
	PrepareParts(prepared, PART_MEAN);
	prepared->lifted = false;	/* an error below could leave "weights" incomplete */
	if (!prepared->weights)
		prepared->weights = AllocatePart(prepared, ModelLiftedLen(&prepared->header));
	LiftParameter(&prepared->header, prepared->mean, profile, prepared->weights);
	PreparedReplaceKey(prepared, &prepared->profile_key, profile);
	prepared->lifted = true;
	return prepared->weights;
}

static void
BindFactor(const PreparedModel *prepared, Factor *factor)
{
	const DlintsHeader *header = &prepared->header;

	factor_bind(factor, prepared->dim,
				ModelMemoryFades(header, header->memory - 1), prepared->factors);
}

/*
 * Compute the expected reward and the standard error of one feature vector, without the covariance
 * matrix, which would take longer.  Overwrites the vector.
 */
double
PreparedScore(PreparedModel *prepared, double *reduced, double *stddev)
{
	double		level;
	double		mean;
	Factor		factor;

	PrepareParts(prepared, PART_DRAW);
	BindFactor(prepared, &factor);
	level = prepared->level * reduced[prepared->dim - 1];
	mean = level + posterior_score(&factor, prepared->shift, reduced, stddev);
	*stddev = ResultFinite(*stddev * prepared->header.sigma);
	return ResultFinite(mean);
}

/*
 * Draw vectors of coefficients from the posterior (Ghoorchian et al., Algorithm 1).  "first" is
 * the index of the first one in the sequence that the seed determines.
 */
void
PreparedDraws(PreparedModel *prepared, uint64 seed, int first, int count, double *draws)
{
	const DlintsHeader *header = &prepared->header;
	int			dim = prepared->dim;
	double	   *normals = palloc(sizeof(double) * dim * count);
	Factor		factor;

	PrepareParts(prepared, PART_DRAW);
	BindFactor(prepared, &factor);
	for (int i = 0; i < count; i++)
		random_normals(seed, RANDOM_DRAW, first + i, 0, dim, normals + (Size) i * dim);
	posterior_draws(&factor, prepared->shift, header->exploration * header->sigma,
					count, normals, draws);
	for (int i = 0; i < count; i++)
		draws[(Size) i * dim + dim - 1] += prepared->level;
	pfree(normals);
}

double *
PreparedDraw(PreparedModel *prepared, uint64 seed)
{
	double	   *draw = palloc(sizeof(double) * prepared->dim);

	PreparedDraws(prepared, seed, 0, 1, draw);
	return draw;
}

/* Are the sums of a model so small that another observation cannot cause an overflow? */
bool
PreparedIsModerate(PreparedModel *prepared)
{
	if (!prepared->is_moderate_known)
	{
		prepared->moderate = ModelIsModerate(ModelFromDatum(prepared->datum));
		prepared->is_moderate_known = true;
	}
	return prepared->moderate;
}
