/*
 * candidates.c
 *		Candidates of a request, with all that decides among them, and the words of
 *		the statements that read them.
 *
 * These statements have their first arguments in common: $1 the user, $2 the
 * context, $3 items that are left out, $4 the shortlist.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "page/entry.h"
#include "page/page.h"
#include "sql/args.h"

/* The largest bonus; others count as 0 */
#define MAX_BONUS	"1e50"

const StatementWord page_words[] = {
	/* of the profile */
	{"log_clicks", VARIANT_CLICKS,
		"\n"
		"    (SELECT c.item, c.at, c.weight FROM click c WHERE same_user(c.user_id, $1) AND isfinite(c.at)\n"
		"     ORDER BY c.at DESC LIMIT 500)\n"
	"    UNION ALL", ""},
	{"session_clicks", VARIANT_SESSION,
		"\n"
		"    SELECT r.item, d.at, 1\n"
		"    FROM  (SELECT d.id, d.at, d.items, d.user_id FROM decision d\n"
		"           WHERE  hashtextextended(d.session, 0) = hashtextextended($3, 0) AND d.session = $3\n"
		"           ORDER BY d.id DESC LIMIT 200) d,\n"
		"           LATERAL (SELECT r.item FROM reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r\n"
		"    WHERE  d.user_id IS NULL\n"
		"    AND    EXISTS (SELECT FROM unnest(d.items) u (item) WHERE same_item(u.item, r.item))\n"
		"    AND    NOT EXISTS (SELECT FROM unnest($2) e (item) WHERE same_item(e.item, r.item))\n"
	"    UNION ALL", ""},

	/* A table without a unique key has several rows of an item. */
	{"once", VARIANT_UNIQUE_KEY, "", "DISTINCT ON (a.item) "},
	{"left_out", VARIANT_LEFT_OUT,
		"\n    AND    NOT EXISTS (SELECT FROM unnest($3) o (item) WHERE same_item(o.item, a.item))", ""},
	{"shortlist", VARIANT_SHORTLIST,
	"\n    AND    EXISTS (SELECT FROM unnest($4) o (item) WHERE same_item(o.item, a.item))", ""},
	/* Items that may be returned, as rows of "a" */
	{"eligible", 0, "allowed($1, $2) a\n    WHERE  a.item IS NOT NULL{left_out}", ""},

	/* All that decides among candidates.  A row without a vector is encoded: it is a candidate at once. */
	{"candidate", 0,
		"SELECT {once}a.item,\n"
		"           coalesce(v.features, (\n"
		"               SELECT array_fill(0::real, ARRAY[(SELECT s.factors FROM setting s)]) || n.encoded || 0::real\n"
		"                      || @extschema@._dlints_ages(n.dates, now())\n"
		"               FROM   encoded_item n WHERE same_item(n.item, a.item) LIMIT 1)) AS features,\n"
		"           coalesce(v.popularity, 0) AS popularity{bonus}{cap_group}{costs}{effect}{effect_stddev}\n"
		"    FROM   allowed($1, $2) a LEFT JOIN item_vector v ON same_item(v.item, a.item){bonus_of}{cap_group_of}\n"
	"    WHERE  a.item IS NOT NULL{left_out}{shortlist}", ""},
	{"bonus", VARIANT_BONUS,
		",\n           CASE WHEN b.bonus BETWEEN -" MAX_BONUS " AND " MAX_BONUS " THEN b.bonus ELSE 0 END AS bonus", ""},
	{"bonus_of", VARIANT_BONUS, "\n           CROSS JOIN LATERAL bonus(a.item, $1, $2) b", ""},
	{"cap_group", VARIANT_CAP, ", g.cap_group", ""},
	{"cap_group_of", VARIANT_CAP, "\n           CROSS JOIN LATERAL cap_group(a.item, $1, $2) g", ""},
	{"costs", VARIANT_COSTS,
		",\n           CASE cardinality(v.costs) WHEN (SELECT count(*) FROM constraint_price) THEN v.costs\n"
	"                ELSE @extschema@._dlints_cost_of(a.item) END AS costs", ""},

	{"effect", VARIANT_EFFECT, ",\n           coalesce(v.effect, 0)::float8 AS effect", ""},
	{"effect_stddev", VARIANT_TRIAL, ", v.effect_stddev::float8", ""},

	{"bonus_column", VARIANT_BONUS, "c.bonus", "0::float8 AS bonus"},
	{"cap_group_column", VARIANT_CAP, "c.cap_group", "NULL::text AS cap_group"},
	{"costs_column", VARIANT_COSTS, "c.costs", "NULL::real[] AS costs"},
	{"effect_column", VARIANT_EFFECT, "c.effect", "0::float8 AS effect"},

	/* of weights */
	{"draws", VARIANT_PERSONAL,
	"@extschema@.dlints_draw_weights(m.state, $1::@extschema@.dlints_vector, $2, " SHORTLIST_DRAWS ")", "NULL::float8[]"},
	{"later_weights", VARIANT_LATER, "@extschema@.dlints_weights(l.state, $1::@extschema@.dlints_vector)",
	"NULL::float8[]"},

	/* of the choice */
	{"penalty", VARIANT_COSTS,
		"penalty AS MATERIALIZED (\n"
		"    SELECT array_agg(p.name ORDER BY p.name COLLATE \"C\") AS names,\n"
		"           array_agg(p.sign * p.price ORDER BY p.name COLLATE \"C\") AS penalties,\n"
		"           jsonb_object_agg(p.name, p.price) AS prices\n"
	"    FROM   constraint_price p),\n", ""},
	{"addends", VARIANT_ADDEND, "array_agg({addend})", "NULL::float8[]"},
	{"addend", VARIANT_CONTROL, "c.popularity::float8", "{addend_or_trend}"},
	{"addend_or_trend", VARIANT_TRENDING,
		"coalesce((SELECT t.score FROM trend t WHERE same_item(t.item, c.item)), c.popularity)::float8",
	"0::float8{add_bonus}{add_weights}{add_effect}{subtract_prices}"},
	{"add_bonus", VARIANT_BONUS, " + c.bonus", ""},
	{"add_weights", VARIANT_WEIGHTS, " + @extschema@.dlints_dot($6, c.features::@extschema@.dlints_vector)", ""},
	{"add_effect", VARIANT_EFFECT, " + c.effect", ""},
	{"subtract_prices", VARIANT_PRICES,
		" - coalesce(@extschema@.dlints_dot((SELECT p.penalties FROM penalty p), c.costs::@extschema@.dlints_vector), 0)",
	""},
	{"effects", VARIANT_EFFECT, "array_agg(c.effect)", "NULL::float8[]"},
	{"effect_stddevs", VARIANT_TRIAL, "array_agg(c.effect_stddev)", "NULL::float8[]"},
	{"chosen_effect", VARIANT_EFFECT, "c.effects[d.item]", "NULL::float8"},
	{"list_effects", VARIANT_EFFECT, "array_agg(c.effect ORDER BY c.\"position\")::real[]", "NULL::real[]"},
	{"add_item_effect", VARIANT_EFFECT, " + c.effects[t.n]", ""},
	{"cap_groups", VARIANT_CAP, "array_agg(c.cap_group)", "NULL::text[]"},
	{"cap_argument", VARIANT_CAP, "$9", "NULL::integer"},
	{"all_costs", VARIANT_COSTS, "array_agg(c.costs)", "NULL::real[]"},
	{"chosen_costs", VARIANT_COSTS, "ARRAY(SELECT unnest(c.costs[d.item:d.item]))", "NULL::real[]"},
	{"choice_draws", VARIANT_SHORTLIST, SHORTLIST_DRAWS, ALL_DRAWS},
	{"decided_by", VARIANT_PERSONAL, "personal", "control"},
	{"epsilon", VARIANT_RANDOM, "1", "0"},
	{"similar_by", VARIANT_DIVERSITY,
		"(SELECT l.scale || array_fill(0::real, ARRAY[$11]) FROM similarity l)::@extschema@.dlints_vector",
	"NULL::@extschema@.dlints_vector"},
	{"diversity", VARIANT_DIVERSITY, "$10", "NULL::float8"},
	{"later_model", VARIANT_LATER, " JOIN model l ON l.name = 'later'", ""},
	{"add_later", VARIANT_LATER, "\n                + @extschema@.dlints_predict(l.state, t.features::@extschema@.dlints_vector,\n"
	"                                             p.profile::@extschema@.dlints_vector)", ""},
	{"prices", VARIANT_PRICES, "(SELECT p.prices FROM penalty p)", "NULL::jsonb"},
	{"mean_costs", VARIANT_COSTS,
		"(SELECT jsonb_object_agg(u.name, m.cost)\n"
		"        FROM   penalty p, unnest(p.names) WITH ORDINALITY u (name, n),\n"
	"               LATERAL (SELECT avg(o.costs[u.n]) AS cost FROM chosen o) m)", "NULL::jsonb"},

	/* Positions that eligible items could fill, under the cap */
	{"fillable", VARIANT_CAP,
		"(SELECT sum(CASE WHEN g.cap_group IS NULL THEN g.n ELSE least(g.n, $6) END)\n"
		"        FROM  (SELECT g.cap_group, count(*) AS n\n"
		"               FROM   best b, LATERAL cap_group(b.item, $1, $2) g GROUP BY g.cap_group) g)::bigint",
	"(SELECT count(*) FROM best)"},
	{NULL, 0, NULL, NULL}
};

