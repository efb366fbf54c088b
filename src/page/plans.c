/*
 * plans.c
 *		Prepared statements of recommenders and rankers, kept for the session.
 *
 * A plan depends on the search_path it was made under.  PL/pgSQL keeps one plan
 * per statement and plans again at each change of the path; these are kept per
 * schema, so that a session can call several recommenders in turns.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "page/plans.h"

/*
 * Maximum number of kept plans; beyond it all are dropped, and made again as they
 * are needed.  A page takes some ten of them.
 */
#define MAX_KEPT_PLANS 1000

#define PLACEHOLDER "@extschema@"

typedef struct PlanKey
{
	Oid			schema;
	const PageStatement *statement;
} PlanKey;

typedef struct KeptPlanEntry
{
	PlanKey		key;			/* hash key; must be first */
	SPIPlanPtr	plan;
} KeptPlanEntry;

static HTAB *kept_plans = NULL;

static void
create_table(void)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(PlanKey);
	control.entrysize = sizeof(KeptPlanEntry);
	control.hcxt = TopMemoryContext;
	kept_plans = hash_create("dlints plans", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
drop_all(void)
{
	HASH_SEQ_STATUS scan;
	KeptPlanEntry *entry;

	hash_seq_init(&scan, kept_plans);
	while ((entry = hash_seq_search(&scan)) != NULL)
		SPI_freeplan(entry->plan);
	hash_destroy(kept_plans);
	create_table();
}

/* The text of a statement with the schema of the extension filled in */
static char *
qualified_text(const char *sql, Oid extension_schema)
{
	const char *extension = quote_identifier(get_namespace_name(extension_schema));
	const char *placeholder;
	StringInfoData text;

	initStringInfo(&text);
	while ((placeholder = strstr(sql, PLACEHOLDER)) != NULL)
	{
		appendBinaryStringInfo(&text, sql, placeholder - sql);
		appendStringInfoString(&text, extension);
		sql = placeholder + strlen(PLACEHOLDER);
	}
	appendStringInfoString(&text, sql);
	return text.data;
}

/*
 * The plan of a statement in a schema, which must have been entered.  The caller
 * is connected to SPI.
 */
SPIPlanPtr
KeptPlan(Oid schema, Oid extension_schema, const PageStatement *statement, const Oid *argtypes)
{
	PlanKey		key;
	KeptPlanEntry *entry;
	SPIPlanPtr	plan;

	if (kept_plans == NULL)
		create_table();
	memset(&key, 0, sizeof(key));
	key.schema = schema;
	key.statement = statement;
	entry = hash_search(kept_plans, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->plan;

	plan = SPI_prepare(qualified_text(statement->sql, extension_schema), statement->nargs, (Oid *) argtypes);
	if (plan == NULL)
		elog(ERROR, "could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	if (hash_get_num_entries(kept_plans) >= MAX_KEPT_PLANS)
		drop_all();
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep a plan");
	entry = hash_search(kept_plans, &key, HASH_ENTER, NULL);
	entry->plan = plan;
	return plan;
}
