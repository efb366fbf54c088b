/*
 * fit.c
 *		Compute embeddings and neighbours of items from one reading of the click log.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/neighbours.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

/* Return the larger of the work spaces for embeddings and for neighbours, in bytes. */
static Size
FitMemory(const LogReader *log)
{
	const ItemFit *fit = (const ItemFit *) log;
	Size		factors = fit->factors > 0 ? FactorsMemory(log) : 0;
	Size		neighbours = fit->neighbours > 0 ? NeighboursMemory(log) : 0;

	return Max(factors, neighbours);
}

/*
 * Compute embeddings, and restore the weights of clicks afterwards, limited to 1 as by
 * neighbours_limit().  PutFactors() overwrites the weights, so we save them in the unused field
 * "user".
 */
static void
PutFactorsOf(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix)
{
	Size		count = matrix->starts[matrix->users];

	for (Size i = 0; i < count; i++)
	{
		float		weight = (float) Min(matrix->cells[i].weight, 1.0);

		memcpy(&matrix->cells[i].user, &weight, sizeof(weight));
		CHECK_FOR_INTERRUPTS();
	}
	PutFactors(rows, fit, matrix);
	for (Size i = 0; i < count; i++)
	{
		float		weight;

		memcpy(&weight, &matrix->cells[i].user, sizeof(weight));
		matrix->cells[i].weight = weight;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Begin an SQL function that reads a click log.  For "columns", see ItemType. */
ReturnSetInfo *
BeginFit(FunctionCallInfo fcinfo, ItemFit *fit, const char *function, const char *columns)
{
	fit->log.query.function = function;
	fit->log.item.columns = columns;
	CheckColumnsExpected(fcinfo, psprintf(columns, "integer"));
	ArgNotNull(fcinfo, 0, "query");
	return ResultRows(fcinfo);
}

/* Read a click log, and return embeddings, neighbours or both. */
Datum
FitItems(FunctionCallInfo fcinfo, ReturnSetInfo *rows, ItemFit *fit)
{
	const char *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "dlints fit", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	SvdMatrix  *matrix;

	fit->log.item.type = TupleDescAttr(rows->setDesc, 0)->atttypid;
	fit->log.item.typmod = TupleDescAttr(rows->setDesc, 0)->atttypmod;
	fit->log.work = FitMemory;
	matrix = ReadLog(query, &fit->log);
	if (matrix->items > 0)
	{
		if (fit->neighbours == 0)
			PutFactors(rows, fit, matrix);
		else
		{
			if (fit->factors > 0)
				PutFactorsOf(rows, fit, matrix);
			PutNeighbours(rows, fit, matrix);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	ReleaseFreedMemory();
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(dlints_fit_items);

/*
 * _dlints_fit_items(): return the rows of dlints_factors(), then those of dlints_neighbours().
 * Sparse logs get more neighbours per item.
 */
Datum
dlints_fit_items(PG_FUNCTION_ARGS)
{
	ItemFit		fit = {0};
	ReturnSetInfo *rows;
	TupleDesc	desc;

	rows = BeginFit(fcinfo, &fit, "_dlints_fit_items",
					"Write AS (item %1$s, factors real[], neighbours %1$s[], weights real[]).");
	desc = rows->setDesc;
	if (desc->natts != FIT_COLUMNS || TupleDescAttr(desc, 1)->atttypid != FLOAT4ARRAYOID ||
		TupleDescAttr(desc, 2)->atttypid != get_array_type(TupleDescAttr(desc, 0)->atttypid) ||
		TupleDescAttr(desc, 3)->atttypid != FLOAT4ARRAYOID)
		RaiseWrongColumns("the column definition list must have an item, factors, neighbours and weights",
						  "Write AS (item integer, factors real[], neighbours integer[], weights real[]), with the type of the items.");
	ArgNotNull(fcinfo, 1, "factors");
	if (PG_GETARG_INT64(1) != 0)
		fit.factors = ArgCountUpTo(fcinfo, 1, MAX_FACTORS);
	fit.previous_query = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	fit.neighbours = NEIGHBOURS_FEW;
	fit.may_adapt = true;
	return FitItems(fcinfo, rows, &fit);
}
