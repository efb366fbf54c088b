/*
 * next.c
 *		The function next(), which returns the next page of a list.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

#include "compat.h"
#include "page/action_names.h"
#include "page/keys.h"
#include "page/lists.h"
#include "page/tables.h"
#include "vectors/pack.h"

/* maximum number of earlier pages whose items the next page excludes */
#define MAX_PAGES		100
/* maximum number of digits of a decision number */
#define MAX_DIGITS		18

static const PageTable decision_table = {"decision", 7, {
		{"id", INT8OID}, {"user_id", ARG_USER}, {"session", TEXTOID}, {"treatment", TEXTOID},
		{"context", JSONBOID}, {"profile", BYTEAOID}, {"items", ARG_ITEMS}}};

/* Select the items under the keys "more_like" and "left_out" of a logged context, if valid. */
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

static NullableDatum
keep_key(const PageRequest *page, Datum value, bool isnull)
{
	int16		length;
	bool		is_by_value;

	if (isnull)
		return NotGiven();
	get_typlenbyval(page->user_type, &length, &is_by_value);
	return Given(length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value)) :
				 datumCopy(value, is_by_value, length));
}

static NullableDatum
keep_varlena(Datum value, bool isnull)
{
	return isnull ? NotGiven() : Given(PointerGetDatum(PG_DETOAST_DATUM_COPY(value)));
}

static void
read_list(void *arg, const Datum *values, const bool *nulls)
{
	LoggedList *list = arg;
	MemoryContext caller = MemoryContextSwitchTo(list->page->memory);

	list->is_found = true;
	list->user = keep_key(list->page, values[1], nulls[1]);
	list->session = keep_varlena(values[2], nulls[2]);
	list->treatment = keep_varlena(values[3], nulls[3]);
	list->context = keep_varlena(values[4], nulls[4]);
	list->profile = keep_varlena(values[5], nulls[5]);
	list->items = keep_varlena(values[6], nulls[6]);
	MemoryContextSwitchTo(caller);
}

static LoggedList
find_list(PageRequest *page, LogTable *log, int64 decision)
{
	LoggedList	list = {.page = page};

	LookUpDecision(log, decision, read_list, &list);
	return list;
}

/* Get the decision number of the page before a logged page; -1 for the first page. */
static int64
previous_list(const LoggedList *list)
{
	JsonbValue *value = GetObjectKey(&DatumGetJsonbP(list->context.value)->root, "after");
	char	   *text = value == NULL ? "" :
		value->type == jbvNumeric ?
		DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric))) :
		value->type == jbvString ? pnstrdup(value->val.string.val, value->val.string.len) : "";
	Size		digits = strspn(text, "0123456789");

	return digits == 0 || digits > MAX_DIGITS || text[digits] != '\0' ? -1 :
		(int64) strtoll(text, NULL, 10);
}

static bool
is_same_user(const PageRequest *page, NullableDatum a, NullableDatum b)
{
	TypeCacheEntry *type = lookup_type_cache(page->user_type, TYPECACHE_EQ_OPR_FINFO);

	return !a.isnull && !b.isnull &&
		DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, page->user_collation,
									   a.value, b.value));
}

/* ---------- items of earlier pages ---------- */

typedef struct ItemList
{
	int			count;
	Datum	   *items;
} ItemList;

static void
add_items(const PageRequest *page, ItemList *list, NullableDatum array)
{
	Datum	   *items;
	int			count = array.isnull ? 0 : ArrayKeys(page, array.value, &items);

	if (count == 0)
		return;
	list->items = list->count == 0 ? palloc(sizeof(Datum) * count) :
		repalloc(list->items, sizeof(Datum) * (list->count + count));
	memcpy(list->items + list->count, items, sizeof(Datum) * count);
	list->count += count;
}

/* Collect the items of earlier pages, which the next page excludes. */
static NullableDatum
items_until(PageRequest *page, LogTable *log, const LoggedList *last)
{
	NullableDatum args[] = {last->context, NotGiven()};
	ItemList	shown = {0};
	LoggedList	list = *last;
	int64		previous;

	add_items(page, &shown, list.items);
	for (int n = 1; n < MAX_PAGES && (previous = previous_list(&list)) >= 0; n++)
	{
		list = find_list(page, log, previous);
		if (!list.is_found || !(list.user.isnull || is_same_user(page, list.user, last->user)))
			break;
		add_items(page, &shown, list.items);
	}
	if (GetObjectKey(&DatumGetJsonbP(last->context.value)->root, "more_like") != NULL ||
		GetObjectKey(&DatumGetJsonbP(last->context.value)->root, "left_out") != NULL)
	{
		RunSelect(page, &named_items, args);
		add_items(page, &shown, ResultColumn(1));
	}
	return Given(KeyArray(page, shown.items, shown.count));
}

/* ---------- choosing the next page ---------- */

/*
 * Raise an error unless the caller may continue the list.  A session may continue its list even
 * after the user has logged in.
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
 * page.  Its logged probabilities are conditional on the earlier pages, whose items it excludes.
 */
Datum
dlints_next(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};
	NullableDatum decision = fcinfo->args[1];
	NullableDatum user = fcinfo->args[3];
	LogTable   *log;
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
	log = OpenLog(&page, &decision_table, 1);
	list = find_list(&page, log, DatumGetInt64(decision.value));
	if (!list.is_found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no decision %lld", (long long) DatumGetInt64(decision.value))));
	check_reader(DatumGetInt64(decision.value), &list, user, fcinfo->args[4]);
	page.user = list.user.isnull ? user : list.user;
	page.session = list.session;
	page.context = AddToContext(list.context.value, "after", psprintf(INT64_FORMAT, DatumGetInt64(decision.value)));
	page.excluded = items_until(&page, log, &list);
	CloseLog(log);
	request.treatment = read_treatment(list.treatment.value);
	profile = UnpackVectors(DatumGetByteaPP(list.profile.value), NULL);
	request.profile = ARR_NDIM(profile) == 1 ? Given(PointerGetDatum(profile)) : NotGiven();
	request.recent = request.item = NotGiven();
	request.is_next_page = true;
	request.excludes_clicked = request.treatment != POLICY_TRENDING &&
		GetObjectKey(&DatumGetJsonbP(list.context.value)->root, "more_like") == NULL;
	return MakeList(&page, fcinfo, &request);
}
