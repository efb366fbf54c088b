/*
 * lists.c
 *		The functions recommend(), more_like() and trending(), which return lists of
 *		recommendations.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "choose/request.h"
#include "page/action_names.h"
#include "page/candidates.h"
#include "page/lists.h"
#include "sql/args.h"

#define LIST_COLUMNS	5

/* Maximum length of a list, because models assume by default that users see all items of a list */
#define MAX_K			1000

/* Add the item's key to the context of more_like(), and return the item as an array. */
static const PageQuery describe_item = {
	"SELECT $1 || jsonb_build_object('more_like', $2), ARRAY[$2]", {JSONBOID, ARG_ITEM}};

/* Add recent items to the context of recommend(), so that next() also excludes these items. */
static const PageQuery describe_excluded = {
	"SELECT $1 || jsonb_build_object('left_out', ARRAY(SELECT u.item::text FROM unnest($2) u (item)\n"
	"                                                  WHERE u.item IS NOT NULL))", {JSONBOID, ARG_ITEMS}};

static const PageQuery insert_list = {
	"WITH logged AS (\n"
	"    INSERT INTO decision (id, at, seed, n_scored, user_id, treatment, session, context, profile, items,\n"
	"                          probabilities, expected, features, prices, costs, effects, versions)\n"
	"    VALUES ($1, now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))\n"
	"INSERT INTO pending (decision) VALUES ($1)",
	{INT8OID, INT8OID, INT4OID, ARG_USER, TEXTOID, TEXTOID, JSONBOID, BYTEAOID, ARG_ITEMS,
	FLOAT4ARRAYOID, FLOAT4ARRAYOID, BYTEAOID, JSONBOID, JSONBOID, FLOAT4ARRAYOID, INT8ARRAYOID}};

static const PageQuery insert_empty_request = {
	"INSERT INTO empty_request (id, treatment) VALUES ($1, $2)", {INT8OID, TEXTOID}};

/* ---------- arguments and policy ---------- */

void
ReadK(PageRequest *page, NullableDatum k)
{
	if (k.isnull || DatumGetInt32(k.value) < 1 || DatumGetInt32(k.value) > MAX_K)
		ereport(ERROR,
				(errcode(k.isnull ? ERRCODE_NULL_VALUE_NOT_ALLOWED :
						 ERRCODE_INVALID_PARAMETER_VALUE),
				 k.isnull ? errmsg("k must be between 1 and %d, not NULL", MAX_K) :
				 errmsg("k must be between 1 and %d, not %d", MAX_K, DatumGetInt32(k.value))));
	page->k = DatumGetInt32(k.value);
}

/* Read the argument "context" of a request, without the keys that only the extension may set. */
static void
read_context(PageRequest *page, NullableDatum context)
{
	static const char *const reserved[] = {"more_like", "trending", "after", "left_out"};
	Datum		keys[lengthof(reserved)];
	Jsonb	   *object = ReadContextArgument(context);

	page->context = JsonbPGetDatum(object);
	if (JB_ROOT_COUNT(object) > 0)
	{
		for (int i = 0; i < lengthof(reserved); i++)
			keys[i] = CStringGetTextDatum(reserved[i]);
		page->context =
			DirectFunctionCall2(jsonb_delete_array, page->context,
								PointerGetDatum(construct_array(keys, lengthof(reserved), TEXTOID,
																-1, false, TYPALIGN_INT)));
	}
}

Datum
AddToContext(Datum context, const char *key, const char *json)
{
	StringInfoData addition;

	initStringInfo(&addition);
	appendStringInfo(&addition, "{\"%s\": %s}", key, json);
	return DirectFunctionCall2(jsonb_concat, context,
							   DirectFunctionCall1(jsonb_in, CStringGetDatum(addition.data)));
}

