/*
 * profile.c
 *		Compute a user's profile from the features of the user's clicked items.
 */
#include "postgres.h"

#include "page/action_names.h"
#include "page/candidates.h"
#include "page/clicks.h"
#include "page/tables.h"
#include "sql/arrays.h"

/* weight in user profiles of the object "like" in the context, as a number of clicks */
#define CLICKS_PER_LIKE		5.0
/* weight in user profiles of the item passed to more_like(), as a number of clicks */
#define CLICKS_ON_ITEM		20.0

static const PageTable item_features = {"item_vector", 2, {{"item", ARG_ITEM}, {"features", FLOAT4ARRAYOID}}};

static const PageTable neighbour_rows = {"neighbour", 3, {
		{"item", ARG_ITEM}, {"neighbours", ARG_ITEMS}, {"weights", FLOAT4ARRAYOID}}};

/* Compute the features of an item that has no stored vector. */
static const PageQuery encoded_features = {
	"SELECT array_fill(0::real, ARRAY[$2]) || n.encoded FROM encoded_item n WHERE same_item(n.item, $1) LIMIT 1",
	{ARG_ITEM, INT4OID}};

/* Encode the object "like" in the context as features, if all its keys are columns of items. */
static const PageQuery liked_features = {
	"SELECT array_fill(0::real, ARRAY[s.factors]) || encode_document($1 -> 'like')\n"
	"FROM   setting s\n"
	"WHERE  pg_column_size($1 -> 'like') < 100000 AND $1 -> 'like' <> '{}'\n"
	"AND    NOT EXISTS (SELECT FROM jsonb_object_keys($1 -> 'like') l (key) WHERE l.key <> ALL (s.column_names))",
	{JSONBOID}};

/* Encode the object "like" in the context as features, with warnings for invalid keys and values. */
static const PageQuery valid_features = {"SELECT @extschema@._dlints_liked_features($1 -> 'like')", {JSONBOID}};

/* ---------- profiles ---------- */

/* Exclude items that the user has clicked recently from the list. */
static void
exclude_clicked(PageRequest *page, const ClickedItems *clicked)
{
	Datum	   *excluded = NULL;
	int			count = page->excluded.isnull ? 0 :
		ArrayKeys(page, page->excluded.value, &excluded);
	Datum	   *all = palloc(sizeof(Datum) * (count + clicked->count));
	int			n_all = count;

	if (count > 0)
		memcpy(all, excluded, sizeof(Datum) * count);
	for (int i = 0; i < clicked->count; i++)
		if (clicked->each[i].is_excluded)
			all[n_all++] = clicked->each[i].item;
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

	AddNeighbours(reader->page, reader->scores, values[1], values[2], reader->weight);
	MemoryContextSwitchTo(caller);
}

/* Compute neighbour scores from the user's clicks.  Several clicks on an item count as one. */
static NeighbourScores *
neighbours_of_clicks(PageRequest *page, const ClickedItems *clicked)
{
	NeighbourReader reader = {page, CreateNeighbourScores(page), 0.0};
	TableLookup *lookup;

	if (clicked->count == 0)
		return reader.scores;
	lookup = BeginLookup(page, &neighbour_rows);
	for (int i = 0; i < clicked->count; i++)
	{
		reader.weight = page->settings.neighbour_share * clicked->each[i].maximum;
		if (reader.weight != 0.0)
			LookUp(lookup, clicked->each[i].item, 1, read_neighbour_row, &reader);
	}
	EndLookup(lookup);
	return reader.scores;
}

/* Weighted sum of the features of clicked items */
typedef struct FeatureSum
{
	int			liked;
	double	   *sum;
	double		weights;		/* sum of the absolute weights of clicked items */
	double		weight;			/* weight of the item that is being read */
	double		absolute_weight;
	float4	   *copy;			/* receives the item's features; NULL: not needed */
} FeatureSum;

/* Add an item's features to the weighted sum, unless the array is NULL or too short. */
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
	if (sum->copy != NULL)
		memcpy(sum->copy, ARR_DATA_PTR(array), sizeof(float4) * sum->liked);
}

static void
read_features(void *arg, const Datum *values, const bool *nulls)
{
	add_features(arg, Given(values[1]));
}

