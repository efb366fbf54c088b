/*
 * validate.c
 *		May this be a model?  The one validator, of parameters, history and
 *		evidence, for every door; and whether two models fit together.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "core/linalg.h"
#include "core/numbers.h"
#include "core/posterior.h"
#include "model/fields.h"
#include "model/model.h"

void
ProblemRaise(const Problem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlerrcode),
			 errmsg("%s", problem->message),
			 problem->detail ? errdetail("%s", problem->detail) : 0,
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

/* A check has failed.  Returns false, for checks to return. */
bool
ProblemIs(Problem *problem, int sqlerrcode, const char *message,
		  const char *detail, const char *hint)
{
	Problem		found = {sqlerrcode, message, detail, hint};

	if (problem)
		*problem = found;
	else
		ProblemRaise(&found);
	return false;
}

/* The message says what is allowed, the detail what was given. */
static bool
OutOfRange(Problem *problem, const char *name, const char *range, double value)
{
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 psprintf("%s must be %s", name, range),
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(value)), NULL);
}

/* The comparison is written so that NaN fails it. */
static bool
NumberIsBetween(const char *name, double value, double min, double max,
				Problem *problem)
{
	if (value >= min && value <= max)
		return true;
	return OutOfRange(problem, name,
					  psprintf("between %g and %g", min, max), value);
}

static bool
DimensionIsValid(const char *name, int value, int max, Problem *problem)
{
	if (value < 1)
		return OutOfRange(problem, name, "at least 1", value);
	if (value > max)
		return ProblemIs(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf("dlints cannot have more than %d dimensions", max),
						 psprintf("%s is %d.", name, value), NULL);
	return true;
}

/* Does this version know all that the header names? */
static bool
KindsAreKnown(const DlintsHeader *header, Problem *problem)
{
	static const float8 zeros[lengthof(header->unused2)];

	if (header->version != DLINTS_FORMAT_VERSION)
		return ProblemIs(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
						 psprintf("unsupported dlints format version %d",
								  header->version), NULL, NULL);
	if (header->policy >= POLICY_COUNT)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("Policy number %d is unknown", header->policy),
						 NULL, NULL);
	if (header->interactions >= INTERACTIONS_COUNT)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("Interactions number %d are unknown",
								  header->interactions), NULL, NULL);
	if (header->intercept > 1)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "intercept must be 0 or 1", NULL, NULL);
	if (header->unused1 != 0 ||
		memcmp(header->unused2, zeros, sizeof(zeros)) != 0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "Unused fields must be zero", NULL, NULL);
	return true;
}

/* A profile has interactions, and the features' length. */
static bool
ProfileDimIsValid(const DlintsHeader *header, Problem *problem)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;

	if (header->profile_dim == (matched ? header->feature_dim : 0))
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 matched ? "profile_dim must be dim with matched interactions" :
					 "profile_dim needs interactions",
					 psprintf("profile_dim is %d, dim is %d.",
							  header->profile_dim, header->feature_dim), NULL);
}

/* A projection has at most as many rows as columns. */
static bool
ReductionIsValid(const DlintsHeader *header, Problem *problem)
{
	if (!ModelCheckReducedDim(header->reduced_dim, problem))
		return false;
	if (header->reduced_dim > header->feature_dim)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "reduced_dim must not be greater than dim",
						 psprintf("reduced_dim is %d, dim is %d.",
								  header->reduced_dim, header->feature_dim), NULL);
	return NumberIsBetween("projection_scale", header->projection_scale,
						   DLINTS_MIN_SCALE, DLINTS_MAX_SCALE, problem);
}

/* Without one, there is nothing to scale. */
static bool
NoReductionIsValid(const DlintsHeader *header, Problem *problem)
{
	return header->projection_scale == 0.0 ||
		OutOfRange(problem, "projection_scale", "0 without projection",
				   header->projection_scale);
}

/* The coordinates that are learned, of which a projection saves many. */
static bool
CoordinatesAreFew(const DlintsHeader *header, Problem *problem)
{
	Kind		kind = ModelKind(header);
	int64		coordinates = kind_coordinates(&kind);
	const char *interactions = interactions_names[header->interactions];

	if (coordinates <= DLINTS_MAX_DIM)
		return true;
	return ProblemIs(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					 psprintf("dlints cannot have more than %d dimensions%s",
							  DLINTS_MAX_DIM,
							  ModelHasProjection(header) ? "" : " without projection"),
					 interactions ?
					 psprintf("This model, with %s interactions, would have " INT64_FORMAT ".",
							  interactions, coordinates) :
					 psprintf("dim is %d and there is no reduced_dim.",
							  header->feature_dim),
					 ModelHasProjection(header) ? NULL :
					 "Give reduced_dim, to which features are then projected.");
}

/*
 * What a user gave is also asked for by itself: the header's 0, for no half-life
 * and no reduced_dim, is not to be had by saying so, and there may be more memories
 * than it can hold.
 */
bool
ModelCheckHalfLife(double seconds, Problem *problem)
{
	return NumberIsBetween("half_life in seconds", seconds, DLINTS_MIN_HALF_LIFE,
						   DLINTS_MAX_HALF_LIFE, problem);
}

