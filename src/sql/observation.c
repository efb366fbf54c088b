/*
 * observation.c
 *		Read training examples from the arguments of SQL functions.
 *
 * An observation has features and a reward, and optionally a user profile, a time and a weight.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "utils/timestamp.h"

#include "sql/args.h"
#include "sql/observation.h"

const ObservationForm update_form = {
	.features = 1, .reward = 2, .profile = 3, .at = 4, .weight = 5
};

Observation
ObservationCreate(const DlintsHeader *model)
{
	Observation observation = {0};

	observation.features = palloc(sizeof(double) * model->feature_dim);
	observation.profile = palloc(sizeof(double) * model->profile_dim);
	return observation;
}

bool
FeaturesAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return PG_ARGISNULL(form->features) ||
		(form->profile && PG_ARGISNULL(form->profile));
}

bool
ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return FeaturesAreMissing(fcinfo, form) || PG_ARGISNULL(form->reward);
}

/* ---------- reading one observation ---------- */

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

/* Check that observations of a model with a half-life have a time. */
static bool
CheckTimeIsGiven(bool given, const DlintsHeader *model, Problem *problem)
{
	if (given || !ModelIsByTime(model))
		return true;
	return ReportProblem(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
						 "an observation for a model that forgets by time must have a time", NULL,
						 "Pass the time in argument \"at\", or in \"ats\" for a batch.");
}

/* Check that a weight is positive and at most DLINTS_MAX_WEIGHT. */
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

/* Report an error if a profile is passed for a model without profiles. */
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

/* Convert a profile to double precision.  An empty array becomes zeros. */
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

/* ---------- observations ---------- */

/* Read the reward, time and weight of an observation.  The default weight is 1. */
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

/* Read an observation, without time and weight if the reward is NULL.  Returns false on error. */
bool
ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
				const DlintsHeader *model, Observation *observation, Problem *problem)
{
	ArgSpec		spec = ArgFeatureSpec(model);
	ArrayType  *array;

	return (PG_ARGISNULL(form->reward) || ReadOutcome(fcinfo, form, model, observation, problem)) &&
		GetNumericArray(PG_GETARG_DATUM(form->features), &array, problem) &&
		ArgReadVector(array, &spec, observation->features, problem) &&
		GetNumericArray(ProfileArgument(fcinfo, form->profile), &array, problem) &&
		ReadProfileNumbers(array, model, observation->profile, problem);
}

/* Return the profile argument of an SQL function, or an empty array if argno is 0. */
Datum
ProfileArgument(FunctionCallInfo fcinfo, int argno)
{
	static ArrayType none = {.elemtype = FLOAT4OID};

	if (argno > 0)
		return PG_GETARG_DATUM(argno);
	SET_VARSIZE(&none, sizeof(none));
	return PointerGetDatum(&none);
}

/* Convert a profile to double precision, in the current memory context. */
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

/* ---------- batches ---------- */

static BatchPart
BeginPart(ArrayType *array, ArgSpec spec, int rows)
{
	BatchPart	part = {array, spec, NULL};

	/* in a batch without profiles, all profiles are zeros */
	part.numbers = palloc0(sizeof(double) * Min(rows, EVIDENCE_BLOCK) * (Size) spec.len);
	return part;
}

static void
ReadPart(BatchPart *part, int first, int count)
{
	if (part->array)
		ArgMatrixSlice(part->array, &part->spec, first, count, part->numbers);
}

/* Read the times of a batch.  They are TIME_UNKNOWN for models without a half-life. */
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

/* Read the weights of a batch of observations.  The default weight is 1. */
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

/* Check the arguments of a batch of observations, before BatchRead() reads it. */
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

/* Convert rows of a batch of observations to double precision, from row "first" on. */
void
BatchRead(Batch *batch, int first, int count)
{
	ReadPart(&batch->features, first, count);
	ReadPart(&batch->profiles, first, count);
	ReadPart(&batch->rewards, first, count);
}
