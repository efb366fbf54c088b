/*
 * lists.c
 *		Lists of recommendations: recommend(), more_like(), trending() and next().
 *
 * Each chooses a list, logs it as an impression of its items, and returns it.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "compat.h"
#include "choose/request.h"
#include "page/decision_number.h"
#include "page/page.h"
#include "sql/args.h"

/* The longest list: training assumes that all of its items were seen */
#define MAX_K			1000
/* The longest context in a message */
#define MAX_CONTEXT_SHOWN	200
#define LIST_COLUMNS	5

/* How a list comes about */
typedef struct ListRequest
{
	ListPolicy		treatment;
	bool		is_like_item;	/* the profile is that of an item */
	bool		leaves_out_known;	/* items that the user clicked, if the settings say so */
	NullableDatum item;
	NullableDatum recent;		/* items clicked lately */
	NullableDatum profile;		/* NULL: to be computed */
	Shortlist	shortlist;
	Choice		choice;
	int64		seed;			/* of the draws */
} ListRequest;

/* The context of a list like an item, and the item as an array */
static const PageQuery describe_item = {{
	"SELECT $1 || jsonb_build_object('more_like', $2), ARRAY[$2]", 2}, {JSONBOID, ARG_ITEM}};

/* ---------- the request ---------- */

static void
read_k(PageRequest *page, NullableDatum k)
{
	if (k.isnull || DatumGetInt32(k.value) < 1 || DatumGetInt32(k.value) > MAX_K)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 k.isnull ? errmsg("k must be between 1 and %d, not NULL", MAX_K) :
				 errmsg("k must be between 1 and %d, not %d", MAX_K, DatumGetInt32(k.value))));
	page->k = DatumGetInt32(k.value);
}

/* The context, without keys that only this file sets */
static void
read_context(PageRequest *page, NullableDatum context)
{
	static const char *const reserved[] = {"more_like", "trending", "after", "left_out"};
	Datum		keys[lengthof(reserved)];
	Jsonb	   *object = context.isnull ? NULL : DatumGetJsonbP(context.value);
	JsonbValue	scalar;

	if (object == NULL ||
		(JB_ROOT_IS_SCALAR(object) && JsonbExtractScalar(&object->root, &scalar) && scalar.type == jbvNull))
	{
		page->context = DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
		return;
	}
	if (!JB_ROOT_IS_OBJECT(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"context\" must be a JSON object"),
				 errdetail("It is %.*s.", MAX_CONTEXT_SHOWN,
						   JsonbToCString(NULL, &object->root, VARSIZE(object)))));
	if (JB_ROOT_COUNT(object) > 0)
	{
		for (int i = 0; i < lengthof(reserved); i++)
			keys[i] = CStringGetTextDatum(reserved[i]);
		context.value = DirectFunctionCall2(jsonb_delete_array, JsonbPGetDatum(object),
											PointerGetDatum(construct_array(keys, lengthof(reserved), TEXTOID, -1,
																			false, TYPALIGN_INT)));
	}
	page->context = context.value;
}

/* The context with another key */
static Datum
add_to_context(Datum context, const char *key, const char *json)
{
	StringInfoData addition;

	initStringInfo(&addition);
	appendStringInfo(&addition, "{\"%s\": %s}", key, json);
	return DirectFunctionCall2(jsonb_concat, context, DirectFunctionCall1(jsonb_in, CStringGetDatum(addition.data)));
}

/* A number in [0, 1) that stays with a user, or with a session without one */
static double
treatment_number(const PageRequest *page)
{
	TypeCacheEntry *type;
	uint64		hash;

	if (page->user.isnull && page->session.isnull)
		return page->settings.treatment_draw;
	type = lookup_type_cache(page->user_type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!page->user.isnull && OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		hash = DatumGetUInt64(FunctionCall2Coll(&type->hash_extended_proc_finfo, type->typcollation,
												page->user.value, Int64GetDatum(page->settings.seed)));
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
		hash = hash_bytes_extended((unsigned char *) name, strlen(name), (uint64) page->settings.seed);
	}
	return (double) (hash >> 11) / (UINT64CONST(1) << 53);
}

/*
 * Control users get the most popular items for good, to compare with.  A small
 * share of all other lists is random, to evaluate with.
 */
