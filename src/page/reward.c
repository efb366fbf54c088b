/*
 * reward.c
 *		The function reward() of a recommender, which stores outcomes of impressions.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "compat.h"
#include "page/keys.h"
#include "page/page.h"

/* Read the value of an outcome, and check the decision number and the user. */
static const PageQuery check_reward = {
	"SELECT o.outcome, v.value, s.value_limit,\n"
	"       s.value_limit * coalesce(nullif(abs(v.value), 0), nullif(m.largest, 0), 1), m.names,\n"
	"       $1 BETWEEN 0 AND @extschema@._dlints_first_decision(greatest(now(), clock_timestamp()) + interval '1 minute')\n"
	"       OR EXISTS (SELECT FROM decision d WHERE d.id = $1),\n"
	"       $3 IS NOT NULL AND EXISTS (SELECT FROM decision d\n"
	"                                  WHERE d.id = $1 AND same_user(d.user_id, $3) IS NOT TRUE)\n"
	"FROM   setting s,\n"
	"       LATERAL (SELECT coalesce($2, s.first_outcome) AS outcome) o,\n"
	"       LATERAL (SELECT (s.outcomes ->> o.outcome)::float8 AS value) v,\n"
	"       LATERAL (SELECT max(abs(e.value::float8)) AS largest, string_agg(e.key, ', ' ORDER BY e.key) AS names\n"
	"                FROM   jsonb_each_text(s.outcomes) e) m",
	{INT8OID, TEXTOID, ARG_USER}};

/* Store a reward.  A reward that was reported before gets the new value. */
static const PageQuery store_reward = {
	"INSERT INTO reward AS r (decision, item, outcome, value) VALUES ($1, $2, $3, $4)\n"
	"ON CONFLICT (decision, item, outcome) DO UPDATE SET value = excluded.value, at = now()\n"
	"WHERE  r.value <> excluded.value",
	{INT8OID, ARG_ITEM, TEXTOID, FLOAT8OID}};

static void
check_value(const char *outcome, double value, double value_limit, double largest)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value of a reward must be finite")));
	if (fabs(value) > largest)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value of outcome \"%s\" must be between %g and %g", outcome, -largest, largest),
				 errdetail("The value is %g.", value),
				 errhint("The limit is %g times the value in \"outcomes\"; the argument \"value_limit\" changes it.",
						 value_limit)));
}

static void
check_decision(int64 decision, bool exists, bool is_of_another)
{
	if (!exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there is no decision %lld", (long long) decision)));
	if (is_of_another)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("decision %lld does not belong to this user", (long long) decision)));
}

PG_FUNCTION_INFO_V1(dlints_recommender_reward);

/*
 * _dlints_recommender_reward(): store the outcome of an impression, once if it is reported twice.
 * A reward may arrive before its decision.
 */
Datum
dlints_recommender_reward(PG_FUNCTION_ARGS)
{
	PageRequest page;
	NullableDatum decision = fcinfo->args[1];
	NullableDatum item = fcinfo->args[2];
	NullableDatum value = fcinfo->args[4];
	NullableDatum user = fcinfo->args[5];
	NullableDatum check_args[] = {decision, fcinfo->args[3], user};
	NullableDatum outcome;

	OpenPage(&page, fcinfo);
	CheckKeyType(fcinfo, 2, page.item_type, "item");
	CheckKeyType(fcinfo, 5, page.user_type, "user_id");
	RunSelect(&page, &check_reward, check_args);
	CheckHasSettings(page.schema, SPI_processed > 0);
	outcome = Given(ResultValue(1));
	if (ResultColumn(2).isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown outcome \"%s\"", TextDatumGetCString(outcome.value)),
				 errhint("Outcomes are %s.", TextDatumGetCString(ResultValue(5)))));
	if (decision.isnull || item.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("arguments \"decision\" and \"item\" must not be null")));
	CheckKeyFits(page.item_type, item, "item");
	if (value.isnull)
		value = ResultColumn(2);
	else
		check_value(TextDatumGetCString(outcome.value), DatumGetFloat8(value.value),
					DatumGetFloat8(ResultValue(3)), DatumGetFloat8(ResultValue(4)));
	check_decision(DatumGetInt64(decision.value), DatumGetBool(ResultValue(6)),
				   DatumGetBool(ResultValue(7)));
	{
		NullableDatum args[] = {decision, item, outcome, value};

		RunWrite(&page, &store_reward, args);
	}
	ClosePage(&page);
	PG_RETURN_VOID();
}
