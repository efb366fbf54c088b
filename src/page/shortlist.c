/*
 * shortlist.c
 *		The shortlist of a request: of many items, those among which a list is chosen.
 *
 * The table "block" is scored under the draws by which the list will be chosen, so
 * that the items that one of them would choose are on the shortlist.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/plannodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/resowner.h"

#include "compat.h"
#include "page/entry.h"
#include "page/page.h"
#include "sql/args.h"

/* Items per ranking on the first shortlist: at least, and per position of the list */
#define MIN_ITEMS			32
#define ITEMS_PER_POSITION	4
/* The same for a list of diverse items */
#define MIN_DIVERSE_ITEMS	100
#define DIVERSE_ITEMS_PER_POSITION	10
/* Factor by which a shortlist grows that cannot fill the list */
#define GROWTH				4
/* Largest part of all items that a shortlist may be, as its inverse */
#define MAX_PART			4
/* No shortlist if the planner expects fewer candidates than this part of all items */
#define MIN_CANDIDATE_PART	20
/* Rows newer than the newest vector on a shortlist */
#define MAX_NEW_ITEMS		"1000"

/*
 * Weights in feature space: draws, which only the policy "personal" explores with,
 * the mean, and the mean of later outcomes.
 */
static const PageQuery model_weights = {{
	"SELECT {draws},\n"
	"       @extschema@.dlints_weights(m.state, $1::@extschema@.dlints_vector), {later_weights}\n"
	"FROM   model m{later_model} WHERE m.name = 'personal'", 2},
	{FLOAT4ARRAYOID, INT8OID}};

static const PageQuery read_penalties = {{
	"SELECT array_agg(p.sign * p.price ORDER BY p.name COLLATE \"C\") FROM constraint_price p", 0}, {0}};

/* The best items under each of some weights, those under the first ones first */
static const PageQuery best_items = {{
	"SELECT @extschema@.dlints_shortlist(b.items, b.vectors::@extschema@.dlints_vector, $1, $2, $3)\n"
	"FROM   block b WHERE array_length(b.vectors, 2) = array_length($1, 2)", 3},
	{FLOAT8ARRAYOID, INT8OID, INT8OID}};

static const PageQuery count_trends = {{"SELECT count(*) FROM trend", 0}, {0}};
static const PageQuery top_trends = {{
	"SELECT ARRAY(SELECT t.item FROM trend t ORDER BY t.score DESC LIMIT $1)", 1}, {INT8OID}};
static const PageQuery add_trends = {{
	"SELECT ARRAY(SELECT t.item FROM trend t UNION SELECT unnest($1))", 1}, {ARG_ITEMS}};

/* Some items, and then those that are on trial */
static const PageQuery add_trials = {{
	"SELECT $1 || ARRAY(SELECT v.item FROM item_vector v\n"
	"                   WHERE  v.effect_stddev IS NOT NULL\n"
	"                   AND    NOT EXISTS (SELECT FROM unnest($1) o (item) WHERE same_item(o.item, v.item)))", 1},
	{ARG_ITEMS}};

/* The eligible ones of some items, and how many positions the first $5 of these can fill */
static const PageQuery eligible_items = {{
	"WITH eligible AS MATERIALIZED (\n"
	"    SELECT {once}a.item FROM {eligible}{shortlist}),\n"
	"best AS MATERIALIZED (\n"
	"    SELECT e.item FROM eligible e\n"
	"    WHERE  EXISTS (SELECT FROM unnest($4[1:$5]) f (item) WHERE same_item(f.item, e.item)))\n"
	"SELECT ARRAY(SELECT e.item FROM eligible e), {fillable}", 6},
	{ARG_USER, JSONBOID, ARG_ITEMS, ARG_ITEMS, INT4OID, INT4OID}};

/* A shortlist, and eligible rows newer than the newest vector */
static const PageQuery add_new_items = {{
	"SELECT $4 || ARRAY(\n"
	"    SELECT a.item FROM {eligible}\n"
	"    AND    a.item > (SELECT v.item FROM item_vector v ORDER BY v.item DESC LIMIT 1)\n"
	"    ORDER  BY a.item DESC LIMIT " MAX_NEW_ITEMS ")", 4},
	{ARG_USER, JSONBOID, ARG_ITEMS, ARG_ITEMS}};

