/*
 * rank.c
 *		The SQL function rank(), which ranks the actions of an event with a ranker's model.
 *
 * The primary key of the table "event" makes concurrent requests for the same event wait for the
 * first one, whose ranking they return.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "page/action_names.h"
#include "page/page.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define ANSWER_COLUMNS	5

typedef struct Ranking
{
	PageRequest page;
	RankRequest request;
	Datum		event;			/* identifier of the event, a text */
	bool		is_deferred;
	bool		is_live;		/* does the model choose the action, instead of the caller? */
	bool		is_constrained;
	int64		secret;			/* secret key of permute() in decision_number.c */
	TimestampTz now;
	int64		number;			/* decision number */
	ReturnSetInfo *rows;
} Ranking;

static const PageQuery read_settings = {
	"SELECT random() < s.live_share, s.vectors::jsonb,"
	" ARRAY(SELECT p.name::text FROM constraint_price p ORDER BY p.name::text COLLATE \"C\"), s.secret::bigint, now()"
	" FROM setting s JOIN model m ON m.name = 'reward'",
	{0}
};

static const PageQuery find_decision = {
	"SELECT e.decision FROM event e WHERE e.event = $1",
	{TEXTOID}
};

static const PageQuery read_answer = {
	"SELECT r.action::text, r.\"position\"::integer, r.probability::float8, r.expected::float8"
	" FROM ranked r WHERE r.decision = $1 ORDER BY r.\"position\"",
	{INT8OID}
};

static const PageQuery claim_event = {
	"INSERT INTO event (event, decision) VALUES ($1, $2) ON CONFLICT DO NOTHING",
	{TEXTOID, INT8OID}
};

/* Delete an event whose decision is no longer in the log, so that the event can be ranked again. */
static const PageQuery release_event = {
	"DELETE FROM event e WHERE e.event = $1 AND NOT EXISTS (SELECT FROM decision d WHERE d.id = e.decision)",
	{TEXTOID}
};

static const PageQuery has_reported_cost = {
	"SELECT EXISTS (SELECT FROM action_cost c WHERE c.constraint_name = $1)",
	{TEXTOID}
};

/*
 * Compute dual prices again after 20 decisions, or after 60 if run() has computed prices within 3
 * minutes.  If prices were computed from few decisions, a quarter of their number suffices.
 */
static const PageQuery find_prices = {
	"SELECT @extschema@._dlints_ranker_find_prices(l.n) FROM job j,"
	" LATERAL (SELECT CASE WHEN j.done_at > now() - interval '3 minutes' THEN 60 ELSE 20 END::bigint AS n) l"
	" WHERE j.name = 'prices' AND (SELECT (n.last_value - min(p.solved) + 4194304) % 4194304"
	"     >= least(l.n, greatest(1, min(p.decisions) / 4))"
	" FROM constraint_price p, decision_number n GROUP BY n.last_value)"
	" AND (SELECT c.last_value = 0 FROM cancelled_prices c)",
	{0}
};

/* First part of the ranking statement, which encodes actions as features and predicts rewards */
#define ENCODE_ACTIONS \
	"WITH action AS MATERIALIZED (" \
	" SELECT a.n, a.id, a.price, a.features," \
	" @extschema@.dlints_predict(m.state, a.features::@extschema@.dlints_vector," \
	"     '{}'::@extschema@.dlints_vector) AS expected" \
	" FROM setting s, model m, LATERAL @extschema@._dlints_ranker_actions($1 - s.user_key, $2, s.vectors," \
	"     ARRAY(SELECT p.name FROM constraint_price p)) a" \
	" WHERE m.name = 'reward'),"

/* Part of the ranking statement for rankers without constraints */
#define NO_PENALTIES \
	" weighed AS (SELECT a.n, a.features, a.price, 0::float8 AS penalty, NULL::jsonb AS costs, NULL::jsonb AS prices," \
	"     true AS is_allowed FROM action a),"

/*
 * Part of the ranking statement that subtracts dual prices times costs from scores.  Actions that
 * exceed the remaining budget of a hard constraint rank last.  If all actions do, those with the
 * smallest excess rank first.
 */
