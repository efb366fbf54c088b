/*
 * rank.c
 *		The function rank(): rank the actions of an event.
 *
 * If sessions rank the same event concurrently, the primary key of the table "event" makes them
 * wait for the first one, and all return its ranking.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "page/action_names.h"
#include "page/entry.h"
#include "page/plans.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* number of result columns */
#define ANSWER_COLUMNS	5

typedef struct Ranking
{
	Oid			schema;
	Oid			extension_schema;
	RankRequest request;
	Datum		event;			/* identifier of the event, a text */
	bool		is_deferred;
	bool		is_live;		/* does the model determine the order of actions? */
	bool		is_constrained;
	int64		secret;			/* secret that permutes decision numbers */
	TimestampTz now;
	int64		number;			/* decision number */
	ReturnSetInfo *rows;
} Ranking;

/* ---------- SQL statements ---------- */

static const PageStatement read_settings = {
	"SELECT random() < s.live_share, s.vectors,"
	" ARRAY(SELECT p.name FROM constraint_price p ORDER BY p.name COLLATE \"C\"), s.secret, now()"
	" FROM setting s JOIN model m ON m.name = 'reward'", 0
};

static const PageStatement find_decision = {
	"SELECT e.decision FROM event e WHERE e.event = $1", 1
};

static const PageStatement read_answer = {
	"SELECT r.action, r.\"position\", r.probability, r.expected FROM ranked r WHERE r.decision = $1"
	" ORDER BY r.\"position\"", 1
};

static const PageStatement claim_event = {
	"INSERT INTO event (event, decision) VALUES ($1, $2) ON CONFLICT DO NOTHING", 2
};

/* Delete an event whose decision is no longer in the log, so that it can be ranked again. */
static const PageStatement release_event = {
	"DELETE FROM event e WHERE e.event = $1 AND NOT EXISTS (SELECT FROM decision d WHERE d.id = e.decision)", 1
};

static const PageStatement has_reported_cost = {
	"SELECT EXISTS (SELECT FROM action_cost c WHERE c.constraint_name = $1)", 1
};

/* Update the ranker's prices after 20 decisions, or after 60 if run() has just updated them. */
static const PageStatement find_prices = {
	"SELECT @extschema@._dlints_ranker_find_prices(l.n) FROM job j,"
	" LATERAL (SELECT CASE WHEN j.done_at > now() - interval '3 minutes' THEN 60 ELSE 20 END::bigint AS n) l"
	" WHERE j.name = 'prices' AND (SELECT (n.last_value - min(p.solved) + 4194304) % 4194304"
	"     >= least(l.n, greatest(1, min(p.decisions) / 4))"
	" FROM constraint_price p, decision_number n GROUP BY n.last_value)"
	" AND (SELECT c.last_value = 0 FROM cancelled_prices c)", 0
};

/*
 * Statement that ranks actions, logs the decision and returns it.
 *
 * The arguments are context, actions, is_live, number, event and is_deferred.  Unless is_live is
 * true, actions keep the caller's order.
 */
#define ENCODE_ACTIONS \
	"WITH action AS MATERIALIZED (" \
	" SELECT a.n, a.id, a.price, a.features," \
	" @extschema@.dlints_predict(m.state, a.features::@extschema@.dlints_vector," \
	"     '{}'::@extschema@.dlints_vector) AS expected" \
	" FROM setting s, model m, LATERAL @extschema@._dlints_ranker_actions($1, $2, s.vectors," \
	"     ARRAY(SELECT p.name FROM constraint_price p)) a" \
	" WHERE m.name = 'reward'),"

/* Part of the statement for rankers without constraints */
#define NO_PENALTIES \
	" weighed AS (SELECT a.n, a.features, a.price, 0::float8 AS penalty, NULL::jsonb AS costs, NULL::jsonb AS prices," \
	"     true AS is_allowed FROM action a),"

/*
 * Part of the statement for rankers with constraints: subtract dual prices times costs.
 *
 * Actions that exceed the remaining budget of a hard constraint rank last.
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
	" SELECT a.n, a.features, a.price, p.penalty, p.costs, p.prices," \
	"     rank() OVER (ORDER BY p.excess) = 1 AS is_allowed" \
	" FROM action a JOIN penalty p ON p.n = a.n),"

/* Rank the actions, log the decision and return it. */
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