/* Return the weighted sum of the features of clicked items.  Dislikes have negative weights. */
static FeatureSum
sum_features(PageRequest *page, const ClickedItems *clicked)
{
	int			liked = page->settings.liked;
	FeatureSum	sum = {.liked = liked, .sum = palloc0(sizeof(double) * (liked + 1))};
	TableLookup *lookup = clicked->count == 0 ? NULL : BeginLookup(page, &item_features);

	for (int i = 0; i < clicked->count; i++)
	{
		if (page->settings.own_share > 0.0 && clicked->each[i].own > 0.0)
			clicked->each[i].features = palloc0(sizeof(float4) * liked);
		sum.copy = clicked->each[i].features;
		sum.weight = clicked->each[i].sum;
		sum.absolute_weight = clicked->each[i].absolute_sum;
		if (sum.absolute_weight != 0.0)
			LookUp(lookup, clicked->each[i].item, 1, read_features, &sum);
	}
	if (lookup != NULL)
		EndLookup(lookup);
	return sum;
}

/* Add features with the weight of "clicks" clicks, and return the user's profile. */
static Datum
complete_profile(const PageRequest *page, FeatureSum sum, NullableDatum features, double clicks)
{
	sum.weight = sum.absolute_weight = clicks;
	sum.copy = NULL;
	add_features(&sum, features);
	return PointerGetDatum(MakeProfile(sum.sum, sum.weights, &page->settings));
}

/* Is an array of features NULL, or are all features 0? */
static bool
is_zero(NullableDatum features)
{
	ArrayType  *array = features.isnull ? NULL : DatumGetArrayTypeP(features.value);

	if (array == NULL)
		return true;
	for (int i = 0; i < ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)); i++)
		if (((float4 *) ARR_DATA_PTR(array))[i] != 0)
			return false;
	return true;
}

/* Compute the scores of items from the user's own clicks on them. */
static void
set_own_scores(const PageRequest *page, const ClickedItems *clicked, Datum profile)
{
	const float4 *weights = (const float4 *) ARR_DATA_PTR(DatumGetArrayTypeP(profile));

	for (int i = 0; i < clicked->count; i++)
	{
		const ClickedItem *one = &clicked->each[i];
		double		similarity = 0.0;

		if (one->features == NULL)
			continue;
		for (int k = 0; k < page->settings.liked; k++)
			similarity += (double) weights[k] * one->features[k];
		SetOwnScore(page, one->item, one->own, similarity);
	}
}

static void
encode_likes(PageRequest *page, void *arg)
{
	NullableDatum context = Given(page->context);

	RunSelect(page, &liked_features, &context);
	*(NullableDatum *) arg = ResultColumn(1);
}

/* Encode the columns of the object "like" in the context as features, or return NULL. */
static NullableDatum
liked_by_request(PageRequest *page)
{
	NullableDatum context = Given(page->context);
	NullableDatum features = NotGiven();
	ErrorData  *error;

	if (GetObjectKey(&DatumGetJsonbP(page->context)->root, "like") == NULL)
		return features;
	error = TryStep(page, encode_likes, &features);
	if (error != NULL && !IsRowError(error->sqlerrcode))
		ReThrowError(error);
	if (is_zero(features))
	{
		RunSelect(page, &valid_features, &context);
		features = ResultColumn(1);
	}
	return features;
}

/* Read the user's clicks.  Sets neighbour scores, history and exclusions.  Returns the profile. */
Datum
ReadUser(PageRequest *page, NullableDatum recent, bool excludes_clicked)
{
	NullableDatum like = liked_by_request(page);
	ClickedItems *clicked = ReadClicks(page, recent, excludes_clicked);
	Datum		profile;

	exclude_clicked(page, clicked);
	page->neighbours = neighbours_of_clicks(page, clicked);
	profile = complete_profile(page, sum_features(page, clicked), like, CLICKS_PER_LIKE);
	set_own_scores(page, clicked, profile);
	return profile;
}

/* Return the profile for more_like(), from a click on one item.  Also computes neighbour scores. */
Datum
ReadItem(PageRequest *page, Datum item)
{
	ClickedItem once = {item, CLICKS_ON_ITEM, CLICKS_ON_ITEM, 1.0, false, 0.0, NULL};
	ClickedItems clicked = {.count = 1, .each = &once};
	FeatureSum	sum = sum_features(page, &clicked);
	NullableDatum args[] = {Given(item), Given(Int32GetDatum(page->settings.factors))};
	NullableDatum encoded = NotGiven();

	page->neighbours = neighbours_of_clicks(page, &clicked);
	if (sum.weights == 0.0)
	{
		RunSelect(page, &encoded_features, args);
		encoded = ResultColumn(1);
	}
	return complete_profile(page, sum, encoded, CLICKS_ON_ITEM);
}

/* Is a profile empty, as for users without clicks?  Returns false if models have no prior. */
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