#define PENALTIES \
	" remaining AS MATERIALIZED (" \
	" SELECT b.constraint_name, b.surplus + b.target AS amount, b.target" \
	" FROM (SELECT 300::bigint AS n FROM constraint_price WHERE hard LIMIT 1) h," \
	"     LATERAL @extschema@._dlints_balance(h.n) b WHERE b.hard)," \
	" cost AS MATERIALIZED (" \
	" SELECT a.n, p.name, p.sign, p.price, @extschema@._dlints_expected_cost(" \
	"     @extschema@._dlints_announced_cost(e.value, p.name), c.ratio, c.cost) AS cost" \
	" FROM action a JOIN jsonb_array_elements($2) WITH ORDINALITY e (value, n) ON e.n = a.n" \
	"     CROSS JOIN constraint_price p" \
	"     LEFT JOIN action_cost c ON c.constraint_name = p.name AND c.action = a.id)," \
	" penalty AS (" \
	" SELECT c.n, sum(c.sign * c.price * c.cost) AS penalty, jsonb_object_agg(c.name, c.cost) AS costs," \
	"     jsonb_object_agg(c.name, c.price) AS prices," \
	"     coalesce(max(greatest(c.cost - r.amount, 0) / r.target), 0) AS excess" \
	" FROM cost c LEFT JOIN remaining r ON r.constraint_name = c.name GROUP BY c.n)," \
	" weighed AS (" \
	" SELECT a.n, a.features, a.price, coalesce(p.penalty, 0) AS penalty, p.costs, p.prices," \
	"     rank() OVER (ORDER BY p.excess) = 1 AS is_allowed" \
	" FROM action a LEFT JOIN penalty p ON p.n = a.n),"

/*
 * Last part of the ranking statement, which ranks actions, logs the decision and returns the
 * ranking.  If $3 (is_live) is false, actions keep the caller's order.
 */
#define LOG_AND_RETURN \
	" choice AS MATERIALIZED (" \
	" SELECT c.item AS n, c.rank, c.score, c.probability" \
	" FROM setting s, model m," \
	"     (SELECT array_agg(w.n ORDER BY w.n) AS items, array_agg(w.features ORDER BY w.n) AS features," \
	"         array_agg(least(greatest(-w.price - w.penalty, -1e50), 1e50) ORDER BY w.n) AS bonuses" \
	"     FROM weighed w WHERE w.is_allowed) w," \
	"     LATERAL @extschema@.dlints_decide(m.state, w.items, w.features::@extschema@.dlints_vector, draws => 50," \
	"         epsilon => s.epsilon, bonus => w.bonuses, all_items => true) c" \
	" WHERE m.name = 'reward' AND $3)," \
	" ranked AS (" \
	" SELECT a.n, a.id, a.expected, w.costs, w.prices," \
	"     CASE WHEN $3 THEN coalesce(c.probability, 0) WHEN a.n = 1 THEN 1 ELSE 0 END AS probability," \
	"     row_number() OVER (ORDER BY CASE WHEN NOT $3 THEN a.n END," \
	"         CASE WHEN w.is_allowed THEN coalesce(c.rank, 2) ELSE 3 END," \
	"         coalesce(c.score, a.expected - w.price - w.penalty) DESC)::integer AS \"position\"" \
	" FROM action a JOIN weighed w ON w.n = a.n LEFT JOIN choice c ON c.n = a.n)," \
	" logged AS (" \
	" INSERT INTO decision (id, event, treatment, at, active, context, actions, ranking, probabilities, expected," \
	"     imitated, prices, costs)" \
	" SELECT $4, $5, CASE WHEN $3 THEN 'live' ELSE 'baseline' END, now(), NOT $6, $1, $2," \
	"     array_agg(r.n ORDER BY r.\"position\"), array_agg(r.probability ORDER BY r.\"position\")," \
	"     array_agg(r.expected ORDER BY r.\"position\")," \
	"     CASE WHEN NOT $3 THEN (" \
	"         SELECT a.n FROM action a, model m WHERE m.name = 'imitation'" \
	"         ORDER BY @extschema@.dlints_predict(m.state, a.features::@extschema@.dlints_vector," \
	"             '{}'::@extschema@.dlints_vector) DESC, a.n DESC LIMIT 1) = 1 END," \
	"     CASE WHEN $3 THEN (array_agg(r.prices))[1] END," \
	"     jsonb_agg(r.costs ORDER BY r.\"position\") FILTER (WHERE $3 AND r.costs IS NOT NULL)" \
	" FROM ranked r)," \
	" waiting AS (INSERT INTO pending (decision, since) SELECT $4, now() WHERE NOT $6)" \
	" SELECT r.id, r.\"position\", r.probability, r.expected FROM ranked r ORDER BY r.\"position\""

