/*
 * profile.c
 *		Compute a user's profile from the features of clicked items.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "page/action_names.h"
#include "page/candidates.h"
#include "page/clicks.h"
#include "page/tables.h"
#include "sql/arrays.h"

/* maximum size of the item attributes that a context prefers (key "like"); takes 0.5 s to encode */
#define MAX_LIKE_BYTES		(512 * 1024)

/* weight in a profile, in clicks, of the item attributes that a context prefers (key "like") */
#define CLICKS_PER_LIKE		5.0
/* weight in a profile, in clicks, of the item that is passed to more_like() */
#define CLICKS_ON_ITEM		20.0
/* maximum length of a column's name in a warning, in bytes */
#define MAX_NAME_SHOWN		100

static const PageTable item_features = {"item_vector", 2, {{"item", ARG_ITEM}, {"features", FLOAT4ARRAYOID}}};

static const PageTable neighbour_rows = {"neighbour", 3, {
		{"item", ARG_ITEM}, {"neighbours", ARG_ITEMS}, {"weights", FLOAT4ARRAYOID}}};

/* Compute the features of an item without a stored vector. */
static const PageQuery encoded_features = {
	"SELECT array_fill(0::real, ARRAY[$2]) || n.encoded FROM encoded_item n WHERE same_item(n.item, $1) LIMIT 1",
	{ARG_ITEM, INT4OID}};

/* For each key in $1 -> 'like': is it the name of a column, and does the column have dates? */
static const PageQuery liked_columns = {
	"SELECT l.key, l.key = ANY (s.column_names), l.key = ANY (s.parts) AND NOT starts_with(l.key, '(')\n"
	"FROM setting s, jsonb_each($1 -> 'like') l",
	{JSONBOID}};

/* Compute features from the keys $2 of the object "like" in $1. */
static const PageQuery liked_features = {
	"SELECT array_fill(0::real, ARRAY[$3]) || encode_document(\n"
	"           (SELECT jsonb_object_agg(l.key, l.value) FROM jsonb_each($1 -> 'like') l WHERE l.key = ANY ($2)))",
	{JSONBOID, TEXTARRAYOID, INT4OID}};

typedef struct Likes
{
	Datum		columns;		/* names of item columns, a text[] */
	NullableDatum features;
} Likes;

/* ---------- the key "like" ---------- */

static Datum
text_array(Datum *elements, int count)
{
	return PointerGetDatum(construct_array(elements, count, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
encode_likes(PageRequest *page, void *arg)
{
	Likes	   *likes = arg;
	NullableDatum args[] = {Given(page->context), Given(likes->columns),
							Given(Int32GetDatum(page->settings.factors))};

	RunSelect(page, &liked_features, args);
	likes->features = ResultColumn(1);
}

/* Compute features from likes->columns.  Returns the error of an invalid value, or NULL. */
static ErrorData *
try_likes(PageRequest *page, Likes *likes)
{
	ErrorData  *error = TryStep(page, encode_likes, likes);

	CheckObjects(page, error);
	if (error != NULL && !IsRowError(error->sqlerrcode))
		ReThrowError(error);
	return error;
}

/* Compute features from the columns with valid values.  Raises a warning for each other column. */
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
warn_of_column(const char *name, bool is_date)
{
	int			length = pg_mbcliplen(name, strlen(name), MAX_NAME_SHOWN);

	if (is_date)
		ereport(WARNING,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%.*s\" cannot be in \"like\"", length, name),
				 errdetail("A column of dates is encoded by the age of an item.")));
	else
		ereport(WARNING,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%.*s\" in \"like\" does not exist", length, name)));
}

/*
 * Compute features from the item columns in the context's object "like"; NULL if it is missing.
 * Invalid columns raise only a warning, so that the user still gets a list.
 */
