/*
 * reduce.c
 *		Feature vectors to z, and parameters to weights.
 */
#include "postgres.h"

#include "posterior/kept_projections.h"
#include "posterior/reduce.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

/* Vectors that each piece of a projection turns into others. */
typedef struct ReduceTask
{
	int			count;			/* vectors */
	const double *in;
	int			in_len;
	double	   *out;
	int			out_len;
} ReduceTask;

static void
ApplyRows(const Projection *projection, const ProjectionRows *rows, void *arg)
{
	const ReduceTask *task = arg;

	projection_apply(projection, rows, task->count, task->in,
					 task->out, task->out_len);
}

static void
LiftRows(const Projection *projection, const ProjectionRows *rows, void *arg)
{
	const ReduceTask *task = arg;

	projection_lift(projection, rows, task->count, task->in,
					task->in_len, task->out, task->out_len);
}

static void
RunTask(const DlintsHeader *model, ProjectionVisitor visit, ReduceTask *task)
{
	Projection	projection = ModelProjection(model);

	BlasReady();
	ProjectionWalk(&projection, visit, task);
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
			.count = count, .in = features, .in_len = model->feature_dim,
			.out = reduced, .out_len = kind_reduced_len(&kind)
		};

		RunTask(model, ApplyRows, &task);
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
			.count = count, .in = parameters, .in_len = kind_reduced_len(&kind),
			.out = weights, .out_len = kind_lifted_len(&kind)
		};

		RunTask(model, LiftRows, &task);
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
