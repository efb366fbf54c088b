/*
 * next.c
 *		The next page of a list.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "page/lists.h"

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
						user.isnull && owner.isnull ? "session" : "user"),
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
 * _dlints_next(setting, decision, k, user_id, session)
 *		The next page of a list: the same treatment and profile, without items shown
 *		before.  Probabilities are conditional on the pages before.
 */
Datum
dlints_next(PG_FUNCTION_ARGS)
{
	PageRequest page;
	ListRequest request = {0};
	NullableDatum decision = PageArgument(fcinfo, 1);
	NullableDatum user = PageArgument(fcinfo, 3);
	NullableDatum args[] = {decision, user};
	NullableDatum more_like;

	OpenPage(&page, fcinfo);
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 3, page.user_type, "user_id");
	ReadK(&page, PageArgument(fcinfo, 2));
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
	page.context = AddToContext(ResultColumn(4).value, "after",
								  psprintf(INT64_FORMAT, DatumGetInt64(decision.value)));
	request.profile = ResultColumn(5);
	page.left_out = ResultColumn(6);
	more_like = ResultColumn(7);
	request.recent = request.item = NotGiven();
	leave_out_item(&page, more_like);
	request.is_next_page = true;
	request.leaves_out_known = more_like.isnull && request.treatment != POLICY_TRENDING;
	return MakeList(&page, fcinfo, &request);
}
