/*
 * reduce.c
 *		Apply a model's projection, from a matrix that this backend keeps or,
 *		where there is no room for it, generated in pieces as it is needed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "args.h"
#include "core/linalg.h"
#include "projcache.h"
#include "reduce.h"

/*
 * Comes before whatever calls BLAS.  OpenBLAS takes 128 MB of address space at
 * its first product, and where there is none it tries again for ever, deaf to
 * every signal but SIGQUIT.
 */
void
BlasReady(void)
{
	if (unlikely(!linalg_ready()))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("BLAS needs 128 MB of address space for each process that computes."),
				 errhint("Raise or remove the limit on the server's address space (ulimit -v).")));
}

/* What is done with each piece of the matrices. */
typedef struct ReduceTask
{
	Projection	projection;
	void		(*apply) (const struct ReduceTask *task,
						  const ProjectionRows *rows);
	int			count;			/* vectors */
	const double *in;
	const double *shared;
	double	   *out;
	double	   *work;			/* what the core wants for a piece */
} ReduceTask;

static void
WalkPieces(const ReduceTask *task, const KeptProjection *kept)
{
	const Projection *projection = &task->projection;
	int			step = ProjectionPieceRows(projection);
	double	   *generated = kept ? NULL :
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * step *
							   projection_row_len(projection));
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
RunTask(ReduceTask *task)
{
	Size		work = projection_work(&task->projection,
									   ProjectionPieceRows(&task->projection),
									   task->count);
	KeptProjection *kept;

	BlasReady();
	task->work = work == 0 ? NULL :
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * work);
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
	if (task->work)
		pfree(task->work);
}

static void
ApplyRows(const ReduceTask *task, const ProjectionRows *rows)
{
	projection_apply(&task->projection, rows, task->count, task->in,
					 task->shared, task->out, task->work);
}

/*
 * Contexts, each with a shared context if the model has one, to reduced
 * contexts; without projection, a copy.
 */
void
ReduceContexts(const DlintsHeader *model, int count, const double *contexts,
			   const double *shareds, double *reduced)
{
	ReduceTask	task = {
		.projection = ModelProjection(model), .apply = ApplyRows,
		.count = count, .in = contexts, .shared = shareds, .out = reduced
	};

	if (ModelHasProjection(model))
		RunTask(&task);
	else
		projection_copy(&task.projection, count, contexts, reduced);
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
	double	   *shareds = ArgSharedNumbers(shared, model);

	ArgContext(context, model, numbers);
	ReduceContexts(model, 1, numbers, shareds, reduced);
	if (shareds)
		pfree(shareds);
	return reduced;
}

static void
LiftRows(const ReduceTask *task, const ProjectionRows *rows)
{
	projection_lift(&task->projection, rows, task->count, task->in,
					task->shared, task->out, task->work);
}

/*
 * A parameter to weights over contexts, under the shared context of a call:
 * context_dim numbers, followed by that of the intercept if there is one.
 */
void
LiftParameter(const DlintsHeader *model, const double *parameter,
			  const Datum *shared, double *weights)
{
	double	   *numbers = ArgSharedNumbers(shared, model);
	ReduceTask	task = {
		.projection = ModelProjection(model), .apply = LiftRows,
		.count = 1, .in = parameter, .shared = numbers, .out = weights
	};
	int			len = ModelLiftedLen(model);
	int			i;

	if (ModelHasProjection(model))
		RunTask(&task);
	else
		memcpy(weights, parameter, sizeof(double) * len);
	for (i = 0; i < len; i++)
		ResultFinite(weights[i]);
	if (numbers)
		pfree(numbers);
}
