/*
 * reduce.c
 *		Feature vectors to z, and parameters to weights.  Projection matrices are
 *		kept for as long as there is room.
 *
 * Matrices are found by what defines them, so that models with the same seed,
 * sizes and scale share one.  A list is ordered by last use; the least recently
 * used go when a new one needs their room.  Usually there are few, but there may
 * be thousands where small models have seeds of their own: hence a hash table
 * beside it.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "model/model.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

/* ---------- projection matrices ---------- */

/*
 * Numbers in a piece: 1 MB, twice the longest row.  Generating them takes 4 ms,
 * the interval between interrupt checks.
 */
#define PIECE_NUMBERS	131072

int			projection_cache_size;

StaticAssertDecl(PIECE_NUMBERS >= DLINTS_MAX_FEATURE_DIM, "no row fits a piece");

/* Its key, all of which says what the rows are, comes first. */
typedef struct KeptProjection
{
	Projection	projection;
	dlist_node	node;
	MemoryContext context;		/* of the matrix */
	Size		bytes;
	double	   *numbers;		/* of all rows, piece after piece */
} KeptProjection;

StaticAssertDecl(sizeof(Projection) == sizeof(uint64) + sizeof(double) + 2 * sizeof(int),
				 "a key has padding");

static HTAB *table = NULL;
static dlist_head kept_projections = DLIST_STATIC_INIT(kept_projections);
static Size kept_bytes = 0;

/*
 * How many rows are generated, or worked through, at a time.  The same whether
 * a matrix is kept or not, so that the setting cannot change how sums round.
 */
static int
PieceRows(const Projection *projection)
{
	int			rows = PIECE_NUMBERS / projection->feature_dim;

	return Min(rows, projection->reduced_dim);
}

static Size
BoundInBytes(void)
{
	return (Size) projection_cache_size * 1024;
}

/* Generate all rows, a piece at a time so that the user can interrupt. */
static void
GenerateRows(const Projection *projection, double *numbers)
{
	int			step = PieceRows(projection);
	int			row;

	for (row = 0; row < projection->reduced_dim; row += step)
	{
		CHECK_FOR_INTERRUPTS();
		projection_generate(projection, row,
							Min(step, projection->reduced_dim - row),
							numbers + (Size) row * projection->feature_dim);
	}
}

static void
EvictProjection(KeptProjection *kept)
{
	dlist_delete(&kept->node);
	kept_bytes -= kept->bytes;
	MemoryContextDelete(kept->context);
	hash_search(table, &kept->projection, HASH_REMOVE, NULL);
}

/* Evict what was not used for longest until so many more bytes fit. */
static void
MakeRoom(Size bytes)
{
	while (!dlist_is_empty(&kept_projections) && kept_bytes + bytes > BoundInBytes())
		EvictProjection(dlist_tail_element(KeptProjection, node, &kept_projections));
}

static void
MakeTable(void)
{
	HASHCTL		control = {.keysize = sizeof(Projection), .entrysize = sizeof(KeptProjection)};

	if (table == NULL)
		table = hash_create("dlints projections", 16, &control, HASH_ELEM | HASH_BLOBS);
}

/*
 * It becomes permanent only when all rows are there: an error half way leaves
 * nothing behind.  What counts is all that it takes, since that of a small
 * matrix is mostly its surroundings.
 */
static KeptProjection *
InsertProjection(const Projection *projection, Size bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints projection",
												  ALLOCSET_SMALL_SIZES);
	double	   *numbers;
	KeptProjection *kept;

	MakeRoom(bytes);
	numbers = MemoryContextAllocHuge(context, bytes);
	GenerateRows(projection, numbers);

	kept = hash_search(table, projection, HASH_ENTER, NULL);
	kept->context = context;
	kept->bytes = MemoryContextMemAllocated(context, false) + sizeof(KeptProjection);
	kept->numbers = numbers;
	MemoryContextSetParent(context, TopMemoryContext);
	dlist_push_head(&kept_projections, &kept->node);
	kept_bytes += kept->bytes;
	return kept;
}

/* The kept projection with these rows; made if there is room, else NULL. */
static KeptProjection *
KeepProjection(const Projection *projection)
{
	Size		bytes = mul_size(mul_size(projection->reduced_dim,
										  projection->feature_dim),
								 sizeof(double));
	KeptProjection *kept;

	MakeTable();
	MakeRoom(0);				/* the bound may have been lowered */
	kept = hash_search(table, projection, HASH_FIND, NULL);
	if (kept)
	{
		dlist_move_head(&kept_projections, &kept->node);
		return kept;
	}
	return bytes <= BoundInBytes() ? InsertProjection(projection, bytes) : NULL;
}

/*
 * Begin a way through all rows of a matrix: of the one that is kept or, where there
 * is no room for it, as they are generated.  There is one way at a time, as
 * another might evict what the first one reads.
 */
ProjectionWalk
ProjectionBegin(const Projection *projection)
{
	const KeptProjection *kept = KeepProjection(projection);
	ProjectionWalk walk = {.projection = projection};

	if (kept)
		walk.kept = kept->numbers;
	else
		walk.generated = AllocateNumbers((Size) PieceRows(projection) *
										 projection->feature_dim);
	return walk;
}

/* Go on to the next piece; false, and the way is over, if there is none. */
bool
ProjectionNext(ProjectionWalk *walk)
{
	const Projection *projection = walk->projection;
	ProjectionRows *piece = &walk->piece;

	CHECK_FOR_INTERRUPTS();
	piece->first += piece->count;
	piece->count = Min(PieceRows(projection), projection->reduced_dim - piece->first);
	if (piece->count > 0 && walk->kept)
		piece->numbers = walk->kept + (Size) piece->first * projection->feature_dim;
	else if (piece->count > 0)
	{
		projection_generate(projection, piece->first, piece->count, walk->generated);
		piece->numbers = walk->generated;
	}
	else if (walk->generated)
		pfree(walk->generated);
	return piece->count > 0;
}

/* ---------- what they are for ---------- */

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
		Projection	projection = ModelProjection(model);
		ProjectionWalk walk;

		BlasReady();
		walk = ProjectionBegin(&projection);
		while (ProjectionNext(&walk))
			projection_apply(&projection, &walk.piece, count, features, reduced,
							 kind_reduced_len(&kind));
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
		Projection	projection = ModelProjection(model);
		ProjectionWalk walk;

		BlasReady();
		walk = ProjectionBegin(&projection);
		while (ProjectionNext(&walk))
			projection_lift(&projection, &walk.piece, count, parameters,
							kind_reduced_len(&kind), weights, kind_lifted_len(&kind));
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
