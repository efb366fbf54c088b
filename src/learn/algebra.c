/*
 * algebra.c
 *		The algebra of histories: append one to another, take one back, weigh
 *		one, age one.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "core/linalg.h"
#include "core/posterior.h"
#include "learn/working.h"
#include "model/model.h"
#include "sql/observation.h"

/* Let a model be as old as if so many observations, or so much time, had come. */
static void
Age(Dlints *model, int64 updates, int64 time)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		evidence_scale(&memories.memory[j],
					   ModelMemoryDecay(&model->header, j, updates, time));
}

/* A model by time at a time that is not before its newest observation. */
static void
AgeTo(Dlints *model, int64 time)
{
	if (model->header.newest != TIME_UNKNOWN)
		Age(model, 0, TimeBetween(model->header.newest, time));
	model->header.newest = time;
}

/* The one nearer to zero, the same whichever side it is on. */
static double
CommonReference(double left, double right)
{
	if (fabs(left) != fabs(right))
		return fabs(left) < fabs(right) ? left : right;
	return Max(left, right);
}

/*
 * Give both the same age and reference.  By count the left side has seen the
 * right one's observations come; by time both are as old as the newer one.
 */
static void
Align(Dlints *left, Dlints *right)
{
	double		reference = CommonReference(left->header.reference,
											right->header.reference);

	if (ModelIsByTime(&left->header))
	{
		int64		newest = Max(left->header.newest, right->header.newest);

		AgeTo(left, newest);
		AgeTo(right, newest);
	}
	else
		Age(left, right->header.updates, 0);
	ModelRebase(left, reference);
	ModelRebase(right, reference);
}

/* left <- left || right; the right side is spoilt */
static void
Concat(Dlints *left, Dlints *right)
{
	Memories	ours = ModelMemories(left);
	Memories	theirs = ModelMemories(right);
	int			j;

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
	for (j = 0; j < ours.count; j++)
		evidence_add(&ours.memory[j], &theirs.memory[j]);
	totals_add(&left->header.totals, &right->header.totals);
	left->header.updates += right->header.updates;
	/* by time the sides are equal: the result must not depend on which is left */
	if (ModelIsByTime(&left->header))
		ModelSummed(left);
	else
		ModelLearned(left);
	/* a choice looks at Z, and not at H */
	if (ModelMemorySquares(&left->header, 0) == SQUARES_MATRIX)
		ModelCheckPosteriors(left);
}

/*
 * An aggregate's running state may be changed where it stands, unless it is
 * still as it came from the table.
 */
static Dlints *
WritableLeft(FunctionCallInfo fcinfo)
{
	struct varlena *left = (struct varlena *) PG_GETARG_POINTER(0);

	if (AggCheckCallContext(fcinfo, NULL) && !VARATT_IS_EXTENDED(left))
		return PG_GETARG_DLINTS_P(0);
	return PG_GETARG_DLINTS_P_COPY(0);
}

PG_FUNCTION_INFO_V1(dlints_concat);

/*
 * dlints || dlints, which is also the transition and combine function of
 * dlints_concat_agg, and the combine function of dlints_evidence: the model that
 * has seen the left history and then the right one; by time, both, whatever their
 * order
 */
Datum
dlints_concat(PG_FUNCTION_ARGS)
{
	WorkingModel *working;
	Dlints	   *left;

	if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));

	working = WorkingInPlace(PG_GETARG_DATUM(0));
	if (working)
	{
		WorkingLearnPending(working);
		Concat(working->model, PG_GETARG_DLINTS_P_COPY(1));
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	left = WritableLeft(fcinfo);
	Concat(left, PG_GETARG_DLINTS_P_COPY(1));
	PG_RETURN_DLINTS_P(left);
}

/* Weights that depend on the order of observations cannot be taken back. */
static void
CheckRetractable(const DlintsHeader *model)
{
	if (ModelIsByTime(model) || !ModelMemoryFades(model, 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("observations cannot be taken back from a model that forgets by count"),
			 errdetail("What an observation weighs depends on how many came after it."),
			 errhint("Use a model that forgets by time (half_life), or nothing (discount => 1).")));
}

static void
NeverLearned(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("evidence to be taken back was never learned"),
			 errdetail("What would be left is the evidence of no history.")));
}

/*
 * A memory from which all was taken back has less than this share of what it
 * had.  Rounding leaves about 1e-9 (core/evidence.c), one observation of a
 * million that was not taken back leaves this.  It may have had no more itself
 * than an earlier difference left, and then has what says nothing.
 */
#define EMPTY_SHARE	1e-6

static bool
IsEmpty(const Evidence *memory, double weight, double diagonal, double ridge)
{
	double		left = linalg_max_diagonal(memory->dim, memory->G);

	return *memory->N <= Max(EMPTY_SHARE * weight, LEAST_OF_WEIGHT) &&
		left <= Max(EMPTY_SHARE * diagonal, LEAST_OF_RIDGE * ridge);
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
	int			j;

	BlasReady();
	if (!totals_subtract(totals, &right->header.totals))
		NeverLearned();
	for (j = 0; j < ours.count; j++)
	{
		Evidence   *memory = &ours.memory[j];
		double		weight = *memory->N;
		double		diagonal = linalg_max_diagonal(dim, memory->G);
		Factor		factor;

		CHECK_FOR_INTERRUPTS();
		factor_bind(&factor, dim,
					evidence_squares(memory) != SQUARES_NONE, work);
		if (!evidence_subtract(memory, &theirs.memory[j], totals,
							   ridge.ridge, work) ||
			!posterior_factor(memory, &ridge, &factor))
			NeverLearned();
		if (all && !IsEmpty(memory, weight, diagonal, ridge.ridge))
			NeverLearned();
	}
	pfree(work);
}

PG_FUNCTION_INFO_V1(dlints_retract);

/*
 * dlints - dlints: the model without what the evidence says, the reverse of ||.
 * Evidence that was never learned is refused as far as it shows: where the result
 * is no possible history.
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
	if (right->header.updates > left->header.updates ||
		right->header.newest > left->header.newest)
		NeverLearned();

	Align(left, right);
	Subtract(left, right);
	left->header.updates -= right->header.updates;
	if (left->header.updates == 0)
		ModelForget(left);
	else
		ModelSummed(left);
	PG_RETURN_DLINTS_P(left);
}

PG_FUNCTION_INFO_V1(dlints_scale);

/*
 * double precision * dlints: the model as if each of its observations had counted
 * so many times what it did.  A weight of 0 leaves the parameters, and nothing is
 * read of what was learned.
 */
Datum
dlints_scale(PG_FUNCTION_ARGS)
{
	double		weight;
	DlintsHeader header;
	Dlints	   *model;
	Memories	memories;
	int			j;

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
	CheckWeight(weight, NULL);
	model = PG_GETARG_DLINTS_P_COPY(1);
	memories = ModelMemories(model);
	if (model->header.updates == 0)
		PG_RETURN_DLINTS_P(model);
	for (j = 0; j < memories.count; j++)
		evidence_scale(&memories.memory[j], weight);
	totals_scale(&model->header.totals, weight);
	ModelRevised(model);
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_at);

/* A model that forgets by time as it is at a moment */
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
				 errmsg("a model cannot be made younger"),
				 errdetail("Its newest observation is of %s.",
						   timestamptz_to_str(model->header.newest))));
	AgeTo(model, time);
	ModelSummed(model);
	PG_RETURN_DLINTS_P(model);
}
