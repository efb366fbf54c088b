/*
 * observation.c
 *		Read an observation: a feature vector, perhaps a profile, a reward and,
 *		where they are told, its time and its weight.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/timestamp.h"

#include "core/numbers.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

/* Allocate the vectors of an observation. */
Observation
ObservationCreate(const DlintsHeader *model)
{
	Observation observation = {0};

	observation.features = palloc(sizeof(double) * model->feature_dim);
	observation.profile = palloc(sizeof(double) * model->profile_dim);
	return observation;
}

/* Is there nothing to learn from, because features or a profile are NULL? */
bool
FeaturesAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return PG_ARGISNULL(form->features) ||
		(form->profile && PG_ARGISNULL(form->profile));
}

/* Or because the reward is? */
bool
ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return FeaturesAreMissing(fcinfo, form) || PG_ARGISNULL(form->reward);
}

/* ---------- the parts ---------- */

static bool
RewardIsValid(double reward, const DlintsHeader *model, Problem *problem)
{
	if (likely(fabs(reward) <= WIDEN_MAX))
		return true;
	return ProblemIs(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
					 psprintf("%s not allowed in reward",
							  WhatIsWrongWith(reward)),
					 psprintf("The reward of an observation; the model is dlints%s.",
							  ModelShape(model)), NULL);
}

bool
CheckTime(int64 time, Problem *problem)
{
	return !TIMESTAMP_NOT_FINITE(time) ||
		ProblemIs(problem, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE,
				  "the time of an observation must be finite", NULL, NULL);
}

/* A model that forgets by time has to be told the time. */
static bool
CheckTimeIsGiven(bool given, const DlintsHeader *model, Problem *problem)
{
	if (given || !ModelIsByTime(model))
		return true;
	return ProblemIs(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
					 "a model that forgets by time needs the time of an observation",
					 NULL,
					 "Give it behind the reward: argument \"at\", or \"ats\" for a batch.");
}

/* What an observation counts, or a history is multiplied by. */
bool
CheckWeight(double weight, Problem *problem)
{
	if (likely(weight > 0.0 && weight <= DLINTS_MAX_WEIGHT))
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 psprintf("weight must be greater than 0 and at most %g",
							  DLINTS_MAX_WEIGHT),
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(weight)), NULL);
}

/*
 * An empty profile is none, which is all that a model without profiles takes.
 * To a model with profiles somebody without one is new.
 */
static bool
CheckProfileIsTaken(const char *name, const DlintsHeader *model,
					Problem *problem)
{
	if (model->profile_dim > 0)
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 psprintf("argument \"%s\" must not be given", name),
					 psprintf("The model is dlints%s, without profiles.",
							  ModelShape(model)),
					 "dlints_new makes a model with profiles if it is given interactions; of several models, name the one in WHERE.");
}

/* Numbers of a profile: zeros where it is empty. */
static bool
ProfileNumbersAreValid(ArrayType *array, const DlintsHeader *model,
					   double *out, Problem *problem)
{
	ArgSpec		spec = ArgProfileSpec(model);

	if (ARR_NDIM(array) > 0)
		return CheckProfileIsTaken("profile", model, problem) &&
			VectorIsValid(array, &spec, out, problem);
	memset(out, 0, sizeof(double) * model->profile_dim);
	return true;
}

static bool
FeaturesAreValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgFeatureSpec(model);
	ArrayType  *array;

	return ArrayIsNumeric(PG_GETARG_DATUM(form->features), &array, problem) &&
		VectorIsValid(array, &spec, out, problem);
}

static bool
ProfileIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArrayType  *array;

	return ArrayIsNumeric(ProfileArgument(fcinfo, form->profile), &array, problem) &&
		ProfileNumbersAreValid(array, model, out, problem);
}

/* ---------- the whole ---------- */

/* The reward with its time and its weight. */
static bool
OutcomeIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, Observation *observation,
			   Problem *problem)
{
	bool		timed = form->at && !PG_ARGISNULL(form->at);
	bool		weighed = form->weight && !PG_ARGISNULL(form->weight);

	observation->reward = PG_GETARG_FLOAT8(form->reward);
	observation->time = TIME_UNKNOWN;
	observation->weight = weighed ? PG_GETARG_FLOAT8(form->weight) : 1.0;
	if (!RewardIsValid(observation->reward, model, problem) ||
		!CheckTimeIsGiven(timed, model, problem))
		return false;
	if (ModelIsByTime(model))
		observation->time = PG_GETARG_TIMESTAMPTZ(form->at);
	return (!ModelIsByTime(model) || CheckTime(observation->time, problem)) &&
		CheckWeight(observation->weight, problem);
}

