/*
 * reduce.c
 *		Compute a model's features from item features, with a cache of random projection matrices.
 *
 * Models with equal seeds, dimensions and scales share a matrix.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/hsearch.h"

#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* ---------- projection matrices ---------- */

/* Number of random numbers generated between two checks for interrupts (4 ms) */
#define PIECE_NUMBERS	131072

int			projection_cache_size;

StaticAssertDecl(PIECE_NUMBERS >= DLINTS_MAX_FEATURE_DIM, "no row fits a piece");

/* A cached projection matrix, which begins with the key of the hash table */
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
 * Return how many rows of a projection matrix we process at a time.  The number determines how
 * sums are rounded, so it must not depend on the size of the cache.
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

/* Generate all rows of a projection matrix, with checks for interrupts. */
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

/* Evict the least recently used projection matrices until "bytes" more bytes fit into the cache. */
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

/* Generate a projection matrix, and add it to the cache.  An error frees the matrix. */
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

/* Return the cached projection matrix, or NULL if it is too large for the cache. */
static KeptProjection *
KeepProjection(const Projection *projection)
{
	Size		bytes = mul_size(mul_size(projection->reduced_dim, projection->feature_dim),
								 sizeof(double));
	HASHCTL		control = {.keysize = sizeof(Projection), .entrysize = sizeof(KeptProjection)};
	KeptProjection *kept;

	if (table == NULL)
		table = hash_create("dlints projections", 16, &control, HASH_ELEM | HASH_BLOBS);
	MakeRoom(0);				/* dlints.projection_cache_size may have been lowered */
	kept = hash_search(table, projection, HASH_FIND, NULL);
	if (kept)
	{
		dlist_move_head(&kept_projections, &kept->node);
		return kept;
	}
	return bytes <= CacheLimit() ? InsertProjection(projection, bytes) : NULL;
}

/*
 * Begin a scan of a projection matrix.  If the matrix does not fit into the cache, each scan
 * generates its rows again.
 *
 * Only one scan may be active, because another scan could evict its matrix.
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

/* Advance a scan to the next rows of a projection matrix.  Returns false after the last rows. */
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

/* Begin a scan of a model's projection matrix.  Returns false if the model has no projection. */
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
 * Convert vectors of coefficients to weights of item features for one user profile.  The
 * intercept's weight comes last.  Raises an error if a weight overflows.
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

/* Convert one vector of coefficients to weights of item features for a user profile. */
void
LiftParameter(const DlintsHeader *model, const double *parameter, Datum profile, double *weights)
{
	double	   *numbers = ReadProfile(profile, model);

	LiftParameters(model, 1, parameter, numbers, weights);
	pfree(numbers);
}
