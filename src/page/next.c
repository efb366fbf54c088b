/*
 * next.c
 *		The function next(), which returns the next page of a list of recommendations.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "compat.h"
#include "page/action_names.h"
#include "page/keys.h"
#include "page/lists.h"
#include "page/tables.h"
#include "vectors/pack.h"

static const PageTable decision_table = {"decision", 7, {
		{"id", INT8OID}, {"user_id", ARG_USER | MAY_BE_NULL}, {"session", TEXTOID | MAY_BE_NULL}, {"treatment", TEXTOID},
		{"context", JSONBOID}, {"profile", BYTEAOID}, {"items", ARG_ITEMS}}};

/* maximum number of earlier pages whose items are excluded from the next page */
#define MAX_PAGES		100

/* Select the items under the keys "more_like" and "left_out" of a logged context. */
static const PageQuery named_items = {
	"SELECT ARRAY(SELECT @extschema@._dlints_try_cast(k.key, $2)\n"
	"             FROM  (SELECT $1 ->> 'more_like'\n"
	"                    UNION ALL\n"
	"                    SELECT jsonb_array_elements_text(CASE jsonb_typeof($1 -> 'left_out')\n"
	"                                                     WHEN 'array' THEN $1 -> 'left_out' ELSE '[]' END)) k (key)\n"
	"             WHERE  k.key IS NOT NULL)",
	{JSONBOID, ARG_ITEM}};

/* ---------- lists in the log ---------- */

typedef struct LoggedList
{
	PageRequest *page;
	bool		is_found;
	NullableDatum user;
	NullableDatum session;
	NullableDatum treatment;
	NullableDatum context;
	NullableDatum profile;
	NullableDatum items;
} LoggedList;

static void
read_list(void *arg, const Datum *values, const bool *nulls)
{
	LoggedList *list = arg;
	int16		length;
	bool		by_value;

	get_typlenbyval(list->page->user_type, &length, &by_value);
	list->is_found = true;
	list->user = KeepValue(list->page, values[1], nulls[1], by_value, length);
	list->session = KeepValue(list->page, values[2], nulls[2], false, -1);
	list->treatment = KeepValue(list->page, values[3], nulls[3], false, -1);
	list->context = KeepValue(list->page, values[4], nulls[4], false, -1);
	list->profile = KeepValue(list->page, values[5], nulls[5], false, -1);
	list->items = KeepValue(list->page, values[6], nulls[6], false, -1);
}

static LoggedList
find_list(PageRequest *page, int64 decision)
{
	LoggedList	list = {.page = page};
	LogTable   *log = OpenLog(page, &decision_table, 1);

	LookUpDecision(log, decision, read_list, &list);
	CloseLog(log);
	return list;
}

static JsonbValue *
context_key(const LoggedList *list, const char *key)
{
	return GetObjectKey(&DatumGetJsonbP(list->context.value)->root, key);
}

/* Return the decision number of the page before a logged page, or -1 for the first page. */
static int64
previous_list(const LoggedList *list)
{
	JsonbValue *value = context_key(list, "after");

	return value == NULL || value->type != jbvNumeric ? -1 :
		strtoll(DatumGetCString(DirectFunctionCall1(numeric_out,
													NumericGetDatum(value->val.numeric))),
				NULL, 10);
}

static bool
is_same_user(const PageRequest *page, NullableDatum a, NullableDatum b)
{
	TypeCacheEntry *type = lookup_type_cache(page->user_type, TYPECACHE_EQ_OPR_FINFO);

	return !a.isnull && !b.isnull &&
		DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, page->user_collation,
									   a.value, b.value));
}

/* Return the items that the next page excludes: the list so far, and items in its context. */
static NullableDatum
find_shown(PageRequest *page, const LoggedList *last)
{
	NullableDatum args[] = {last->context, NotGiven()};
	Datum		shown = last->items.value;
	LoggedList	list = *last;
	int64		previous;

	for (int n = 1; n < MAX_PAGES && (previous = previous_list(&list)) >= 0; n++)
	{
		list = find_list(page, previous);
		if (!list.is_found || !(list.user.isnull || is_same_user(page, list.user, last->user)))
			break;
		shown = DirectFunctionCall2(array_cat, shown, list.items.value);
	}
	if (context_key(last, "more_like") != NULL || context_key(last, "left_out") != NULL)
	{
		RunSelect(page, &named_items, args);
		shown = DirectFunctionCall2(array_cat, shown, ResultColumn(1).value);
	}
	return Given(shown);
}

/* ---------- choosing the next page ---------- */

/*
 * Raise an error unless the user or session may continue the list.  A session may continue after
 * the user has logged in.
 */
static void
check_reader(int64 decision, const LoggedList *list, NullableDatum user, NullableDatum session)
{
	bool		is_allowed;

	if (!list->user.isnull)
		is_allowed = is_same_user(list->page, list->user, user);
	else if (!list->session.isnull)
		is_allowed = !session.isnull &&
			DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, list->session.value,
												 session.value));
	else
		is_allowed = user.isnull && session.isnull;
	if (!is_allowed)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("decision %lld does not belong to this %s", (long long) decision,
						user.isnull && list->user.isnull ? "session" : "user"),
				 errhint("Pass user_id and session as for the first page.")));
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
 * _dlints_next(): return the next page of a list, with the policy and the profile of the first
 * page.  Logged probabilities are conditional on the earlier pages.
 */
Datum
dlints_next(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};
	NullableDatum decision = fcinfo->args[1];
	NullableDatum user = fcinfo->args[3];
	LoggedList	list;
	ArrayType  *profile;

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 3, page.user_type, "user_id");
	ReadK(&page, fcinfo->args[2]);
	if (decision.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"decision\" must not be null")));
	list = find_list(&page, DatumGetInt64(decision.value));
	if (!list.is_found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no decision %lld", (long long) DatumGetInt64(decision.value))));
	check_reader(DatumGetInt64(decision.value), &list, user, fcinfo->args[4]);
	page.user = list.user.isnull ? user : list.user;
	page.session = list.session;
	page.context = AddToContext(list.context.value, "after", psprintf(INT64_FORMAT, DatumGetInt64(decision.value)));
	page.excluded = find_shown(&page, &list);
	request.treatment = read_treatment(list.treatment.value);
	profile = UnpackVectors(DatumGetByteaPP(list.profile.value), NULL);
	request.profile = ARR_NDIM(profile) == 1 ? Given(PointerGetDatum(profile)) : NotGiven();
	request.recent = request.item = NotGiven();
	request.is_next_page = true;
	request.excludes_clicked = request.treatment != POLICY_TRENDING && context_key(&list, "more_like") == NULL;
	return MakeList(&page, fcinfo, &request);
}