bool
ModelCheckReducedDim(int reduced_dim, Problem *problem)
{
	return DimensionIsValid("reduced_dim", reduced_dim, DLINTS_MAX_DIM, problem);
}

bool
ModelCheckMemories(int memories, Problem *problem)
{
	if (memories < 1 || memories > MEMORY_MAX)
		return OutOfRange(problem, "memories",
						  psprintf("between 1 and %d", MEMORY_MAX), memories);
	return true;
}

/* A model forgets by count or by time, and only what forgets has other memories. */
static bool
ForgettingIsValid(const DlintsHeader *header, Problem *problem)
{
	if (!ModelCheckMemories(header->memories, problem))
		return false;
	if (header->half_life != 0.0)
	{
		if (header->discount != 0.0)
			return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "a model has either a discount or a half_life", NULL, NULL);
		return ModelCheckHalfLife(header->half_life, problem);
	}
	if (header->memories > 1 && header->discount == 1.0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "discount must be less than 1 for several memories",
						 "With a discount of 1 the first one forgets nothing.", NULL);
	return NumberIsBetween("discount", header->discount,
						   DLINTS_MIN_DISCOUNT, 1.0, problem);
}

/*
 * Are the parameters good?  Safe on a header alone, before anything of the
 * size that it implies is allocated.
 */
bool
ModelCheckParameters(const DlintsHeader *header, Problem *problem)
{
	return KindsAreKnown(header, problem) &&
		DimensionIsValid("dim", header->feature_dim, DLINTS_MAX_FEATURE_DIM, problem) &&
		ProfileDimIsValid(header, problem) &&
		(header->reduced_dim == 0 ? NoReductionIsValid(header, problem) :
		 ReductionIsValid(header, problem)) &&
		CoordinatesAreFew(header, problem) &&
		ForgettingIsValid(header, problem) &&
		(header->noise == 0.0 ||
		 NumberIsBetween("noise", header->noise,
						 DLINTS_MIN_NOISE, DLINTS_MAX_NOISE, problem)) &&
		(header->ridge == 0.0 ||
		 NumberIsBetween("ridge", header->ridge,
						 DLINTS_MIN_RIDGE, DLINTS_MAX_RIDGE, problem)) &&
		(header->prior_weight == 0.0 ||
		 NumberIsBetween("prior_weight", header->prior_weight,
						 DBL_MIN, DLINTS_MAX_WEIGHT, problem)) &&
		NumberIsBetween("exploration", header->exploration,
						0.0, DLINTS_MAX_EXPLORATION, problem);
}

/* But for sigma, of which a prior knows more than the header. */
static bool
NoHistory(const DlintsHeader *header)
{
	return header->newest == TIME_UNKNOWN && header->reference == 0.0 &&
		header->memory == header->memories && header->chosen == 0 &&
		header->totals.N == 0.0 && header->totals.R == 0.0 &&
		header->totals.S == 0.0 && header->totals.peak == 0.0 &&
		header->lambda == ModelFirstRidge(header) &&
		(header->prior_weight > 0.0 ||
		 header->sigma == (header->noise > 0.0 ? header->noise : 1.0));
}

/* Can these counts, and what was found of the evidence, be a model's? */
bool
ModelHistoryIsValid(const DlintsHeader *header, Problem *problem)
{
	if (header->updates < 0)
		return OutOfRange(problem, "updates", "at least 0", header->updates);
	if (header->updates == 0 && !NoHistory(header))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "A model without observations has no history", NULL, NULL);
	if (header->memory < 1 || header->memory > header->memories)
		return OutOfRange(problem, "memory", "one of the memories",
						  header->memory);
	if (header->chosen < 0 || header->chosen > header->updates)
		return OutOfRange(problem, "chosen", "between 0 and updates",
						  header->chosen);
	if (!(fabs(header->reference) <= WIDEN_MAX) ||
		(header->reference != 0.0 && !header->intercept))
		return OutOfRange(problem, "reference_reward",
						  "a reward, and 0 without an intercept",
						  header->reference);
	if (header->noise != 0.0 && header->sigma != header->noise)
		return OutOfRange(problem, "sigma", "the noise that was given",
						  header->sigma);
	if (header->ridge != 0.0 && header->lambda != header->ridge)
		return OutOfRange(problem, "lambda", "the ridge that was given",
						  header->lambda);
	if (!totals_are_valid(&header->totals))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "Totals must be finite, those of weights and squares not negative",
						 NULL, NULL);
	if (header->updates > 0 &&
		(ModelIsByTime(header) ? !IS_VALID_TIMESTAMP(header->newest) :
		 header->newest != TIME_UNKNOWN))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "newest must be a time for a model by time, and null for others",
						 NULL, NULL);
	return NumberIsBetween("lambda", header->lambda, DLINTS_MIN_RIDGE,
						   DLINTS_MAX_RIDGE, problem) &&
		NumberIsBetween("sigma", header->sigma, DBL_MIN, DBL_MAX, problem);
}

