/*
 * factors.c
 *		The function dlints_factors, which computes item embeddings from a click log.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

/* State of reading previous embeddings from an SQL query */
typedef struct Previous
{
	QueryReader query;			/* must be first */
	const ItemFit *fit;
	double	   *vectors;		/* previous embeddings, with zeros for items without an embedding */
	bool	   *known;
} Previous;

Size
FactorsMemory(const LogReader *log)
{
	const ItemFit *fit = (const ItemFit *) log;
	Size		k = fit->factors;
	SvdMatrix	matrix = {.items = KeyNumbersCount(log->clicks->items)};
	Size		columns = Min(k + SVD_SPARE, matrix.items);
	Size		width = columns + (fit->previous_query ? k : 0) + (k > columns ? k : 0);

	return mul_size(sizeof(double), add_size(mul_size(width, matrix.items),
											 panel_spare(&matrix, columns)));
}

static void
BeginPrevious(QueryReader *query, TupleDesc desc)
{
	const LogReader *log = &((Previous *) query)->fit->log;
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
AddPrevious(QueryReader *query, const Datum *values, const bool *nulls)
{
	Previous   *previous = (Previous *) query;
	ArgSpec		spec = {"previous vector", previous->fit->factors, NULL};
	uint32		item;

	if (!ClicksFindItem(previous->fit->log.clicks, values[0], &item))
		return;
	if (previous->known[item])
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("previous must not return an item more than once")));
	previous->known[item] = true;
	ArgVector(ArgArrayConverted(values[1]), &spec, previous->vectors + (Size) item * spec.len);
}

static void
ReadPrevious(Previous *previous, uint32 items)
{
	Size		k = previous->fit->factors;

	previous->vectors = AllocateZeros(sizeof(double), mul_size(items, k));
	previous->known = AllocateZeros(sizeof(bool), items);
	previous->query.begin = BeginPrevious;
	previous->query.row = AddPrevious;
	ReadQuery(previous->fit->previous_query, &previous->query);

	/* an embedding of zeros counts as missing */
	for (uint32 item = 0; item < items; item++)
	{
		if (largest_magnitude(k, previous->vectors + item * k) == 0.0)
			previous->known[item] = false;
		CHECK_FOR_INTERRUPTS();
	}
}

/* ---------- computing embeddings ---------- */

static void
CheckDecomposed(bool done, const char *what)
{
	if (!done)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("could not factor %s", what),
				 errdetail("LAPACK found no singular vectors.")));
}

/* Minimum share of clicks on items with a previous embedding at which we only refine embeddings */
#define MIN_KNOWN_SHARE		0.5

static double
ComputeKnownShare(const bool *is_known, const SvdMatrix *matrix)
{
	Size		count = matrix->starts[matrix->users];
	Size		known = 0;

	for (Size i = 0; i < count; i++)
	{
		known += is_known[matrix->cells[i].item];
		CHECK_FOR_INTERRUPTS();
	}
	return (double) known / count;
}

/*
 * Compute the embeddings of all items.  If most clicks are on items with a previous embedding,
 * these embeddings are only refined.
 */
static double *
ComputeVectors(const Previous *previous, SvdMatrix *matrix)
{
	const uint64 *hashes = previous->fit->log.clicks->item_hashes;
	int			k = previous->fit->factors;
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
	known = previous->vectors && svd.columns > k &&
		ComputeKnownShare(previous->known, matrix) >= MIN_KNOWN_SHARE;
	svd_start(matrix, &svd, hashes, known ? k : 0, previous->vectors);
	CheckDecomposed(svd_decompose(matrix, &svd, known ? 1 : SVD_MAX_PRODUCTS),
					known ? "previous" : "the interactions");
	pfree(svd.spare);

	vectors = k <= svd.columns ? svd.panel : AllocateNumbers(mul_size(matrix->items, k));
	svd_vectors(matrix, &svd, hashes, k, vectors);
	if (previous->vectors)
		CheckDecomposed(svd_turn(matrix, k, previous->vectors, vectors, svd.work), "previous");
	return vectors;
}

/* ---------- rows of the result ---------- */

static void
CheckResultColumns(TupleDesc desc)
{
	/* reject domains, whose constraints would not be checked */
	Oid			features = desc->natts == 2 ? TupleDescAttr(desc, 1)->atttypid : InvalidOid;

	if (features != FLOAT4ARRAYOID && features != FLOAT8ARRAYOID)
		RaiseWrongColumns("the column definition list must have an item and its features",
						  "Write AS (item integer, features real[]), with the type of the items.");
}

static void
PutVectors(ReturnSetInfo *rows, const ItemFit *fit, uint32 items, const double *vectors)
{
	bool		is_real = TupleDescAttr(rows->setDesc, 1)->atttypid == FLOAT4ARRAYOID;
	int			len = fit->factors;
	ArrayType  *array = is_real ? ResultReals(len) : ResultDoubles(len);
	Datum		values[FIT_COLUMNS] = {0, PointerGetDatum(array)};
	bool		nulls[FIT_COLUMNS] = {false, false, true, true};

	for (uint32 item = 0; item < items; item++, vectors += len)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < len; i++)
			if (is_real)
				((float4 *) ARR_DATA_PTR(array))[i] = ArgFinite((float4) vectors[i], "previous");
			else
				((float8 *) ARR_DATA_PTR(array))[i] = ResultFinite(vectors[i]);
		values[0] = fit->log.clicks->item_values[item];
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

void
PutFactors(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints factors", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Previous	previous = {.query = fit->log.query, .fit = fit};

	previous.query.context = work;
	if (fit->previous_query)
		ReadPrevious(&previous, matrix->items);
	PutVectors(rows, fit, matrix->items, ComputeVectors(&previous, matrix));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

PG_FUNCTION_INFO_V1(dlints_factors);

/*
 * dlints_factors(query, k, previous, seed): compute embeddings of items from a click log (see
 * core/svd.h).  The embeddings are aligned with those that the query "previous" returns.
 */
Datum
dlints_factors(PG_FUNCTION_ARGS)
{
	ItemFit		fit = {0};
	ReturnSetInfo *rows;

	rows = BeginFit(fcinfo, &fit, "dlints_factors", "Write AS (item %s, features real[]).");
	CheckResultColumns(rows->setDesc);
	fit.factors = ArgCountUpTo(fcinfo, 1, MAX_FACTORS);
	ArgNotNull(fcinfo, 3, "seed");
	fit.log.seed = (uint64) PG_GETARG_INT64(3);
	fit.previous_query = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	return FitItems(fcinfo, rows, &fit);
}
