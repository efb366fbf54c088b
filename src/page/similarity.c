/*
 * similarity.c
 *		Profiles of users, similarities between items and profiles, and features of dates.
 */
#include "postgres.h"

#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "core/ages.h"
#include "page/page.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Number of zero vectors that are averaged with the clicked items of a profile (shrinkage) */
#define SHRINKAGE		5.0
/* maximum age of a click in half-lives, so that its weight does not underflow */
#define MAX_HALF_LIVES	300.0
/* Minimum absolute value of an element of a profile; smaller elements become 0 */
#define MIN_MAGNITUDE	1e-20

static int
read_array(ArrayType *array, Oid type, const char *name, void **values)
{
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array) || ARR_ELEMTYPE(array) != type)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("\"%s\" must be a one-dimensional array without NULL", name)));
	*values = ARR_DATA_PTR(array);
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

static void
check_length(int length, int expected, const char *name)
{
	if (length < expected)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("\"%s\" has %d elements, expected %d", name, length, expected)));
}

/* Return the weight of a click that is "days" old.  A half-life of 0 means no decay. */
double
DecayOf(double days, double half_life)
{
	return half_life > 0.0 ? exp2(-Min(Max(days, 0.0) / half_life, MAX_HALF_LIVES)) : 1.0;
}

/* Compute a profile from the weighted sum of the features of clicked items. */
ArrayType *
MakeProfile(const double *sum, double weights, const PageSettings *settings)
{
	int			liked = settings->liked;
	ArrayType  *result = ResultReals(settings->size);
	float4	   *profile = (float4 *) ARR_DATA_PTR(result);

	for (int i = 0; i < liked; i++)
	{
		double		mean = weights > 0.0 ? sum[i] / (weights + SHRINKAGE) : 0.0;

		profile[i] = fabs(mean) > MIN_MAGNITUDE ?
			(float4) ResultFinite(mean * settings->scale[i]) : 0.0f;
	}
	profile[liked] = (float4) settings->popularity_weight;
	profile[settings->size - 1] = (float4) settings->click_weight;
	return result;
}

PG_FUNCTION_INFO_V1(dlints_block_similarity);

/*
 * _dlints_block_similarity(): return the dot product of item features, less "common", and a user's
 * mean features, for each range of features.  The last element of "sum" is the sum of weights.
 */
Datum
dlints_block_similarity(PG_FUNCTION_ARGS)
{
	TypeCacheEntry *type = range_get_typcache(fcinfo, INT4RANGEOID);
	float4	   *features;
	float4	   *sum;
	int			n_features = read_array(PG_GETARG_ARRAYTYPE_P(0), FLOAT4OID, "features", (void **) &features);
	int			n_sum = read_array(PG_GETARG_ARRAYTYPE_P(1), FLOAT4OID, "sum", (void **) &sum);
	double		clicks = PG_GETARG_FLOAT8(2);
	float4	   *common;
	int			n_common = read_array(PG_GETARG_ARRAYTYPE_P(4), FLOAT4OID, "common", (void **) &common);
	Datum	   *blocks;
	int			count;
	ArrayType  *result;

	check_length(n_sum, 1, "sum");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), INT4RANGEOID, -1, false, type->typalign,
					  &blocks, NULL, &count);
	result = ResultDoubles(count);
	for (int block = 0; block < count; block++)
	{
		RangeBound	first;
		RangeBound	last;
		bool		is_empty;
		double		dot = 0.0;

		range_deserialize(type, DatumGetRangeTypeP(blocks[block]), &first, &last, &is_empty);
		if (is_empty || first.infinite || last.infinite || DatumGetInt32(first.val) < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"blocks\" must contain finite ranges of positive numbers")));
		check_length(n_features, DatumGetInt32(last.val) - 1, "features");
		check_length(n_sum, DatumGetInt32(last.val), "sum");
		check_length(n_common, DatumGetInt32(last.val) - 1, "common");
		for (int i = DatumGetInt32(first.val) - 1; i < DatumGetInt32(last.val) - 1; i++)
			dot += ((double) features[i] - common[i]) * sum[i];
		((float8 *) ARR_DATA_PTR(result))[block] =
			ResultFinite(dot * clicks / (clicks + SHRINKAGE) / sum[n_sum - 1]);
	}
	PG_RETURN_ARRAYTYPE_P(result);
}

double
UnixTime(TimestampTz at)
{
	return (double) at / USECS_PER_SEC +
		(double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
}

PG_FUNCTION_INFO_V1(dlints_ages);

/*
 * _dlints_ages(): return three features per date, relative to the time "at" (see core/ages.h).
 * Dates that are NULL or infinite get zeros.
 */
Datum
dlints_ages(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	double		now = UnixTime(PG_GETARG_TIMESTAMPTZ(1));
	Datum	   *dates;
	bool	   *nulls;
	int			count;
	ArrayType  *result;
	float4	   *numbers;

	deconstruct_array(array, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT, &dates, &nulls, &count);
	numbers = AllocateMany(sizeof(float4), count);
	for (int i = 0; i < count; i++)
		numbers[i] = nulls[i] ? INFINITY : DatumGetFloat4(dates[i]);
	result = ResultReals(count * AGES_PER_DATE);
	write_ages(count, numbers, 1, now, (float4 *) ARR_DATA_PTR(result), AGES_PER_DATE);
	PG_RETURN_ARRAYTYPE_P(result);
}
