/*
 * shared_candidates.c
 *		Which items "candidates" allows, shared by the pages of a statement.
 *
 * The expression has one answer per item if it reads neither the user nor the context, and
 * nothing but tables, and if no setting or volatile function can change it between pages.
 * Built-in stable functions may be called, except current_setting(): their answers depend
 * on the snapshot or on the transaction, as now() does.  Functions of users may call
 * anything.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "page/candidates.h"
#include "page/kept_rows.h"
#include "page/shared_candidates.h"
#include "sql/arrays.h"

/* Positions in the function's FROM (see bindings.sql) of the items, and of user_id and context */
#define ITEMS			1
#define REQUEST			2

static const PageTable allowed_items = {"allowed", 1, {{"item", ARG_ITEM}}};

/* ---------- expressions that do not depend on the request ---------- */

static bool
is_changeable(Oid function, void *context)
{
	char		volatility = func_volatile(function);

	return volatility == PROVOLATILE_VOLATILE ||
		(volatility == PROVOLATILE_STABLE &&
		 (function >= FirstNormalObjectId || function == F_CURRENT_SETTING_TEXT ||
		  function == F_CURRENT_SETTING_TEXT_BOOL));
}

/* Is an entry of FROM a table whose rows the snapshot determines? */
static bool
is_plain_table(const RangeTblEntry *entry)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(entry->relid));
	bool		result = false;

	if (HeapTupleIsValid(tuple))
	{
		Form_pg_class relation = (Form_pg_class) GETSTRUCT(tuple);

		result = (relation->relkind == RELKIND_RELATION || relation->relkind == RELKIND_MATVIEW) &&
			!relation->relhassubclass && !relation->relrowsecurity && entry->tablesample == NULL;
		ReleaseSysCache(tuple);
	}
	return result;
}

/* Does a part of the function's query depend on the request?  "depth" counts subqueries. */
static bool
depends_on_request(Node *node, void *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varno != ITEMS && (int) ((Var *) node)->varlevelsup == *(int *) depth;
	if (IsA(node, Param) || IsA(node, NextValueExpr))
		return true;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_RELATION &&
			!is_plain_table((RangeTblEntry *) node);
	if (IsA(node, Query))
	{
		int			inner = *(int *) depth + 1;

		return query_tree_walker((Query *) node, depends_on_request, &inner,
								 QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES);
	}
	return check_functions_in_node(node, is_changeable, NULL) ||
		expression_tree_walker(node, depends_on_request, depth);
}

/* The query of the function "allowed"; NULL if it is not as we made it */
static Query *
read_query(const PageRequest *page)
{
	Oid			types[] = {page->user_type, JSONBOID};
	List	   *name = list_make2(makeString(get_namespace_name(page->schema)), makeString("allowed"));
	Oid			function = LookupFuncName(name, lengthof(types), types, true);
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		isnull = true;
	Datum		body = (Datum) 0;
	Node	   *queries = NULL;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	body = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosqlbody, &isnull);
	if (!isnull)
		queries = stringToNode(TextDatumGetCString(body));
	ReleaseSysCache(tuple);
	if (queries != NULL && IsA(queries, List))
		queries = linitial((List *) queries);
	if (queries != NULL && IsA(queries, List))
		queries = list_length((List *) queries) == 1 ? linitial((List *) queries) : NULL;
	return queries != NULL && IsA(queries, Query) ? (Query *) queries : NULL;
}

/* Is an item allowed for all requests of a statement, or for none? */
static bool
is_independent(const PageRequest *page)
{
	Query	   *query = read_query(page);
	RangeTblEntry *request;
	int			depth = 0;

	if (query == NULL || list_length(query->rtable) < REQUEST)
		return false;
	request = list_nth_node(RangeTblEntry, query->rtable, REQUEST - 1);
	if (request->rtekind != RTE_SUBQUERY || strcmp(request->eref->aliasname, "request") != 0)
		return false;
	request->subquery = NULL;	/* which reads the arguments */
	return !query_tree_walker(query, depends_on_request, &depth,
							  QTW_EXAMINE_RTES_BEFORE | QTW_IGNORE_JOINALIASES);
}

/* ---------- answers ---------- */

/* What the statement's pages know of items; NULL if each page has to ask */
KeptTable *
SharedCandidates(const PageRequest *page)
{
	return FindKeptAnswers(page, &allowed_items, is_independent);
}

/* The items of a list about which nothing is known */
int
UnknownCandidates(KeptTable *shared, const Datum *items, int count, Datum *unknown)
{
	int			n_unknown = 0;

	for (int i = 0; i < count; i++)
		if (FindKeptRow(shared, items[i]) == NULL)
			unknown[n_unknown++] = items[i];
	return n_unknown;
}

/* Remember which of some items are allowed, which "allowed" has the numbers of. */
void
ShareCandidates(const PageRequest *page, KeptTable *shared, const Datum *items, int count,
				const CandidateSet *allowed, KeyTable *numbers)
{
	TupleDesc	columns = CreateTemplateTupleDesc(1);
	AttrNumber	number = 1;
	bool		isnull = false;

	TupleDescInitEntry(columns, 1, "item", page->item_type, -1, 0);
	for (int i = 0; i < count; i++)
	{
		int			found = FindKey(numbers, items[i]);

		if (FindKeptRow(shared, items[i]) == NULL)
			KeepRow(shared, &items[i], columns, &number,
					found < 0 ? NULL : &allowed->items[found], &isnull);
	}
}