static ListPolicy
assign_treatment(const PageRequest *page)
{
	if (treatment_number(page) < page->settings.control)
		return POLICY_CONTROL;
	return page->settings.random_draw < page->settings.epsilon ? POLICY_RANDOM : POLICY_PERSONAL;
}

/* ---------- the list ---------- */

static void
choose_list(PageRequest *page, void *arg)
{
	ListRequest *request = arg;
	ListPolicy		policy = request->treatment;
	Datum		profile;

	if (request->leaves_out_known)
		LeaveOutKnownItems(page);
	if (request->profile.isnull)
		request->profile = request->is_like_item && !request->item.isnull ?
			ItemProfile(page, request->item.value) : UserProfile(page, request->recent);
	profile = request->profile.value;
	if (policy == POLICY_PERSONAL && IsUnknownProfile(page, profile))
		policy = POLICY_UNKNOWN;
	request->shortlist = FindShortlist(page, policy, profile, request->seed);
	request->choice = ChooseItems(page, policy, &request->shortlist, profile, request->seed);
}

/* Multiply the probabilities of a list by a share. */
static void
scale_probabilities(Choice *choice, double share)
{
	ArrayType  *array = DatumGetArrayTypePCopy(choice->probabilities.value);
	float8	   *probabilities = (float8 *) ARR_DATA_PTR(array);

	for (int i = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)); i-- > 0;)
		probabilities[i] *= share;
	choice->probabilities.value = PointerGetDatum(array);
}

static void
return_list(const PageRequest *page, int64 decision, const Choice *choice, ReturnSetInfo *rows)
{
	ArrayType  *array = DatumGetArrayTypeP(choice->items.value);
	float8	   *probabilities = (float8 *) ARR_DATA_PTR(DatumGetArrayTypeP(choice->probabilities.value));
	float8	   *expected = (float8 *) ARR_DATA_PTR(DatumGetArrayTypeP(choice->expected.value));
	int16		length;
	bool		by_value;
	char		align;
	Datum	   *items;
	int			count;

	get_typlenbyvalalign(page->item_type, &length, &by_value, &align);
	deconstruct_array(array, page->item_type, length, by_value, align, &items, NULL, &count);
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

/* The columns that the caller lists for the result have to be those of a list. */
static void
check_columns(const PageRequest *page, TupleDesc columns)
{
	Oid			types[] = {INT8OID, page->item_type, INT4OID, FLOAT8OID, FLOAT8OID};
	bool		is_right = columns->natts == LIST_COLUMNS;

	for (int i = 0; is_right && i < LIST_COLUMNS; i++)
		is_right = TupleDescAttr(columns, i)->atttypid == types[i];
	if (!is_right)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("result of a list must have the columns (decision bigint, item %s, position integer, "
						"probability double precision, expected double precision)", format_type_be(page->item_type))));
}

/* Choose, log and return a list.  Without candidates nothing is logged. */
static Datum
make_list(PageRequest *page, FunctionCallInfo fcinfo, ListRequest *request)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	int64		decision;

	check_columns(page, rows->setDesc);
	decision = NewDecisionNumber(page->schema, page->extension_schema);
	request->seed = (int64) FreshSeed();
	DoStep(page, choose_list, request);
	if (!request->choice.items.isnull)
	{
		if (request->shortlist.share < 1.0)
			scale_probabilities(&request->choice, request->shortlist.share);
		LogList(page, decision, request->seed, request->treatment, &request->shortlist, &request->choice);
		return_list(page, decision, &request->choice, rows);
	}
	ClosePage(page);
	return (Datum) 0;
}

/* ---------- lists that applications ask for ---------- */

PG_FUNCTION_INFO_V1(dlints_recommend_list);

/* _dlints_recommend(setting, user_id, k, recent, context, session) */
Datum
dlints_recommend_list(PG_FUNCTION_ARGS)
{
	PageRequest		page;
	ListRequest request = {0};

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 1, page.user_type, "user_id");
	CheckKeyType(fcinfo, 3, page.items_type, "recent");
	page.user = PageArgument(fcinfo, 1);
	read_k(&page, PageArgument(fcinfo, 2));
	read_context(&page, PageArgument(fcinfo, 4));
	page.session = PageArgument(fcinfo, 5);
	request.recent = PageArgument(fcinfo, 3);
	if (!request.recent.isnull && ARR_NDIM(DatumGetArrayTypeP(request.recent.value)) > 0)
		page.left_out = request.recent;
	request.profile = NotGiven();
	request.leaves_out_known = true;
	request.treatment = assign_treatment(&page);
	return make_list(&page, fcinfo, &request);
}

