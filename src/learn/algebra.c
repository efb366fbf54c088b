/*
 * algebra.c
 *		SQL functions that combine models, retract observations, and scale observations' weights.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "sql/args.h"
#include "sql/observation.h"

/* Decay the sums of a model for "updates" later observations, or for "time" microseconds. */
static void
Decay(Dlints *model, int64 updates, int64 time)
{
	Memories	memories = ModelMemories(model);

	for (int j = 0; j < memories.count; j++)
		evidence_scale(&memories.memory[j], ModelMemoryDecay(&model->header, j, updates, time));
}

/* Decay the sums of a model with a half-life to a later time. */
static void
DecayTo(Dlints *model, int64 time)
{
	if (model->header.newest != TIME_UNKNOWN)
		Decay(model, 0, TimeBetween(model->header.newest, time));
	model->header.newest = time;
}

/* Return the number with the smaller absolute value. */
static double
ChooseReference(double left, double right)
{
	if (fabs(left) != fabs(right))
		return fabs(left) < fabs(right) ? left : right;
	return Max(left, right);
}

/*
 * Decay the sums of two models to the same time, and convert them to the same reference reward
 * (see evidence.h).
 *
 * Without half-lives, the right model's observations count as later.
 */
static void
Align(Dlints *left, Dlints *right)
{
	double		reference = ChooseReference(left->header.reference, right->header.reference);

	if (ModelIsByTime(&left->header))
	{
		int64		newest = Max(left->header.newest, right->header.newest);

		DecayTo(left, newest);
		DecayTo(right, newest);
	}
	else
		Decay(left, right->header.updates, 0);
	ModelRebase(left, reference);
	ModelRebase(right, reference);
}

/* Add the sums of the right model to the left model.  May modify the right model, too. */
static void
Concat(Dlints *left, Dlints *right)
{
	Memories	ours = ModelMemories(left);
	Memories	theirs = ModelMemories(right);

	ModelCheckSameEvidence(&left->header, &right->header);
	ModelCheckCount(left->header.updates, right->header.updates);
	if (right->header.updates == 0)
		return;
	if (left->header.updates == 0)
	{
		left->header.newest = right->header.newest;
		left->header.reference = right->header.reference;
	}
	Align(left, right);
	for (int j = 0; j < ours.count; j++)
		evidence_add(&ours.memory[j], &theirs.memory[j]);
	totals_add(&left->header.totals, &right->header.totals);
	left->header.updates += right->header.updates;
	/* with a half-life, always choose the discount factor: a || b must choose like b || a */
	if (ModelIsByTime(&left->header))
		ModelFinishSum(left);
	else
		ModelFinishTraining(left);
	/* for posterior draws, check the sums with squared weights, too */
	if (ModelMemorySquares(&left->header, 0) == SQUARES_MATRIX)
		ModelCheckPosteriors(left);
}

/*
 * Return the first argument of an SQL function as a model that may be modified.  Only the state of
 * an aggregate is not copied.
 */
static Dlints *
GetWritableLeft(FunctionCallInfo fcinfo)
{
	struct varlena *left = (struct varlena *) PG_GETARG_POINTER(0);

	if (AggCheckCallContext(fcinfo, NULL) && !VARATT_IS_EXTENDED(left))
		return PG_GETARG_DLINTS_P(0);
	return PG_GETARG_DLINTS_P_COPY(0);
}

PG_FUNCTION_INFO_V1(dlints_concat);

/*
 * dlints || dlints: return the left model, trained also on the right model's observations.  Also
 * serves the aggregates dlints_concat_agg and dlints_evidence.
 */
Datum
dlints_concat(PG_FUNCTION_ARGS)
{
	Dlints	   *left;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));

	left = GetWritableLeft(fcinfo);
	Concat(left, PG_GETARG_DLINTS_P_COPY(1));
	PG_RETURN_DLINTS_P(left);
}

/* Raise an error for a model with a discount below 1, whose weights depend on order. */
static void
CheckRetractable(const DlintsHeader *model)
{
	if (ModelIsByTime(model) || !ModelMemoryFades(model, 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot retract observations from a model that forgets by count"),
			 errdetail("The weight of an observation depends on the number of later observations."),
			 errhint("Use a model that forgets by time (half_life) or does not forget (discount => 1).")));
}

static void
RaiseNotContained(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot retract evidence that the model does not contain"),
			 errdetail("The remaining sums cannot result from observations."),
			 errhint("Retract each observation with the features, profile, reward, time and weight that it was trained with.")));
}

/*
 * Maximum fraction of a model's sums that may remain after the retraction of all observations.
 * Rounding errors leave about 1e-9.
 */
