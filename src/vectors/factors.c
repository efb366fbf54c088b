/*
 * factors.c
 *		The function dlints_factors: item embeddings from a click log.
 *
 * The log is the result of a query, which runs with the caller's privileges
 * and snapshot, and is fetched in batches.  Memory is limited by
 * dlints.factors_memory.  If the planner's row estimate exceeds the limit, we
 * raise the error before reading the log.
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/clicks.h"

/*
 * Maximum length of an embedding.  LAPACK factors matrices of this order
 * without checking for interrupts.
 */
#define MAX_FACTORS		512

#define FETCH_ROWS		1000	/* rows fetched at a time */
#define PROGRESS_INTERVAL_MS	10000	/* milliseconds between progress notices */

int			factors_memory;

/* State of reading a query, with callbacks for its columns and its rows. */
typedef struct Reader Reader;
struct Reader
{
	void		(*begin) (Reader *reader, TupleDesc desc);
	void		(*row) (Reader *reader, const Datum *values);
	int			columns;
	double		expected;		/* rows estimated by the planner */
	uint64		rows;			/* rows read */
	Clicks	   *clicks;
	MemoryContext context;		/* memory that outlives the query */
	Oid			types[3];		/* base types of the columns */
	Oid			result;			/* type of items in the result */
	int32		result_typmod;
	uint64		seed;
	int			k;				/* length of an embedding */
	double	   *previous;		/* previous embeddings by item; zeros if there is none */
	bool	   *known;			/* items with a previous embedding */
};

/* ---------- queries ---------- */

/* Pass a row to the reader; rows with a NULL are skipped. */
static void
ReadRow(Reader *reader, HeapTuple tuple, TupleDesc desc)
{
	Datum		values[3];
	int			i;

	for (i = 0; i < reader->columns; i++)
	{
		bool		isnull;

		values[i] = SPI_getbinval(tuple, desc, i + 1, &isnull);
		if (isnull)
			return;
	}
	reader->row(reader, values);
}

/* Raise a notice about progress every PROGRESS_INTERVAL_MS. */
static void
ReportProgress(TimestampTz *last, uint64 rows)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!TimestampDifferenceExceeds(*last, now, PROGRESS_INTERVAL_MS))
		return;
	ereport(NOTICE,
			(errmsg("dlints_factors: " UINT64_FORMAT " rows read", rows)));
	*last = now;
}

/*
 * Get the planner's row estimate; 0 for statements without a plan, such as
 * SHOW.
 */
static double
EstimateRows(Portal portal)
{
	PlannedStmt *statement = PortalGetPrimaryStmt(portal);

	return statement && statement->planTree ?
		statement->planTree->plan_rows : 0.0;
}

/* Run a read-only query, and pass its rows to a reader. */
static void
ReadQuery(const char *query, Reader *reader)
{
	TimestampTz last = GetCurrentTimestamp();
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext rows = AllocSetContextCreate(caller, "dlints rows",
											   ALLOCSET_DEFAULT_SIZES);
	Portal		portal;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	portal = SPI_cursor_open_with_args(NULL, query, 0, NULL, NULL, NULL, true, 0);

	MemoryContextSwitchTo(reader->context);
	reader->expected = EstimateRows(portal);
	reader->rows = 0;
	reader->begin(reader, portal->tupDesc);
	for (;;)
	{
		SPITupleTable *table;
		uint64		i;

		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		table = SPI_tuptable;
		MemoryContextSwitchTo(rows);
		for (i = 0; i < SPI_processed; i++, reader->rows++)
			ReadRow(reader, table->vals[i], table->tupdesc);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(rows);
		SPI_freetuptable(table);
		ReportProgress(&last, reader->rows);
		CHECK_FOR_INTERRUPTS();
	}
	SPI_cursor_close(portal);
	SPI_finish();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(rows);
}

static Oid
ColumnType(TupleDesc desc, int column)
{
	return getBaseType(TupleDescAttr(desc, column)->atttypid);
}

