/*
 * reduce.c
 *		Conversion of features to reduced features z, and of coefficients of z
 *		to weights of features, with a cache of projection matrices.
 *
 * Models with equal seed, dimensions and scale share a matrix.  The cache evicts the least recently
 * used matrices when a new one needs space.  A hash table finds matrices quickly, since many small
 * models may have different seeds.
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
 * Number of doubles in a piece of a matrix: 1 MB, twice the longest row.  We check for interrupts
 * after each piece, which takes 4 ms to generate.
 */
#define PIECE_NUMBERS	131072

int			projection_cache_size;

StaticAssertDecl(PIECE_NUMBERS >= DLINTS_MAX_FEATURE_DIM, "no row fits a piece");

/* A cached matrix; the hash key, which must be first, determines all of its numbers */
typedef struct KeptProjection
{
	Projection	projection;
	dlist_node	node;
	MemoryContext context;		/* memory context of the matrix */
	Size		bytes;
	double	   *numbers;		/* all rows, in row-major order */
} KeptProjection;

StaticAssertDecl(sizeof(Projection) == sizeof(uint64) + sizeof(double) + 2 * sizeof(int),
				 "a key has padding");

static HTAB *table = NULL;
static dlist_head kept_projections = DLIST_STATIC_INIT(kept_projections);
static Size kept_bytes = 0;

/*
 * Return the number of rows in a piece of a matrix.  The number does not depend on whether the
 * matrix is cached, so that dlints.projection_cache_size cannot change the rounding of sums.
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

/* Generate all rows of a matrix, in pieces, so that users can cancel the query. */
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

static void
EvictProjection(KeptProjection *kept)
{
	dlist_delete(&kept->node);
	kept_bytes -= kept->bytes;
	MemoryContextDelete(kept->context);
	hash_search(table, &kept->projection, HASH_REMOVE, NULL);
}

/* Evict the least recently used matrices until "bytes" more bytes fit into the cache. */
static void
MakeRoom(Size bytes)
{
	while (!dlist_is_empty(&kept_projections) && kept_bytes + bytes > CacheLimit())
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
 * Generate a matrix and add it to the cache.  The matrix moves to permanent memory only when it is
 * complete, so an error frees it.  Its size in the cache is that of its memory context, because a
 * small matrix is mostly overhead.
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

/* Get a matrix from the cache, or add it.  Returns NULL if it exceeds the limit. */
static KeptProjection *
KeepProjection(const Projection *projection)
{
	Size		bytes = mul_size(mul_size(projection->reduced_dim, projection->feature_dim),
								 sizeof(double));
	KeptProjection *kept;

	MakeTable();
	MakeRoom(0);				/* evict matrices if the limit has been reduced */
	kept = hash_search(table, projection, HASH_FIND, NULL);
	if (kept)
	{
		dlist_move_head(&kept_projections, &kept->node);
		return kept;
	}
	return bytes <= CacheLimit() ? InsertProjection(projection, bytes) : NULL;
}

/*
 * Begin a scan of a matrix's rows.  A matrix too large for the cache is generated during the scan.
 * Only one scan may be active, because a second one could evict the first one's matrix.
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

/* Advance a scan to the next piece.  Returns false, and ends the scan, after the last piece. */
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

/* ---------- reduction and lifting ---------- */

/* Begin a scan of a model's projection matrix for BLAS.  Returns false if the model has none. */
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

/* Compute reduced features of feature vectors, each with a profile if the model has profiles. */
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
			projection_apply(&projection, &walk.piece, count, features, reduced,
							 kind_reduced_len(&kind));
}

/* Compute the reduced features of an SQL call's features and profile, after checking both. */
double *
ReduceArray(const DlintsHeader *model, ArrayType *features, Datum profile)
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
 * Convert "count" vectors of coefficients to weights of features, all under one profile if the
 * model has profiles.  Each vector gives dim weights, followed by one for the intercept, if any.
 * Raises an error if a weight overflows.
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
			projection_lift(&projection, &walk.piece, count, parameters,
							kind_reduced_len(&kind), weights, kind_lifted_len(&kind));
	for (Size i = 0; i < len; i++)
		ResultFinite(weights[i]);
}

/* Convert one vector of coefficients to weights of features, under the profile of an SQL call. */
void
LiftParameter(const DlintsHeader *model, const double *parameter, Datum profile, double *weights)
{
	double	   *numbers = ReadProfile(profile, model);

	LiftParameters(model, 1, parameter, numbers, weights);
	pfree(numbers);
}