/* Random eligible items, and the probability of each to be among these */
static const PageQuery random_items = {{
	"WITH eligible AS MATERIALIZED (SELECT {once}a.item FROM {eligible})\n"
	"SELECT ARRAY(SELECT e.item FROM eligible e ORDER BY random() LIMIT $5),\n"
	"       (SELECT coalesce(least($5::float8 / nullif(count(*), 0), 1), 1) FROM eligible)", 5},
	{ARG_USER, JSONBOID, ARG_ITEMS, ARG_ITEMS, INT8OID}};

static const PageQuery count_candidates = {{
	"SELECT FROM allowed($1, $2)", 2}, {ARG_USER, JSONBOID}};

/* ---------- weights ---------- */

/* The numbers of an array of weights; an error if a model or a constraint is not in its table */
static double *
weights_of(NullableDatum array, int *rows, int size)
{
	ArrayType  *weights;
	int			count;

	if (array.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("tables of the recommender are incomplete"),
				 errdetail("A row of \"model\" or \"constraint_price\" is missing.")));
	weights = DatumGetArrayTypeP(array.value);
	count = ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights));
	if (ARR_ELEMTYPE(weights) != FLOAT8OID || ARR_HASNULL(weights) || count % size != 0)
		elog(ERROR, "unexpected array of weights");
	*rows = count / size;
	return (double *) ARR_DATA_PTR(weights);
}

static void
add_weights(double *weights, const double *others, int size)
{
	for (int i = 0; i < size; i++)
		weights[i] += others[i];
}

/* Weights of the model's columns under the policy, "width" numbers per row */
static double *
predicted_weights(PageRequest *page, ListPolicy policy, Datum profile, int64 seed, int width, int *rows)
{
	int			size = page->settings.size;
	NullableDatum args[] = {Given(profile), Given(Int64GetDatum(seed))};
	uint32		variant = (policy == POLICY_PERSONAL ? VARIANT_PERSONAL : 0) |
		(page->settings.has_later ? VARIANT_LATER : 0);
	double	   *parts[2] = {NULL, NULL};
	int			counts[2] = {0, 0};
	double	   *weights;

	RunSelect(page, &model_weights, variant, args);
	if (policy == POLICY_PERSONAL)
		parts[0] = weights_of(ResultColumn(1), &counts[0], size);
	parts[1] = weights_of(ResultColumn(2), &counts[1], size);
	*rows = counts[0] + counts[1];
	weights = palloc0(sizeof(double) * *rows * width);
	for (int row = 0; row < *rows; row++)
	{
		bool		is_draw = row < counts[0];

		memcpy(weights + (Size) row * width,
			   is_draw ? parts[0] + (Size) row * size : parts[1] + (Size) (row - counts[0]) * size,
			   sizeof(double) * size);
	}
	if (page->settings.has_later)
	{
		int			one;
		double	   *later = weights_of(ResultColumn(3), &one, size);

		for (int row = 0; row < *rows; row++)
			add_weights(weights + (Size) row * width, later, size);
	}
	return weights;
}

/* Subtract the penalties of constraints, as the columns from "first" on. */
static void
subtract_penalties(PageRequest *page, double *weights, int rows, int first, int width)
{
	int			one;
	double	   *penalties;

	RunSelect(page, &read_penalties, 0, NULL);
	penalties = weights_of(ResultColumn(1), &one, width - first);
	for (int row = 0; row < rows; row++)
		for (int i = first; i < width; i++)
			weights[(Size) row * width + i] = -penalties[i - first];
}

/*
 * The weights that items are ranked by, one ranking per row of float8[][]: of
 * features, of the item's effect, and of costs.  For the policy "personal" these are
 * the draws by which the list is chosen, and the mean.  Control lists are ranked by
 * popularity, without effects and prices.
 */