PG_FUNCTION_INFO_V1(dlints_more_like);

/* _dlints_more_like(setting, item, k, user_id, context, session): items like an item */
Datum
dlints_more_like(PG_FUNCTION_ARGS)
{
	PageRequest		page;
	ListRequest request = {0};
	NullableDatum args[2];

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 1, page.item_type, "item");
	CheckKeyType(fcinfo, 3, page.user_type, "user_id");
	read_k(&page, PageArgument(fcinfo, 2));
	page.user = PageArgument(fcinfo, 3);
	read_context(&page, PageArgument(fcinfo, 4));
	page.session = PageArgument(fcinfo, 5);
	request.is_like_item = true;
	request.item = PageArgument(fcinfo, 1);
	if (request.item.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"item\" must not be null")));
	args[0] = Given(page.context);
	args[1] = request.item;
	RunSelect(&page, &describe_item, 0, args);
	page.context = ResultColumn(1).value;
	page.left_out = ResultColumn(2);
	request.profile = request.recent = NotGiven();
	request.treatment = assign_treatment(&page);
	return make_list(&page, fcinfo, &request);
}

PG_FUNCTION_INFO_V1(dlints_trending);

/* _dlints_trending(setting, k, user_id, context, session): items that trend */
Datum
dlints_trending(PG_FUNCTION_ARGS)
{
	PageRequest		page;
	ListRequest request = {0};

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 2, page.user_type, "user_id");
	read_k(&page, PageArgument(fcinfo, 1));
	page.user = PageArgument(fcinfo, 2);
	read_context(&page, PageArgument(fcinfo, 3));
	page.context = add_to_context(page.context, "trending", "true");
	page.session = PageArgument(fcinfo, 4);
	request.profile = request.recent = request.item = NotGiven();
	request.treatment = page.settings.random_draw < page.settings.epsilon ? POLICY_RANDOM : POLICY_TRENDING;
	return make_list(&page, fcinfo, &request);
}

/* The profile of the request's user */
static void
compute_profile(PageRequest *page, void *arg)
{
	ListRequest *request = arg;

	request->profile = UserProfile(page, request->recent);
}

PG_FUNCTION_INFO_V1(dlints_user_profile);

/* _dlints_profile(setting, user_id, recent, context, session) -> real[] */
Datum
dlints_user_profile(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	PageRequest page;
	ListRequest request = {0};
	ArrayType  *result = NULL;

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 1, page.user_type, "user_id");
	CheckKeyType(fcinfo, 2, page.items_type, "recent");
	page.user = PageArgument(fcinfo, 1);
	read_context(&page, PageArgument(fcinfo, 3));
	page.session = PageArgument(fcinfo, 4);
	request.recent = PageArgument(fcinfo, 2);
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

/* ---------- the next page of a list ---------- */

/*
 * A list, and the items on it and on up to 100 lists before it of the same user.
 * Each is looked up by its number, in its partition.
 */
static const PageQuery shown_until = {{
	"WITH RECURSIVE page AS (\n"
	"    SELECT 1 AS n, d.user_id, d.context, d.items FROM decision d WHERE d.id = $1\n"
	"    UNION ALL\n"
	"    SELECT p.n + 1, p.user_id, d.context, d.items\n"
	"    FROM   page p,\n"
	"           LATERAL (SELECT d.user_id, d.context, d.items FROM decision d\n"
	"                    WHERE  d.id = CASE WHEN p.context ->> 'after' ~ '^[0-9]{1,18}$'\n"
	"                                       THEN (p.context ->> 'after')::bigint END OFFSET 0) d\n"
	"    WHERE  p.n < 100 AND (same_user(d.user_id, p.user_id) OR d.user_id IS NULL))\n"
	"SELECT d.user_id, d.session, d.treatment, d.context, @extschema@.dlints_unpack(d.profile, 1::bigint),\n"
	"       ARRAY(SELECT i.item FROM page p, unnest(p.items) i (item)),\n"
	"       d.context ->> 'more_like', same_user(d.user_id, $2)\n"
	"FROM   decision d WHERE d.id = $1", 2},
	{INT8OID, ARG_USER}};