/* Hash the user or session to a number in [0, 1); users with low numbers form the control group. */
static double
treatment_number(const PageRequest *page)
{
	TypeCacheEntry *type;
	uint64		hash;

	if (page->user.isnull && page->session.isnull)
		return page->settings.treatment_draw;
	type = lookup_type_cache(page->user_type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!page->user.isnull && OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		hash = DatumGetUInt64(FunctionCall2Coll(&type->hash_extended_proc_finfo,
												page->user_collation, page->user.value,
												Int64GetDatum(page->settings.seed)));
	else
	{
		char	   *name;

		if (page->user.isnull)
			name = TextDatumGetCString(page->session.value);
		else
		{
			Oid			output;
			bool		is_varlena;

			getTypeOutputInfo(page->user_type, &output, &is_varlena);
			name = OidOutputFunctionCall(output, page->user.value);
		}
		hash = hash_bytes_extended((unsigned char *) name, strlen(name),
								   (uint64) page->settings.seed);
	}
	return (double) (hash >> 11) / (UINT64CONST(1) << 53);
}

/* Choose the policy of a list: control, random or personal. */
static ListPolicy
assign_treatment(const PageRequest *page)
{
	if (treatment_number(page) < page->settings.control)
		return POLICY_CONTROL;
	return page->settings.random_draw < page->settings.epsilon ? POLICY_RANDOM : POLICY_PERSONAL;
}

/* ---------- lists ---------- */

static void
choose_list(PageRequest *page, void *arg)
{
	ListRequest *request = arg;
	ListPolicy policy = request->treatment;
	Datum		profile;

	if (request->is_like_item)
		request->profile = Given(ReadItem(page, request->item.value));
	else if (request->profile.isnull || request->excludes_clicked)
	{
		Datum		of_user = ReadUser(page, request->recent, request->excludes_clicked);

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
		Datum		values[LIST_COLUMNS] = {
			Int64GetDatum(decision), items[i], Int32GetDatum(i + 1),
			Float8GetDatum(probabilities[i]), Float8GetDatum(expected[i])};
		bool		nulls[LIST_COLUMNS] = {false};

		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

/* Raise an error unless the caller's column definition list fits the columns of a list. */
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

/* Log a list of recommendations, which models learn from after the attribution window. */
static void
log_list(PageRequest *page, int64 decision, int64 seed, ListPolicy treatment, const Choice *choice)
{
	NullableDatum args[] = {
		Given(Int64GetDatum(decision)), Given(Int64GetDatum(seed)),
		choice->n_scored, page->user, Given(CStringGetTextDatum(policy_names[treatment])),
		page->session, Given(page->context),
		choice->profile, choice->items, choice->probabilities, choice->expected, choice->features,
		choice->prices, choice->costs, choice->effects, choice->versions};

	RunWrite(page, &insert_list, args);
}

/* Choose, log and return a list.  If it has no items, log an empty request, except for next(). */
Datum
MakeList(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	int64		decision;

	check_columns(page, rows->setDesc);
	CheckKeyFits(page->user_type, page->user, "user_id");
	decision = NewDecisionNumber(page->schema, page->settings.secret, page->settings.now);
	request->seed = (int64) FreshSeed();
	DoStep(page, choose_list, request);
	if (!request->choice.items.isnull)
	{
		log_list(page, decision, request->seed, request->treatment, &request->choice);
		return_list(page, decision, &request->choice, rows);
	}
	else if (!request->is_next_page)
	{
		NullableDatum args[] = {Given(Int64GetDatum(decision)),
								Given(CStringGetTextDatum(policy_names[request->treatment]))};

		RunWrite(page, &insert_empty_request, args);
		if (page->skips_failing)
		{
			const char *problem = ExpressionError(page);

			if (problem != NULL)		/* otherwise, only clicks of the user cannot be read */
				ereport(WARNING,
						(errmsg("no item is eligible: %s", problem),
						 errdetail("Lists leave out items for which an SQL expression fails.")));
		}
	}
	ClosePage(page);
	return (Datum) 0;
}

/* ---------- lists that applications request ---------- */

/*
 * Begin a request, given the positions of the SQL function's arguments "user_id", "k" (0: none) and
 * "context".  The argument "session" follows "context".
 */
static void
open_request(PageRequest *page, FunctionCallInfo fcinfo, int user, int k, int context)
{
	OpenPage(page, fcinfo);
	ReadPageSettings(page);
	CheckKeyType(fcinfo, user, page->user_type, "user_id");
	page->user = fcinfo->args[user];
	if (k > 0)
		ReadK(page, fcinfo->args[k]);
	read_context(page, fcinfo->args[context]);
	page->session = fcinfo->args[context + 1];
}

PG_FUNCTION_INFO_V1(dlints_recommend_list);

/* _dlints_recommend(setting, user_id, k, recent, context, session): recommend items to a user. */
Datum
dlints_recommend_list(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};

	open_request(&page, fcinfo, 1, 2, 4);
	CheckKeyType(fcinfo, 3, page.items_type, "recent");
	request.recent = fcinfo->args[3];
	if (!request.recent.isnull && ARR_NDIM(DatumGetArrayTypeP(request.recent.value)) > 0)
	{
		NullableDatum args[] = {Given(page.context), request.recent};

		RunSelect(&page, &describe_excluded, args);
		page.context = ResultColumn(1).value;
		page.excluded = request.recent;
	}
	request.profile = NotGiven();
	request.excludes_clicked = true;
	request.treatment = assign_treatment(&page);
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

	open_request(&page, fcinfo, 3, 2, 4);
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
	page.excluded = ResultColumn(2);
	request.profile = request.recent = NotGiven();
	request.treatment = assign_treatment(&page);
	return MakeList(&page, fcinfo, &request);
}

PG_FUNCTION_INFO_V1(dlints_trending);

/* _dlints_trending(setting, k, user_id, context, session): return the items that trend most. */
Datum
dlints_trending(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};

	open_request(&page, fcinfo, 2, 1, 3);
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

	open_request(&page, fcinfo, 1, 0, 3);
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
