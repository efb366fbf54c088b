/*
 * projcache.c
 *		Apply a model's projection, from a matrix kept by this backend or,
 *		where the bound leaves no room for it, generated in pieces as it is
 *		needed.
 *
 * Matrices are found by what defines them, so that models with the same seed,
 * sizes and scale share one.  The list is short and ordered by last use; the
 * least recently used go when a new one needs their room.
 */
#include "projcache.h"

#include "args.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* numbers in a piece: 1 MB, and the interval between interrupt checks */
#define PIECE_NUMBERS	131072

int			dlints_projection_cache_size;

typedef struct KeptProjection
{
	dlist_node	node;
	MemoryContext context;		/* this struct and the matrix */
	Projection	projection;
	Size		bytes;
	double	   *numbers;		/* of all rows, piece after piece */
} KeptProjection;

static dlist_head kept = DLIST_STATIC_INIT(kept);
static Size kept_bytes = 0;

/*
 * A walk over all rows of a projection in pieces.  They are the same whether
 * it is kept or not, so that the setting cannot change how sums round.
 */
typedef struct ProjectionScan
{
	Projection	projection;
	const double *kept;			/* all rows, or NULL */
	double	   *generated;		/* else room for a piece */
	ProjectionRows piece;
	double	   *work;			/* what the core wants for a piece */
} ProjectionScan;

static Size
BoundInBytes(void)
{
	return (Size) dlints_projection_cache_size * 1024;
}

static int
RowsPerPiece(const Projection *projection)
{
	Size		rows = PIECE_NUMBERS / projection_row_len(projection);

	return Min(Max(rows, 1), projection->reduced_dim);
}

/* Generate all rows, a piece at a time so that the user can interrupt. */
static void
GenerateRows(const Projection *projection, double *numbers)
{
	int			step = RowsPerPiece(projection);
	int			row;

	for (row = 0; row < projection->reduced_dim; row += step)
	{
		CHECK_FOR_INTERRUPTS();
		projection_generate(projection, row,
							Min(step, projection->reduced_dim - row),
							numbers + row * projection_row_len(projection));
	}
}

static void
Forget(KeptProjection *entry)
{
	dlist_delete(&entry->node);
	kept_bytes -= entry->bytes;
	MemoryContextDelete(entry->context);
}

static void
MakeRoom(Size bytes)
{
	while (!dlist_is_empty(&kept) && kept_bytes + bytes > BoundInBytes())
		Forget(dlist_tail_element(KeptProjection, node, &kept));
}

/*
 * The context becomes permanent only when all rows are there: an error
 * half way leaves nothing behind.
 */
static KeptProjection *
Keep(const Projection *projection, Size bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints projection",
												  ALLOCSET_SMALL_SIZES);
	KeptProjection *entry = MemoryContextAlloc(context, sizeof(KeptProjection));

	MakeRoom(bytes);
	entry->context = context;
	entry->projection = *projection;
	entry->bytes = bytes;
	entry->numbers = MemoryContextAllocHuge(context, bytes);
	GenerateRows(projection, entry->numbers);

	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&kept, &entry->node);
	kept_bytes += bytes;
	return entry;
}

/* Do both have the same rows?  An intercept is in none of them. */
static bool
SameRows(const Projection *a, const Projection *b)
{
	return a->seed == b->seed && a->scale == b->scale &&
		a->context_dim == b->context_dim &&
		a->reduced_dim == b->reduced_dim && a->shared_dim == b->shared_dim;
}

/* The kept projection with these rows, made if there is room, or NULL. */
static KeptProjection *
FindOrKeep(const Projection *projection)
{
	Size		bytes = mul_size(mul_size(projection->reduced_dim,
										  projection_row_len(projection)),
								 sizeof(double));
	dlist_iter	iter;

	MakeRoom(0);				/* the bound may have been lowered */
	dlist_foreach(iter, &kept)
	{
		KeptProjection *entry = dlist_container(KeptProjection, node, iter.cur);

		if (SameRows(&entry->projection, projection))
		{
			dlist_move_head(&kept, &entry->node);
			return entry;
		}
	}
	return bytes <= BoundInBytes() ? Keep(projection, bytes) : NULL;
}

/*
 * Begin a scan that is to reduce or lift "count" vectors.  No other scan may
 * begin before this one is done with its pieces.
 */
static void
BeginScan(ProjectionScan *scan, const Dlints *model, int count)
{
	Projection *projection = &scan->projection;
	KeptProjection *entry;
	int			rows;

	*projection = ModelProjection(model);
	rows = RowsPerPiece(projection);
	scan->piece.first = 0;
	scan->piece.count = 0;
	entry = FindOrKeep(projection);
	scan->kept = entry ? entry->numbers : NULL;
	scan->generated = entry ? NULL :
		MemoryContextAllocHuge(CurrentMemoryContext,
							   sizeof(double) * rows *
							   projection_row_len(projection));
	scan->work = MemoryContextAllocHuge(CurrentMemoryContext,
										sizeof(double) *
										projection_work(projection, rows, count));
}

static void
EndScan(ProjectionScan *scan)
{
	if (scan->generated)
		pfree(scan->generated);
	pfree(scan->work);
}

static bool
NextPiece(ProjectionScan *scan)
{
	const Projection *projection = &scan->projection;
	ProjectionRows *piece = &scan->piece;

	piece->first += piece->count;
	if (piece->first == projection->reduced_dim)
	{
		EndScan(scan);
		return false;
	}

	CHECK_FOR_INTERRUPTS();
	piece->count = Min(RowsPerPiece(projection),
					   projection->reduced_dim - piece->first);
	if (scan->generated)
		projection_generate(projection, piece->first, piece->count,
							scan->generated);
	piece->numbers = scan->generated ? scan->generated :
		scan->kept + piece->first * projection_row_len(projection);
	return true;
}

void
ProjectContexts(const Dlints *model, int count, const double *contexts,
				const double *shareds, double *reduced)
{
	ProjectionScan scan;

	if (!ModelHasProjection(model))
	{
		Projection	identity = ModelProjection(model);

		projection_copy(&identity, count, contexts, reduced);
		return;
	}
	BeginScan(&scan, model, count);
	while (NextPiece(&scan))
		projection_apply(&scan.projection, &scan.piece, count, contexts,
						 shareds, reduced, scan.work);
}

double *
ReduceContext(const Dlints *model, ArrayType *context, const Datum *shared)
{
	double	   *contexts = palloc(sizeof(double) * model->context_dim);
	double	   *shareds = ArgSharedNumbers(shared, model->shared_dim);
	double	   *reduced = palloc(sizeof(double) * ModelCoordinates(model));

	ArgVector(context, model->context_dim, contexts);
	ProjectContexts(model, 1, contexts, shareds, reduced);
	pfree(shareds);
	pfree(contexts);
	return reduced;
}

void
LiftParameters(const Dlints *model, int count, const double *parameters,
			   const double *shared, double *weights)
{
	ProjectionScan scan;
	Size		i;

	if (!ModelHasProjection(model))
	{
		memcpy(weights, parameters, sizeof(double) * (Size) count *
			   ModelCoordinates(model));
		return;
	}
	BeginScan(&scan, model, count);
	while (NextPiece(&scan))
		projection_lift(&scan.projection, &scan.piece, count, parameters,
						shared, weights, scan.work);
	for (i = 0; i < (Size) count * ModelLiftedLen(model); i++)
		ResultFinite(weights[i]);
}
