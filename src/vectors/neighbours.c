/*
 * neighbours.c
 *		The function dlints_neighbours, which computes similar items from a click log.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "core/neighbours.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

/* Ridge of the regressions, in clicks, chosen by ranking quality (doc/records.md) */
#define RIDGE			10.0

/* maximum number of neighbours per item after neighbours_transpose(), as a multiple of k */
#define ROW_FACTOR		2

Size
NeighboursMemory(const LogReader *log)
{
	const ItemFit *fit = (const ItemFit *) log;
	uint32		items = KeyNumbersCount(log->clicks->items);
	int			k = fit->may_adapt && items <= NEIGHBOURS_MANY_ITEMS ? NEIGHBOURS_MANY :
		fit->neighbours;
	Size		per_item = 2 * (sizeof(size_t) + sizeof(double)) + 3 * sizeof(uint32) +
		2 * (Size) k * sizeof(Neighbour);

	return per_item * items + sizeof(size_t) * KeyNumbersCount(log->clicks->users) +
		(sizeof(NeighbourUse) + sizeof(NeighbourNode)) * log->clicks->count +
		sizeof(double) * neighbours_popular_len(items);
}

/* Fit a ridge regression of the clicks on each item to the clicks on the most similar items. */
static void
FitNeighbours(SvdMatrix *matrix, const ItemFit *fit, Neighbours *n)
{
	Size		order;

	neighbours_limit(matrix);
	n->k = fit->neighbours;
	if (fit->may_adapt)
		neighbours_adapt(matrix, n);
	order = n->k;
	n->ridge = RIDGE;
	n->starts = AllocateMany(sizeof(size_t), (Size) matrix->items + 1);
	n->uses = AllocateMany(sizeof(NeighbourUse), matrix->starts[matrix->users]);
	n->squares = AllocateNumbers(matrix->items);
	n->ranks = AllocateMany(sizeof(uint32), matrix->items);
	n->popular = AllocateNumbers(neighbours_popular_len(matrix->items));
	n->products = AllocateNumbers(matrix->items);
	n->touched = AllocateMany(sizeof(uint32), matrix->items);
	n->heads = AllocateMany(sizeof(size_t), matrix->users);
	n->nodes = AllocateMany(sizeof(NeighbourNode), matrix->starts[matrix->users]);
	n->gram = AllocateNumbers(order * order);
	n->cosines = AllocateNumbers(order);
	n->solution = AllocateNumbers(3 * order);
	n->fitted = AllocateMany(sizeof(Neighbour), mul_size(matrix->items, order));
	n->counts = AllocateMany(sizeof(uint32), matrix->items);
	neighbours_index(matrix, n);
	neighbours_fit(matrix, n);
	pfree(n->uses);
	pfree(n->nodes);
	pfree(n->popular);
}

/* ---------- the result ---------- */

static void
CheckResultColumns(TupleDesc desc)
{
	Oid			item = desc->natts == 3 ? TupleDescAttr(desc, 0)->atttypid : InvalidOid;
	Oid			weights = desc->natts == 3 ? TupleDescAttr(desc, 2)->atttypid : InvalidOid;

	if (!OidIsValid(item) || TupleDescAttr(desc, 1)->atttypid != get_array_type(item) ||
		(weights != FLOAT4ARRAYOID && weights != FLOAT8ARRAYOID))
		RaiseWrongColumns("the column definition list must have an item, its neighbours and their weights",
						  "Write AS (item integer, neighbours integer[], weights real[]), with the type of the items.");
}

static Datum
ItemsDatum(const LogReader *log, const Neighbour *row, uint32 count)
{
	TypeCacheEntry *type = lookup_type_cache(log->item.type, 0);
	Datum	   *items = palloc(sizeof(Datum) * count);
	ArrayType  *array;

	for (uint32 i = 0; i < count; i++)
		items[i] = log->clicks->item_values[row[i].item];
	array = construct_array(items, count, log->item.type, type->typlen, type->typbyval,
							type->typalign);
	pfree(items);
	return PointerGetDatum(array);
}

static Datum
WeightsDatum(const Neighbour *row, uint32 count, Oid type)
{
	ArrayType  *array = type == FLOAT8ARRAYOID ? ResultDoubles(count) : ResultReals(count);

	for (uint32 i = 0; i < count; i++)
	{
		double		weight = ResultFinite(row[i].weight);

		if (type == FLOAT8ARRAYOID)
			((float8 *) ARR_DATA_PTR(array))[i] = weight;
		else
			((float4 *) ARR_DATA_PTR(array))[i] = (float4) weight;
	}
	return PointerGetDatum(array);
}

static void
PutRows(ReturnSetInfo *rows, const ItemFit *fit, uint32 items, int k, const size_t *starts,
		Neighbour *all)
{
	int			first = rows->setDesc->natts - 2;
	Oid			type = TupleDescAttr(rows->setDesc, first + 1)->atttypid;
	bool		nulls[FIT_COLUMNS] = {false, first > 1};

	for (uint32 item = 0; item < items; item++)
	{
		Neighbour  *row = all + starts[item];
		uint32		count = neighbours_truncate((uint32) (starts[item + 1] - starts[item]),
												Min(ROW_FACTOR * k, MAX_NEIGHBOURS), row);
		Datum		values[FIT_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		if (count == 0)
			continue;
		values[0] = fit->log.clicks->item_values[item];
		values[first] = ItemsDatum(&fit->log, row, count);
		values[first + 1] = WeightsDatum(row, count, type);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		pfree(DatumGetPointer(values[first]));
		pfree(DatumGetPointer(values[first + 1]));
	}
}

/* Compute the neighbours of each item, and add them to the result.  Frees the matrix elements. */
void
PutNeighbours(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix)
{
	Neighbours	n;
	size_t	   *starts;
	Neighbour  *all;

	ReleaseFreedMemory();
	FitNeighbours(matrix, fit, &n);
	pfree(matrix->cells);
	ReleaseFreedMemory();
	starts = AllocateMany(sizeof(size_t), (Size) matrix->items + 1);
	all = AllocateMany(sizeof(Neighbour), mul_size(matrix->items, n.k));
	neighbours_transpose(matrix, &n, starts, all);
	pfree(n.fitted);
	PutRows(rows, fit, matrix->items, n.k, starts, all);
}

PG_FUNCTION_INFO_V1(dlints_neighbours);

/*
 * dlints_neighbours(): return the items that predict clicks on each item of a click log, with
 * weights (see core/neighbours.h).
 */
Datum
dlints_neighbours(PG_FUNCTION_ARGS)
{
	ItemFit		fit = {0};
	ReturnSetInfo *rows;

	rows = BeginFit(fcinfo, &fit, "dlints_neighbours",
					"Write AS (item %1$s, neighbours %1$s[], weights real[]).");
	CheckResultColumns(rows->setDesc);
	fit.neighbours = ArgCountUpTo(fcinfo, 1, MAX_NEIGHBOURS);
	return FitItems(fcinfo, rows, &fit);
}