static NullableDatum
liked_by_request(PageRequest *page)
{
	NullableDatum args[] = {Given(page->context)};
	JsonbValue *like = GetObjectKey(&DatumGetJsonbP(page->context)->root, "like");
	Datum	   *columns;
	int			count = 0;
	Likes		likes;

	if (like == NULL || like->type == jbvNull)
		return NotGiven();
	if (like->type != jbvBinary || !JsonContainerIsObject(like->val.binary.data) ||
		like->val.binary.len > MAX_LIKE_BYTES)
	{
		ereport(WARNING,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"like\" is ignored: it must be an object of at most %d bytes", MAX_LIKE_BYTES)));
		return NotGiven();
	}
	RunSelect(page, &liked_columns, args);
	columns = palloc(sizeof(Datum) * Max(SPI_processed, 1));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;
		Datum		name = SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &isnull);

		if (DatumGetBool(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &isnull)))
			columns[count++] = name;
		else
			warn_of_column(TextDatumGetCString(name),
						   DatumGetBool(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &isnull)));
	}
	if (count == 0)
		return NotGiven();
	likes.columns = text_array(columns, count);
	if (try_likes(page, &likes) == NULL)
		return likes.features;
	return encode_valid_likes(page, columns, count);
}

/* ---------- profiles ---------- */

/* A clicked item of the user.  Weights decay with the age of a click. */
typedef struct ClickedItem
{
	Datum		item;
	double		sum;			/* sum of the weights of clicks */
	double		absolute_sum;
	double		maximum;		/* largest weight of a click, from -1 to 1 */
	bool		is_excluded;		/* does the list exclude the item? */
} ClickedItem;

/* Clicked items, without duplicates */
typedef struct ClickedItems
{
	int			count;
	ClickedItem *each;
} ClickedItems;

/*
 * Sum the weights of the clicks on each item, which decay with the time to the newest click.  A
 * user who returns after a long time therefore still has a profile.
 */
static ClickedItems
sum_clicks(PageRequest *page, const UserClicks *clicks)
{
	ClickedItems result = {0, AllocateZeros(sizeof(ClickedItem), clicks->count)};
	KeyTable   *numbers = CreateKeyTable(page, clicks->count);
	TimestampTz latest = DT_NOBEGIN;

	for (int i = 0; i < clicks->count; i++)
		latest = Max(latest, clicks->clicks[i].at);
	for (int i = 0; i < clicks->count; i++)
	{
		const UserClick *click = &clicks->clicks[i];
		double		days = ((double) latest - (double) click->at) / USECS_PER_DAY;
		double		decay = DecayOf(days, page->settings.half_life);
		double		limited = Max(Min(click->weight, 1.0), -1.0) * decay;
		bool		is_new;
		ClickedItem *clicked = &result.each[AddKey(numbers, click->item, result.count, &is_new)];

		if (is_new)
			result.count++;
		clicked->item = click->item;
		clicked->sum += click->weight * decay;
		clicked->absolute_sum += fabs(click->weight * decay);
		if (is_new || limited > clicked->maximum)
			clicked->maximum = limited;
		clicked->is_excluded |= click->is_excluded;
	}
	return result;
}

/* Add recently clicked items to the items that the list excludes. */
static void
exclude_clicked(PageRequest *page, ClickedItems clicked)
{
	Datum	   *excluded = NULL;
	int			count = page->excluded.isnull ? 0 :
		ArrayKeys(page, page->excluded.value, &excluded);
	Datum	   *all = palloc(sizeof(Datum) * (count + clicked.count));
	int			n_all = count;

	if (count > 0)
		memcpy(all, excluded, sizeof(Datum) * count);
	for (int i = 0; i < clicked.count; i++)
		if (clicked.each[i].is_excluded)
			all[n_all++] = clicked.each[i].item;
	if (n_all > count)
		page->excluded = Given(KeyArray(page, all, n_all));
}

typedef struct NeighbourReader
{
	PageRequest *page;
	NeighbourScores *scores;
	double		weight;
} NeighbourReader;

static void
read_neighbour_row(void *arg, const Datum *values, const bool *nulls)
{
	NeighbourReader *reader = arg;
	MemoryContext caller = MemoryContextSwitchTo(reader->page->memory);

	if (!nulls[1] && !nulls[2])
		AddNeighbours(reader->page, reader->scores, values[1], values[2], reader->weight);
	MemoryContextSwitchTo(caller);
}

