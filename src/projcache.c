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
	ProjectionKey key;
	Size		bytes;
	double	   *matrix;
} KeptProjection;

static dlist_head kept = DLIST_STATIC_INIT(kept);
static Size kept_bytes = 0;

/*
 * A walk over all rows of a matrix in pieces.  They are the same whether the
 * matrix is kept or not, so that the setting cannot change how sums round.
 */
typedef struct ProjectionScan
{
	ProjectionKey key;
	const double *kept;			/* all rows, or NULL */
	double	   *generated;		/* else work space for a piece */
	const double *piece;		/* rows first_row to first_row + rows - 1 */
	int			first_row;
	int			rows;
} ProjectionScan;

static Size
BoundInBytes(void)
{
	return (Size) dlints_projection_cache_size * 1024;
}

static int
RowsPerPiece(const ProjectionKey *key)
{
	return Min(Max(PIECE_NUMBERS / key->context_dim, 1), key->reduced_dim);
}

/* Generate all rows, a piece at a time so that the user can interrupt. */
static void
GenerateMatrix(const ProjectionKey *key, double *matrix)
{
	int			step = RowsPerPiece(key);
	int			row;

	for (row = 0; row < key->reduced_dim; row += step)
	{
		CHECK_FOR_INTERRUPTS();
		projection_generate(key, row, Min(step, key->reduced_dim - row),
							matrix + (Size) row * key->context_dim);
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
 * The context becomes permanent only when the matrix is complete: an error
 * half way leaves nothing behind.
 */
static KeptProjection *
Keep(const ProjectionKey *key, Size bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints projection",
												  ALLOCSET_SMALL_SIZES);
	KeptProjection *entry = MemoryContextAlloc(context, sizeof(KeptProjection));

	MakeRoom(bytes);
	entry->context = context;
	entry->key = *key;
	entry->bytes = bytes;
	entry->matrix = MemoryContextAllocHuge(context, bytes);
	GenerateMatrix(key, entry->matrix);

	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&kept, &entry->node);
	kept_bytes += bytes;
	return entry;
}

static bool
SameProjection(const ProjectionKey *a, const ProjectionKey *b)
{
	return a->seed == b->seed && a->scale == b->scale &&
		a->context_dim == b->context_dim && a->reduced_dim == b->reduced_dim;
}

/* The kept matrix of this key, made if there is room for it, or NULL. */
static KeptProjection *
FindOrKeep(const ProjectionKey *key)
{
	Size		bytes = mul_size(mul_size(key->reduced_dim, key->context_dim),
								 sizeof(double));
	dlist_iter	iter;

	MakeRoom(0);				/* the bound may have been lowered */
	dlist_foreach(iter, &kept)
	{
		KeptProjection *entry = dlist_container(KeptProjection, node, iter.cur);

		if (SameProjection(&entry->key, key))
		{
			dlist_move_head(&kept, &entry->node);
			return entry;
		}
	}
	return bytes <= BoundInBytes() ? Keep(key, bytes) : NULL;
}

/* No other scan may begin before this one is done with its pieces. */
static void
BeginScan(ProjectionScan *scan, const Dlints *model)
{
	KeptProjection *entry;

	scan->key = ModelProjectionKey(model);
	scan->first_row = 0;
	scan->rows = 0;
	entry = FindOrKeep(&scan->key);
	scan->kept = entry ? entry->matrix : NULL;
	scan->generated = entry ? NULL :
		MemoryContextAllocHuge(CurrentMemoryContext,
							   sizeof(double) * RowsPerPiece(&scan->key) *
							   scan->key.context_dim);
}

static bool
NextPiece(ProjectionScan *scan)
{
	scan->first_row += scan->rows;
	if (scan->first_row == scan->key.reduced_dim)
	{
		if (scan->generated)
			pfree(scan->generated);
		return false;
	}

	CHECK_FOR_INTERRUPTS();
	scan->rows = Min(RowsPerPiece(&scan->key),
					 scan->key.reduced_dim - scan->first_row);
	if (scan->generated)
		projection_generate(&scan->key, scan->first_row, scan->rows,
							scan->generated);
	scan->piece = scan->generated ? scan->generated :
		scan->kept + (Size) scan->first_row * scan->key.context_dim;
	return true;
}

void
ProjectContexts(const Dlints *model, int count, const double *contexts,
				double *reduced)
{
	ProjectionScan scan;

	if (!ModelHasProjection(model))
	{
		memcpy(reduced, contexts, sizeof(double) * (Size) count * model->dim);
		return;
	}
	BeginScan(&scan, model);
	while (NextPiece(&scan))
		projection_apply(&scan.key, scan.first_row, scan.rows, scan.piece,
						 count, contexts, reduced);
}

double *
ReduceContext(const Dlints *model, ArrayType *context)
{
	double	   *numbers = palloc(sizeof(double) * model->context_dim);
	double	   *reduced = palloc(sizeof(double) * model->dim);

	ArgVector(context, model->context_dim, numbers);
	ProjectContexts(model, 1, numbers, reduced);
	pfree(numbers);
	return reduced;
}

void
LiftParameters(const Dlints *model, int count, const double *parameters,
			   double *weights)
{
	ProjectionScan scan;

	if (!ModelHasProjection(model))
	{
		memcpy(weights, parameters, sizeof(double) * (Size) count * model->dim);
		return;
	}
	BeginScan(&scan, model);
	while (NextPiece(&scan))
		projection_lift(&scan.key, scan.first_row, scan.rows, scan.piece,
						count, parameters, weights);
}