static const PageStatement rank_freely = {ENCODE_ACTIONS NO_PENALTIES LOG_AND_RETURN, 6};
static const PageStatement rank_constrained = {ENCODE_ACTIONS PENALTIES LOG_AND_RETURN, 6};

/* ---------- notices ---------- */

/* A notice that this session has raised */
typedef struct NoticeKey
{
	Oid			schema;
	char		subject[NAMEDATALEN];
} NoticeKey;

/* maximum number of notices that a session remembers */
#define MAX_NOTICES		1000

/* Record a notice.  Returns false if this session has already raised it. */
static bool
record_notice(Oid schema, const char *subject)
{
	static HTAB *given = NULL;
	NoticeKey	key;
	bool		found;

	if (given == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = control.entrysize = sizeof(NoticeKey);
		control.hcxt = TopMemoryContext;
		given = hash_create("dlints notices", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	memset(&key, 0, sizeof(key));
	key.schema = schema;
	strlcpy(key.subject, subject, sizeof(key.subject));
	if (hash_get_num_entries(given) >= MAX_NOTICES)
		return false;
	(void) hash_search(given, &key, HASH_ENTER, &found);
	return !found;
}

/* Raise a notice, once per session, if the context has an undeclared array of numbers. */
static void
report_undeclared_vector(const Ranking *ranking)
{
	char	   *key;
	int			length;

	if (!FindUndeclaredVector(&ranking->request, &key, &length) || !record_notice(ranking->schema, "vectors"))
		return;
	ereport(NOTICE,
			(errmsg("the %d numbers of \"%s\" in the context are read as words, in any order", length, key),
			 errhint("dlints_alter_ranker() can declare it as a vector in its argument \"vectors\".")));
}

/* ---------- execution of statements ---------- */

static uint64
execute(const Ranking *ranking, const PageStatement *statement, const Oid *types, Datum *values)
{
	SPIPlanPtr	plan = KeptPlan(ranking->schema, ranking->extension_schema, statement, types,
									NULL, 0);

	int			result = SPI_execute_plan(plan, values, NULL, false, 0);

	if (result < 0)
		elog(ERROR, "could not execute a statement: %s", SPI_result_code_string(result));
	return SPI_processed;
}

static Datum
result_column(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

static void
store_answer(const Ranking *ranking)
{
	Datum		values[ANSWER_COLUMNS];
	bool		nulls[ANSWER_COLUMNS] = {false};

	values[0] = ranking->event;
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		for (int column = 1; column < ANSWER_COLUMNS; column++)
			values[column] = result_column(row, column, &nulls[column]);
		tuplestore_putvalues(ranking->rows->setResult, ranking->rows->setDesc, values, nulls);
	}
}

/* Return the logged ranking of the event.  Returns false if there is none. */
static bool
store_known_answer(const Ranking *ranking)
{
	Oid			event_type[] = {TEXTOID};
	Oid			decision_type[] = {INT8OID};
	Datum		values[] = {ranking->event};
	bool		isnull;

	if (execute(ranking, &find_decision, event_type, values) == 0)
		return false;
	values[0] = Int64GetDatum(DatumGetInt64(result_column(0, 1, &isnull)));
	if (execute(ranking, &read_answer, decision_type, values) == 0)
		return false;
	store_answer(ranking);
	return true;
}

/* Claim the event for this decision.  Returns false if another session has claimed it. */
static bool
try_claim(const Ranking *ranking)
{
	Oid			types[] = {TEXTOID, INT8OID};
	Datum		values[] = {ranking->event, Int64GetDatum(ranking->number)};

	return execute(ranking, &claim_event, types, values) == 1;
}

/* Read the settings, and draw whether the model determines the ranking. */
static void
fetch_settings(Ranking *ranking)
{
	bool		isnull;

	CheckHasSettings(ranking->schema, execute(ranking, &read_settings, NULL, NULL) > 0);
	ranking->is_live = DatumGetBool(result_column(0, 1, &isnull));
	ranking->request.vectors = DatumGetJsonbPCopy(result_column(0, 2, &isnull));
	ranking->request.constraints = DatumGetArrayTypePCopy(result_column(0, 3, &isnull));
	ranking->is_constrained = ArrayGetNItems(ARR_NDIM(ranking->request.constraints),
											 ARR_DIMS(ranking->request.constraints)) > 0;
	ranking->secret = DatumGetInt64(result_column(0, 4, &isnull));
	ranking->now = DatumGetTimestampTz(result_column(0, 5, &isnull));
}

/* Raise a notice, once per session, if no action has a cost for a constraint. */
static void
report_constraints_without_costs(const Ranking *ranking)
{
	Oid			types[] = {TEXTOID};
	Datum	   *names;
	int			count;
	bool		isnull;

	count = ArgElements(ranking->request.constraints, &names, NULL);
	for (int i = 0; i < count; i++)
	{
		char	   *name = TextDatumGetCString(names[i]);

		if (IsCostAnnounced(ranking->request.actions, name))
			continue;
		(void) execute(ranking, &has_reported_cost, types, &names[i]);
		if (DatumGetBool(result_column(0, 1, &isnull)) || !record_notice(ranking->schema, name))
			continue;
		ereport(NOTICE,
				(errmsg("no action has a cost \"%s\", which a constraint names", name),
				 errhint("An action without a cost costs 0, until reward() reports its costs.")));
	}
}

static void
rank_and_log(const Ranking *ranking)
{
	Oid			types[] = {JSONBOID, JSONBOID, BOOLOID, INT8OID, TEXTOID, BOOLOID};
	Datum		values[] = {
		JsonbPGetDatum(ranking->request.context), JsonbPGetDatum(ranking->request.actions),
		BoolGetDatum(ranking->is_live), Int64GetDatum(ranking->number), ranking->event,
		BoolGetDatum(ranking->is_deferred)
	};

	(void) execute(ranking, ranking->is_constrained ? &rank_constrained : &rank_freely, types,
				   values);
	store_answer(ranking);
}

/* Return the logged ranking of the event, or compute and log it. */
static void
answer_request(Ranking *ranking)
{
	Oid			event_type[] = {TEXTOID};

	fetch_settings(ranking);
	CheckRankRequest(&ranking->request);
	if (ranking->event != (Datum) 0 && store_known_answer(ranking))
		return;
	ranking->number = NewDecisionNumber(ranking->schema, ranking->secret, ranking->now);
	if (ranking->event == (Datum) 0)
		ranking->event = CStringGetTextDatum(psprintf(INT64_FORMAT, ranking->number));
	report_undeclared_vector(ranking);
	if (ranking->is_constrained)
	{
		report_constraints_without_costs(ranking);
		if (ranking->is_live)
			(void) execute(ranking, &find_prices, NULL, NULL);
	}
	while (!try_claim(ranking))
	{
		CHECK_FOR_INTERRUPTS();
		if (store_known_answer(ranking))
			return;
		(void) execute(ranking, &release_event, event_type, &ranking->event);
	}
	rank_and_log(ranking);
}

/* Get the argument "event" as a text.  Returns 0 if the argument is NULL. */
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

/*
 * _dlints_rank(setting regclass, event, context, actions, deferred) -> event_id, action, position,
 * probability, expected: rank the actions of an event and log the decision.
 *
 * If the event was ranked before, returns the logged ranking.
 */
Datum
dlints_rank(PG_FUNCTION_ARGS)
{
	Ranking		ranking = {0};
	int			nest_level;

	ranking.rows = ResultRows(fcinfo);
	ranking.extension_schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	ArgNotNull(fcinfo, 3, "actions");
	ArgNotNull(fcinfo, 4, "deferred");
	ranking.schema = SchemaOfSetting(PG_GETARG_OID(0), ranking.extension_schema);
	ranking.event = event_argument(fcinfo, 1);
	ranking.request.context = ReadContextArgument(fcinfo->args[2]);
	ranking.request.actions = PG_GETARG_JSONB_P(3);
	ranking.is_deferred = PG_GETARG_BOOL(4);

	nest_level = EnterSchema(ranking.schema);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
	answer_request(&ranking);
	SPI_finish();
	LeaveSchema(nest_level);
	return (Datum) 0;
}
