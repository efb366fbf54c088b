/*
 * observation.c
 *		Read observations from function arguments.  An observation is a
 *		feature vector, an optional profile, a reward, and optionally a time
 *		and a weight.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/timestamp.h"

#include "core/numbers.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

const ObservationForm update_form = {
	.features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5
};

/* Allocate the feature and profile vectors of an observation for a model. */
Observation
ObservationCreate(const DlintsHeader *model)
{
	Observation observation = {0};

	observation.features = palloc(sizeof(double) * model->feature_dim);
	observation.profile = palloc(sizeof(double) * model->profile_dim);
	return observation;
}

/* Is the feature vector or the profile NULL? */
bool
FeaturesAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return PG_ARGISNULL(form->features) ||
		(form->profile && PG_ARGISNULL(form->profile));
}

/* Is the feature vector, the profile or the reward NULL? */
bool
ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return FeaturesAreMissing(fcinfo, form) || PG_ARGISNULL(form->reward);
}

/* ---------- parts of an observation ---------- */

static bool
CheckReward(double reward, const DlintsHeader *model, Problem *problem)
{
	if (likely(fabs(reward) <= WIDEN_MAX))
		return true;
	return ReportProblem(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						 psprintf("%s not allowed in reward", DescribeInvalidNumber(reward)),
						 psprintf("The reward of an observation; the model is dlints%s.",
								  ModelShape(model)), NULL);
}

bool
CheckTime(int64 time, Problem *problem)
{
	return !TIMESTAMP_NOT_FINITE(time) ||
		ReportProblem(problem, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE,
					  "the time of an observation must be finite", NULL, NULL);
}

/* Check that an observation for a model with a half-life has a time. */
static bool
CheckTimeIsGiven(bool given, const DlintsHeader *model, Problem *problem)
{
	if (given || !ModelIsByTime(model))
		return true;
	return ReportProblem(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
						 "an observation for a model that forgets by time must have a time", NULL,
						 "Pass the time in argument \"at\", or in \"ats\" for a batch.");
}

/* Check the weight of an observation or a prior, or the factor of dlints_scale(). */
bool
CheckWeight(double weight, Problem *problem)
{
	if (likely(weight > 0.0 && weight <= DLINTS_MAX_WEIGHT))
		return true;
	return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("weight must be greater than 0 and at most %g",
								  DLINTS_MAX_WEIGHT),
						 psprintf("The value is %s.", double_to_shortest_decimal(weight)), NULL);
}

/*
 * Check that the model accepts a profile.  Only an empty profile, which means
 * "no profile", is valid for a model without profiles.
 */
static bool
CheckProfileIsTaken(const char *name, const DlintsHeader *model, Problem *problem)
{
	if (model->profile_dim > 0)
		return true;
	return ReportProblem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("argument \"%s\" must not be given", name),
						 psprintf("The model is dlints%s, without profiles.", ModelShape(model)),
						 "Create a model with dlints_new(..., interactions => 'matched'), or select such a model in WHERE.");
}

/* Copy a profile to "out".  An empty profile means a new user, and reads as zeros. */
static bool
ReadProfileNumbers(ArrayType *array, const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgProfileSpec(model);

	if (ARR_NDIM(array) > 0)
		return CheckProfileIsTaken("profile", model, problem) &&
			ArgReadVector(array, &spec, out, problem);
	memset(out, 0, sizeof(double) * model->profile_dim);
	return true;
}

static bool
ReadFeatures(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgFeatureSpec(model);
	ArrayType  *array;

	return GetNumericArray(PG_GETARG_DATUM(form->features), &array, problem) &&
		ArgReadVector(array, &spec, out, problem);
}

static bool
ReadProfileArgument(FunctionCallInfo fcinfo, const ObservationForm *form,
					const DlintsHeader *model, double *out, Problem *problem)
{
	ArrayType  *array;

	return GetNumericArray(ProfileArgument(fcinfo, form->profile), &array, problem) &&
		ReadProfileNumbers(array, model, out, problem);
}

/* ---------- observations ---------- */

/* Read and check reward, time and weight.  The weight is 1 unless given. */
static bool
ReadOutcome(FunctionCallInfo fcinfo, const ObservationForm *form,
			const DlintsHeader *model, Observation *observation, Problem *problem)
{
	bool		timed = form->at && !PG_ARGISNULL(form->at);
	bool		weighed = form->weight && !PG_ARGISNULL(form->weight);

	observation->reward = PG_GETARG_FLOAT8(form->reward);
	observation->time = TIME_UNKNOWN;
	observation->weight = weighed ? PG_GETARG_FLOAT8(form->weight) : 1.0;
	if (!CheckReward(observation->reward, model, problem) ||
		!CheckTimeIsGiven(timed, model, problem))
		return false;
	if (ModelIsByTime(model))
		observation->time = PG_GETARG_TIMESTAMPTZ(form->at);
	return (!ModelIsByTime(model) || CheckTime(observation->time, problem)) &&
		CheckWeight(observation->weight, problem);
}

/*
 * Read an observation and check that the model can be trained on it.  Returns false if not.
 * If the reward is NULL, reads features and profile only, for a prediction.
 */