static KeyType
ColumnKey(TupleDesc desc, int column)
{
	KeyType		key;

	key.type = ColumnType(desc, column);
	key.collation = TupleDescAttr(desc, column)->attcollation;
	if (!OidIsValid(key.collation))
		key.collation = get_typcollation(key.type);
	return key;
}

static void
RaiseWrongColumns(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s", message), errhint("%s", hint)));
}

/*
 * Do items of the query have the type in the column definition list?  Type
 * modifiers must agree too, since we return items without a cast that would
 * enforce varchar(10).
 */
static bool
IsItemOf(Form_pg_attribute item, const Reader *reader)
{
	return (item->atttypid == reader->result ||
			IsBinaryCoercible(item->atttypid, reader->result)) &&
		(reader->result_typmod < 0 || item->atttypmod == reader->result_typmod);
}

/* ---------- the limit ---------- */

static void
RaiseTooLarge(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("click log exceeds dlints.factors_memory (%dkB)",
					factors_memory),
			 errdetail_internal("%s", detail),
			 errhint("Sample the users, for example one in ten with "
					 "WHERE hashint8(user_id) %% 10 = 0, or raise "
					 "dlints.factors_memory.")));
}

static double
Megabytes(double bytes)
{
	return ceil(bytes / (1024.0 * 1024.0));
}

/*
 * Raise an error if the estimated rows exceed the memory limit even without
 * users and items.
 */
static void
CheckExpected(const Reader *reader)
{
	double		bytes = reader->expected * sizeof(SvdCell);

	if (bytes > factors_memory * 1024.0)
		RaiseTooLarge(psprintf("The planner expects %.0f rows, which need at least %.0f MB.",
							   reader->expected, Megabytes(bytes)));
}

/*
 * Raise an error if the log, three panels and two sets of embeddings would
 * exceed the memory limit.
 */
static void
CheckTaken(const Reader *reader)
{
	uint32		items = ClicksItems(reader->clicks);
	double		columns = 3.0 * Min((uint32) reader->k + SVD_SPARE, items) +
		reader->k;
	double		bytes = ClicksMemory(reader->clicks) +
		sizeof(double) * columns * items;

	if (bytes > factors_memory * 1024.0)
		RaiseTooLarge(psprintf("The first " UINT64_FORMAT " rows need %.0f MB; the planner expects %.0f in all.",
							   reader->rows + 1, Megabytes(bytes),
							   reader->expected));
}

/* ---------- the click log ---------- */

static void
BeginLog(Reader *reader, TupleDesc desc)
{
	Form_pg_attribute item;

	if (desc->natts != 2 && desc->natts != 3)
		RaiseWrongColumns(psprintf("query must return 2 or 3 columns, not %d",
								   desc->natts),
						  "The columns are user, item and, optionally, weight.");
	item = TupleDescAttr(desc, 1);
	if (!IsItemOf(item, reader))
		RaiseWrongColumns(psprintf("items are of type %s in the query and %s in the column definition list",
								   format_type_with_typemod(item->atttypid, item->atttypmod),
								   format_type_with_typemod(reader->result, reader->result_typmod)),
						  psprintf("Write AS (item %s, features real[]).",
								   format_type_with_typemod(item->atttypid, item->atttypmod)));
	reader->columns = desc->natts;
	if (reader->columns == 3)
	{
		reader->types[2] = ColumnType(desc, 2);
		if (!TypeIsNumber(reader->types[2]))
			RaiseWrongColumns(psprintf("weights must be numbers, not of type %s",
									   format_type_be(reader->types[2])),
							  "The third column of the query is the weight.");
	}
	CheckExpected(reader);
	reader->clicks = ClicksCreate(ColumnKey(desc, 0), ColumnKey(desc, 1),
								  reader->seed);
}

static void
AddClick(Reader *reader, const Datum *values)
{
	double		weight = 1.0;

	if (reader->columns == 3)
		weight = ArgBounded(ArgNumber(reader->types[2], values[2]), "weight");
	if (weight < 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight must not be negative"),
				 errdetail("The value is %g.", weight)));
	if (weight == 0.0)
		return;
	ClicksAdd(reader->clicks, values[0], values[1], weight);
	CheckTaken(reader);
}

