/*
 * allowed.c
 *		Evaluate the SQL expressions of a recommender's settings for checks and backtests.  Items
 *		for which an expression raises an error are skipped.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "page/candidates.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Begin a request with the SQL function's arguments "user_id" and "context". */
void
EnterRequest(PageRequest *page, FunctionCallInfo fcinfo)
{
	EnterPage(page, fcinfo);
	CheckKeyType(fcinfo, 0, page->user_type, "user_id");
	ArgNotNull(fcinfo, 1, "context");
	page->user = fcinfo->args[0];
	page->context = fcinfo->args[1].value;
}

typedef struct Shortlist
{
	Datum	   *keys;			/* keys of the items to check; NULL: check all items */
	int			count;
	CandidateSet *allowed;
} Shortlist;

static void
read_shortlist(PageRequest *page, void *arg)
{
	Shortlist  *shortlist = arg;

	shortlist->allowed = ReadAllowed(page, POLICY_PERSONAL, CreateKeyTable(page, shortlist->count),
									 shortlist->keys, shortlist->count);
}

/* Return the eligible items among "keys", or all eligible items if "keys" is NULL. */
CandidateSet *
ReadShortlist(PageRequest *page, Datum *keys, int count)
{
	Shortlist	shortlist = {.count = count};

	shortlist.keys = keys;
	DoStep(page, read_shortlist, &shortlist);
	return shortlist.allowed;
}

PG_FUNCTION_INFO_V1(dlints_allowed_items);

/* _dlints_allowed_items(): return the items that are eligible for lists. */
Datum
dlints_allowed_items(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	PageRequest page;
	CandidateSet *set;

	EnterRequest(&page, fcinfo);
	CheckKeyType(fcinfo, 2, page.item_type, "witness");
	set = ReadShortlist(&page, NULL, 0);
	for (int i = 0; i < set->count; i++)
	{
		bool		is_null = false;

		tuplestore_putvalues(rows->setResult, rows->setDesc, &set->items[i], &is_null);
	}
	ClosePage(&page);
	return (Datum) 0;
}

/* Return the message of the error that the recommender's SQL expressions raise, or NULL. */
const char *
ExpressionError(PageRequest *page)
{
	ErrorData  *error = TryStep(page, CheckExpressions, NULL);

	if (error != NULL && !IsRowError(error->sqlerrcode))
		ReThrowError(error);
	return error == NULL ? NULL : error->message;
}

PG_FUNCTION_INFO_V1(dlints_try_rules);

/*
 * _dlints_try_rules(): count the items for which an SQL expression of the recommender fails.
 * Raises an error if an expression fails for all items.
 */
Datum
dlints_try_rules(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	PageRequest page;
	CandidateSet *set;
	Datum		values[4];
	bool		nulls[4] = {false, false, true, true};

	EnterRequest(&page, fcinfo);
	set = ReadShortlist(&page, NULL, 0);
	MemoryContextSwitchTo(caller);	/* results must outlive ClosePage() */
	values[0] = Int64GetDatum(set->count);
	values[1] = Int64GetDatum(set->n_failing);
	if (set->n_failing > 0)
	{
		const char *problem = ExpressionError(&page);
		Oid			output;
		bool		is_varlena;

		getTypeOutputInfo(page.item_type, &output, &is_varlena);
		values[2] = CStringGetTextDatum(OidOutputFunctionCall(output, set->failing));
		values[3] = CStringGetTextDatum(problem == NULL ? "an expression fails" : problem);
		nulls[2] = nulls[3] = false;
	}
	ClosePage(&page);
	return ResultRow(fcinfo, lengthof(values), values, nulls);
}
