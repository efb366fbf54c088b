/*
 * validate.c
 *		Check that models are valid, and that two models can be combined.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "core/numbers.h"
#include "model/fields.h"

void
ProblemRaise(const Problem *problem)
{
	ereport(ERROR,
			(errcode(problem->sqlerrcode),
			 errmsg("%s", problem->message),
			 problem->detail ? errdetail("%s", problem->detail) : 0,
			 problem->hint ? errhint("%s", problem->hint) : 0));
}

/*
 * Raise an error for an invalid value from input or storage, with the problem as the error's
 * detail.
 *
 * An unknown format version has another SQLSTATE, because a newer version of dlints may accept it.
 */
void
RaiseInvalidInput(const Problem *problem, int sqlerrcode, const char *message)
{
	if (problem->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
		ProblemRaise(problem);
	ereport(ERROR,
			(errcode(sqlerrcode),
			 errmsg("%s", message),
			 errdetail("%s.%s%s", problem->message,
					   problem->detail ? " " : "",
					   problem->detail ? problem->detail : "")));
}

/* Describe an error in "problem", or raise the error if "problem" is NULL. Returns false. */
bool
ReportProblem(Problem *problem, int sqlerrcode, const char *message,
			  const char *detail, const char *hint)
{
	Problem		found = {sqlerrcode, message, detail, hint};

	if (problem)
		*problem = found;
	else
		ProblemRaise(&found);
	return false;
}

static bool
ReportOutOfRange(Problem *problem, const char *name, const char *range, double value)
{
	return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("%s must be %s", name, range),
						 psprintf("The value is %s.", double_to_shortest_decimal(value)), NULL);
}

/* Check that a number is in a range, and not NaN. */
static bool
CheckBetween(const char *name, double value, double min, double max, Problem *problem)
{
	if (value >= min && value <= max)
		return true;
	return ReportOutOfRange(problem, name, psprintf("between %g and %g", min, max), value);
}

static bool
CheckDimension(const char *name, int value, int max, Problem *problem)
{
	if (value < 1)
		return ReportOutOfRange(problem, name, "at least 1", value);
	if (value > max)
		return ReportProblem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
							 psprintf("dlints cannot have more than %d dimensions", max),
							 psprintf("%s is %d.", name, value), NULL);
	return true;
}

/* Check the format version, the enums and the unused fields of a header. */
static bool
CheckKinds(const DlintsHeader *header, Problem *problem)
{
	static const float8 zeros[lengthof(header->unused2)];

	if (header->version != DLINTS_FORMAT_VERSION)
		return ReportProblem(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
							 psprintf("unsupported dlints format version %d",
									  header->version), NULL, NULL);
	if (header->policy >= POLICY_COUNT)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 psprintf("Unknown policy number %d", header->policy), NULL, NULL);
	if (header->interactions >= INTERACTIONS_COUNT)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 psprintf("Unknown interactions number %d",
									  header->interactions), NULL, NULL);
	if (header->intercept > 1)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "intercept must be 0 or 1", NULL, NULL);
	if (header->unused1 != 0 || memcmp(header->unused2, zeros, sizeof(zeros)) != 0)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "Unused fields must be zero", NULL, NULL);
	return true;
}

/* Check that profile_dim is dim if the parameter interactions is 'matched', and otherwise 0. */
static bool
CheckProfileDim(const DlintsHeader *header, Problem *problem)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;

	if (header->profile_dim == (matched ? header->feature_dim : 0))
		return true;
	return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 matched ? "profile_dim must be dim with matched interactions" :
						 "profile_dim needs interactions",
						 psprintf("profile_dim is %d, dim is %d.",
								  header->profile_dim, header->feature_dim), NULL);
}

/* Check the parameters of a model's random projection, if any. */
static bool
CheckReduction(const DlintsHeader *header, Problem *problem)
{
	if (header->reduced_dim == 0)
		return header->projection_scale == 0.0 ||
			ReportOutOfRange(problem, "projection_scale", "0 without projection",
							 header->projection_scale);
	if (!ModelCheckReducedDim(header->reduced_dim, problem))
		return false;
	if (header->reduced_dim > header->feature_dim)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "reduced_dim must not be greater than dim",
							 psprintf("reduced_dim is %d, dim is %d.",
									  header->reduced_dim, header->feature_dim), NULL);
	return CheckBetween("projection_scale", header->projection_scale,
						DLINTS_MIN_SCALE, DLINTS_MAX_SCALE, problem);
}

