/*
 * plans.c
 *		Prepared statements of recommenders and rankers, which a session keeps for each schema.
 */
#include "postgres.h"

#include "access/xact.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/hsearch.h"

#include "compat.h"
#include "page/page.h"

/* Maximum number of plans that are kept after a transaction; if there are more, all are dropped */
#define MAX_KEPT_PLANS	1000

#define PLACEHOLDER		"@extschema@"

typedef struct PlanKey
{
	Oid			schema;
	uint32		variant;
	const PageQuery *query;
} PlanKey;

typedef struct KeptPlanEntry
{
	PlanKey		key;			/* must be first */
	SPIPlanPtr	plan;
} KeptPlanEntry;

/* A word in braces in a statement, replaced by "text" if the variant has the flag "bit" */
typedef struct StatementWord
{
	const char *name;
	uint32		bit;
	const char *text;
	const char *otherwise;
} StatementWord;

static const StatementWord words[] = {
	{"{shortlist}", VARIANT_SHORTLIST,
		"\n    AND    EXISTS (SELECT FROM unnest($3) o (item) WHERE same_item(o.item, a.item))", ""},
	{"{bonus}", VARIANT_BONUS, "b.bonus", "NULL::float8"},
	{"{bonus_of}", VARIANT_BONUS, " CROSS JOIN LATERAL bonus(a.item, $1, $2) b", ""},
	{"{cap_group}", VARIANT_CAP, "g.cap_group", "NULL::text"},
	{"{cap_group_of}", VARIANT_CAP, " CROSS JOIN LATERAL cap_group(a.item, $1, $2) g", ""}
};

static HTAB *kept_plans = NULL;

static void
drop_surplus(XactEvent event, void *arg)
{
	HASH_SEQ_STATUS scan;
	KeptPlanEntry *entry;

	if ((event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT) ||
		kept_plans == NULL || hash_get_num_entries(kept_plans) <= MAX_KEPT_PLANS)
		return;
	hash_seq_init(&scan, kept_plans);
	while ((entry = hash_seq_search(&scan)) != NULL)
		SPI_freeplan(entry->plan);
	hash_destroy(kept_plans);
	kept_plans = NULL;
}

static char *
replace_word(const char *sql, const char *from, const char *to)
{
	return TextDatumGetCString(DirectFunctionCall3Coll(replace_text, C_COLLATION_OID,
													   CStringGetTextDatum(sql),
													   CStringGetTextDatum(from),
													   CStringGetTextDatum(to)));
}

static SPIPlanPtr
prepare(const PageRequest *page, const PageQuery *query, uint32 variant, Oid *types, int count)
{
	const char *extension = quote_identifier(SchemaName(page->extension_schema));
	const char *sql = query->sql;
	SPIPlanPtr	plan;

	for (const StatementWord *word = words; word < words + lengthof(words); word++)
		sql = replace_word(sql, word->name,
						   (variant & word->bit) != 0 ? word->text : word->otherwise);
	sql = replace_word(sql, PLACEHOLDER, extension);
	plan = SPI_prepare_cursor(sql, count, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep a plan");
	return plan;
}

/* Does a plan have these argument types? dlints_alter_recommender() can change key types. */
static bool
has_types(SPIPlanPtr plan, const Oid *types, int count)
{
	for (int i = 0; i < count; i++)
		if (SPI_getargtypeid(plan, i) != types[i])
			return false;
	return true;
}

/*
 * Return the plan of a query, in the request's schema, to which the search_path is set.  "variant"
 * is a set of flags such as VARIANT_BONUS.
 */
SPIPlanPtr
PagePlan(const PageRequest *page, const PageQuery *query, uint32 variant)
{
	static bool is_registered = false;
	HASHCTL		control = {.keysize = sizeof(PlanKey), .entrysize = sizeof(KeptPlanEntry)};
	PlanKey		key;
	KeptPlanEntry *entry;
	SPIPlanPtr	plan;
	Oid			types[MAX_ARGS];
	int			count = 0;

	if (!is_registered)
	{
		RegisterXactCallback(drop_surplus, NULL);
		is_registered = true;
	}
	if (kept_plans == NULL)
		kept_plans = hash_create("dlints plans", 64, &control, HASH_ELEM | HASH_BLOBS);
	memset(&key, 0, sizeof(key));
	key.schema = page->schema;
	key.variant = variant;
	key.query = query;
	if (strstr(query->sql, PLACEHOLDER) != NULL)
		CheckNamesakes(page->extension_schema);
	entry = hash_search(kept_plans, &key, HASH_FIND, NULL);
	for (; count < MAX_ARGS && OidIsValid(query->argtypes[count]); count++)
		types[count] = KeyTypeOf(page, query->argtypes[count]);
	if (entry != NULL && has_types(entry->plan, types, count))
		return entry->plan;

	plan = prepare(page, query, variant, types, count);
	if (entry != NULL)
		SPI_freeplan(entry->plan);
	entry = hash_search(kept_plans, &key, HASH_ENTER, NULL);
	entry->plan = plan;
	return plan;
}