/*
 * Is the call's observation one that the model can learn?  Reads it.  One without
 * a reward is to be predicted, and has no outcome.
 */
bool
ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
				const DlintsHeader *model, Observation *observation,
				Problem *problem)
{
	return (PG_ARGISNULL(form->reward) ||
			OutcomeIsValid(fcinfo, form, model, observation, problem)) &&
		FeaturesAreValid(fcinfo, form, model, observation->features, problem) &&
		ProfileIsValid(fcinfo, form, model, observation->profile, problem);
}

/* The profile of a call, which is empty where the call has no such argument. */
Datum
ProfileArgument(FunctionCallInfo fcinfo, int argno)
{
	static ArrayType none = {.elemtype = FLOAT4OID};

	if (argno > 0)
		return PG_GETARG_DATUM(argno);
	SET_VARSIZE(&none, sizeof(none));
	return PointerGetDatum(&none);
}

/*
 * Its numbers, in memory of their own; no trace is left of what they came in.
 */
double *
ReadProfile(Datum profile, const DlintsHeader *model)
{
	ArrayType  *array = ArgArrayConverted(profile);
	double	   *numbers = palloc(sizeof(double) * model->profile_dim);

	ProfileNumbersAreValid(array, model, numbers, NULL);
	if (PointerGetDatum(array) != profile)
		pfree(array);
	return numbers;
}

/* ---------- observations that come as arrays ---------- */

static BatchPart
BeginPart(ArrayType *array, ArgSpec spec, int rows)
{
	BatchPart	part = {array, spec, NULL};

	/* zeros stand for what there is none of */
	part.numbers = palloc0(sizeof(double) * Min(rows, EVIDENCE_BLOCK) * (Size) spec.len);
	return part;
}

static void
ReadPart(BatchPart *part, int first, int count)
{
	if (part->array)
		ArgMatrixSlice(part->array, &part->spec, first, count, part->numbers);
}

/* Times of all rows, which models by count do not ask for. */
static int64 *
ReadTimes(FunctionCallInfo fcinfo, int argno, const DlintsHeader *model,
		  int rows)
{
	ArgSpec		spec = {"array of times", rows, model};
	ArrayType  *array;
	int64	   *times;
	int			i;

	CheckTimeIsGiven(!PG_ARGISNULL(argno), model, NULL);
	if (!ModelIsByTime(model))
	{
		times = palloc(sizeof(int64) * Max(rows, 1));
		for (i = 0; i < rows; i++)
			times[i] = TIME_UNKNOWN;
		return times;
	}
	array = PG_GETARG_ARRAYTYPE_P(argno);
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "times");
	times = (int64 *) ARR_DATA_PTR(array);
	for (i = 0; i < rows; i++)
		CheckTime(times[i], NULL);
	return times;
}

/* Weights of all rows, 1 where none are given. */
static double *
ReadWeights(FunctionCallInfo fcinfo, int argno, int rows)
{
	ArgSpec		spec = {"array of weights", rows, NULL};
	ArrayType  *array;
	double	   *weights = palloc(sizeof(double) * Max(rows, 1));
	int			i;

	if (PG_ARGISNULL(argno))
	{
		for (i = 0; i < rows; i++)
			weights[i] = 1.0;
		return weights;
	}
	array = ArgArray(fcinfo, argno);
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "weights");
	ArgVector(array, &spec, weights);
	for (i = 0; i < rows; i++)
		CheckWeight(weights[i], NULL);
	return weights;
}

/*
 * A batch with all of it checked but the numbers of feature vectors and
 * rewards, which are read a block at a time.
 */
Batch
BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
		   const DlintsHeader *model)
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

/* Some rows, at most EVIDENCE_BLOCK, as numbers, into their parts. */
void
BatchRead(Batch *batch, int first, int count)
{
	ReadPart(&batch->features, first, count);
	ReadPart(&batch->profiles, first, count);
	ReadPart(&batch->rewards, first, count);
}