bool
ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
				const DlintsHeader *model, Observation *observation, Problem *problem)
{
	return (PG_ARGISNULL(form->reward) || ReadOutcome(fcinfo, form, model, observation, problem)) &&
		ReadFeatures(fcinfo, form, model, observation->features, problem) &&
		ReadProfileArgument(fcinfo, form, model, observation->profile, problem);
}

/* Get the profile argument, or an empty array if the function has no such argument (argno 0). */
Datum
ProfileArgument(FunctionCallInfo fcinfo, int argno)
{
	static ArrayType none = {.elemtype = FLOAT4OID};

	if (argno > 0)
		return PG_GETARG_DATUM(argno);
	SET_VARSIZE(&none, sizeof(none));
	return PointerGetDatum(&none);
}

/* Convert a profile to numbers in the current memory context.  Frees a detoasted copy. */
double *
ReadProfile(Datum profile, const DlintsHeader *model)
{
	ArrayType  *array = ArgArrayConverted(profile);
	double	   *numbers = palloc(sizeof(double) * model->profile_dim);

	ReadProfileNumbers(array, model, numbers, NULL);
	if (PointerGetDatum(array) != profile)
		pfree(array);
	return numbers;
}

/* ---------- batches of observations ---------- */

static BatchPart
BeginPart(ArrayType *array, ArgSpec spec, int rows)
{
	BatchPart	part = {array, spec, NULL};

	/* zeros serve as profiles if the batch has none */
	part.numbers = palloc0(sizeof(double) * Min(rows, EVIDENCE_BLOCK) * (Size) spec.len);
	return part;
}

static void
ReadPart(BatchPart *part, int first, int count)
{
	if (part->array)
		ArgMatrixSlice(part->array, &part->spec, first, count, part->numbers);
}

/*
 * Read the times of all rows.  A model with a discount per observation ignores the argument, and
 * each time is TIME_UNKNOWN.
 */
static int64 *
ReadTimes(FunctionCallInfo fcinfo, int argno, const DlintsHeader *model, int rows)
{
	ArgSpec		spec = {"array of times", rows, model};
	ArrayType  *array;
	int64	   *times;

	CheckTimeIsGiven(!PG_ARGISNULL(argno), model, NULL);
	if (!ModelIsByTime(model))
	{
		times = palloc(sizeof(int64) * Max(rows, 1));
		for (int i = 0; i < rows; i++)
			times[i] = TIME_UNKNOWN;
		return times;
	}
	array = PG_GETARG_ARRAYTYPE_P(argno);
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "times");
	times = (int64 *) ARR_DATA_PTR(array);
	for (int i = 0; i < rows; i++)
		CheckTime(times[i], NULL);
	return times;
}

/* Read the weights of all rows; each is 1 if the argument is NULL. */
static double *
ReadWeights(FunctionCallInfo fcinfo, int argno, int rows)
{
	ArgSpec		spec = {"array of weights", rows, NULL};
	ArrayType  *array;
	double	   *weights = palloc(sizeof(double) * Max(rows, 1));

	if (PG_ARGISNULL(argno))
	{
		for (int i = 0; i < rows; i++)
			weights[i] = 1.0;
		return weights;
	}
	array = ArgArray(fcinfo, argno);
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "weights");
	ArgVector(array, &spec, weights);
	for (int i = 0; i < rows; i++)
		CheckWeight(weights[i], NULL);
	return weights;
}

/*
 * Begin to read a batch.  Checks array shapes, times and weights.  BatchRead
 * checks the values of features, profiles and rewards.
 */
Batch
BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form, const DlintsHeader *model)
{
	ArgSpec		features = ArgFeatureSpec(model);
	ArgSpec		profiles = ArgProfileSpec(model);
	ArgSpec		rewards = {"array of rewards", 1, model};
	Batch		batch;
	ArrayType  *array = ArgArray(fcinfo, form->features);

	features.name = "array of features";
	batch.rows = ArgMatrixRows(array, &features);
	batch.features = BeginPart(array, features, batch.rows);

	array = ArgArray(fcinfo, form->profile);
	profiles.name = "array of profiles";
	if (ARR_NDIM(array) == 0)
		array = NULL;
	if (array)
	{
		CheckProfileIsTaken("profiles", model, NULL);
		ArgCheckCount(batch.rows, ArgMatrixRows(array, &profiles), "profiles");
	}
	batch.profiles = BeginPart(array, profiles, batch.rows);

	array = ArgArray(fcinfo, form->reward);
	ArgCheckCount(batch.rows, ArgVectorLength(array, &rewards), "rewards");
	batch.rewards = BeginPart(array, rewards, batch.rows);
	batch.times = ReadTimes(fcinfo, form->at, model, batch.rows);
	batch.weights = ReadWeights(fcinfo, form->weight, batch.rows);
	return batch;
}

/* Convert rows "first" (0-based) to first + count - 1 to numbers in the batch's buffers. */
void
BatchRead(Batch *batch, int first, int count)
{
	ReadPart(&batch->features, first, count);
	ReadPart(&batch->profiles, first, count);
	ReadPart(&batch->rewards, first, count);
}