/* Check that a model has at most DLINTS_MAX_DIM features without the intercept. */
static bool
CheckFeatureCount(const DlintsHeader *header, Problem *problem)
{
	Kind		kind = ModelKind(header);
	int64		count = kind_feature_count(&kind);
	const char *interactions = interactions_names[header->interactions];

	if (count <= DLINTS_MAX_DIM)
		return true;
	return ReportProblem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf("dlints cannot have more than %d dimensions%s", DLINTS_MAX_DIM,
								  ModelHasProjection(header) ? "" : " without projection"),
						 interactions ?
						 psprintf("With %s interactions the model would have " INT64_FORMAT " dimensions.",
								  interactions, count) :
						 psprintf("dim is %d and reduced_dim is not given.", header->feature_dim),
						 ModelHasProjection(header) ? NULL :
						 "Specify reduced_dim to project the features.");
}

/* Check a half-life.  Rejects 0, which the header stores for models without a half-life. */
bool
ModelCheckHalfLife(double seconds, Problem *problem)
{
	return CheckBetween("half_life in seconds", seconds, DLINTS_MIN_HALF_LIFE,
						DLINTS_MAX_HALF_LIFE, problem);
}

/* Check reduced_dim.  Rejects 0, which the header stores for models without a projection. */
bool
ModelCheckReducedDim(int reduced_dim, Problem *problem)
{
	return CheckDimension("reduced_dim", reduced_dim, DLINTS_MAX_DIM, problem);
}

bool
ModelCheckMemories(int memories, Problem *problem)
{
	if (memories < 1 || memories > MEMORY_MAX)
		return ReportOutOfRange(problem, "memories",
								psprintf("between 1 and %d", MEMORY_MAX), memories);
	return true;
}

/* Check that a model has either a discount or a half-life, within its range. */
static bool
CheckForgetting(const DlintsHeader *header, Problem *problem)
{
	if (!ModelCheckMemories(header->memories, problem))
		return false;
	if (header->half_life != 0.0)
	{
		if (header->discount != 0.0)
			return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
								 "a model has either a discount or a half_life", NULL, NULL);
		return ModelCheckHalfLife(header->half_life, problem);
	}
	if (header->memories > 1 && header->discount == 1.0)
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "discount must be less than 1 for several memories",
							 "With a discount of 1 the shortest memory would not forget.", NULL);
	return CheckBetween("discount", header->discount, DLINTS_MIN_DISCOUNT, 1.0, problem);
}

/* Check the parameters of a model before memory is allocated for the model. */
bool
ModelCheckParameters(const DlintsHeader *header, Problem *problem)
{
	return CheckKinds(header, problem) &&
		CheckDimension("dim", header->feature_dim, DLINTS_MAX_FEATURE_DIM, problem) &&
		CheckProfileDim(header, problem) &&
		CheckReduction(header, problem) &&
		CheckFeatureCount(header, problem) &&
		CheckForgetting(header, problem) &&
		(header->noise == 0.0 ||
		 CheckBetween("noise", header->noise, DLINTS_MIN_NOISE, DLINTS_MAX_NOISE, problem)) &&
		(header->ridge == 0.0 ||
		 CheckBetween("ridge", header->ridge, DLINTS_MIN_RIDGE, DLINTS_MAX_RIDGE, problem)) &&
		(header->prior_weight == 0.0 ||
		 CheckBetween("prior_weight", header->prior_weight, 0.0, DLINTS_MAX_WEIGHT, problem)) &&
		CheckBetween("exploration", header->exploration, 0.0, DLINTS_MAX_EXPLORATION, problem);
}

/* Does a header have the counts and estimates of an untrained model? */
static bool
IsUntrained(const DlintsHeader *header)
{
	return header->newest == TIME_UNKNOWN && header->reference == 0.0 &&
		header->memory == header->memories && header->chosen == 0 &&
		header->totals.N == 0.0 && header->totals.R == 0.0 &&
		header->totals.S == 0.0 && header->totals.peak == 0.0 &&
		header->lambda == ModelFirstRidge(header) &&
		(header->prior_weight > 0.0 ||
		 header->sigma == (header->noise > 0.0 ? header->noise : 1.0));
}

