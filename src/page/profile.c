/*
 * profile.c
 *		The profile of a user: the mean features of the items that the user clicked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "page/page.h"

/* Clicks that a request's {"like": ...} counts as */
#define CLICKS_PER_LIKE		"5"
/* Clicks that the item of more_like() counts as */
#define CLICKS_ON_ITEM		"20"
/* Length of a column's name in a warning, in bytes */
#define MAX_NAME_SHOWN		100

/*
 * Clicks in the log, on the user's last lists, in the session before the user was
 * known, and those passed with the request.  Weights decay relative to the
 * newest click, so that a user who returns after long still has a profile.  Clicks of
 * negative weight count against their items: their features are subtracted.
 * Each list is looked up by its number, in its partition.
 */
static const PageQuery user_profile = {{
	"WITH clicked AS ({log_clicks}\n"
	"    SELECT r.item, d.at, 1::float8 AS weight\n"
	"    FROM  (SELECT d.id, d.at, d.items FROM decision d WHERE same_user(d.user_id, $1)\n"
	"           ORDER BY d.id DESC LIMIT 200) d,\n"
	"           LATERAL (SELECT r.item FROM reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r\n"
	"    WHERE  EXISTS (SELECT FROM unnest(d.items) u (item) WHERE same_item(u.item, r.item))\n"
	"    UNION ALL{session_clicks}\n"
	"    SELECT r.item, now(), 1 FROM unnest($2) r (item)),\n"
	"weighted AS (\n"
	"    SELECT v.features[1:$5] AS features,\n"
	"           c.weight * @extschema@._dlints_decay((max(date_part('epoch', least(c.at, now()))) OVER ()\n"
	"                                      - date_part('epoch', c.at)) / 86400, l.half_life) AS weight\n"
	"    FROM   similarity l, clicked c,\n"
	"           LATERAL (SELECT v.features FROM item_vector v WHERE same_item(v.item, c.item) OFFSET 0) v\n"
	"    UNION ALL\n"
	"    SELECT $4, " CLICKS_PER_LIKE " WHERE $4 IS NOT NULL),\n"
	"summed AS (\n"
	"    SELECT @extschema@.dlints_profile((w.features || sign(w.weight)::real)::@extschema@.dlints_vector, w.weight) AS sum,\n"
	"           sum(abs(w.weight)) AS clicks\n"
	"    FROM   weighted w WHERE w.weight <> 0)\n"
	"SELECT @extschema@._dlints_profile_of(@extschema@._dlints_mean_profile(t.sum, t.clicks, $5),\n"
	"                                      l.scale, l.weights, $5, $6)\n"
	"FROM   summed t, similarity l", 6},
	{ARG_USER, ARG_ITEMS, TEXTOID, FLOAT4ARRAYOID, INT4OID, INT4OID}};

/* Items that are left out, $3, and those that the user clicked in the log and on the last lists */
static const PageQuery known_items = {{
	"SELECT $3 || ARRAY(\n"
	"    SELECT DISTINCT c.item\n"
	"    FROM  ({log_clicks}\n"
	"           SELECT r.item, d.at, 1\n"
	"           FROM  (SELECT d.id, d.at FROM decision d WHERE same_user(d.user_id, $1)\n"
	"                  ORDER BY d.id DESC LIMIT 200) d,\n"
	"                  LATERAL (SELECT r.item FROM reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r) c,\n"
	"           setting s\n"
	"    WHERE  c.at > now() - s.repeat_after)", 3},
	{ARG_USER, TEXTOID, ARG_ITEMS}};

/* A user who clicked one item; its row is encoded if it has no vector yet */
static const PageQuery item_profile = {{
	"SELECT @extschema@._dlints_profile_of(\n"
	"           CASE WHEN x.features IS NOT NULL THEN\n"
	"               @extschema@._dlints_mean_profile(x.features || 1::real, " CLICKS_ON_ITEM "::float8, $2) END,\n"
	"           l.scale, l.weights, $2, $3)\n"
	"FROM   similarity l,\n"
	"       (SELECT coalesce((SELECT v.features[1:$2] FROM item_vector v WHERE same_item(v.item, $1)),\n"
	"                        (SELECT array_fill(0::real, ARRAY[$4]) || n.encoded FROM encoded_item n\n"
	"                         WHERE same_item(n.item, $1) LIMIT 1)) AS features OFFSET 0) x", 4},
	{ARG_ITEM, INT4OID, INT4OID, INT4OID}};

/* Columns of a request's {"like": {"column": "value"}}, and whether they exist */
static const PageQuery liked_columns = {{
	"SELECT l.key, l.key = ANY (s.column_names) FROM setting s, jsonb_each($1 -> 'like') l", 1},
	{JSONBOID}};

/* Features of some of the columns */
static const PageQuery liked_features = {{
	"SELECT array_fill(0::real, ARRAY[$3]) || encode_document(\n"
	"           (SELECT jsonb_object_agg(l.key, l.value) FROM jsonb_each($1 -> 'like') l WHERE l.key = ANY ($2)))", 3},
	{JSONBOID, TEXTARRAYOID, INT4OID}};

typedef struct Likes
{
	Datum		columns;		/* text[] */
	NullableDatum features;
} Likes;

/* ---------- what a request says that the user likes ---------- */