static const PageQuery append_item = {{"SELECT $1 || $2", 2}, {ARG_ITEMS, ARG_ITEM}};

typedef struct ItemText
{
	char	   *text;
	NullableDatum item;
} ItemText;

static void
read_item(PageRequest *page, void *arg)
{
	ItemText   *key = arg;
	Oid			input;
	Oid			param;

	getTypeInputInfo(page->item_type, &input, &param);
	key->item = Given(OidInputFunctionCall(input, key->text, param, -1));
}

/*
 * Leave out the item that a list is like, too.  The key may come from a request
 * that was logged by another application.
 */
static void
leave_out_item(PageRequest *page, NullableDatum more_like)
{
	ItemText	key;
	ErrorData  *error;

	if (more_like.isnull)
		return;
	key.text = TextDatumGetCString(more_like.value);
	error = TryStep(page, read_item, &key);
	if (error == NULL)
	{
		NullableDatum args[] = {page->left_out, key.item};

		RunSelect(page, &append_item, 0, args);
		page->left_out = ResultColumn(1);
	}
	else if (!IsUserDataError(error) &&
			 ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
		ReThrowError(error);
}

/*
 * A user's list is paged for that user alone.  A list of a session without a user is
 * paged for that session, also after the user has logged in.
 */
static void
check_reader(int64 decision, NullableDatum is_same_user, NullableDatum owner, NullableDatum owner_session,
			 NullableDatum user, NullableDatum session)
{
	bool		is_allowed;

	if (!owner.isnull)
		is_allowed = !is_same_user.isnull && DatumGetBool(is_same_user.value);
	else if (!owner_session.isnull)
		is_allowed = !session.isnull &&
			DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, owner_session.value, session.value));
	else
		is_allowed = user.isnull && session.isnull;
	if (!is_allowed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("decision %lld does not belong to this %s", (long long) decision,
						user.isnull && owner.isnull ? "session" : "user")));
}

static ListPolicy
read_treatment(Datum name)
{
	char	   *treatment = TextDatumGetCString(name);

	for (int policy = POLICY_PERSONAL; policy <= POLICY_TRENDING; policy++)
		if (strcmp(policy_names[policy], treatment) == 0)
			return (ListPolicy) policy;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("unknown treatment \"%s\" in the log", treatment)));
}

PG_FUNCTION_INFO_V1(dlints_next);

/*
 * _dlints_next(setting, decision, k, user_id, session)
 *		The next page of a list: the same treatment and profile, without items shown
 *		before.  Probabilities are conditional on the pages before.
 */
Datum
dlints_next(PG_FUNCTION_ARGS)
{
	PageRequest		page;
	ListRequest request = {0};
	NullableDatum decision = PageArgument(fcinfo, 1);
	NullableDatum user = PageArgument(fcinfo, 3);
	NullableDatum args[] = {decision, user};
	NullableDatum more_like;

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 3, page.user_type, "user_id");
	read_k(&page, PageArgument(fcinfo, 2));
	RunSelect(&page, &shown_until, 0, args);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 decision.isnull ? errmsg("argument \"decision\" must not be null") :
				 errmsg("there is no decision %lld", (long long) DatumGetInt64(decision.value))));
	page.session = ResultColumn(2);
	check_reader(DatumGetInt64(decision.value), ResultColumn(8), ResultColumn(1), page.session, user,
				 PageArgument(fcinfo, 4));
	page.user = ResultColumn(1).isnull ? user : ResultColumn(1);
	request.treatment = read_treatment(ResultColumn(3).value);
	page.context = add_to_context(ResultColumn(4).value, "after",
								  psprintf(INT64_FORMAT, DatumGetInt64(decision.value)));
	request.profile = ResultColumn(5);
	page.left_out = ResultColumn(6);
	more_like = ResultColumn(7);
	request.recent = request.item = NotGiven();
	leave_out_item(&page, more_like);
	request.leaves_out_known = more_like.isnull && request.treatment != POLICY_TRENDING;
	return make_list(&page, fcinfo, &request);
}
