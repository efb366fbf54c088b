/*
 * reduce.c
 *		Convert item features to a model's features, with a cache of projection matrices.
 *
 * Models with equal seed, dimensions and scale share a matrix.  We evict the least recently used
 * matrices.
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

/* Random numbers that are generated between two checks for interrupts (4 ms) */
#define PIECE_NUMBERS	131072

int			projection_cache_size;

StaticAssertDecl(PIECE_NUMBERS >= DLINTS_MAX_FEATURE_DIM, "no row fits a piece");

/* A cached projection matrix.  The hash key must be first. */
typedef struct KeptProjection
{
	Projection	projection;
	dlist_node	node;
	MemoryContext context;
	Size		bytes;
	double	   *numbers;		/* all rows of the projection matrix */
} KeptProjection;

StaticAssertDecl(sizeof(Projection) == sizeof(uint64) + sizeof(double) + 2 * sizeof(int),
				 "a key has padding");

static HTAB *table = NULL;
static dlist_head kept_projections = DLIST_STATIC_INIT(kept_projections);
static Size kept_bytes = 0;

/*
 * Return how many rows of a matrix are processed together.  This number affects how sums are
 * rounded.  If it depended on the cache size, so would results.
 */
static int
PieceRows(const Projection *projection)
{
	int			rows = PIECE_NUMBERS / projection->feature_dim;

	return Min(rows, projection->reduced_dim);
}

static Size
CacheLimit(void)
{
	return (Size) projection_cache_size * 1024;
}

/* Generate all rows of a matrix in pieces, so that users can cancel the query. */
static void
GenerateRows(const Projection *projection, double *numbers)
{
	int			step = PieceRows(projection);

	for (int row = 0; row < projection->reduced_dim; row += step)
	{
		CHECK_FOR_INTERRUPTS();
		projection_generate(projection, row, Min(step, projection->reduced_dim - row),
							numbers + (Size) row * projection->feature_dim);
	}
}

/* Evict the least recently used matrices until "bytes" more bytes fit into the cache. */
static void
MakeRoom(Size bytes)
{
	while (!dlist_is_empty(&kept_projections) && kept_bytes + bytes > CacheLimit())
	{
		KeptProjection *kept = dlist_tail_element(KeptProjection, node, &kept_projections);

		dlist_delete(&kept->node);
		kept_bytes -= kept->bytes;
		MemoryContextDelete(kept->context);
		hash_search(table, &kept->projection, HASH_REMOVE, NULL);
	}
}

/*
 * Generate a matrix and add it to the cache.  A complete matrix moves to permanent memory.  An
 * error before that frees the matrix.
 */
static KeptProjection *
InsertProjection(const Projection *projection, Size bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints projection", ALLOCSET_SMALL_SIZES);
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

/* Get a matrix from the cache, or add it.  Returns NULL if it is too large. */
static KeptProjection *
KeepProjection(const Projection *projection)
{
	Size		bytes = mul_size(mul_size(projection->reduced_dim, projection->feature_dim),
								 sizeof(double));
	HASHCTL		control = {.keysize = sizeof(Projection), .entrysize = sizeof(KeptProjection)};
	KeptProjection *kept;

	if (table == NULL)
		table = hash_create("dlints projections", 16, &control, HASH_ELEM | HASH_BLOBS);
	MakeRoom(0);				/* evict matrices, because the limit may have been reduced */
	kept = hash_search(table, projection, HASH_FIND, NULL);
	if (kept)
	{
		dlist_move_head(&kept_projections, &kept->node);
		return kept;
	}
	return bytes <= CacheLimit() ? InsertProjection(projection, bytes) : NULL;
}

/*
 * Begin a scan of a projection matrix.  A matrix that is too large for the cache is generated
 * during the scan.  Only one scan may be active, because a second scan could evict the matrix of
 * the first scan.
 */
ProjectionWalk
ProjectionBegin(const Projection *projection)
{
	const KeptProjection *kept = KeepProjection(projection);
	ProjectionWalk walk = {.projection = projection};

	if (kept)
		walk.kept = kept->numbers;
	else
		walk.generated = AllocateNumbers((Size) PieceRows(projection) * projection->feature_dim);
	return walk;
}

/* Advance a scan to the next rows of the matrix.  Returns false after the last rows. */
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

/* ---------- features and weights ---------- */

/* Begin a scan of a model's projection matrix.  Returns false if the model has none. */
static bool
BeginProjection(const DlintsHeader *model, Projection *projection, ProjectionWalk *walk)
{
	if (!ModelHasProjection(model))
		return false;
	BlasReady();
	*projection = ModelProjection(model);
	*walk = ProjectionBegin(projection);
	return true;
}

/* Compute a model's features from item features and user profiles. */
void
ReduceFeatures(const DlintsHeader *model, int count, const double *features,
			   const double *profiles, double *reduced)
{
	Kind		kind = ModelKind(model);
	Projection	projection;
	ProjectionWalk walk;

	kind_fill(&kind, count, features, profiles, reduced);
	if (BeginProjection(model, &projection, &walk))
		while (ProjectionNext(&walk))
			linalg_project(model->feature_dim, walk.piece.count, walk.piece.numbers, count,
						   features, reduced + walk.piece.first, kind_reduced_len(&kind));
}

/* Compute a model's features from the arguments of an SQL function. */
double *
ReduceArray(const DlintsHeader *model, ArrayType *features, Datum profile)
{
	int			len = ModelCoefficientCount(model);
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
 * Convert vectors of coefficients to weights of item features.  All vectors are for the same user
 * profile.  The weight of the intercept is last.  Raises an error if a weight overflows.
 */
void
LiftParameters(const DlintsHeader *model, int count, const double *parameters,
			   const double *profile, double *weights)
{
	Kind		kind = ModelKind(model);
	Size		len = (Size) count * kind_lifted_len(&kind);
	Projection	projection;
	ProjectionWalk walk;

	kind_lift(&kind, count, parameters, profile, weights);
	if (BeginProjection(model, &projection, &walk))
		while (ProjectionNext(&walk))
			linalg_combine(model->feature_dim, walk.piece.count, walk.piece.numbers, count,
						   parameters + walk.piece.first, kind_reduced_len(&kind), weights,
						   kind_lifted_len(&kind));
	for (Size i = 0; i < len; i++)
		ResultFinite(weights[i]);
}

/* Convert one vector of coefficients to weights of item features, for a user profile. */
void
LiftParameter(const DlintsHeader *model, const double *parameter, Datum profile, double *weights)
{
	double	   *numbers = ReadProfile(profile, model);

	LiftParameters(model, 1, parameter, numbers, weights);
	pfree(numbers);
}
