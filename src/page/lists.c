/*
 * lists.c
 *		Lists of recommendations: recommend(), more_like() and trending().
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "choose/request.h"
#include "page/candidates.h"
#include "page/entry.h"
#include "page/lists.h"
#include "sql/args.h"

#define LIST_COLUMNS	5

/* Add the item's key to the context of more_like().  Also return the item as an array. */
static const PageQuery describe_item = {{
	"SELECT $1 || jsonb_build_object('more_like', $2), ARRAY[$2]", 2}, {JSONBOID, ARG_ITEM}};

/* Add the recent items to the context of recommend(), so that next() leaves them out, too. */
static const PageQuery describe_left_out = {{
	"SELECT $1 || jsonb_build_object('left_out', ARRAY(SELECT u.item::text FROM unnest($2) u (item)\n"
	"                                                  WHERE u.item IS NOT NULL))", 2}, {JSONBOID, ARG_ITEMS}};

/* ---------- choosing and returning a list ---------- */

static void
check_user_length(const PageRequest *page)
{
	if (!page->user.isnull && !FitsIndex(page->user_type, page->user.value))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"user_id\" must have at most %d bytes", MAX_KEY_BYTES)));
}

static void
choose_list(PageRequest *page, void *arg)
{
	ListRequest *request = arg;
	ListPolicy policy = request->treatment;
	Datum		profile;

	if (request->is_like_item)
		request->profile = Given(ReadItem(page, request->item.value));
	else if (request->profile.isnull || request->leaves_out_known)
	{
		Datum		of_user = ReadUser(page, request->recent, request->leaves_out_known);

		if (request->profile.isnull)
			request->profile = Given(of_user);
	}
	profile = request->profile.value;
	if (policy == POLICY_PERSONAL && IsUnknownProfile(page, profile))
		policy = POLICY_UNKNOWN;
	request->choice = ChooseItems(page, policy, profile, request->seed);
}

static void
return_list(const PageRequest *page, int64 decision, const Choice *choice, ReturnSetInfo *rows)
{
	float4	   *probabilities =
		(float4 *) ARR_DATA_PTR(DatumGetArrayTypeP(choice->probabilities.value));
	float4	   *expected = (float4 *) ARR_DATA_PTR(DatumGetArrayTypeP(choice->expected.value));
	Datum	   *items;
	int			count = ArrayKeys(page, choice->items.value, &items);

	for (int i = 0; i < count; i++)
	{
		Datum		values[LIST_COLUMNS];
		bool		nulls[LIST_COLUMNS] = {false};

		values[0] = Int64GetDatum(decision);
		values[1] = items[i];
		values[2] = Int32GetDatum(i + 1);
		values[3] = Float8GetDatum(probabilities[i]);
		values[4] = Float8GetDatum(expected[i]);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

/* Raise an error unless the caller's column definition list has the columns of a list. */
static void
check_columns(const PageRequest *page, TupleDesc columns)
{
	const Oid	types[] = {INT8OID, page->item_type, INT4OID, FLOAT8OID, FLOAT8OID};
	bool		is_right = columns->natts == LIST_COLUMNS;

	for (int i = 0; is_right && i < LIST_COLUMNS; i++)
		is_right = TupleDescAttr(columns, i)->atttypid == types[i];
	if (!is_right)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("result of a list must have the columns (decision bigint, item %s, position integer, "
						"probability double precision, expected double precision)", format_type_be(page->item_type))));
}

/* Choose, log and return a list.  An empty list is only recorded, so that report() counts it. */
Datum
MakeList(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	int64		decision;

	check_columns(page, rows->setDesc);
	check_user_length(page);
	decision = NewDecisionNumber(page->schema, page->settings.secret, page->settings.now);
	request->seed = (int64) FreshSeed();
	DoStep(page, choose_list, request);
	if (!request->choice.items.isnull)
	{
		LogList(page, decision, request->seed, request->treatment, &request->choice);
		return_list(page, decision, &request->choice, rows);
	}
	else if (!request->is_next_page)
		LogEmptyRequest(page, decision, request->treatment);
	ClosePage(page);
	return (Datum) 0;
}

