/*
 * features.c
 *		Read the features and the costs of candidates.
 */
#include "postgres.h"

#include "access/xact.h"

#include "core/ages.h"
#include "page/candidates.h"
#include "page/tables.h"
#include "sql/args.h"
#include "sql/arrays.h"

static const PageTable item_vectors = {"item_vector", 9, {
		{"item", ARG_ITEM}, {"features", FLOAT4ARRAYOID}, {"dates", FLOAT4ARRAYOID}, {"effect", FLOAT4OID},
		{"effect_stddev", FLOAT4OID | MAY_BE_NULL}, {"costs", FLOAT4ARRAYOID | MAY_BE_NULL},
		{"version", INT8OID}, {"popularity", FLOAT4OID}, {"is_deleted", BOOLOID}}};

/* Compute an item's costs.  Stored costs are outdated if constraints have changed. */
static const PageQuery cost_of_item = {
	"SELECT c.costs FROM @extschema@._dlints_cost_of($1) c", {ARG_ITEM}};

/* Compute the features of items that have no stored vector yet. */
static const PageQuery encode_items = {
	"SELECT u.n, array_fill(0::real, ARRAY[$3]) || e.encoded, e.dates, 0::real, NULL::real,\n"
	"       CASE WHEN $2 > 0 THEN (@extschema@._dlints_cost_of(u.item)).costs END, 0::bigint, 0::real, true\n"
	"FROM   unnest($1) WITH ORDINALITY u (item, n), LATERAL @extschema@._dlints_encode_item(u.item) e\n"
	"WHERE  e.encoded IS NOT NULL AND @extschema@._dlints_fits_index(u.item)",
	{ARG_ITEMS, INT4OID, INT4OID}};

typedef struct FeatureReader
{
	PageRequest *page;
	CandidateSet *set;
	const int  *numbers;		/* indexes of the candidates whose features are computed */
	int			number;			/* index of the candidate that is being read */
	bool		lacks_costs;	/* does a stored item lack a cost, because a constraint is new? */
	bool	   *is_read;
	bool		is_snapshot_old;	/* is the transaction's snapshot older than MAX_SNAPSHOT_AGE? */
} FeatureReader;

/* age of a snapshot, in seconds, at which its rows of "item_version" may have been deleted */
#define MAX_SNAPSHOT_AGE	60

static bool
is_snapshot_old(void)
{
	return IsolationUsesXactSnapshot() &&
		TimestampDifferenceExceeds(GetCurrentTransactionStartTimestamp(), GetCurrentTimestamp(),
								   MAX_SNAPSHOT_AGE * 1000);
}

static void
copy_reals(Datum value, int count, float4 *out)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != count)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("item vectors have %d elements, expected %d",
						ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), count)));
	memcpy(out, ARR_DATA_PTR(array), sizeof(float4) * count);
}

static void
copy_costs(FeatureReader *reader, Datum costs)
{
	int			count = reader->page->settings.constraints;

	copy_reals(costs, count, reader->set->costs + (Size) reader->number * count);
}

static bool
are_costs_present(const FeatureReader *reader, Datum costs, bool isnull)
{
	ArrayType  *array = isnull ? NULL : DatumGetArrayTypeP(costs);

	return array != NULL && !ARR_HASNULL(array) &&
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) == reader->page->settings.constraints;
}

static void
read_vector(void *arg, const Datum *values, const bool *nulls)
{
	FeatureReader *reader = arg;
	CandidateSet *set = reader->set;
	const PageSettings *settings = &reader->page->settings;
	int			number = reader->number;
	float4	   *features = (float4 *) ARR_DATA_PTR(set->features) + (Size) number * settings->size;
	Datum	   *dates;
	bool	   *is_null;
	int			n_dates = nulls[2] ? 0
		: ArgElements(DatumGetArrayTypeP(values[2]), &dates, &is_null);

	copy_reals(values[1], settings->liked, features);
	features += settings->liked;
	*features++ = DatumGetFloat4(values[7]);
	for (int i = 0; i < settings->aged / AGES_PER_DATE; i++, features += AGES_PER_DATE)
	{
		float4		date = i < n_dates && !is_null[i] ? DatumGetFloat4(dates[i]) : INFINITY;

		write_ages(1, &date, 1, UnixTime(settings->now), features, AGES_PER_DATE);
	}
	*features = NeighbourScore(reader->page, set->items[number]);
	set->effects[number] = DatumGetFloat4(values[3]);
	set->effect_stddevs[number] = nulls[4] ? 0.0 : DatumGetFloat4(values[4]);
	set->versions[number] =
		DatumGetBool(values[8]) || reader->is_snapshot_old ? 0 : DatumGetInt64(values[6]);
	reader->is_read[number] = true;
	if (settings->constraints > 0 && are_costs_present(reader, values[5], nulls[5]))
		copy_costs(reader, values[5]);
	else
		reader->lacks_costs = settings->constraints > 0;
}