Datum
RankingWeights(PageRequest *page, ListPolicy policy, Datum profile, int64 seed, bool is_priced)
{
	int			size = page->settings.size;
	int			width = size + 1 + (is_priced ? page->settings.constraints : 0);
	int			rows = 1;
	double	   *weights;

	if (policy == POLICY_CONTROL || policy == POLICY_TRENDING)
	{
		weights = palloc0(sizeof(double) * width);
		weights[page->settings.liked] = 1.0;
	}
	else
	{
		weights = predicted_weights(page, policy, profile, seed, width, &rows);
		for (int row = 0; row < rows; row++)
			weights[(Size) row * width + size] = 1.0;
		if (width > size + 1)
			subtract_penalties(page, weights, rows, size + 1, width);
	}
	return ResultMatrix(weights, rows, width);
}

/*
 * Weights whose product with features is added to scores: of later outcomes, which
 * are too rare to explore, and for unknown users the mean of all; NULL if there are
 * none.
 */
NullableDatum
AddendWeights(PageRequest *page, ListPolicy policy, Datum profile)
{
	int			size = page->settings.size;
	int			rows;

	if (policy == POLICY_UNKNOWN)
		return Given(ResultVector(predicted_weights(page, policy, profile, 0, size, &rows), size));
	if (policy == POLICY_PERSONAL && page->settings.has_later)
	{
		NullableDatum args[] = {Given(profile), Given(Int64GetDatum(0))};

		RunSelect(page, &model_weights, VARIANT_LATER, args);
		return ResultColumn(3);
	}
	return NotGiven();
}

/* ---------- the shortlist ---------- */

/* Does the planner expect fewer candidates than a given number? */
static bool
estimated_below(PageRequest *page, double items)
{
	SPIPlanPtr	plan = PagePlan(page, &count_candidates, 0);
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	double		rows;

	if (cached == NULL)
		return false;
	rows = linitial_node(PlannedStmt, cached->stmt_list)->planTree->plan_rows;
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	return rows < items;
}

static int
count_items(NullableDatum array)
{
	ArrayType  *items;

	if (array.isnull)
		return 0;
	items = DatumGetArrayTypeP(array.value);
	return ArrayGetNItems(ARR_NDIM(items), ARR_DIMS(items));
}

static Shortlist
random_shortlist(PageRequest *page, uint32 variant)
{
	NullableDatum args[] = {
		page->user, Given(page->context), page->left_out, NotGiven(),
		Given(Int64GetDatum((int64) ITEMS_PER_POSITION * page->k))};
	Shortlist	result;

	RunSelect(page, &random_items, variant, args);
	result.items = ResultColumn(1);
	result.share = DatumGetFloat8(ResultColumn(2).value);
	result.count = count_items(result.items);
	return result;
}

/* Items per ranking on the first shortlist: left out items may be among the best */
static int64
first_size(const PageRequest *page)
{
	int64		size = page->settings.diversity > 0.0 ?
		Max(MIN_DIVERSE_ITEMS, DIVERSE_ITEMS_PER_POSITION * page->k) :
		Max(MIN_ITEMS, ITEMS_PER_POSITION * page->k);

	return size + count_items(page->left_out);
}

static int64
fetch_trend_count(PageRequest *page)
{
	RunSelect(page, &count_trends, 0, NULL);
	return DatumGetInt64(ResultColumn(1).value);
}

/* The best items of all under the weights, and those that trend or are on trial */
static NullableDatum
find_best(PageRequest *page, ListPolicy policy, NullableDatum weights, int64 size, int64 trends, int64 seed)
{
	NullableDatum args[] = {weights, Given(Int64GetDatum(size)), Given(Int64GetDatum(seed))};
	NullableDatum items;

	if (size <= trends)
	{
		RunSelect(page, &top_trends, 0, &args[1]);
		return ResultColumn(1);
	}
	RunSelect(page, &best_items, 0, args);
	items = ResultColumn(1);
	if (trends > 0)
	{
		RunSelect(page, &add_trends, 0, &items);
		items = ResultColumn(1);
	}
	if (policy == POLICY_PERSONAL && page->settings.has_trials)
	{
		RunSelect(page, &add_trials, 0, &items);
		items = ResultColumn(1);
	}
	return items;
}

