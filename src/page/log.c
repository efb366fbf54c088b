/*
 * log.c
 *		Log a recommender's lists of recommendations.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "compat.h"
#include "page/page.h"

static const PageQuery log_list = {{
	"WITH logged AS (\n"
	"    INSERT INTO decision (id, at, seed, n_scored, user_id, treatment, session, context, profile, items,\n"
	"                          probabilities, expected, features, prices, costs, effects, versions)\n"
	"    VALUES ($1, now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))\n"
	"INSERT INTO pending (decision) VALUES ($1)", 16},
	{INT8OID, INT8OID, INT4OID, ARG_USER, TEXTOID, TEXTOID, JSONBOID, BYTEAOID, ARG_ITEMS,
	FLOAT4ARRAYOID, FLOAT4ARRAYOID, BYTEAOID, JSONBOID, JSONBOID, FLOAT4ARRAYOID, INT8ARRAYOID}};

static const PageQuery log_empty_request = {{
	"INSERT INTO empty_request (id, treatment) VALUES ($1, $2)", 2}, {INT8OID, TEXTOID}};

static const PageQuery log_version = {{
	"INSERT INTO item_version (item, features) VALUES ($1, $2) RETURNING id", 2}, {ARG_ITEM, BYTEAOID}};

/* Record a request for which there were no candidates, so that report() counts it. */
void
LogEmptyRequest(PageRequest *page, int64 id, ListPolicy treatment)
{
	NullableDatum args[] = {Given(Int64GetDatum(id)),
							Given(CStringGetTextDatum(policy_names[treatment]))};

	RunWrite(page, &log_empty_request, args);
}

/* Store an item's features as a new row of "item_version".  Returns the id of the row. */
int64
LogVersion(PageRequest *page, Datum item, Datum features)
{
	NullableDatum args[] = {Given(item), Given(features)};

	RunWrite(page, &log_version, args);
	return DatumGetInt64(ResultColumn(1).value);
}

/* Log a list of recommendations.  It is pending until its attribution window has passed. */
void
LogList(PageRequest *page, int64 decision, int64 seed, ListPolicy treatment, const Choice *choice)
{
	NullableDatum args[] = {
		Given(Int64GetDatum(decision)), Given(Int64GetDatum(seed)),
		choice->n_scored, page->user, Given(CStringGetTextDatum(policy_names[treatment])),
		page->session, Given(page->context),
		choice->profile, choice->items, choice->probabilities, choice->expected, choice->features,
		choice->prices, choice->costs, choice->effects, choice->versions};

	RunWrite(page, &log_list, args);
}
