/*
 * factors.c
 *		The function dlints_factors: item embeddings from a click log.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/numbers.h"
#include "core/svd.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

/*
 * Maximum length of an embedding.  LAPACK factors matrices of this order
 * without checking for interrupts.
 */
#define MAX_FACTORS		512

/* State of a call of dlints_factors */
typedef struct Reader
{
	LogReader	log;
	int			k;				/* length of an embedding */
	const char *previous_query; /* query of previous embeddings, or NULL */
	double	   *previous;		/* previous embedding of each item; zeros if missing */
	bool	   *known;			/* does an item have a previous embedding? */
} Reader;

/* Reader of previous embeddings */
typedef struct PreviousReader
{
	QueryReader query;			/* must be first */
	Reader	   *reader;
} PreviousReader;

/*
 * Bytes of work space: a panel (core/panel.h) with its own work space, previous embeddings, and
 * embeddings that are longer than the panel's vectors
 */
static Size
PanelsMemory(const LogReader *log)
{
	const Reader *reader = (const Reader *) log;
	Size		k = reader->k;
	SvdMatrix	matrix = {.items = ClicksItems(log->clicks)};
	Size		columns = Min(k + SVD_SPARE, matrix.items);
	Size		width = columns + (reader->previous_query ? k : 0) + (k > columns ? k : 0);

	return mul_size(sizeof(double), add_size(mul_size(width, matrix.items),
											 panel_spare(&matrix, columns)));
}

/* ---------- previous vectors ---------- */

static void
BeginPrevious(QueryReader *query, TupleDesc desc)
{
	LogReader  *log = &((PreviousReader *) query)->reader->log;
	Oid			item;

	if (desc->natts != 2 || !OidIsValid(get_base_element_type(TupleDescAttr(desc, 1)->atttypid)))
		RaiseWrongColumns("previous must return an item and an array of numbers",
						  "SELECT item, features FROM ... WHERE features IS NOT NULL");
	item = TupleDescAttr(desc, 0)->atttypid;
	if (!ClicksHasItemsOf(log->clicks, item))
		RaiseWrongColumns(psprintf("items are of type %s in query and %s in previous",
								   format_type_be(log->item.type), format_type_be(item)),
						  "Cast one of the item columns.");
	query->columns = 2;
}

static void
AddPrevious(QueryReader *query, const Datum *values)
{
	Reader	   *reader = ((PreviousReader *) query)->reader;
	ArgSpec		spec = {"previous vector", reader->k, NULL};
	uint32		item;
	double	   *vector;

	if (!ClicksFindItem(reader->log.clicks, values[0], &item))
		return;
	if (reader->known[item])
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("previous must not return an item more than once")));
	reader->known[item] = true;
	vector = reader->previous + (Size) item * reader->k;
	ArgVector(ArgArrayConverted(values[1]), &spec, vector);
}

/* ---------- vectors ---------- */

static void
CheckDecomposed(bool done)
{
	if (!done)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("could not factor the interactions"),
				 errdetail("LAPACK found no singular vectors.")));
}

/*
 * Minimum share of clicks on items with a previous embedding for a refinement of the previous
 * embeddings.  Refinement multiplies by the click matrix once, so a new item's embedding depends on
 * the known items clicked by the same users.
 */
#define MIN_KNOWN_SHARE		0.5

static double
ComputeKnownShare(const Reader *reader, const SvdMatrix *matrix)
{
	Size		count = matrix->starts[matrix->users];
	Size		known = 0;

	for (Size i = 0; i < count; i++)
	{
		known += reader->known[matrix->cells[i].item];
		CHECK_FOR_INTERRUPTS();
	}
	return (double) known / count;
}

/*
 * Compute the embeddings of all items.  If enough clicks are on items with a
 * previous embedding, one refinement step changes these embeddings little.
 * Otherwise we compute the decomposition from random vectors.
 */
static double *
ComputeVectors(Reader *reader, SvdMatrix *matrix)
{
	const uint64 *hashes = ClicksItemHashes(reader->log.clicks);
	int			k = reader->k;
	Svd			svd;
	double	   *vectors;
	bool		known;

	svd.columns = (int) Min((uint32) k + SVD_SPARE, matrix->items);
	svd.panel = AllocateNumbers(mul_size(matrix->items, svd.columns));
	svd.spare = AllocateNumbers(panel_spare(matrix, svd.columns));
	svd.values = palloc(sizeof(double) * svd.columns);
	svd.work = AllocateNumbers(svd_work(Max(k, svd.columns)));
	BlasReady();

	svd_scale(matrix, svd.spare);
	known = reader->previous && svd.columns > k &&
		ComputeKnownShare(reader, matrix) >= MIN_KNOWN_SHARE;
	if (known)
	{
		svd_start(matrix, &svd, hashes, k, reader->previous);
		CheckDecomposed(svd_refine(matrix, &svd));
	}
	else
	{
		svd_start(matrix, &svd, hashes, 0, NULL);
		CheckDecomposed(svd_decompose(matrix, &svd));
	}
	pfree(svd.spare);

	vectors = k <= svd.columns ? svd.panel : AllocateNumbers(mul_size(matrix->items, k));
	svd_vectors(matrix, &svd, hashes, k, vectors);
	if (reader->previous)
		CheckDecomposed(svd_turn(matrix, k, reader->previous, vectors, svd.work));
	return vectors;
}