/* Each expression of the user's, evaluated for all items of a request */
static const PageQuery try_candidates = {{
	"SELECT count(*) FROM allowed($1, $2)", 2}, {ARG_USER, JSONBOID}};
static const PageQuery try_bonus = {{
	"SELECT max(b.bonus) FROM allowed($1, $2) a, LATERAL bonus(a.item, $1, $2) b", 2}, {ARG_USER, JSONBOID}};
static const PageQuery try_cap_group = {{
	"SELECT max(g.cap_group) FROM allowed($1, $2) a, LATERAL cap_group(a.item, $1, $2) g", 2},
	{ARG_USER, JSONBOID}};

static const PageQuery all_candidates = {{
	"SELECT c.features, c.popularity, {bonus_column}, {cap_group_column}, {costs_column}, {effect_column}\n"
	"FROM  ({candidate}) c", 4},
	{ARG_USER, JSONBOID, ARG_ITEMS, ARG_ITEMS}};

/* Bits of statements that read candidates under a policy */
uint32
CandidateVariant(const PageRequest *page, ListPolicy policy, bool has_shortlist)
{
	const PageSettings *settings = &page->settings;
	bool		is_predicted = policy == POLICY_PERSONAL || policy == POLICY_UNKNOWN;
	uint32		variant = page->variant;

	if (!page->left_out.isnull)
		variant |= VARIANT_LEFT_OUT;
	if (has_shortlist)
		variant |= VARIANT_SHORTLIST;
	if (settings->has_bonus && is_predicted)
		variant |= VARIANT_BONUS;
	if (settings->cap > 0 && policy != POLICY_RANDOM)
		variant |= VARIANT_CAP;
	if (settings->constraints > 0 && (is_predicted || policy == POLICY_RANDOM))
		variant |= VARIANT_COSTS;
	if (settings->has_effects && is_predicted)
		variant |= VARIANT_EFFECT;
	if (settings->has_trials && policy == POLICY_PERSONAL)
		variant |= VARIANT_TRIAL;
	return variant;
}