#define MAX_EMPTY_SHARE	1e-6

static bool
IsEmpty(const Evidence *memory, double weight, double diagonal, double ridge)
{
	double		left = linalg_max_diagonal(memory->dim, memory->G);

	return *memory->N <= Max(MAX_EMPTY_SHARE * weight, WEIGHT_TOLERANCE) &&
		left <= Max(MAX_EMPTY_SHARE * diagonal, RIDGE_TOLERANCE * ridge);
}

static void
Subtract(Dlints *left, Dlints *right)
{
	Memories	ours = ModelMemories(left);
	Memories	theirs = ModelMemories(right);
	bool		all = left->header.updates == right->header.updates;
	int			dim = ours.memory[0].dim;
	double	   *work = palloc(sizeof(double) * factor_value_count(dim, true));
	Totals	   *totals = &left->header.totals;
	Prior		ridge = prior_of_ridge(ModelFirstRidge(&left->header));

	BlasReady();
	if (!totals_subtract(totals, &right->header.totals))
		RaiseNotContained();
	for (int j = 0; j < ours.count; j++)
	{
		Evidence   *memory = &ours.memory[j];
		double		weight = *memory->N;
		double		diagonal = linalg_max_diagonal(dim, memory->G);
		Factor		factor;

		CHECK_FOR_INTERRUPTS();
		factor_bind(&factor, dim, evidence_squares(memory) != SQUARES_NONE, work);
		if (!evidence_subtract(memory, &theirs.memory[j], totals, ridge.ridge, work) ||
			!posterior_factor(memory, &ridge, &factor))
			RaiseNotContained();
		if (all && !IsEmpty(memory, weight, diagonal, ridge.ridge))
			RaiseNotContained();
	}
	pfree(work);
}

PG_FUNCTION_INFO_V1(dlints_retract);

/*
 * dlints - dlints: retract the right model's observations from the left model.  Raises an error if
 * the left model cannot contain these observations.
 */
Datum
dlints_retract(PG_FUNCTION_ARGS)
{
	Dlints	   *left;
	Dlints	   *right;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	left = PG_GETARG_DLINTS_P_COPY(0);
	right = PG_GETARG_DLINTS_P_COPY(1);
	ModelCheckSameEvidence(&left->header, &right->header);
	CheckRetractable(&left->header);
	if (right->header.updates == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (right->header.updates > left->header.updates || right->header.newest > left->header.newest)
		RaiseNotContained();

	Align(left, right);
	Subtract(left, right);
	left->header.updates -= right->header.updates;
	if (left->header.updates == 0)
		ModelReset(left);
	else
		ModelFinishSum(left);
	PG_RETURN_DLINTS_P(left);
}

PG_FUNCTION_INFO_V1(dlints_scale);

/* double precision * dlints: multiply the weights of all observations of a model. */
Datum
dlints_scale(PG_FUNCTION_ARGS)
{
	double		weight;
	DlintsHeader header;
	Dlints	   *model;
	Memories	memories;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	if (PG_GETARG_FLOAT8(0) == 0.0)
	{
		header = ModelHeaderFromDatum(PG_GETARG_DATUM(1));
		PG_RETURN_DLINTS_P(ModelCreate(&header));
	}
	weight = PG_GETARG_FLOAT8(0);
	if (!(weight > 0.0 && weight <= DLINTS_MAX_WEIGHT))
		ArgRaiseOutOfRange("weight", "between 0 and 1e10", weight);
	model = PG_GETARG_DLINTS_P_COPY(1);
	memories = ModelMemories(model);
	if (model->header.updates == 0)
		PG_RETURN_DLINTS_P(model);
	for (int j = 0; j < memories.count; j++)
		evidence_scale(&memories.memory[j], weight);
	totals_scale(&model->header.totals, weight);
	ModelFinishRevision(model);
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_at);

/* dlints_at(): decay a model with a half-life to a later time. */
Datum
dlints_at(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	int64		time;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	model = PG_GETARG_DLINTS_P_COPY(0);
	time = PG_GETARG_TIMESTAMPTZ(1);
	CheckTime(time, NULL);
	if (!ModelIsByTime(&model->header) || model->header.updates == 0)
		PG_RETURN_DLINTS_P(model);
	if (time < model->header.newest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a model cannot be aged to a time before its newest observation"),
				 errdetail("The newest observation is of %s.",
						   timestamptz_to_str(model->header.newest))));
	DecayTo(model, time);
	ModelFinishSum(model);
	PG_RETURN_DLINTS_P(model);
}