/* ---------- previous vectors ---------- */

static void
BeginPrevious(Reader *reader, TupleDesc desc)
{
	Oid			item;

	if (desc->natts != 2 ||
		!OidIsValid(get_base_element_type(TupleDescAttr(desc, 1)->atttypid)))
		RaiseWrongColumns("previous must return an item and an array of numbers",
						  "SELECT item, features FROM ... WHERE features IS NOT NULL");
	item = TupleDescAttr(desc, 0)->atttypid;
	if (!ClicksHasItemsOf(reader->clicks, item))
		RaiseWrongColumns(psprintf("items are of type %s in query and %s in previous",
								   format_type_be(reader->result),
								   format_type_be(item)),
						  "Cast one of the item columns.");
	reader->columns = 2;
}

static void
AddPrevious(Reader *reader, const Datum *values)
{
	ArgSpec		spec = {"previous vector", reader->k, NULL};
	uint32		item;
	double	   *vector;

	if (!ClicksFindItem(reader->clicks, values[0], &item))
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
 * Minimum share of clicks on items with a previous embedding for a refinement
 * of the previous embeddings.  Refinement multiplies by the log once, so a
 * new item's embedding depends on the known items clicked by the same users.
 */
#define MIN_KNOWN_SHARE		0.5

static double
ComputeKnownShare(const Reader *reader, const SvdMatrix *matrix)
{
	Size		count = matrix->starts[matrix->users];
	Size		known = 0;
	Size		i;

	for (i = 0; i < count; i++)
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
	const uint64 *hashes = ClicksItemHashes(reader->clicks);
	int			k = reader->k;
	Svd			svd;
	double	   *vectors;
	bool		known;

	svd.columns = (int) Min((uint32) k + SVD_SPARE, matrix->items);
	svd.panel = AllocateNumbers(mul_size(matrix->items, svd.columns));
	svd.spare[0] = AllocateNumbers(mul_size(matrix->items, svd.columns));
	svd.values = palloc(sizeof(double) * svd.columns);
	svd.work = AllocateNumbers(svd_work(Max(k, svd.columns)));
	BlasReady();

	svd_scale(matrix, svd.spare[0]);
	known = reader->previous && svd.columns > k &&
		ComputeKnownShare(reader, matrix) >= MIN_KNOWN_SHARE;
	if (known)
	{
		svd_start(matrix, &svd, hashes, k, reader->previous);
		CheckDecomposed(svd_refine(matrix, &svd));
	}
	else
	{
		svd.spare[1] = AllocateNumbers(mul_size(matrix->items, svd.columns));
		svd_start(matrix, &svd, hashes, 0, NULL);
		CheckDecomposed(svd_decompose(matrix, &svd));
		pfree(svd.spare[1]);
	}
	pfree(svd.spare[0]);

	vectors = AllocateNumbers(mul_size(matrix->items, k));
	svd_vectors(matrix, &svd, hashes, k, vectors);
	if (reader->previous)
		CheckDecomposed(svd_turn(matrix, k, reader->previous, vectors,
								 svd.work));
	return vectors;
}

/* ---------- the result ---------- */

/* Raise an error if the call lacks a column definition list. */
static void
CheckColumnsExpected(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (!result || !IsA(result, ReturnSetInfo) || !result->expectedDesc)
		RaiseWrongColumns("a column definition list is required",
						  "Write FROM dlints_factors(...) AS f (item integer, features real[]).");
}

static void
CheckResultColumns(TupleDesc desc)
{
	/* no domains, whose constraints we would not check */
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
	int			i;

	if (type == FLOAT8ARRAYOID)
		return ResultVector(vector, count);
	for (i = 0; i < count; i++)
		numbers[i] = Float4GetDatum(ResultFinite((float4) vector[i]));
	return PointerGetDatum(construct_array(numbers, count, FLOAT4OID,
										   sizeof(float4), true,
										   TYPALIGN_INT));
}

static void
PutVectors(ReturnSetInfo *rows, const Reader *reader, uint32 items,
		   const double *vectors)
{
	Oid			type = TupleDescAttr(rows->setDesc, 1)->atttypid;
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext,
											  "dlints row",
											  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);
	bool		nulls[2] = {false, false};
	uint32		item;

	for (item = 0; item < items; item++)
	{
		Datum		values[2];

		values[0] = ClicksItem(reader->clicks, item);
		values[1] = VectorDatum(vectors + (Size) item * reader->k, reader->k,
								type);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		MemoryContextReset(row);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

static bool
AreZeros(const double *vector, int count)
{
	int			i;

	for (i = 0; i < count; i++)
		if (vector[i] != 0.0)
			return false;
	return true;
}

/* Read the previous embeddings of the log's items. */
static void
ReadPrevious(Reader *reader, const char *query, uint32 items)
{
	uint32		item;

	reader->previous = AllocateZeros(sizeof(double), mul_size(items, reader->k));
	reader->known = AllocateZeros(sizeof(bool), items);
	reader->begin = BeginPrevious;
	reader->row = AddPrevious;
	ReadQuery(query, reader);

	/* an embedding of zeros counts as missing */
	for (item = 0; item < items; item++)
	{
		if (AreZeros(reader->previous + (Size) item * reader->k, reader->k))
			reader->known[item] = false;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Read the log, compute the embeddings, and store them in the result. */
static void
FactorLog(ReturnSetInfo *rows, Reader *reader, const char *query,
		  const char *previous)
{
	SvdMatrix  *matrix;

	reader->context = CurrentMemoryContext;
	reader->begin = BeginLog;
	reader->row = AddClick;
	ReadQuery(query, reader);
	matrix = ClicksMatrix(reader->clicks);
	elog(DEBUG1, "dlints_factors: %zu pairs of %u users and %u items",
		 matrix->starts[matrix->users], matrix->users, matrix->items);
	if (matrix->items == 0)
		return;
	if (previous)
		ReadPrevious(reader, previous, matrix->items);
	PutVectors(rows, reader, matrix->items, ComputeVectors(reader, matrix));
}

static int
ReadK(FunctionCallInfo fcinfo, int argno)
{
	int			k = ArgCount(fcinfo, argno);

	if (k > MAX_FACTORS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("k must be at most %d", MAX_FACTORS),
				 errdetail("The value is %d.", k)));
	return k;
}

PG_FUNCTION_INFO_V1(dlints_factors);

/*
 * dlints_factors(query, k, previous, seed): compute an embedding for each
 * item of a click log, so that items clicked by the same users have similar
 * embeddings (core/svd.h).
 *
 * query returns user, item and optionally a weight; k is 1 to 512. previous,
 * a query or NULL, returns the embeddings of an earlier call, to which the
 * new ones are aligned.  Raises an error if query, k or seed is NULL, for
 * columns of other types, and if the log exceeds dlints.factors_memory.
 */
Datum
dlints_factors(PG_FUNCTION_ARGS)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints factors",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	ReturnSetInfo *rows;
	TupleDesc	desc;
	Reader		reader = {0};
	char	   *query;
	char	   *previous;

	CheckColumnsExpected(fcinfo);
	rows = ResultRows(fcinfo);
	desc = rows->setDesc;
	CheckResultColumns(desc);
	ArgNotNull(fcinfo, 0, "query");
	reader.k = ReadK(fcinfo, 1);
	ArgNotNull(fcinfo, 3, "seed");
	reader.seed = (uint64) PG_GETARG_INT64(3);
	reader.result = TupleDescAttr(desc, 0)->atttypid;
	reader.result_typmod = TupleDescAttr(desc, 0)->atttypmod;
	query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	previous = PG_ARGISNULL(2) ? NULL :
		text_to_cstring(PG_GETARG_TEXT_PP(2));

	old = MemoryContextSwitchTo(work);
	FactorLog(rows, &reader, query, previous);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return (Datum) 0;
}