static const PageQuery rank_freely = {
	ENCODE_ACTIONS NO_PENALTIES LOG_AND_RETURN,
	{JSONBOID, JSONBOID, BOOLOID, INT8OID, TEXTOID, BOOLOID}};
static const PageQuery rank_constrained = {
	ENCODE_ACTIONS PENALTIES LOG_AND_RETURN,
	{JSONBOID, JSONBOID, BOOLOID, INT8OID, TEXTOID, BOOLOID}};

/* ---------- notices ---------- */

/* maximum number of notices that a session remembers, to raise each notice only once */
#define MAX_NOTICES		1000

/* Remember a notice.  Returns false if the session has raised it, or MAX_NOTICES notices. */
static bool
record_notice(Oid schema, const char *subject)
{
	static List *given = NIL;
	char	   *notice = psprintf("%u %s", schema, subject);
	MemoryContext caller;

	if (list_length(given) >= MAX_NOTICES || list_member(given, makeString(notice)))
		return false;
	caller = MemoryContextSwitchTo(TopMemoryContext);
	given = lappend(given, makeString(pstrdup(notice)));
	MemoryContextSwitchTo(caller);
	return true;
}

/* Raise a notice, once per session, if an array in the context is not declared as a vector. */
static void
report_undeclared_vector(const Ranking *ranking)
{
	char	   *key;
	int			length;

	if (!FindUndeclaredVector(&ranking->request, &key, &length) || !record_notice(ranking->page.schema, "vectors"))
		return;
	ereport(NOTICE,
			(errmsg("the %d numbers of \"%s\" in the context are read as words, in any order", length, key),
			 errhint("dlints_alter_ranker() can declare it as a vector in its argument \"vectors\".")));
}

/* ---------- execution of statements ---------- */

static void
store_answer(const Ranking *ranking)
{
	Datum		values[ANSWER_COLUMNS];
	bool		nulls[ANSWER_COLUMNS] = {false};

	values[0] = ranking->event;
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		for (int column = 1; column < ANSWER_COLUMNS; column++)
			values[column] = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column,
										   &nulls[column]);
		tuplestore_putvalues(ranking->rows->setResult, ranking->rows->setDesc, values, nulls);
	}
}

/* Return the logged ranking of an event.  Returns false if the event has no ranking. */
static bool
store_known_answer(const Ranking *ranking)
{
	NullableDatum event = Given(ranking->event);
	NullableDatum decision;

	RunWrite(&ranking->page, &find_decision, &event);
	if (SPI_processed == 0)
		return false;
	decision = ResultColumn(1);
	RunWrite(&ranking->page, &read_answer, &decision);
	store_answer(ranking);
	return SPI_processed > 0;
}

/* Insert the event.  Returns false if another session has inserted the event. */
static bool
try_claim(const Ranking *ranking)
{
	NullableDatum args[] = {Given(ranking->event), Given(Int64GetDatum(ranking->number))};

	RunWrite(&ranking->page, &claim_event, args);
	return SPI_processed == 1;
}

/* Read the ranker's settings, and draw at random whether the model chooses the action. */
static void
fetch_settings(Ranking *ranking)
{
	RunWrite(&ranking->page, &read_settings, NULL);
	CheckHasSettings(ranking->page.schema, SPI_processed > 0);
	ranking->is_live = DatumGetBool(ResultValue(1));
	ranking->request.vectors = DatumGetJsonbP(ResultValue(2));
	ranking->request.constraints = DatumGetArrayTypeP(ResultValue(3));
	ranking->is_constrained = ArrayGetNItems(ARR_NDIM(ranking->request.constraints),
											 ARR_DIMS(ranking->request.constraints)) > 0;
	ranking->secret = DatumGetInt64(ResultValue(4));
	ranking->now = DatumGetTimestampTz(ResultValue(5));
}