/* Is there no need of a shortlist?  A bonus can lift any item onto the list. */
static bool
takes_all(PageRequest *page, ListPolicy policy)
{
	const PageSettings *settings = &page->settings;

	if (policy == POLICY_TRENDING)
		return false;
	return settings->block_items == 0 ||
		(settings->has_bonus && (policy == POLICY_PERSONAL || policy == POLICY_UNKNOWN)) ||
		(policy != POLICY_RANDOM &&
		 estimated_below(page, (double) settings->block_items / MIN_CANDIDATE_PART));
}

static const Shortlist no_shortlist = {{(Datum) 0, true}, 0, 1.0};

/*
 * Find the items among which a list is chosen.  If eligible items cannot fill the
 * list, the shortlist grows, until all candidates take part.
 */
static Shortlist
grow_shortlist(PageRequest *page, ListPolicy policy, Datum profile, int64 seed, uint32 variant)
{
	int64		trends = policy == POLICY_TRENDING ? fetch_trend_count(page) : 0;
	int64		size = first_size(page);
	NullableDatum weights = NotGiven();
	Shortlist	result = no_shortlist;

	for (;; size *= GROWTH)
	{
		NullableDatum args[] = {
			page->user, Given(page->context), page->left_out, NotGiven(),
			Given(Int32GetDatum((int32) Min(size + trends, PG_INT32_MAX))), Given(Int32GetDatum(page->settings.cap))};

		if (size > trends && size > page->settings.block_items / MAX_PART)
			return no_shortlist;
		if (size > trends && weights.isnull)
			weights = Given(RankingWeights(page, policy, profile, seed, page->settings.constraints > 0));
		args[3] = find_best(page, policy, weights, size, trends, seed);
		RunSelect(page, &eligible_items, variant | VARIANT_SHORTLIST, args);
		result.items = ResultColumn(1);
		/* more than k, so that a tie for the last position shows its next key */
		if (DatumGetInt64(ResultColumn(2).value) > page->k ||
			(policy == POLICY_TRENDING && DatumGetInt64(ResultColumn(2).value) == page->k))
			return result;
	}
}

Shortlist
FindShortlist(PageRequest *page, ListPolicy policy, Datum profile, int64 seed)
{
	uint32		variant = CandidateVariant(page, policy, false);
	Shortlist	result;

	if (takes_all(page, policy))
		return no_shortlist;
	if (policy == POLICY_RANDOM)
		return random_shortlist(page, variant);
	result = grow_shortlist(page, policy, profile, seed, variant);
	if (!result.items.isnull && page->settings.has_ordered_key && policy != POLICY_TRENDING)
	{
		NullableDatum args[] = {page->user, Given(page->context), page->left_out, result.items};

		RunSelect(page, &add_new_items, variant, args);
		result.items = ResultColumn(1);
	}
	result.count = count_items(result.items);
	return result;
}

PG_FUNCTION_INFO_V1(dlints_ranking_weights);

/*
 * _dlints_ranking_weights(profile real[], policy text, seed bigint) -> float8[][]
 *		RankingWeights() of a profile in the entered schema, without prices.
 */
Datum
dlints_ranking_weights(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	MemoryContext caller = CurrentMemoryContext;
	ListPolicy policy = POLICY_PERSONAL;
	PageRequest page;
	ArrayType  *weights;

	while (strcmp(policy_names[policy], name) != 0)
		if (++policy > POLICY_TRENDING)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown policy \"%s\"", name)));
	EnterPage(&page, fcinfo, EnteredSchema(get_func_namespace(fcinfo->flinfo->fn_oid)));
	ReadPageSettings(&page);
	weights = DatumGetArrayTypeP(RankingWeights(&page, policy, PG_GETARG_DATUM(0), PG_GETARG_INT64(2), false));
	weights = memcpy(MemoryContextAllocHuge(caller, VARSIZE(weights)), weights, VARSIZE(weights));
	ClosePage(&page);
	PG_RETURN_ARRAYTYPE_P(weights);
}
