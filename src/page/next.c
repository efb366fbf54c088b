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
 * A list, and the items that its next page leaves out: those on it and on up to 100
 * lists before it of the same user, those that it was like, and those that its
 * request left out.  Each list is looked up by its number, in its partition.  Keys
 * in the context may be anything: another application may have logged them.
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
	"       ARRAY(SELECT i.item FROM page p, unnest(p.items) i (item)\n"
	"             UNION ALL\n"
	"             SELECT @extschema@._dlints_try_cast(k.key, $3)\n"
	"             FROM  (SELECT d.context ->> 'more_like'\n"
	"                    UNION ALL\n"
	"                    SELECT jsonb_array_elements_text(CASE jsonb_typeof(d.context -> 'left_out')\n"
	"                                                     WHEN 'array' THEN d.context -> 'left_out' ELSE '[]' END)) k (key)\n"
	"             WHERE  k.key IS NOT NULL),\n"
	"       d.context ? 'more_like', same_user(d.user_id, $2)\n"
	"FROM   decision d WHERE d.id = $1", 3},
	{INT8OID, ARG_USER, ARG_ITEM}};

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
	NullableDatum args[] = {decision, user, NotGiven()};
	bool		is_like_item;

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
	is_like_item = DatumGetBool(ResultColumn(7).value);
	request.recent = request.item = NotGiven();
	request.is_next_page = true;
	request.leaves_out_known = !is_like_item && request.treatment != POLICY_TRENDING;
	return MakeList(&page, fcinfo, &request);
}