/* Is every number of the evidence, the totals and the prior one that may be? */
bool
ModelEvidenceIsValid(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	Prior		prior = ModelPrior(&model->header, ModelPriorNumbers(model));
	int			j;

	for (j = 0; j < memories.count; j++)
		if (!evidence_is_valid(&memories.memory[j]))
			return false;
	return totals_are_valid(&model->header.totals) &&
		(prior.N == NULL || prior_is_valid(&prior, ModelCoordinates(&model->header)));
}

/* The noise of a prior, which is a model's own until it has learned something */
static bool
PriorSigmaIsValid(Dlints *model, Problem *problem)
{
	Prior		prior = ModelPrior(&model->header, ModelPriorNumbers(model));

	if (prior.sigma != 0.0 &&
		!NumberIsBetween("sigma of the prior", prior.sigma, DBL_MIN, DLINTS_MAX_NOISE, problem))
		return false;
	if (model->header.updates == 0 &&
		model->header.sigma != ModelFirstSigma(model))
		return OutOfRange(problem, "sigma", "the prior's before anything is learned",
						  model->header.sigma);
	return true;
}

/* The prior by itself, at its full weight; "numbers" hold a factor. */
static bool
PriorHasPosterior(const DlintsHeader *header, Prior prior, int dim,
				  double *numbers)
{
	double	   *zeros = palloc0(sizeof(double) *
								evidence_value_count(dim, SQUARES_NONE));
	Evidence	nothing;
	Factor		factor;
	bool		exists;

	evidence_bind(&nothing, dim, SQUARES_NONE, zeros);
	factor_bind(&factor, dim, false, numbers);
	prior.ridge = prior.last_ridge = ModelFirstRidge(header);
	prior.weight = header->prior_weight;
	exists = posterior_factor(&nothing, &prior, &factor);
	prior_add(&prior, dim, nothing.b);
	exists = exists && linalg_all_finite(dim, nothing.b);
	pfree(zeros);
	return exists;
}

/*
 * Has each memory a posterior, and the prior?  Then a memory has one with the
 * prior, too.  A model without would be refused when it is next used.
 */
bool
ModelPosteriorsExist(Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	Prior		prior = ModelPrior(header, ModelPriorNumbers(model));
	Prior		ridge = prior_of_ridge(ModelFirstRidge(header));
	int			dim = ModelCoordinates(header);
	double	   *numbers;
	bool		exist = true;
	int			j;

	if (header->updates == 0 && prior.N == NULL)
		return true;
	BlasReady();
	numbers = palloc(sizeof(double) * factor_value_count(dim, true));
	for (j = 0; exist && header->updates > 0 && j < memories.count; j++)
	{
		Factor		factor;

		CHECK_FOR_INTERRUPTS();
		factor_bind(&factor, dim, ModelMemoryFades(header, j), numbers);
		exist = posterior_factor(&memories.memory[j], &ridge, &factor);
	}
	if (exist && prior.N)
		exist = PriorHasPosterior(header, prior, dim, numbers);
	pfree(numbers);
	return exist;
}

/*
 * A model that came in from outside, its parameters found valid before: every
 * number of the evidence finite, sums of squares not negative, and a posterior
 * there.  Its numbers are brought into the form that learning leaves behind, so
 * that one model has one representation.
 */
bool
ModelExternalIsValid(Dlints *model, Problem *problem)
{
	Memories	memories = ModelMemories(model);
	int			j;

	if (!ModelHistoryIsValid(&model->header, problem))
		return false;
	if (!ModelEvidenceIsValid(model))
		return ProblemIs(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						 "NaN, infinity, a negative weight or a negative sum of squares not allowed in dlints",
						 NULL, NULL);
	if (!PriorSigmaIsValid(model, problem))
		return false;
	if (!ModelPosteriorsExist(model))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "The evidence has no posterior: it is not that of any observations",
						 NULL, NULL);
	for (j = 0; j < memories.count; j++)
		evidence_settle(&memories.memory[j]);
	FieldsSettle(&model->header);
	return true;
}

static char *
FieldText(const DlintsHeader *header, const Field *field)
{
	StringInfoData buf;

	initStringInfo(&buf);
	FieldWrite(&buf, header, field);
	return buf.data;
}

/*
 * Do both models mean the same by their evidence?  Sizes, kind, projection,
 * memories and their rates define it; ridge, exploration, noise and policy do
 * not.
 */
void
ModelCheckSameEvidence(const DlintsHeader *left, const DlintsHeader *right)
{
	bool		one_memory = (left->memories == 1) != (right->memories == 1);
	int			i;

	for (i = 0; i < field_count; i++)
		if (fields[i].defines_evidence &&
			!FieldIsSame(left, right, &fields[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("dlints models with different %s do not fit together",
							fields[i].name),
					 errdetail("The left model has %s %s, the right one %s.",
							   fields[i].name, FieldText(left, &fields[i]),
							   FieldText(right, &fields[i])),
					 one_memory ?
					 errhint("A model made with a discount has one memory if nothing else is said.") : 0));
}