static Datum
text_array(Datum *elements, int count)
{
	return PointerGetDatum(construct_array(elements, count, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
encode_likes(PageRequest *page, void *arg)
{
	Likes	   *likes = arg;
	NullableDatum args[] = {Given(page->context), Given(likes->columns), Given(Int32GetDatum(page->settings.factors))};

	RunSelect(page, &liked_features, 0, args);
	likes->features = ResultColumn(1);
}

/* Encode some columns; an error that is the value's own is returned. */
static ErrorData *
try_likes(PageRequest *page, Likes *likes)
{
	ErrorData  *error = TryStep(page, encode_likes, likes);

	if (error != NULL &&
		(IsMissingObjectError(error) || error->sqlerrcode == ERRCODE_QUERY_CANCELED ||
		 ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_INSUFFICIENT_RESOURCES))
		ReThrowError(error);
	return error;
}

/* Leave out the columns whose values cannot be encoded. */
static NullableDatum
encode_valid_likes(PageRequest *page, Datum *columns, int count)
{
	Datum	   *valid = palloc(sizeof(Datum) * count);
	int			n_valid = 0;
	Likes		likes;

	for (int i = 0; i < count; i++)
	{
		ErrorData  *error;

		likes.columns = text_array(&columns[i], 1);
		error = try_likes(page, &likes);
		if (error == NULL)
			valid[n_valid++] = columns[i];
		else
			ereport(WARNING,
					(errcode(error->sqlerrcode),
					 errmsg("invalid value for column \"%s\" in \"like\": %s",
							TextDatumGetCString(columns[i]), error->message)));
	}
	if (n_valid == 0)
		return NotGiven();
	likes.columns = text_array(valid, n_valid);
	encode_likes(page, &likes);
	return likes.features;
}

static void
warn_of_column(const char *name)
{
	ereport(WARNING,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("there is no column \"%.*s\" to like", pg_mbcliplen(name, strlen(name), MAX_NAME_SHOWN), name)));
}

/*
 * Features of what a request says that the user likes; NULL if it says nothing.
 * A page is returned in any case: we leave out what is invalid, with a warning.
 */
static NullableDatum
liked_by_request(PageRequest *page)
{
	JsonbContainer *root = &DatumGetJsonbP(page->context)->root;
	NullableDatum args[] = {Given(page->context)};
	JsonbValue	key = {.type = jbvString,.val.string = {.val = "like",.len = strlen("like")}};
	JsonbValue *like = findJsonbValueFromContainer(root, JB_FOBJECT, &key);
	Datum	   *columns;
	int			count = 0;
	Likes		likes;

	if (like == NULL || like->type != jbvBinary || !JsonContainerIsObject(like->val.binary.data))
		return NotGiven();
	RunSelect(page, &liked_columns, 0, args);
	columns = palloc(sizeof(Datum) * Max(SPI_processed, 1));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;
		Datum		name = SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &isnull);

		if (DatumGetBool(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &isnull)))
			columns[count++] = name;
		else
			warn_of_column(TextDatumGetCString(name));
	}
	if (count == 0)
		return NotGiven();
	likes.columns = text_array(columns, count);
	if (try_likes(page, &likes) == NULL)
		return likes.features;
	return encode_valid_likes(page, columns, count);
}

/* ---------- profiles ---------- */

/* The profile of the request's user, who also clicked "recent" items */
NullableDatum
UserProfile(PageRequest *page, NullableDatum recent)
{
	NullableDatum args[] = {
		page->user, recent, page->session, liked_by_request(page),
		Given(Int32GetDatum(page->settings.liked)), Given(Int32GetDatum(page->settings.aged))};
	uint32		variant = page->settings.has_clicks ? VARIANT_CLICKS : 0;

	if (!page->session.isnull && VARSIZE_ANY_EXHDR(DatumGetPointer(page->session.value)) > 0)
		variant |= VARIANT_SESSION;
	RunSelect(page, &user_profile, variant, args);
	return ResultColumn(1);
}

/* Leave out items that the user has clicked, if the settings say so. */
void
LeaveOutKnownItems(PageRequest *page)
{
	NullableDatum args[] = {page->user, page->session, page->left_out};
	ArrayType  *items;

	if (!page->settings.leaves_out_known || page->user.isnull)
		return;
	RunSelect(page, &known_items, page->settings.has_clicks ? VARIANT_CLICKS : 0, args);
	items = DatumGetArrayTypeP(ResultColumn(1).value);
	page->left_out = ARR_NDIM(items) > 0 ? Given(PointerGetDatum(items)) : NotGiven();
}

/* The profile of a user who likes nothing but an item */
NullableDatum
ItemProfile(PageRequest *page, Datum item)
{
	NullableDatum args[] = {
		Given(item), Given(Int32GetDatum(page->settings.liked)), Given(Int32GetDatum(page->settings.aged)),
		Given(Int32GetDatum(page->settings.factors))};

	RunSelect(page, &item_profile, 0, args);
	return ResultColumn(1);
}

/*
 * Is the policy "unknown" to be applied?  It is to users of whom no click is known,
 * if there is a prior from the click log.
 */
bool
IsUnknownProfile(const PageRequest *page, Datum profile)
{
	ArrayType  *array = DatumGetArrayTypeP(profile);
	float4	   *numbers = (float4 *) ARR_DATA_PTR(array);
	int			liked = page->settings.liked;

	if (liked == 0 || !page->settings.has_prior || ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) < liked)
		return false;
	for (int i = 0; i < liked; i++)
		if (numbers[i] != 0.0f)
			return false;
	return true;
}
