/*
 * log.c
 *		Run SQL queries of users, and read click logs.
 */
#include "postgres.h"

#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "storage/shmem.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "sql/args.h"
#include "sql/rows.h"
#include "vectors/log.h"

#define FETCH_ROWS		1000	/* number of rows that are fetched from a query at a time */
#define PROGRESS_INTERVAL_MS	10000	/* milliseconds between progress notices */

int			factors_memory;

/* ---------- queries ---------- */

/* Pass a row of a query to its reader, unless a required column is NULL. */
static void
ReadRow(void *arg, const Datum *values, const bool *nulls)
{
	QueryReader *reader = arg;
	bool		is_complete = true;

	for (int i = reader->first_required; i < reader->columns; i++)
		is_complete = is_complete && !nulls[i];
	if (is_complete)
		reader->row(reader, values, nulls);
	reader->rows++;
}

static void
ReportProgress(const QueryReader *reader, TimestampTz *last)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!TimestampDifferenceExceeds(*last, now, PROGRESS_INTERVAL_MS))
		return;
	ereport(NOTICE,
			(errmsg("%s: " UINT64_FORMAT " rows read", reader->function, reader->rows)));
	*last = now;
}

/* Return freed memory to the operating system, which glibc may not do. */
void
ReleaseFreedMemory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/* Run a read-only query, and pass its rows to a reader. */
void
ReadQuery(const char *query, QueryReader *reader)
{
	TimestampTz last = GetCurrentTimestamp();
	MemoryContext caller = CurrentMemoryContext;
	RowReceiver receiver = RowReceiverCreate(ReadRow, reader, caller);
	SPIPlanPtr	plan;
	Portal		portal;
	PlannedStmt *statement;

	ReleaseFreedMemory();
	SPI_connect();
	plan = SPI_prepare(query, 0, NULL);
	if (plan == NULL || !SPI_is_cursor_plan(plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_CURSOR_DEFINITION),
				 errmsg("%s requires a single query that returns rows", reader->function)));
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);

	MemoryContextSwitchTo(reader->context);
	/* the planner does not estimate rows for statements such as SHOW */
	statement = PortalGetPrimaryStmt(portal);
	reader->expected = statement && statement->planTree ? statement->planTree->plan_rows : 0.0;
	reader->rows = 0;
	reader->begin(reader, portal->tupDesc);
	MemoryContextSwitchTo(caller);
	while (PortalRunFetch(portal, FETCH_FORWARD, FETCH_ROWS, &receiver.pub) > 0)
	{
		ReportProgress(reader, &last);
		CHECK_FOR_INTERRUPTS();
	}
	SPI_cursor_close(portal);
	SPI_finish();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(receiver.row);
}

KeyType
ColumnKey(TupleDesc desc, int column)
{
	KeyType		key;

	key.type = getBaseType(TupleDescAttr(desc, column)->atttypid);
	key.collation = TupleDescAttr(desc, column)->attcollation;
	if (!OidIsValid(key.collation))
		key.collation = get_typcollation(key.type);
	return key;
}

void
RaiseWrongColumns(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s", message), errhint("%s", hint)));
}

/* Raise an error if a function in FROM lacks a column definition list. */
void
CheckColumnsExpected(FunctionCallInfo fcinfo, const char *hint)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (!result || !IsA(result, ReturnSetInfo) || !result->expectedDesc)
		RaiseWrongColumns("a column definition list is required", hint);
}

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

/* ---------- reading a click log ---------- */

static void
BeginLog(QueryReader *query, TupleDesc desc)
{
	LogReader  *reader = (LogReader *) query;
	const ItemType *result = &reader->item;
	Form_pg_attribute item;

	if (desc->natts != 2 && desc->natts != 3)
		RaiseWrongColumns(psprintf("query must return 2 or 3 columns, not %d", desc->natts),
						  "The columns are user, item and, optionally, weight.");
	item = TupleDescAttr(desc, 1);
	if ((item->atttypid != result->type && !IsBinaryCoercible(item->atttypid, result->type)) ||
		(result->typmod >= 0 && item->atttypmod != result->typmod))
		RaiseWrongColumns(psprintf("items are of type %s in the query and %s in the column definition list",
								   format_type_with_typemod(item->atttypid, item->atttypmod),
								   format_type_with_typemod(result->type, result->typmod)),
						  psprintf(result->columns,
								   format_type_with_typemod(item->atttypid, item->atttypmod)));
	query->columns = desc->natts;
	if (query->columns == 3)
	{
		reader->weight_type = getBaseType(TupleDescAttr(desc, 2)->atttypid);
		if (!TypeIsNumber(reader->weight_type))
			RaiseWrongColumns(psprintf("weights must be numbers, not of type %s",
									   format_type_be(reader->weight_type)),
							  "The third column of the query is the weight.");
	}
	if (query->expected * sizeof(SvdCell) > factors_memory * 1024.0)
		RaiseTooLarge(psprintf("The planner expects %.0f rows, which need at least %.0f MB.",
							   query->expected, Megabytes(query->expected * sizeof(SvdCell))));
	reader->clicks = ClicksCreate(ColumnKey(desc, 0), ColumnKey(desc, 1), reader->seed);
}

static void
AddClick(QueryReader *query, const Datum *values, const bool *nulls)
{
	LogReader  *reader = (LogReader *) query;
	double		weight = 1.0;
	double		bytes;

	if (query->columns == 3)
		weight = ArgBounded(ArgNumber(reader->weight_type, values[2]), "weight");
	if (weight < 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight must not be negative"),
				 errdetail("The value is %g.", weight)));
	if (weight == 0.0)
		return;
	ClicksAdd(reader->clicks, values[0], values[1], weight);
	bytes = (double) ClicksMemory(reader->clicks) + (double) reader->work(reader);
	if (bytes > factors_memory * 1024.0)
		RaiseTooLarge(psprintf("The first " UINT64_FORMAT " rows need %.0f MB; the planner expects %.0f in all.",
							   query->rows + 1, Megabytes(bytes), query->expected));
}

SvdMatrix *
ReadLog(const char *query, LogReader *reader)
{
	SvdMatrix  *matrix;

	reader->query.context = CurrentMemoryContext;
	reader->query.begin = BeginLog;
	reader->query.row = AddClick;
	ReadQuery(query, &reader->query);
	matrix = ClicksMatrix(reader->clicks);
	ReleaseFreedMemory();
	elog(DEBUG1, "%s: %zu pairs of %u users and %u items", reader->query.function,
		 matrix->starts[matrix->users], matrix->users, matrix->items);
	return matrix;
}