/* Compute neighbour scores.  Several clicks on an item count once, with the largest weight. */
static NeighbourScores *
neighbours_of_clicks(PageRequest *page, ClickedItems clicked)
{
	NeighbourReader reader = {page, CreateNeighbourScores(page), 0.0};
	TableLookup *lookup;

	if (clicked.count == 0)
		return reader.scores;
	lookup = BeginLookup(page, &neighbour_rows);
	for (int i = 0; i < clicked.count; i++)
		if ((reader.weight = clicked.each[i].maximum) != 0.0)
			LookUp(lookup, clicked.each[i].item, 1, read_neighbour_row, &reader);
	EndLookup(lookup);
	return reader.scores;
}

/* Weighted sum of the features of clicked items */
typedef struct FeatureSum
{
	int			liked;
	double	   *sum;
	double		weights;		/* sum of the absolute weights of the items */
	double		weight;			/* weight of the item that is being read */
	double		absolute_weight;
} FeatureSum;

/* Add an item's features to the sum, unless the array is NULL or too short. */
static void
add_features(FeatureSum *sum, NullableDatum features)
{
	ArrayType  *array = features.isnull ? NULL : DatumGetArrayTypeP(features.value);

	if (array == NULL || ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) < sum->liked)
		return;
	sum->weights += sum->absolute_weight;
	for (int k = 0; k < sum->liked; k++)
		sum->sum[k] += sum->weight * ((float4 *) ARR_DATA_PTR(array))[k];
}

static void
read_features(void *arg, const Datum *values, const bool *nulls)
{
	add_features(arg, (NullableDatum) {values[1], nulls[1]});
}

/* Sum the features of clicked items.  Clicks with a negative weight subtract features. */
static FeatureSum
sum_features(PageRequest *page, ClickedItems clicked)
{
	int			liked = page->settings.liked;
	FeatureSum	sum = {.liked = liked, .sum = palloc0(sizeof(double) * (liked + 1))};
	TableLookup *lookup = clicked.count == 0 ? NULL : BeginLookup(page, &item_features);

	for (int i = 0; i < clicked.count; i++)
	{
		sum.weight = clicked.each[i].sum;
		sum.absolute_weight = clicked.each[i].absolute_sum;
		if (sum.absolute_weight != 0.0)
			LookUp(lookup, clicked.each[i].item, 1, read_features, &sum);
	}
	if (lookup != NULL)
		EndLookup(lookup);
	return sum;
}

/* Return the profile for the sum plus "features", which count as "clicks" clicks. */
static Datum
complete_profile(const PageRequest *page, FeatureSum sum, NullableDatum features, double clicks)
{
	sum.weight = sum.absolute_weight = clicks;
	add_features(&sum, features);
	return PointerGetDatum(MakeProfile(sum.sum, sum.weights, &page->settings));
}

/*
 * Read the clicks of the request's user, and return the profile.  Sets page->neighbours.  With
 * excludes_clicked, the list excludes items that were clicked within the setting repeat_after.
 */
Datum
ReadUser(PageRequest *page, NullableDatum recent, bool excludes_clicked)
{
	NullableDatum like = liked_by_request(page);
	ClickedItems clicked = sum_clicks(page, ReadClicks(page, recent, excludes_clicked));

	exclude_clicked(page, clicked);
	page->neighbours = neighbours_of_clicks(page, clicked);
	return complete_profile(page, sum_features(page, clicked), like, CLICKS_PER_LIKE);
}

/* Return the profile of a user who clicked only one item.  Sets page->neighbours. */
Datum
ReadItem(PageRequest *page, Datum item)
{
	ClickedItem once = {item, CLICKS_ON_ITEM, CLICKS_ON_ITEM, 1.0, false};
	ClickedItems clicked = {1, &once};
	FeatureSum	sum = sum_features(page, clicked);
	NullableDatum args[] = {Given(item), Given(Int32GetDatum(page->settings.factors))};
	NullableDatum encoded = NotGiven();

	page->neighbours = neighbours_of_clicks(page, clicked);
	if (sum.weights == 0.0)
	{
		RunSelect(page, &encoded_features, args);
		encoded = ResultColumn(1);
	}
	return complete_profile(page, sum, encoded, CLICKS_ON_ITEM);
}

/* Is this the profile of a user without clicks, for whom the model has a prior? */
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
