/*
 * plans.c
 *		Prepared statements of recommenders and rankers, kept for the session.
 *
 * A plan depends on the search_path, so there is one per schema.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "compat.h"
#include "page/entry.h"
#include "page/plans.h"

/* If there are more plans, we drop all plans at the end of a transaction, when none is in use. */
#define MAX_KEPT_PLANS	1000

#define PLACEHOLDER		"@extschema@"

typedef struct PlanKey
{
	Oid			schema;
	uint32		variant;
	const PageStatement *statement;
} PlanKey;

typedef struct KeptPlanEntry
{
	PlanKey		key;			/* must be first */
	SPIPlanPtr	plan;
	bool		calls_extension;	/* does the statement call functions of the extension? */
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

/* Append a statement's text, with the extension's schema in place of "@extschema@". */
static void
append_qualified(StringInfo text, const char *sql, Size length, const char *extension)
{
	const char *end = sql + length;
	const char *placeholder;

	while ((placeholder = strstr(sql, PLACEHOLDER)) != NULL && placeholder < end)
	{
		appendBinaryStringInfo(text, sql, placeholder - sql);
		appendStringInfoString(text, extension);
		sql = placeholder + strlen(PLACEHOLDER);
	}
	appendBinaryStringInfo(text, sql, end - sql);
}

/* Get the length of the word in braces at the start of a text; 0 if there is none. */
static Size
word_length(const char *text)
{
	Size		length = 1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");

	return length > 1 && text[length] == '}' ? length + 1 : 0;
}

static const char *
replacement(const char *name, Size length, const StatementWord *words, uint32 variant)
{
	for (; words != NULL && words->name != NULL; words++)
		if (strlen(words->name) == length && strncmp(words->name, name, length) == 0)
			return (variant & words->bits) == words->bits ? words->text : words->otherwise;
	elog(ERROR, "unknown word \"%.*s\" in a statement", (int) length, name);
	return NULL;				/* keep the compiler quiet */
}

/* Append a statement's text, with words in braces replaced recursively. */
static void
append_expanded(StringInfo text, const char *sql, /* NOLINT(misc-no-recursion) */
				const char *extension, const StatementWord *words, uint32 variant)
{
	const char *start = sql;

	for (; *sql != '\0'; sql++)
	{
		Size		length = *sql == '{' ? word_length(sql) : 0;

		if (length == 0)
			continue;
		append_qualified(text, start, sql - start, extension);
		append_expanded(text, replacement(sql + 1, length - 2, words, variant), extension,
						words, variant);
		start = sql + length;
		sql = start - 1;
	}
	append_qualified(text, start, sql - start, extension);
}

static bool
calls_extension(const PageStatement *statement, const StatementWord *words)
{
	if (strstr(statement->sql, PLACEHOLDER) != NULL)
		return true;
	for (; words != NULL && words->name != NULL; words++)
		if (strstr(words->text, PLACEHOLDER) != NULL ||
			strstr(words->otherwise, PLACEHOLDER) != NULL)
			return true;
	return false;
}

static SPIPlanPtr
prepare(Oid extension_schema, const PageStatement *statement, const Oid *argtypes,
		const StatementWord *words, uint32 variant)
{
	StringInfoData text;
	SPIPlanPtr	plan;

	initStringInfo(&text);
	append_expanded(&text, statement->sql, quote_identifier(SchemaName(extension_schema)),
					words, variant);
	plan = SPI_prepare_cursor(text.data, statement->nargs, (Oid *) argtypes,
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep a plan");
	return plan;
}

/* Does a plan have these argument types?  dlints_alter_recommender() can change key types. */
static bool
has_types(SPIPlanPtr plan, const PageStatement *statement, const Oid *argtypes)
{
	for (int i = 0; i < statement->nargs; i++)
		if (SPI_getargtypeid(plan, i) != argtypes[i])
			return false;
	return true;
}

/*
 * Get the plan of a statement in a schema, which is in the search_path.
 *
 * "variant" has the flags of StatementWord.  The caller is connected to SPI.
 */
SPIPlanPtr
KeptPlan(Oid schema, Oid extension_schema, const PageStatement *statement, const Oid *argtypes,
		 const StatementWord *words, uint32 variant)
{
	static bool is_registered = false;
	PlanKey		key;
	KeptPlanEntry *entry;
	SPIPlanPtr	plan;

	if (!is_registered)
	{
		RegisterXactCallback(drop_surplus, NULL);
		is_registered = true;
	}
	if (kept_plans == NULL)
		create_table();
	memset(&key, 0, sizeof(key));
	key.schema = schema;
	key.variant = variant;
	key.statement = statement;
	entry = hash_search(kept_plans, &key, HASH_FIND, NULL);
	if (entry == NULL ? calls_extension(statement, words) : entry->calls_extension)
		CheckNamesakes(extension_schema);
	if (entry != NULL && has_types(entry->plan, statement, argtypes))
		return entry->plan;

	plan = prepare(extension_schema, statement, argtypes, words, variant);
	if (entry != NULL)
		SPI_freeplan(entry->plan);
	entry = hash_search(kept_plans, &key, HASH_ENTER, NULL);
	entry->plan = plan;
	entry->calls_extension = calls_extension(statement, words);
	return plan;
}
