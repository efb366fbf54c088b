/*
 * parts.c
 *		What is made of a model, once for as long as it is recognised: factors,
 *		mean, widths, draws, and weights under a profile.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/random.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"

static double *
Numbers(PreparedModel *prepared, Size count)
{
	return PreparedAlloc(prepared, count * sizeof(double));
}

/* Z = L L' and Z~ = M M' of evidence, into a factor that was bound for it */
void
FactorEvidence(const Evidence *evidence, const Prior *prior, Factor *factor)
{
	BlasReady();
	if (!posterior_factor(evidence, prior, factor))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("posterior of dlints model does not exist"),
				 errdetail("Its evidence is not positive semidefinite or, with ridge and prior, out of range.")));
}

static double *
MakeMean(PreparedModel *prepared, const Factor *factor, const double *b)
{
	double	   *mean = Numbers(prepared, prepared->dim);

	posterior_mean(factor, b, mean);
	mean[prepared->dim - 1] += prepared->level;
	return mean;
}

static double *
MakeRoot(PreparedModel *prepared, const Factor *factor)
{
	Size		count = (Size) prepared->dim * prepared->dim;
	double	   *root = Numbers(prepared, count);
	Size		i;

	posterior_root(factor, root);
	for (i = 0; i < count; i++)
		root[i] *= prepared->header.sigma;
	return root;
}

static double *
CopyNumbers(PreparedModel *prepared, const double *numbers, Size count)
{
	return memcpy(Numbers(prepared, count), numbers, count * sizeof(double));
}

/*
 * Make the parts that are not there yet.  A part is attached when it is
 * complete, and what can end in an error is made in the current memory context:
 * an error leaves nothing behind.  The mean needs one matrix of the two.
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
	prepared->level = memory_centre(&evidence, &rewards, b);
	prior_add(&prior, dim, b);
	if ((parts & PART_MEAN) && !prepared->mean)
		prepared->mean = MakeMean(prepared, &factor, b);
	if ((parts & PART_ROOT) && !prepared->root)
		prepared->root = MakeRoot(prepared, &factor);
	if ((parts & PART_DRAW) && !prepared->factors)
	{
		prepared->b = CopyNumbers(prepared, b, dim);
		prepared->factors = CopyNumbers(prepared, factors, count);
	}
}

/* What is read of the model for that may be large, and goes at once. */
void
PrepareParts(PreparedModel *prepared, int parts)
{
	MemoryContext work;
	MemoryContext caller;

	if (((parts & PART_MEAN) == 0 || prepared->mean) &&
		((parts & PART_ROOT) == 0 || prepared->root) &&
		((parts & PART_DRAW) == 0 || prepared->factors))
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints parts",
								 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	MakeParts(prepared, parts);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* Lift the mean under another profile. */
static void
LiftMean(PreparedModel *prepared, Datum profile)
{
	PrepareParts(prepared, PART_MEAN);
	prepared->lifted = false;	/* until the weights are complete */
	if (!prepared->weights)
		prepared->weights = Numbers(prepared, ModelLiftedLen(&prepared->header));
	LiftParameter(&prepared->header, prepared->mean, profile, prepared->weights);
	PreparedReplaceKey(prepared, &prepared->profile_key, profile);
	prepared->lifted = true;
}

/*
 * The weights of the posterior mean under a profile (NULL where the
 * call has none).  Those of the last one are kept, since the rows of one user
 * tend to come together.
 */
const double *
PreparedWeights(PreparedModel *prepared, Datum profile)
{
	if (!prepared->lifted ||
		!ValueKeyMatches(&prepared->profile_key, profile))
		LiftMean(prepared, profile);
	return prepared->weights;
}

/* The factors that PART_DRAW keeps. */
static void
BindFactor(const PreparedModel *prepared, Factor *factor)
{
	const DlintsHeader *header = &prepared->header;

	factor_bind(factor, prepared->dim,
				ModelMemoryFades(header, header->memory - 1), prepared->factors);
}

/*
 * The expected reward at z and the posterior width there: for models that are
 * asked about one z, which need neither mean nor root.  "reduced" is
 * overwritten.
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
	mean = level + posterior_score(&factor, prepared->b, reduced, stddev);
	*stddev = ResultFinite(*stddev * prepared->header.sigma);
	return ResultFinite(mean);
}

/*
 * psi-tilde (Algorithm 1), number "first" and those that follow it under a
 * seed: "count" vectors of prepared->dim numbers
 */
void
PreparedDraws(PreparedModel *prepared, uint64 seed, int first, int count,
			  double *draws)
{
	const DlintsHeader *header = &prepared->header;
	int			dim = prepared->dim;
	double	   *normals = palloc(sizeof(double) * dim * count);
	double	   *work = palloc(sizeof(double) * dim);
	Factor		factor;
	int			i;

	PrepareParts(prepared, PART_DRAW);
	BindFactor(prepared, &factor);
	for (i = 0; i < count; i++)
		random_normals(seed, RANDOM_DRAW, first + i, dim,
					   normals + (Size) i * dim);
	posterior_draws(&factor, prepared->b, header->exploration * header->sigma,
					count, normals, draws, work);
	for (i = 0; i < count; i++)
		draws[(Size) i * dim + dim - 1] += prepared->level;
	pfree(work);
	pfree(normals);
}

/* The first of them, in the current memory context */
double *
PreparedDraw(PreparedModel *prepared, uint64 seed)
{
	double	   *draw = palloc(sizeof(double) * prepared->dim);

	PreparedDraws(prepared, seed, 0, 1, draw);
	return draw;
}

/* Can another observation not make the sums overflow?  Asked of rows in turns. */
bool
PreparedIsModerate(PreparedModel *prepared)
{
	if (!prepared->judged)
	{
		prepared->moderate = ModelIsModerate(ModelFromDatum(prepared->datum));
		prepared->judged = true;
	}
	return prepared->moderate;
}
