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

/* Room for what calls of this form bring. */
Observation
ObservationCreate(const ObservationForm *form, const DlintsHeader *model)
{
	Observation observation = {0};

	observation.features = palloc(sizeof(double) *
								 (form->reduced ? ModelCoordinates(model) :
								  model->feature_dim));
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
bool
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
bool
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

/* Reduced features of a model with an intercept end as those do. */
static bool
EndsWithOne(const ArgSpec *spec, const double *reduced, Problem *problem)
{
	double		last = reduced[spec->len - 1];

	if (!spec->model->intercept || last == 1.0)
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 "last coordinate of reduced features must be 1 for a model with an intercept",
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(last)), NULL);
}

/* An array as real[] or double precision[]. */
static inline bool
DatumIsNumeric(Datum datum, ArrayType **array, Problem *problem)
{
	if (likely(ArrayIsPlain(datum)))
	{
		*array = (ArrayType *) DatumGetPointer(datum);
		return true;
	}
	return ArrayIsNumeric(datum, array, problem);
}

static bool
FeaturesAreValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgFeatureSpec(model);
	ArrayType  *array;

	if (form->reduced)
	{
		spec.name = "reduced features";
		spec.len = ModelCoordinates(model);
	}
	return DatumIsNumeric(PG_GETARG_DATUM(form->features), &array, problem) &&
		VectorIsValid(array, &spec, out, problem) &&
		(!form->reduced || EndsWithOne(&spec, out, problem));
}

static bool
ProfileIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArrayType  *array;

	/* what is reduced already has its profile in it */
	return form->reduced ||
		(DatumIsNumeric(ProfileArgument(fcinfo, form->profile), &array,
						problem) &&
		 ProfileNumbersAreValid(array, model, out, problem));
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