/* Check the counts, times and estimates in a header, which training changes. */
bool
ModelCheckHistory(const DlintsHeader *header, Problem *problem)
{
	if (header->updates < 0)
		return ReportOutOfRange(problem, "updates", "at least 0", header->updates);
	if (header->updates == 0 && !IsUntrained(header))
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "A model without observations has no history", NULL, NULL);
	if (header->memory < 1 || header->memory > header->memories)
		return ReportOutOfRange(problem, "memory", "one of the memories", header->memory);
	if (header->chosen < 0 || header->chosen > header->updates)
		return ReportOutOfRange(problem, "chosen", "between 0 and updates", header->chosen);
	if (!(fabs(header->reference) <= WIDEN_MAX) || (header->reference != 0.0 && !header->intercept))
		return ReportOutOfRange(problem, "reference_reward",
								"a reward, and 0 without an intercept", header->reference);
	if (header->noise != 0.0 && header->sigma != header->noise)
		return ReportOutOfRange(problem, "sigma", "the noise that was given", header->sigma);
	if (header->ridge != 0.0 && header->lambda != header->ridge)
		return ReportOutOfRange(problem, "lambda", "the ridge that was given", header->lambda);
	if (!totals_are_valid(&header->totals))
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "Totals must be finite, and totals of weights and squares must not be negative",
							 NULL, NULL);
	if (header->updates > 0 &&
		(ModelIsByTime(header) ? !IS_VALID_TIMESTAMP(header->newest) :
		 header->newest != TIME_UNKNOWN))
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "newest must be a time for a model by time, and null for others",
							 NULL, NULL);
	return CheckBetween("lambda", header->lambda, DLINTS_MIN_RIDGE, DLINTS_MAX_RIDGE, problem) &&
		CheckBetween("sigma", header->sigma, DBL_MIN, DBL_MAX, problem);
}

bool
ModelEvidenceIsValid(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	Prior		prior = ModelPrior(&model->header, ModelPriorNumbers(model));

	for (int j = 0; j < memories.count; j++)
		if (!evidence_is_valid(&memories.memory[j]))
			return false;
	return totals_are_valid(&model->header.totals) &&
		(prior.N == NULL || prior_is_valid(&prior, ModelCoefficientCount(&model->header)));
}

/* Check the noise of a model's prior, which the untrained model uses. */
static bool
CheckPriorSigma(Dlints *model, Problem *problem)
{
	Prior		prior = ModelPrior(&model->header, ModelPriorNumbers(model));

	if (prior.sigma != 0.0 &&
		!CheckBetween("sigma of the prior", prior.sigma, DBL_MIN, DLINTS_MAX_NOISE, problem))
		return false;
	if (model->header.updates == 0 && model->header.sigma != ModelFirstSigma(model))
		return ReportOutOfRange(problem, "sigma", "the prior's before anything is learned",
								model->header.sigma);
	return true;
}

/* Can a posterior be computed from the prior alone?  "numbers" is work space. */
static bool
PriorHasPosterior(const DlintsHeader *header, Prior prior, int dim, double *numbers)
{
	double	   *zeros = palloc0(sizeof(double) * evidence_value_count(dim, SQUARES_NONE));
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

/* Can a posterior be computed under each discount factor?  All uses of the model need one. */
bool
ModelPosteriorsExist(Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	Prior		prior = ModelPrior(header, ModelPriorNumbers(model));
	Prior		ridge = prior_of_ridge(ModelFirstRidge(header));
	int			dim = ModelCoefficientCount(header);
	double	   *numbers;
	bool		exist = true;

	if (header->updates == 0 && prior.N == NULL)
		return true;
	BlasReady();
	numbers = palloc(sizeof(double) * factor_value_count(dim, true));
	for (int j = 0; exist && header->updates > 0 && j < memories.count; j++)
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

/* Check a model from text, jsonb or binary input, and normalize its numbers. */
bool
ModelNormalizeExternal(Dlints *model, Problem *problem)
{
	Memories	memories = ModelMemories(model);

	if (!ModelCheckHistory(&model->header, problem))
		return false;
	if (!ModelEvidenceIsValid(model))
		return ReportProblem(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
							 "NaN, infinity, a negative weight or a negative sum of squares not allowed in dlints",
							 NULL, NULL);
	if (!CheckPriorSigma(model, problem))
		return false;
	if (!ModelPosteriorsExist(model))
		return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "The evidence has no posterior, so it cannot result from observations",
							 NULL, NULL);
	for (int j = 0; j < memories.count; j++)
		evidence_flush(&memories.memory[j]);
	FieldsNormalize(&model->header);
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

/* Raise an error unless two models can be combined: fields with "defines_evidence" are equal. */
void
ModelCheckSameEvidence(const DlintsHeader *left, const DlintsHeader *right)
{
	bool		one_memory = (left->memories == 1) != (right->memories == 1);

	for (int i = 0; i < field_count; i++)
		if (fields[i].defines_evidence && !FieldIsSame(left, right, &fields[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cannot combine dlints models with different %s",
							fields[i].name),
					 errdetail("The left model has %s %s, the right one %s.",
							   fields[i].name, FieldText(left, &fields[i]),
							   FieldText(right, &fields[i])),
					 one_memory ?
					 errhint("A model created with a discount has one memory unless \"memories\" is given.") : 0));
}