static void
read_encoded_item(void *arg, const Datum *values, const bool *nulls)
{
	FeatureReader *reader = arg;

	reader->number = reader->numbers[DatumGetInt64(values[0]) - 1];
	read_vector(reader, values, nulls);
}

static void
read_vectors(FeatureReader *reader)
{
	TableLookup *lookup = BeginLookup(reader->page, &item_vectors);

	for (int i = 0; i < reader->set->count; i++)
	{
		reader->number = i;
		reader->lacks_costs = false;
		LookUp(lookup, reader->set->items[i], 1, read_vector, reader);
		if (reader->lacks_costs)
		{
			NullableDatum item = Given(reader->set->items[i]);

			RunSelect(reader->page, &cost_of_item, &item);
			if (!ResultColumn(1).isnull)
				copy_costs(reader, ResultColumn(1).value);
			SPI_freetuptable(SPI_tuptable);
		}
	}
	EndLookup(lookup);
}

/* Remove candidates whose features could not be read, for example because their row was deleted. */
static void
drop_unread(CandidateSet *set, const bool *is_read, int width, int n_costs)
{
	float4	   *features = (float4 *) ARR_DATA_PTR(set->features);
	int			kept = 0;

	for (int i = 0; i < set->count; i++)
	{
		if (!is_read[i])
			continue;
		set->items[kept] = set->items[i];
		set->addends[kept] = set->addends[i];
		set->groups[kept] = set->groups[i];
		set->numbers[kept] = set->numbers[i];
		set->effects[kept] = set->effects[i];
		set->effect_stddevs[kept] = set->effect_stddevs[i];
		set->versions[kept] = set->versions[i];
		memmove(features + (Size) kept * width, features + (Size) i * width,
				sizeof(float4) * width);
		memmove(set->costs + (Size) kept * n_costs, set->costs + (Size) i * n_costs,
				sizeof(float4) * n_costs);
		kept++;
	}
	set->count = kept;
	ARR_DIMS(set->features)[0] = kept;
}

/* Read the features and costs of candidates.  The set must not be empty. */
void
ReadFeatures(PageRequest *page, CandidateSet *set)
{
	static const Oid types[] = {INT8OID, FLOAT4ARRAYOID, FLOAT4ARRAYOID, FLOAT4OID, FLOAT4OID,
								FLOAT4ARRAYOID, INT8OID, FLOAT4OID, BOOLOID};
	const PageSettings *settings = &page->settings;
	NullableDatum args[] = {
		NotGiven(), Given(Int32GetDatum(settings->constraints)),
		Given(Int32GetDatum(settings->factors))};
	FeatureReader reader = {.page = page, .set = set,
							.is_read = AllocateZeros(sizeof(bool), set->count),
							.is_snapshot_old = is_snapshot_old()};
	int		   *missing = AllocateMany(sizeof(int), set->count);
	Datum	   *keys = AllocateMany(sizeof(Datum), set->count);
	int			n_missing = 0;

	set->features = ResultRealMatrix(set->count, settings->size);
	set->effects = AllocateZeros(sizeof(double), set->count);
	set->effect_stddevs = AllocateZeros(sizeof(double), set->count);
	set->versions = AllocateZeros(sizeof(int64), set->count);
	set->costs = AllocateZeros(sizeof(float4), (Size) set->count * settings->constraints);
	read_vectors(&reader);
	for (int i = 0; i < set->count; i++)
		if (!reader.is_read[i])
		{
			keys[n_missing] = set->items[i];
			missing[n_missing++] = i;
		}
	if (n_missing == 0)
		return;
	args[0] = Given(KeyArray(page, keys, n_missing));
	reader.numbers = missing;
	ReadRows(page, &encode_items, 0, args, types, read_encoded_item, &reader);
	drop_unread(set, reader.is_read, settings->size, settings->constraints);
}