/* Evaluate an expression for all items; an error in its data names the argument. */
static void
try_expression(PageRequest *page, const PageQuery *query, const char *argument)
{
	NullableDatum args[] = {page->user, Given(page->context)};
	MemoryContext caller = CurrentMemoryContext;

	PG_TRY();
	{
		RunSelect(page, query, 0, args);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		if (!IsUserDataError(error))
			PG_RE_THROW();
		FlushErrorState();
		ereport(ERROR,
				(errcode(error->sqlerrcode),
				 errmsg("in the argument \"%s\": %s", argument, error->message),
				 errhint("It is evaluated for each item, with user_id and context, which may be NULL.")));
	}
	PG_END_TRY();
}

/* After an error in data, raise one that names the argument it came from, if any. */
void
CheckExpressions(PageRequest *page)
{
	try_expression(page, &try_candidates, "candidates");
	if (page->settings.has_bonus)
		try_expression(page, &try_bonus, "bonus");
	if (page->settings.cap > 0)
		try_expression(page, &try_cap_group, "cap_group");
}

PG_FUNCTION_INFO_V1(dlints_candidates);

/*
 * _dlints_candidates(user_id "any", context jsonb, shortlist "any")
 *		-> (features, popularity, bonus, cap_group, costs, effect)
 *		Candidates of a request in the entered schema: those of a shortlist, or all if
 *		it is NULL.
 */
Datum
dlints_candidates(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = ResultRows(fcinfo);
	PageRequest page;
	NullableDatum args[4];

	EnterPage(&page, fcinfo, EnteredSchema(get_func_namespace(fcinfo->flinfo->fn_oid)));
	ReadPageSettings(&page);
	CheckKeyType(fcinfo, 0, page.user_type, "user_id");
	CheckKeyType(fcinfo, 2, page.items_type, "shortlist");
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"context\" must not be null")));
	args[0] = PageArgument(fcinfo, 0);
	args[1] = PageArgument(fcinfo, 1);
	args[2] = NotGiven();
	args[3] = PageArgument(fcinfo, 2);
	RunSelect(&page, &all_candidates, CandidateVariant(&page, POLICY_PERSONAL, !args[3].isnull), args);
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(rows->setResult, SPI_tuptable->vals[i]);
	ClosePage(&page);
	return (Datum) 0;
}
