/*
 * observation.c
 *		Read an observation: a context, perhaps a shared one, a reward and,
 *		where they are told, its time and its weight.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "utils/timestamp.h"

#include "core/widen.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

/* Room for what calls of this form bring. */
Observation
ObservationCreate(const ObservationForm *form, const DlintsHeader *model)
{
	Observation observation = {0};

	observation.context = palloc(sizeof(double) *
								 (form->reduced ? ModelCoordinates(model) :
								  model->context_dim));
	observation.shared = palloc(sizeof(double) * model->shared_dim);
	return observation;
}

/* Is there nothing to learn from, because a context is NULL? */
bool
ContextsAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return PG_ARGISNULL(form->context) ||
		(form->shared && PG_ARGISNULL(form->shared));
}

/* Or because the reward is? */
bool
ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	return ContextsAreMissing(fcinfo, form) || PG_ARGISNULL(form->reward);
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
							  ModelShape(model)));
}

static bool
TimeIsFinite(int64 time, Problem *problem)
{
	return !TIMESTAMP_NOT_FINITE(time) ||
		ProblemIs(problem, ERRCODE_DATETIME_VALUE_OUT_OF_RANGE,
				  "the time of an observation must be finite", NULL);
}

/* A model that forgets by time has to be told the time. */
static bool
TimeIsGiven(bool given, const DlintsHeader *model, Problem *problem)
{
	if (given || !ModelIsByTime(model))
		return true;
	ProblemIs(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
			  "a model that forgets by time needs the time of an observation",
			  NULL);
	problem->hint = "Give it behind the reward: argument \"at\", or \"ats\" for a batch.";
	return false;
}

/* What an observation counts, or a history is multiplied by. */
static bool
WeightIsValid(double weight, Problem *problem)
{
	if (likely(weight > 0.0 && weight <= DLINTS_MAX_WEIGHT))
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 psprintf("weight must be greater than 0 and at most %g",
							  DLINTS_MAX_WEIGHT),
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(weight)));
}

/* A model with a shared context is called with one, and no other is. */
static bool
SharedIsExpected(bool given, const char *name, const DlintsHeader *model,
				 Problem *problem)
{
	if (given == (model->shared_dim > 0))
		return true;
	if (!given)
	{
		ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
				  psprintf("argument \"%s\" is missing", name),
				  psprintf("The model is dlints%s, with a shared context of %d dimensions.",
						   ModelShape(model), model->shared_dim));
		problem->hint = model->interactions == INTERACTIONS_MATCHED ?
			"Give the profile behind the context; '{}' for somebody new." :
			"Behind the context, give what describes the user.";
		return false;
	}
	ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			  psprintf("argument \"%s\" must not be given", name),
			  psprintf("The model is dlints%s, without a shared context.",
					   ModelShape(model)));
	problem->hint = "dlints_new makes a model with one if it is given shared_dim or interactions; of several models, name the one in WHERE.";
	return false;
}

/* A reduced context of a model with an intercept ends as those do. */
static bool
EndsWithOne(const ArgSpec *spec, const double *reduced, Problem *problem)
{
	double		last = reduced[spec->len - 1];

	if (!spec->model->intercept || last == 1.0)
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 "last coordinate of a reduced context must be 1 for a model with an intercept",
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(last)));
}

/* The array in an argument, as real[] or double precision[]. */
static inline bool
ArgumentIsNumeric(FunctionCallInfo fcinfo, int argno, ArrayType **array,
				  Problem *problem)
{
	if (likely(ArrayIsPlain(PG_GETARG_DATUM(argno))))
	{
		*array = (ArrayType *) PG_GETARG_POINTER(argno);
		return true;
	}
	return ArrayIsNumeric(PG_GETARG_DATUM(argno), array, problem);
}

static bool
ContextIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			   const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgContextSpec(model);
	ArrayType  *array;

	if (form->reduced)
	{
		spec.name = "reduced context";
		spec.len = ModelCoordinates(model);
	}
	return ArgumentIsNumeric(fcinfo, form->context, &array, problem) &&
		VectorIsValid(array, &spec, out, problem) &&
		(!form->reduced || EndsWithOne(&spec, out, problem));
}