/* ---------- the result ---------- */

static void
CheckResultColumns(TupleDesc desc)
{
	/* no domains, because we would not check their constraints */
	Oid			features = desc->natts == 2 ? TupleDescAttr(desc, 1)->atttypid : InvalidOid;

	if (features != FLOAT4ARRAYOID && features != FLOAT8ARRAYOID)
		RaiseWrongColumns("the column definition list must have an item and its features",
						  "Write AS (item integer, features real[]), with the type of the items.");
}

/* Convert an embedding to real[] or double precision[]. */
static Datum
VectorDatum(const double *vector, int count, Oid type)
{
	Datum		numbers[MAX_FACTORS];

	if (type == FLOAT8ARRAYOID)
		return ResultVector(vector, count);
	for (int i = 0; i < count; i++)
		numbers[i] = Float4GetDatum(ResultFinite((float4) vector[i]));
	return PointerGetDatum(construct_array(numbers, count, FLOAT4OID, sizeof(float4), true,
										   TYPALIGN_INT));
}

static void
PutVectors(ReturnSetInfo *rows, const Reader *reader, uint32 items, const double *vectors)
{
	Oid			type = TupleDescAttr(rows->setDesc, 1)->atttypid;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext,
											  "dlints row", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);
	bool		nulls[2] = {false, false};

	for (uint32 item = 0; item < items; item++)
	{
		Datum		values[2];

		values[0] = ClicksItem(reader->log.clicks, item);
		values[1] = VectorDatum(vectors + (Size) item * reader->k, reader->k, type);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		MemoryContextReset(row);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

/* Read the previous embeddings of the log's items. */
static void
ReadPrevious(Reader *reader, uint32 items)
{
	PreviousReader previous = {reader->log.query, reader};

	reader->previous = AllocateZeros(sizeof(double), mul_size(items, reader->k));
	reader->known = AllocateZeros(sizeof(bool), items);
	previous.query.begin = BeginPrevious;
	previous.query.row = AddPrevious;
	ReadQuery(reader->previous_query, &previous.query);

	/* an embedding of zeros counts as missing */
	for (uint32 item = 0; item < items; item++)
	{
		if (largest_magnitude(reader->k, reader->previous + (Size) item * reader->k) == 0.0)
			reader->known[item] = false;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Read the log, compute the embeddings, and store them in the result. */
static void
FactorLog(ReturnSetInfo *rows, Reader *reader, const char *query)
{
	SvdMatrix  *matrix = ReadLog(query, &reader->log);

	if (matrix->items == 0)
		return;
	if (reader->previous_query)
		ReadPrevious(reader, matrix->items);
	PutVectors(rows, reader, matrix->items, ComputeVectors(reader, matrix));
}

PG_FUNCTION_INFO_V1(dlints_factors);

/*
 * dlints_factors(query, k, previous, seed): compute an embedding for each item of a click
 * log, so that items clicked by the same users have similar embeddings (core/svd.h).
 *
 * query returns user, item and optionally a weight; k is 1 to 512. previous, a query or
 * NULL, returns the embeddings of an earlier call, to which the new ones are aligned.
 * Raises an error if query, k or seed is NULL, for columns of other types, and if the log
 * exceeds dlints.factors_memory.
 */
Datum
dlints_factors(PG_FUNCTION_ARGS)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints factors", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	ReturnSetInfo *rows;
	TupleDesc	desc;
	Reader		reader = {0};
	char	   *query;

	CheckColumnsExpected(fcinfo, "Write FROM dlints_factors(...) AS f (item integer, features real[]).");
	rows = ResultRows(fcinfo);
	desc = rows->setDesc;
	CheckResultColumns(desc);
	ArgNotNull(fcinfo, 0, "query");
	reader.k = ArgCountUpTo(fcinfo, 1, MAX_FACTORS);
	ArgNotNull(fcinfo, 3, "seed");
	reader.log.seed = (uint64) PG_GETARG_INT64(3);
	reader.log.item.type = TupleDescAttr(desc, 0)->atttypid;
	reader.log.item.typmod = TupleDescAttr(desc, 0)->atttypmod;
	reader.log.item.columns = "Write AS (item %s, features real[]).";
	reader.log.query.function = "dlints_factors";
	reader.log.work = PanelsMemory;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	reader.previous_query = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));

	old = MemoryContextSwitchTo(work);
	FactorLog(rows, &reader, query);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return (Datum) 0;
}
