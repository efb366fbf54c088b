/*
 * profile.c
 *		The profile of a user, which is the mean features of the items that the user
 *		clicked, and the items that the user knows.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "page/neighbours.h"

/* Clicks that a request's {"like": ...} counts as */
#define CLICKS_PER_LIKE		5.0
/* Clicks that the item of more_like() counts as */
#define CLICKS_ON_ITEM		"20"
/* Length of a column's name in a warning, in bytes */
#define MAX_NAME_SHOWN		100

/*
 * Clicks in the log and on the user's last lists, which are known items; those in the
 * session before the user was known, and those passed with the request; each with the
 * features of its item.  Each list is looked up by its number, in its partition.
 */
static const PageQuery user_clicks = {{
	"SELECT c.item, date_part('epoch', least(c.at, now())), c.weight,\n"
	"       c.is_known AND c.at > now() - $4, v.features, n.neighbours, n.weights\n"
	"FROM  ({log_clicks}\n"
	"    SELECT r.item, d.at, 1::float8 AS weight, true AS is_known\n"
	"    FROM  (SELECT d.id, d.at, d.items FROM decision d WHERE same_user(d.user_id, $1)\n"
	"           ORDER BY d.id DESC LIMIT 200) d,\n"
	"           LATERAL (SELECT r.item FROM reward r WHERE r.decision = d.id AND r.value > 0 OFFSET 0) r\n"
	"    WHERE  EXISTS (SELECT FROM unnest(d.items) u (item) WHERE same_item(u.item, r.item))\n"
	"    UNION ALL{session_clicks}\n"
	"    SELECT r.item, now(), 1, false FROM unnest($2) r (item)) c\n"
	"    LEFT JOIN LATERAL (SELECT v.features FROM item_vector v WHERE same_item(v.item, c.item) OFFSET 0) v ON true\n"
	"    LEFT JOIN LATERAL (SELECT n.neighbours, n.weights FROM neighbour n\n"
	"                       WHERE same_item(n.item, c.item) OFFSET 0) n ON true", 4},
	{ARG_USER, ARG_ITEMS, TEXTOID, INTERVALOID}};

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

/* A click on an item with features */
typedef struct Click
{
	double		at;
	double		weight;
	float4	   *features;
} Click;

/* A click on an item with neighbours */
typedef struct RelatedClick
{
	Datum		item;
	double		at;
	double		weight;
	const NeighbourRow *row;
} RelatedClick;

typedef struct ClickReader
{
	PageRequest *page;
	int			count;
	int			size;
	Click	   *clicks;
	int			n_related;
	RelatedClick *related;
	double		latest;
	KeyTable   *known;
	int			n_known;
	Datum	   *known_items;
} ClickReader;

static void
keep_known(ClickReader *reader, Datum item)
{
	Datum		copy = CopyKey(reader->page, item);
	bool		is_new;

	AddKey(reader->known, copy, reader->n_known, &is_new);
	if (!is_new)
		return;
	if (reader->n_known % 64 == 0)
		reader->known_items = reader->n_known == 0 ? palloc(sizeof(Datum) * 64) :
			repalloc(reader->known_items, sizeof(Datum) * (reader->n_known + 64));
	reader->known_items[reader->n_known++] = copy;
}

static void
keep_click(ClickReader *reader, double at, double weight, ArrayType *features)
{
	int			liked = reader->page->settings.liked;
	Click	   *click;

	if (weight == 0.0 || ARR_HASNULL(features) || ArrayGetNItems(ARR_NDIM(features), ARR_DIMS(features)) < liked)
		return;
	if (reader->count % 64 == 0)
		reader->clicks = reader->count == 0 ? palloc(sizeof(Click) * 64) :
			repalloc(reader->clicks, sizeof(Click) * (reader->count + 64));
	click = &reader->clicks[reader->count++];
	click->at = at;
	click->weight = weight;
	click->features = palloc(sizeof(float4) * Max(liked, 1));
	memcpy(click->features, ARR_DATA_PTR(features), sizeof(float4) * liked);
}

static void
keep_related_click(ClickReader *reader, const Datum *values, const bool *nulls, double at)
{
	NullableDatum items = {values[5], nulls[5]};
	NullableDatum weights = {values[6], nulls[6]};
	NeighbourRow *row = CopyNeighbourRow(items, weights);

	if (row == NULL || nulls[2])
		return;
	if (reader->n_related % 64 == 0)
		reader->related = reader->n_related == 0 ? palloc(sizeof(RelatedClick) * 64) :
			repalloc(reader->related, sizeof(RelatedClick) * (reader->n_related + 64));
	reader->related[reader->n_related++] = (RelatedClick)
	{
		CopyKey(reader->page, values[0]), at, Max(Min(DatumGetFloat8(values[2]), 1.0), -1.0), row
	};
}

