/*
 * similarity.c
 *		Profiles of users, similarities of items and profiles, and features of dates.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "compat.h"
#include "core/ages.h"
#include "page/page.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Number of zero vectors that are averaged with the clicked items of a profile (shrinkage) */
#define SHRINKAGE		5.0
/* maximum age of a click in half-lives, so that its weight is a normal floating-point number */
#define MAX_HALF_LIVES	300.0
/* Elements of a profile below this become 0, so that products of floats do not underflow. */
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

/* Read an argument that is a number of features.  The sum of two such numbers fits into an int. */
static int
count_argument(FunctionCallInfo fcinfo, int argno)
{
	return Min(Max(PG_GETARG_INT32(argno), 0), (int) (MaxAllocSize / sizeof(Datum)));
}

/* Create an array of reals for the caller to fill.  An empty one has no dimensions. */
static ArrayType *
make_reals(int count)
{
	return count == 0 ? construct_empty_array(FLOAT4OID) : ResultReals(count);
}

static void
check_length(int length, int expected, const char *name)
{
	if (length < expected)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("\"%s\" has %d elements, expected %d", name, length, expected)));
}

/* Compute the weight of a click of this age.  A half-life of 0 means no decay. */
double
DecayOf(double days, double half_life)
{
	return half_life > 0.0 ? exp2(-Min(Max(days, 0.0) / half_life, MAX_HALF_LIVES)) : 1.0;
}

/* Write the last elements of a profile, which multiply popularity, dates and neighbour score. */
static void
write_other_weights(int aged, double popularity_weight, double neighbour_weight, float4 *profile)
{
	*profile++ = (float4) popularity_weight;
	memset(profile, 0, sizeof(float4) * aged);
	profile[aged] = (float4) neighbour_weight;
}

/* Compute a profile from "sum", the weighted sum of the features of clicked items. */
ArrayType *
MakeProfile(const double *sum, double weights, const PageSettings *settings)
{
	int			liked = settings->liked;
	ArrayType  *result = make_reals(settings->size);
	float4	   *profile = (float4 *) ARR_DATA_PTR(result);

	for (int i = 0; i < liked; i++)
	{
		double		mean = weights > 0.0 ? sum[i] / (weights + SHRINKAGE) : 0.0;

		profile[i] = fabs(mean) > MIN_MAGNITUDE ?
			(float4) ResultFinite(mean * settings->scale[i]) : 0.0f;
	}
	write_other_weights(settings->aged, settings->popularity_weight, settings->neighbour_weight,
						profile + liked);
	return result;
}

/* Compute the factor that converts a weighted sum to a mean, shrunken toward 0. */
static double
shrinkage(const float4 *sum, int length, double clicks)
{
	return clicks / (clicks + SHRINKAGE) / sum[length - 1];
}

PG_FUNCTION_INFO_V1(dlints_mean_profile);

/*
 * _dlints_mean_profile(sum, clicks, liked): return the mean of the first "liked" features of
 * clicked items, shrunken toward 0.  NULL without clicks.
 */
Datum
dlints_mean_profile(PG_FUNCTION_ARGS)
{
	float4	   *sum;
	int			length;
	double		clicks;
	int			liked;
	double		factor;
	ArrayType  *result;
	float4	   *mean;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || !(PG_GETARG_FLOAT8(1) > 0.0))
		PG_RETURN_NULL();
	length = read_array(PG_GETARG_ARRAYTYPE_P(0), FLOAT4OID, "sum", (void **) &sum);
	clicks = PG_GETARG_FLOAT8(1);
	liked = count_argument(fcinfo, 2);
	check_length(length, liked + 1, "sum");
	factor = shrinkage(sum, liked + 1, clicks);
	if (!isfinite(factor))
		PG_RETURN_NULL();
	result = make_reals(liked);
	mean = (float4 *) ARR_DATA_PTR(result);
	for (int i = 0; i < liked; i++)
	{
		double		value = sum[i] * factor;

		mean[i] = fabs(value) > MIN_MAGNITUDE ? (float4) value : 0.0f;
	}
	PG_RETURN_ARRAYTYPE_P(result);
}

PG_FUNCTION_INFO_V1(dlints_profile_of);

/*
 * _dlints_profile_of(mean, scale, weights, liked, aged): return the profile that models are trained
 * on.  It is mean times scale, followed by the weights of popularity and neighbour score, which are
 * the last two elements of "weights".  A NULL mean stands for zeros.
 */
