/*
 * reduce.c
 *		Contexts to z, and parameters to weights.
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
							   (Size) projection->context_dim);
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
 * Contexts, each with a shared context if the model has one, to reduced
 * contexts.
 */
void
ReduceContexts(const DlintsHeader *model, int count, const double *contexts,
			   const double *shareds, double *reduced)
{
	Kind		kind = ModelKind(model);

	kind_fill(&kind, count, contexts, shareds, reduced);
	if (ModelHasProjection(model))
	{
		ReduceTask	task = {
			.projection = ModelProjection(model), .apply = ApplyRows,
			.count = count, .in = contexts, .in_len = model->context_dim,
			.out = reduced, .out_len = kind_reduced_len(&kind)
		};

		RunTask(&task);
	}
}

/*
 * The reduced context of an argument or two, checked; allocated here, with
 * room behind it for what it is made of.
 */
double *
ReduceContext(const DlintsHeader *model, ArrayType *context,
			  const Datum *shared)
{
	int			len = ModelCoordinates(model);
	double	   *reduced = palloc(sizeof(double) * (len + model->context_dim));
	double	   *numbers = reduced + len;
	double	   *shareds = ReadShared(shared, model);
	ArgSpec		spec = ArgContextSpec(model);

	ArgVector(context, &spec, numbers);
	ReduceContexts(model, 1, numbers, shareds, reduced);
	if (shareds)
		pfree(shareds);
	return reduced;
}

static void
LiftRows(const ReduceTask *task, const ProjectionRows *rows)
{
	projection_lift(&task->projection, rows, task->count, task->in,
					task->in_len, task->out, task->out_len);
}

/*
 * Parameters to as many lists of weights over contexts, under one shared
 * context if the model has one: context_dim numbers each, followed by that of
 * the intercept if there is one.
 */
void
LiftParameters(const DlintsHeader *model, int count, const double *parameters,
			   const double *shared, double *weights)
{
	Kind		kind = ModelKind(model);
	Size		len = (Size) count * kind_lifted_len(&kind);
	Size		i;

	kind_lift(&kind, count, parameters, shared, weights);
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

/* One parameter, under the shared context of a call. */
void
LiftParameter(const DlintsHeader *model, const double *parameter,
			  const Datum *shared, double *weights)
{
	double	   *numbers = ReadShared(shared, model);

	LiftParameters(model, 1, parameter, numbers, weights);
	if (numbers)
		pfree(numbers);
}
