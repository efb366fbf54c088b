/*
 * reduce.c
 *		Feature vectors to z, and parameters to weights.
 *
 * The projection's matrix is one that this backend keeps or, where there is no
 * room for it, is generated in pieces as it is needed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "posterior/kept_projections.h"
#include "posterior/reduce.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

/* What is done with each piece of the matrix. */
typedef struct ReduceTask
{
	Projection	projection;
	void		(*apply) (const struct ReduceTask *task,
						  const ProjectionRows *rows);
	int			count;			/* vectors */
	const double *in;
	int			in_len;
	double	   *out;
	int			out_len;
} ReduceTask;

static void
WalkPieces(const ReduceTask *task, const KeptProjection *kept)
{
	const Projection *projection = &task->projection;
	int			step = ProjectionPieceRows(projection);
	double	   *generated = kept ? NULL :
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * step *
							   (Size) projection->feature_dim);
	ProjectionRows piece;

	for (piece.first = 0; piece.first < projection->reduced_dim;
		 piece.first += piece.count)
	{
		CHECK_FOR_INTERRUPTS();
		piece.count = Min(step, projection->reduced_dim - piece.first);
		if (generated)
			projection_generate(projection, piece.first, piece.count, generated);
		piece.numbers = generated ? generated : ProjectionPiece(kept, piece.first);
		task->apply(task, &piece);
	}
	if (generated)
		pfree(generated);
}

static void
RunTask(const ReduceTask *task)
{
	KeptProjection *kept;

	BlasReady();
	kept = ProjectionPin(&task->projection);
	PG_TRY();
	{
		WalkPieces(task, kept);
	}
	PG_FINALLY();
	{
		if (kept)
			ProjectionUnpin(kept);
	}
	PG_END_TRY();
}

static void
ApplyRows(const ReduceTask *task, const ProjectionRows *rows)
{
	projection_apply(&task->projection, rows, task->count, task->in,
					 task->out, task->out_len);
}

/*
 * Feature vectors, each with a profile if the model has one, to reduced
 * feature vectors.
 */
void
ReduceFeatures(const DlintsHeader *model, int count, const double *features,
			   const double *profiles, double *reduced)
{
	Kind		kind = ModelKind(model);

	kind_fill(&kind, count, features, profiles, reduced);
	if (ModelHasProjection(model))
	{
		ReduceTask	task = {
			.projection = ModelProjection(model), .apply = ApplyRows,
			.count = count, .in = features, .in_len = model->feature_dim,
			.out = reduced, .out_len = kind_reduced_len(&kind)
		};

		RunTask(&task);
	}
}

/*
 * The reduced features of an argument or two, checked; allocated here, with
 * room behind it for what it is made of.
 */
double *
ReduceArray(const DlintsHeader *model, ArrayType *features,
			  Datum profile)
{
	int			len = ModelCoordinates(model);
	double	   *reduced = palloc(sizeof(double) * (len + model->feature_dim));
	double	   *numbers = reduced + len;
	double	   *profiles = ReadProfile(profile, model);
	ArgSpec		spec = ArgFeatureSpec(model);

	ArgVector(features, &spec, numbers);
	ReduceFeatures(model, 1, numbers, profiles, reduced);
	pfree(profiles);
	return reduced;
}

static void
LiftRows(const ReduceTask *task, const ProjectionRows *rows)
{
	projection_lift(&task->projection, rows, task->count, task->in,
					task->in_len, task->out, task->out_len);
}

/*
 * Parameters to as many lists of weights over feature vectors, under one shared
 * features if the model has one: dim numbers each, followed by that of
 * the intercept if there is one.
 */
void
LiftParameters(const DlintsHeader *model, int count, const double *parameters,
			   const double *profile, double *weights)
{
	Kind		kind = ModelKind(model);
	Size		len = (Size) count * kind_lifted_len(&kind);
	Size		i;

	kind_lift(&kind, count, parameters, profile, weights);
	if (ModelHasProjection(model))
	{
		ReduceTask	task = {
			.projection = ModelProjection(model), .apply = LiftRows,
			.count = count, .in = parameters, .in_len = kind_reduced_len(&kind),
			.out = weights, .out_len = kind_lifted_len(&kind)
		};

		RunTask(&task);
	}
	for (i = 0; i < len; i++)
		ResultFinite(weights[i]);
}

/* One parameter, under the profile of a call. */
void
LiftParameter(const DlintsHeader *model, const double *parameter,
			  Datum profile, double *weights)
{
	double	   *numbers = ReadProfile(profile, model);

	LiftParameters(model, 1, parameter, numbers, weights);
	pfree(numbers);
}
