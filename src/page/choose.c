/*
 * choose.c
 *		The choice of a list.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "compat.h"
#include "page/page.h"

/* Bits of a packed number in the log */
#define PACKED_BITS	"8"

/*
 * The list under a policy.  The policy "personal" explores with draws of the model;
 * "unknown" is greedy, because known users are the better source of exploration
 * data.  Random lists have neither caps nor addends, and only "personal" and
 * "unknown" have a bonus, prices, diversity and effects of items.  "unknown" does
 * not draw the effects of items on trial.
 *
 * The expected reward is computed from what the log stores, packed and centered, so
 * that explain() finds the same numbers.
 */
static const PageQuery choose_items = {{
	"WITH {penalty}candidate AS (\n"
	"    SELECT array_agg(c.item) AS items, array_agg(c.features) AS features, {addends} AS addends,\n"
	"           {cap_groups} AS cap_groups, {all_costs} AS costs,\n"
	"           {effects} AS effects, {effect_stddevs} AS effect_stddevs\n"
	"    FROM  ({candidate}) c\n"
	"    WHERE  c.features IS NOT NULL),\n"
	"chosen AS (\n"
	"    SELECT c.items[d.item] AS item, d.rank AS \"position\", d.probability,\n"
	"           ARRAY(SELECT unnest(c.features[d.item:d.item])) AS features, {chosen_costs} AS costs,\n"
	"           {chosen_effect} AS effect\n"
	"    FROM   candidate c, model m,\n"
	"           @extschema@.dlints_decide(m.state, ARRAY(SELECT generate_subscripts(c.items, 1)),\n"
	"               c.features::@extschema@.dlints_vector, $7, $5::@extschema@.dlints_vector, draws => {choice_draws},\n"
	"               epsilon => {epsilon}::float8, bonus => c.addends, bonus_stddev => c.effect_stddevs,\n"
	"               cap_group => c.cap_groups, cap => {cap_argument}, similar_by => {similar_by},\n"
	"               diversity => {diversity}, seed => $8,\n"
	"               tie_keys => CASE WHEN $12 THEN @extschema@.dlints_tie_keys(c.items, $8) END) d\n"
	"    WHERE  m.name = '{decided_by}'),\n"
	"list AS (\n"
	"    SELECT array_agg(c.item ORDER BY c.\"position\") AS items,\n"
	"           array_agg(c.probability ORDER BY c.\"position\") AS probabilities, {list_effects} AS effects,\n"
	"           @extschema@.dlints_pack(array_agg(c.features ORDER BY c.\"position\")::@extschema@.dlints_vector,\n"
	"                                   " PACKED_BITS "::bigint) AS features\n"
	"    FROM   chosen c)\n"
	"SELECT c.items, c.probabilities,\n"
	"       (SELECT array_agg(\n"
	"                @extschema@.dlints_predict(m.state, t.features::@extschema@.dlints_vector,\n"
	"                                           p.profile::@extschema@.dlints_vector){add_later}{add_item_effect} ORDER BY t.n)\n"
	"        FROM  (SELECT n, CASE WHEN s.is_centered\n"
	"                              THEN @extschema@.dlints_contrast(c.features, n::bigint,\n"
	"                                                               coalesce(s.examination, ARRAY[1::float8]))\n"
	"                              ELSE @extschema@.dlints_unpack(c.features, n::bigint) END AS features\n"
	"               FROM   generate_subscripts(c.items, 1) n OFFSET 0) t) AS expected,\n"
	"       c.features, p.packed, {prices} AS prices, {mean_costs} AS costs, c.effects\n"
	"FROM   list c, setting s, model m{later_model},\n"
	"      (SELECT packed, @extschema@.dlints_unpack(packed, 1::bigint) AS profile\n"
	"       FROM   @extschema@.dlints_pack($5::@extschema@.dlints_vector, " PACKED_BITS "::bigint) packed OFFSET 0) p\n"
	"WHERE  m.name = 'personal'", 12},
	{ARG_USER, JSONBOID, ARG_ITEMS, ARG_ITEMS, FLOAT4ARRAYOID, FLOAT8ARRAYOID, INT8OID, INT8OID, INT4OID, FLOAT8OID,
	INT4OID, BOOLOID}};

static uint32
choice_variant(const PageRequest *page, ListPolicy policy, bool has_shortlist, bool has_weights)
{
	const PageSettings *settings = &page->settings;
	uint32		variant = CandidateVariant(page, policy, has_shortlist);
	bool		is_predicted = policy == POLICY_PERSONAL || policy == POLICY_UNKNOWN;

	if (is_predicted && settings->constraints > 0)
		variant |= VARIANT_PRICES;
	if (is_predicted && settings->diversity > 0.0)
		variant |= VARIANT_DIVERSITY;
	if (settings->has_later)
		variant |= VARIANT_LATER;
	if (has_weights)
		variant |= VARIANT_WEIGHTS;
	if (policy == POLICY_PERSONAL)
		variant |= VARIANT_PERSONAL;
	if (policy == POLICY_CONTROL)
		variant |= VARIANT_CONTROL;
	if (policy == POLICY_TRENDING)
		variant |= VARIANT_TRENDING;
	if (policy == POLICY_RANDOM)
		variant |= VARIANT_RANDOM;
	else if (policy != POLICY_PERSONAL || (variant & (VARIANT_BONUS | VARIANT_WEIGHTS | VARIANT_EFFECT | VARIANT_PRICES)) != 0)
		variant |= VARIANT_ADDEND;
	return variant;
}

/* Choose a list from the shortlist, or from all candidates. */
Choice
ChooseItems(PageRequest *page, ListPolicy policy, const Shortlist *shortlist, Datum profile, int64 seed)
{
	NullableDatum weights = AddendWeights(page, policy, profile);
	NullableDatum args[] = {
		page->user, Given(page->context), page->left_out, shortlist->items, Given(profile), weights,
		Given(Int64GetDatum(page->k)), Given(Int64GetDatum(seed)), Given(Int32GetDatum(page->settings.cap)),
		Given(Float8GetDatum(page->settings.diversity)), Given(Int32GetDatum(1 + page->settings.aged)),
		Given(BoolGetDatum(!shortlist->items.isnull && policy != POLICY_RANDOM && policy != POLICY_TRENDING))};
	Choice		choice;

	RunSelect(page, &choose_items,
			  choice_variant(page, policy, !shortlist->items.isnull, !weights.isnull), args);
	choice.items = ResultColumn(1);
	choice.probabilities = ResultColumn(2);
	choice.expected = ResultColumn(3);
	choice.features = ResultColumn(4);
	choice.profile = ResultColumn(5);
	choice.prices = ResultColumn(6);
	choice.costs = ResultColumn(7);
	choice.effects = ResultColumn(8);
	return choice;
}