/* Raise a notice, once per session, for each constraint for which no action has a cost. */
static void
report_constraints_without_costs(const Ranking *ranking)
{
	Datum	   *names;
	int			count = ArgElements(ranking->request.constraints, &names, NULL);

	for (int i = 0; i < count; i++)
	{
		NullableDatum arg = Given(names[i]);
		char	   *name = TextDatumGetCString(names[i]);

		if (IsCostAnnounced(ranking->request.actions, name))
			continue;
		RunWrite(&ranking->page, &has_reported_cost, &arg);
		if (DatumGetBool(ResultColumn(1).value) || !record_notice(ranking->page.schema, name))
			continue;
		ereport(NOTICE,
				(errmsg("no action has a cost \"%s\", which a constraint names", name),
				 errhint("An action without a cost costs 0, until reward() reports its costs.")));
	}
}

static void
rank_and_log(const Ranking *ranking)
{
	NullableDatum args[] = {
		Given(JsonbPGetDatum(ranking->request.context)),
		Given(JsonbPGetDatum(ranking->request.actions)), Given(BoolGetDatum(ranking->is_live)),
		Given(Int64GetDatum(ranking->number)), Given(ranking->event),
		Given(BoolGetDatum(ranking->is_deferred))
	};

	RunWrite(&ranking->page, ranking->is_constrained ? &rank_constrained : &rank_freely, args);
	store_answer(ranking);
}

/* Return the logged ranking of an event, or rank the event and log the decision. */
static void
answer_request(Ranking *ranking)
{
	fetch_settings(ranking);
	CheckRankRequest(&ranking->request);
	if (ranking->event != (Datum) 0 && store_known_answer(ranking))
		return;
	ranking->number = NewDecisionNumber(ranking->page.schema, ranking->secret, ranking->now);
	if (ranking->event == (Datum) 0)
		ranking->event = CStringGetTextDatum(psprintf(INT64_FORMAT, ranking->number));
	report_undeclared_vector(ranking);
	if (ranking->is_constrained)
	{
		report_constraints_without_costs(ranking);
		if (ranking->is_live)
			RunWrite(&ranking->page, &find_prices, NULL);
	}
	while (!try_claim(ranking))
	{
		NullableDatum event = Given(ranking->event);

		CHECK_FOR_INTERRUPTS();
		if (store_known_answer(ranking))
			return;
		RunWrite(&ranking->page, &release_event, &event);
	}
	rank_and_log(ranking);
}

/* Return the argument "event" as a text datum, or 0 if the argument is NULL. */
static Datum
event_argument(FunctionCallInfo fcinfo, int argno)
{
	if (PG_ARGISNULL(argno))
		return (Datum) 0;
	if (VARSIZE_ANY_EXHDR(PG_GETARG_TEXT_PP(argno)) > MAX_ID_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"event\" must have at most %d bytes", MAX_ID_BYTES)));
	return PG_GETARG_DATUM(argno);
}

PG_FUNCTION_INFO_V1(dlints_rank);

/* _dlints_rank(): rank the actions of an event, or return the logged ranking of the event. */
Datum
dlints_rank(PG_FUNCTION_ARGS)
{
	Ranking		ranking = {.rows = ResultRows(fcinfo)};

	ArgNotNull(fcinfo, 3, "actions");
	ArgNotNull(fcinfo, 4, "deferred");
	OpenSchema(&ranking.page, fcinfo);
	ranking.event = event_argument(fcinfo, 1);
	ranking.request.context = ReadContextArgument(fcinfo->args[2]);
	ranking.request.actions = PG_GETARG_JSONB_P(3);
	ranking.is_deferred = PG_GETARG_BOOL(4);
	answer_request(&ranking);
	ClosePage(&ranking.page);
	return (Datum) 0;
}
