/*
 * run.c
 *		The procedure run(): maintenance tasks of a recommender or ranker.
 *
 * Outside of transaction blocks, run() commits after each part of a task.  It has the caller's
 * rights, because SECURITY DEFINER procedures cannot commit.  The SQL function run_part(), which
 * executes a part of a task, has the owner's rights.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "compat.h"

/* maintenance tasks in order; "learn" comes first, so that other tasks cannot delay it */
static const char *const parts[] = {"learn", "refresh", "items", "refit", "rebuild", "prices", "months"};

/* result of the SQL function run_part() if the task is not complete */
#define HAS_MORE "more"

/* Execute a part of a maintenance task.  Returns true if the task is not complete. */
static bool
run_part(const char *statement, const char *part)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(part)};
	char	   *result = NULL;
	bool		has_more;

	if (SPI_execute_with_args(statement, 1, types, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not run part \"%s\"", part);
	if (SPI_processed == 1)
		result = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	has_more = result != NULL && strcmp(result, HAS_MORE) == 0;
	SPI_freetuptable(SPI_tuptable);
	return has_more;
}

/*
 * Commit, and make the next transaction READ COMMITTED.  Under stricter isolation levels,
 * concurrent requests could make tasks fail with serialization errors.
 */
static void
commit_part(void)
{
	SPI_commit();
	(void) set_config_option("transaction_isolation", "read committed", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

static void
run_parts(const char *statement, bool commits)
{
	if (commits && IsolationUsesXactSnapshot())
		commit_part();
	for (int i = 0; i < lengthof(parts); i++)
	{
		bool		has_more;

		do
		{
			CHECK_FOR_INTERRUPTS();
			has_more = run_part(statement, parts[i]);
			if (commits)
				commit_part();
		} while (has_more);
	}
}

PG_FUNCTION_INFO_V1(dlints_run);

/* _dlints_run(setting regclass): execute the maintenance tasks that are due. */
Datum
dlints_run(PG_FUNCTION_ARGS)
{
	Oid			setting = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	Oid			schema = get_rel_namespace(setting);
	char	   *schema_name = OidIsValid(schema) ? get_namespace_name(schema) : NULL;
	bool		is_atomic = fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		 castNode(CallContext, fcinfo->context)->atomic;
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData statement;

	if (schema_name == NULL || get_attnum(setting, "empty_model") == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no such recommender or ranker"),
				 errhint("The view dlints_recommenders lists them.")));
	PreventCommandIfReadOnly("run()");
	initStringInfo(&statement);
	appendStringInfo(&statement, "SELECT %s.run_part($1)", quote_identifier(schema_name));
	SPI_connect_ext(is_atomic ? 0 : SPI_OPT_NONATOMIC);
	run_parts(statement.data, !is_atomic);
	(void) run_part(statement.data, "run");
	SPI_finish();
	MemoryContextSwitchTo(caller);
	PG_RETURN_VOID();
}