static bool
SharedIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
			  const DlintsHeader *model, double *out, Problem *problem)
{
	ArgSpec		spec = ArgSharedSpec(model);
	ArrayType  *array;

	/* what is reduced already has its shared context in it */
	if (form->reduced)
		return true;
	if (!SharedIsExpected(form->shared != 0, "shared", model, problem))
		return false;
	return !form->shared ||
		(ArgumentIsNumeric(fcinfo, form->shared, &array, problem) &&
		 VectorIsValid(array, &spec, out, problem));
}

/* ---------- the whole ---------- */

static bool
ContextsAreValid(FunctionCallInfo fcinfo, const ObservationForm *form,
				 const DlintsHeader *model, Observation *observation,
				 Problem *problem)
{
	return ContextIsValid(fcinfo, form, model, observation->context, problem) &&
		SharedIsValid(fcinfo, form, model, observation->shared, problem);
}

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
		!TimeIsGiven(timed, model, problem))
		return false;
	if (ModelIsByTime(model))
		observation->time = PG_GETARG_TIMESTAMPTZ(form->at);
	return (!ModelIsByTime(model) || TimeIsFinite(observation->time, problem)) &&
		WeightIsValid(observation->weight, problem);
}

/* Is the call's observation one that the model can learn?  Reads it. */
bool
ObservationIsValid(FunctionCallInfo fcinfo, const ObservationForm *form,
				   const DlintsHeader *model, Observation *observation,
				   Problem *problem)
{
	return OutcomeIsValid(fcinfo, form, model, observation, problem) &&
		ContextsAreValid(fcinfo, form, model, observation, problem);
}

void
ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
				const DlintsHeader *model, Observation *observation)
{
	Problem		problem;

	if (unlikely(!ObservationIsValid(fcinfo, form, model, observation, &problem)))
		ProblemRaise(&problem);
}

/* The parts of an observation of which one may be all there is. */
void
ReadContexts(FunctionCallInfo fcinfo, const ObservationForm *form,
			 const DlintsHeader *model, Observation *observation)
{
	Problem		problem;

	if (!ContextsAreValid(fcinfo, form, model, observation, &problem))
		ProblemRaise(&problem);
}

void
ReadOutcome(FunctionCallInfo fcinfo, const ObservationForm *form,
			const DlintsHeader *model, Observation *observation)
{
	Problem		problem;

	if (!OutcomeIsValid(fcinfo, form, model, observation, &problem))
		ProblemRaise(&problem);
}

/*
 * The shared context of a call, in memory of its own; no trace is left of what
 * it came in.  NULL where the call has none.
 */
double *
ReadShared(const Datum *shared, const DlintsHeader *model)
{
	ArgSpec		spec = ArgSharedSpec(model);
	ArrayType  *array;
	double	   *numbers;

	CheckSharedIsGiven(shared != NULL, "shared", model);
	if (shared == NULL)
		return NULL;
	array = ArgArrayConverted(*shared);
	numbers = palloc(sizeof(double) * model->shared_dim);
	ArgVector(array, &spec, numbers);
	if (PointerGetDatum(array) != *shared)
		pfree(array);
	return numbers;
}

/* Is the argument of this name given if, and only if, the model wants it? */
void
CheckSharedIsGiven(bool given, const char *name, const DlintsHeader *model)
{
	Problem		problem;

	if (unlikely(!SharedIsExpected(given, name, model, &problem)))
		ProblemRaise(&problem);
}

double
CheckWeight(double weight)
{
	Problem		problem;

	if (!WeightIsValid(weight, &problem))
		ProblemRaise(&problem);
	return weight;
}

int64
CheckTime(int64 time)
{
	Problem		problem;

	if (!TimeIsFinite(time, &problem))
		ProblemRaise(&problem);
	return time;
}

/* Does the model want the time, which then has to be given? */
bool
CheckTimeIsGiven(bool given, const DlintsHeader *model)
{
	Problem		problem;

	if (!TimeIsGiven(given, model, &problem))
		ProblemRaise(&problem);
	return ModelIsByTime(model);
}