/* ---------- lists that applications request ---------- */

/* Positions of a function's arguments; 0 for an argument that it lacks */
typedef struct ListArguments
{
	int			user;
	int			k;
	int			context;
	int			session;
} ListArguments;

static void
open_request(PageRequest *page, FunctionCallInfo fcinfo, ListArguments arguments)
{
	OpenPage(page, fcinfo);
	ReadPageSettings(page);
	CheckKeyType(fcinfo, arguments.user, page->user_type, "user_id");
	page->user = fcinfo->args[arguments.user];
	if (arguments.k > 0)
		ReadK(page, fcinfo->args[arguments.k]);
	ReadContext(page, fcinfo->args[arguments.context]);
	page->session = fcinfo->args[arguments.session];
}

PG_FUNCTION_INFO_V1(dlints_recommend_list);

/* _dlints_recommend(setting, user_id, k, recent, context, session): recommend items to a user. */
Datum
dlints_recommend_list(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};

	open_request(&page, fcinfo, (ListArguments) {.user = 1, .k = 2, .context = 4, .session = 5});
	CheckKeyType(fcinfo, 3, page.items_type, "recent");
	request.recent = fcinfo->args[3];
	if (!request.recent.isnull && ARR_NDIM(DatumGetArrayTypeP(request.recent.value)) > 0)
	{
		NullableDatum args[] = {Given(page.context), request.recent};

		RunSelect(&page, &describe_left_out, args);
		page.context = ResultColumn(1).value;
		page.left_out = request.recent;
	}
	request.profile = NotGiven();
	request.leaves_out_known = true;
	request.treatment = AssignTreatment(&page);
	return MakeList(&page, fcinfo, &request);
}

PG_FUNCTION_INFO_V1(dlints_more_like);

/* _dlints_more_like(setting, item, k, user_id, context, session): recommend similar items. */
Datum
dlints_more_like(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};
	NullableDatum args[2];

	open_request(&page, fcinfo, (ListArguments) {.user = 3, .k = 2, .context = 4, .session = 5});
	CheckKeyType(fcinfo, 1, page.item_type, "item");
	request.is_like_item = true;
	request.item = fcinfo->args[1];
	if (request.item.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"item\" must not be null")));
	args[0] = Given(page.context);
	args[1] = request.item;
	RunSelect(&page, &describe_item, args);
	page.context = ResultColumn(1).value;
	page.left_out = ResultColumn(2);
	request.profile = request.recent = NotGiven();
	request.treatment = AssignTreatment(&page);
	return MakeList(&page, fcinfo, &request);
}

PG_FUNCTION_INFO_V1(dlints_trending);

/* _dlints_trending(setting, k, user_id, context, session): return the items that trend most. */
Datum
dlints_trending(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};

	open_request(&page, fcinfo, (ListArguments) {.user = 2, .k = 1, .context = 3, .session = 4});
	page.context = AddToContext(page.context, "trending", "true");
	request.profile = request.recent = request.item = NotGiven();
	request.treatment = page.settings.random_draw < page.settings.epsilon ? POLICY_RANDOM :
		POLICY_TRENDING;
	return MakeList(&page, fcinfo, &request);
}

static void
compute_profile(PageRequest *page, void *arg)
{
	ListRequest *request = arg;

	request->profile = Given(ReadUser(page, request->recent, false));
}

PG_FUNCTION_INFO_V1(dlints_user_profile);

/* _dlints_profile(setting, user_id, recent, context, session) -> real[]: get a user's profile. */
Datum
dlints_user_profile(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	PageRequest page;
	ListRequest request = {0};
	ArrayType  *result = NULL;

	open_request(&page, fcinfo, (ListArguments) {.user = 1, .context = 3, .session = 4});
	CheckKeyType(fcinfo, 2, page.items_type, "recent");
	request.recent = fcinfo->args[2];
	DoStep(&page, compute_profile, &request);
	if (!request.profile.isnull)
	{
		ArrayType  *array = DatumGetArrayTypeP(request.profile.value);

		result = memcpy(MemoryContextAlloc(caller, VARSIZE(array)), array, VARSIZE(array));
	}
	ClosePage(&page);
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(result);
}