Datum
dlints_profile_of(PG_FUNCTION_ARGS)
{
	float4	   *mean = NULL;
	float4	   *scale;
	float8	   *weights;
	int			n_weights;
	int			liked;
	int			aged;
	ArrayType  *result;
	float4	   *profile;

	for (int i = 1; i < 5; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	liked = count_argument(fcinfo, 3);
	aged = count_argument(fcinfo, 4);
	n_weights = read_array(PG_GETARG_ARRAYTYPE_P(2), FLOAT8OID, "weights", (void **) &weights);
	check_length(n_weights, 2, "weights");
	check_length(read_array(PG_GETARG_ARRAYTYPE_P(1), FLOAT4OID, "scale", (void **) &scale), liked, "scale");
	if (!PG_ARGISNULL(0))
		check_length(read_array(PG_GETARG_ARRAYTYPE_P(0), FLOAT4OID, "mean", (void **) &mean), liked, "mean");
	result = make_reals(liked + 1 + aged + 1);
	profile = (float4 *) ARR_DATA_PTR(result);
	for (int i = 0; i < liked; i++)
		profile[i] = mean != NULL && fabs(mean[i]) > MIN_MAGNITUDE ? mean[i] * scale[i] : 0.0f;
	write_other_weights(aged, weights[n_weights - 2], weights[n_weights - 1], profile + liked);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Read an array of ranges of features.  Limits count from 0, and upper limits are exclusive. */
static int
read_blocks(FunctionCallInfo fcinfo, ArrayType *array, int **lower, int **upper)
{
	TypeCacheEntry *type = range_get_typcache(fcinfo, INT4RANGEOID);
	Datum	   *ranges;
	bool	   *nulls;
	int			count;

	deconstruct_array(array, INT4RANGEOID, -1, false, type->typalign, &ranges, &nulls, &count);
	*lower = palloc(sizeof(int) * Max(count, 1));
	*upper = palloc(sizeof(int) * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		RangeBound	first;
		RangeBound	last;
		bool		is_empty = true;

		if (!nulls[i])
			range_deserialize(type, DatumGetRangeTypeP(ranges[i]), &first, &last, &is_empty);
		if (is_empty || first.infinite || last.infinite || DatumGetInt32(first.val) < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"blocks\" must contain finite ranges of positive numbers")));
		(*lower)[i] = DatumGetInt32(first.val) - 1;
		(*upper)[i] = DatumGetInt32(last.val) - 1;
	}
	return count;
}

PG_FUNCTION_INFO_V1(dlints_block_similarity);

/*
 * _dlints_block_similarity(): for each range of features, return the dot product of an item and a
 * user's mean profile, shrunken toward 0.  The last element of "sum" is the sum of weights.
 */
Datum
dlints_block_similarity(PG_FUNCTION_ARGS)
{
	float4	   *features;
	float4	   *sum;
	int			n_features = read_array(PG_GETARG_ARRAYTYPE_P(0), FLOAT4OID, "features", (void **) &features);
	int			n_sum = read_array(PG_GETARG_ARRAYTYPE_P(1), FLOAT4OID, "sum", (void **) &sum);
	double		factor;
	int		   *lower;
	int		   *upper;
	int			count;
	ArrayType  *result;
	float8	   *similarity;

	check_length(n_sum, 1, "sum");
	factor = shrinkage(sum, n_sum, PG_GETARG_FLOAT8(2));
	count = read_blocks(fcinfo, PG_GETARG_ARRAYTYPE_P(3), &lower, &upper);
	if (count == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT8OID));
	result = ResultDoubles(count);
	similarity = (float8 *) ARR_DATA_PTR(result);
	for (int block = 0; block < count; block++)
	{
		double		dot = 0.0;

		check_length(n_features, upper[block], "features");
		check_length(n_sum, upper[block] + 1, "sum");
		for (int i = lower[block]; i < upper[block]; i++)
			dot += (double) features[i] * sum[i];
		similarity[block] = ResultFinite(dot * factor);
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
 * _dlints_ages(): compute three features of each date, relative to the time "at" (see core/ages.h).
 * NULL and infinite dates get zeros.
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
	result = make_reals(count * AGES_PER_DATE);
	write_ages(count, numbers, 1, now, (float4 *) ARR_DATA_PTR(result), AGES_PER_DATE);
	PG_RETURN_ARRAYTYPE_P(result);
}