static void
read_click(void *arg, const Datum *values, const bool *nulls)
{
	ClickReader *reader = arg;
	MemoryContext caller = MemoryContextSwitchTo(reader->page->memory);
	double		at = nulls[1] ? 0.0 : DatumGetFloat8(values[1]);

	reader->latest = Max(reader->latest, at);
	if (!nulls[0] && !nulls[3] && DatumGetBool(values[3]))
		keep_known(reader, values[0]);
	if (!nulls[2] && !nulls[4])
		keep_click(reader, at, DatumGetFloat8(values[2]), DatumGetArrayTypeP(values[4]));
	keep_related_click(reader, values, nulls, at);
	MemoryContextSwitchTo(caller);
}

static double
decay_since(const ClickReader *clicks, double at)
{
	return DecayOf((clicks->latest - at) / SECS_PER_DAY, clicks->page->settings.half_life);
}

/*
 * The neighbour scores of clicks.  An item counts once, with its largest decayed
 * weight, as in the matrix that the neighbours were fitted to.
 */
static NeighbourScores *
neighbours_of_clicks(PageRequest *page, const ClickReader *clicks)
{
	NeighbourScores *scores = CreateNeighbourScores(page);
	KeyTable   *numbers = CreateKeyTable(page, clicks->n_related);
	double	   *weights = palloc(sizeof(double) * Max(clicks->n_related, 1));

	for (int i = 0; i < clicks->n_related; i++)
	{
		const RelatedClick *click = &clicks->related[i];
		bool		is_new;
		int			number = AddKey(numbers, click->item, i, &is_new);
		double		weight = click->weight * decay_since(clicks, click->at);

		weights[i] = 0.0;
		if (is_new || weight > weights[number])
			weights[number] = weight;
	}
	for (int i = 0; i < clicks->n_related; i++)
		if (weights[i] != 0.0)
			AddNeighbourRow(page, scores, clicks->related[i].row, weights[i]);
	return scores;
}

/*
 * The profile of clicks and of what the request says that the user likes.  Weights
 * decay relative to the newest click, so that a user who returns after long still has
 * a profile.  The features of clicks of negative weight are subtracted.
 */
static Datum
profile_of_clicks(PageRequest *page, const ClickReader *clicks, NullableDatum liked_by_request)
{
	const PageSettings *settings = &page->settings;
	double	   *sum = palloc0(sizeof(double) * (settings->liked + 1));
	double		weights = 0.0;

	for (int i = 0; i < clicks->count; i++)
	{
		const Click *click = &clicks->clicks[i];
		double		weight = click->weight * decay_since(clicks, click->at);

		weights += fabs(weight);
		for (int k = 0; k < settings->liked; k++)
			sum[k] += weight * click->features[k];
	}
	if (!liked_by_request.isnull)
	{
		const float4 *features = (float4 *) ARR_DATA_PTR(DatumGetArrayTypeP(liked_by_request.value));

		weights += CLICKS_PER_LIKE;
		for (int k = 0; k < settings->liked; k++)
			sum[k] += CLICKS_PER_LIKE * (double) features[k];
	}
	return PointerGetDatum(MakeProfile(sum, weights, settings));
}

/*
 * Read the clicks of the request's user, who also clicked "recent" items, and their
 * neighbours.  Known items are left out if the settings say so and the caller wants it.
 * Returns the profile.
 */
Datum
ReadUser(PageRequest *page, NullableDatum recent, bool leaves_out_known)
{
	bool		leaves_out = leaves_out_known && !page->settings.repeat_after.isnull && !page->user.isnull;
	NullableDatum like = liked_by_request(page);
	NullableDatum args[] = {page->user, recent, page->session, leaves_out ? page->settings.repeat_after : NotGiven()};
	uint32		variant = page->settings.has_clicks ? VARIANT_CLICKS : 0;
	ClickReader reader = {.page = page, .latest = -DBL_MAX, .known = CreateKeyTable(page, 64)};

	if (!page->session.isnull && VARSIZE_ANY_EXHDR(DatumGetPointer(page->session.value)) > 0)
		variant |= VARIANT_SESSION;
	ReadRows(page, &user_clicks, variant, args, read_click, &reader);
	if (reader.n_known > 0)
	{
		Datum	   *left_out = NULL;
		int			count = page->left_out.isnull ? 0 : ArrayKeys(page, page->left_out.value, &left_out);
		Datum	   *all = palloc(sizeof(Datum) * (count + reader.n_known));

		if (count > 0)
			memcpy(all, left_out, sizeof(Datum) * count);
		memcpy(all + count, reader.known_items, sizeof(Datum) * reader.n_known);
		page->left_out = Given(KeyArray(page, all, count + reader.n_known));
	}
	page->neighbours = neighbours_of_clicks(page, &reader);
	return profile_of_clicks(page, &reader, like);
}

/* The profile of a user who likes nothing but an item */
NullableDatum
ItemProfile(PageRequest *page, Datum item)
{
	NullableDatum args[] = {
		Given(item), Given(Int32GetDatum(page->settings.liked)), Given(Int32GetDatum(page->settings.aged)),
		Given(Int32GetDatum(page->settings.factors))};

	ReadItemNeighbours(page, item);
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
