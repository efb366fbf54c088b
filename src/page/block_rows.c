/*
 * block_rows.c
 *		SQL functions that compute rows of the tables "block" and "centroid" (see blocks.h).
 */
#include "postgres.h"

#include <float.h>

#include "core/halving.h"
#include "page/blocks.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* maximum absolute value of a date, as a Unix time; larger dates count as missing */
#define MAX_DATE		1e30
/* maximum length of a binary tree that divides items into groups: 64 MB of floats */
#define MAX_TREE_SIZE	(16 * 1024 * 1024)

/* ---------- rows of "block" ---------- */

/* Round features of items to bytes.  A row has scales, latent factors, and other features. */
static bytea *
encode_rows(int count, int factors, int columns, const float4 *features)
{
	Size		size = VARHDRSZ + count * item_bytes(factors, columns);
	bytea	   *result = palloc(size);
	uint8	   *next = (uint8 *) VARDATA(result);

	SET_VARSIZE(result, size);
	for (int i = 0; i < count; i++, features += factors + columns)
	{
		float4		scales[N_SCALES];

		scales[0] = byte_encode(factors, features, next + SCALE_BYTES);
		scales[1] = byte_encode(columns, features + factors,
								next + SCALE_BYTES + byte_padded(factors));
		memcpy(next, scales, SCALE_BYTES);
		next += item_bytes(factors, columns);
	}
	return result;
}

PG_FUNCTION_INFO_V1(dlints_block_codes);

/* _dlints_block_codes(): round features of items to bytes, for the table "block". */
Datum
dlints_block_codes(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			factors = PG_GETARG_INT32(1);
	int			count = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[0] : 0;
	int			columns = count > 0 ? ARR_DIMS(array)[1] - factors : 0;
	const float4 *features = (float4 *) ARR_DATA_PTR(array);

	if (ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT4OID || factors < 0 || columns < 0 ||
		count > MAX_ITEMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"features\" must have a row of numbers per item of a block, and at least \"factors\" columns")));
	PG_RETURN_BYTEA_P(encode_rows(count, factors, columns, features));
}

PG_FUNCTION_INFO_V1(dlints_block_numbers);

/*
 * _dlints_block_numbers(): return an item's popularity, effect on rewards, costs and dates as an
 * array for the table "block".  Costs are 0 unless "costs" has "n_costs" elements.
 */
Datum
dlints_block_numbers(PG_FUNCTION_ARGS)
{
	ArrayType  *costs = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	int			n_costs;
	Datum	   *dates;
	bool	   *nulls;
	int			n_dates;
	ArrayType  *result;
	float4	   *numbers;

	ArgNotNull(fcinfo, 3, "n_costs");
	ArgNotNull(fcinfo, 4, "dates");
	n_costs = Max(PG_GETARG_INT32(3), 0);
	n_dates = ArgElements(PG_GETARG_ARRAYTYPE_P(4), &dates, &nulls);
	result = ResultReals(FIRST_COST + n_costs + n_dates);
	numbers = (float4 *) ARR_DATA_PTR(result);
	numbers[0] = PG_GETARG_FLOAT4(0);
	numbers[1] = PG_GETARG_FLOAT4(1);
	for (int i = 0; i < n_costs; i++)
		numbers[FIRST_COST + i] = costs != NULL &&
			ArrayGetNItems(ARR_NDIM(costs), ARR_DIMS(costs)) == n_costs &&
			!ARR_HASNULL(costs) ? ((float4 *) ARR_DATA_PTR(costs))[i] : 0.0f;
	for (int i = 0; i < n_dates; i++)
	{
		float4		date = nulls[i] ? INFINITY : DatumGetFloat4(dates[i]);

		numbers[FIRST_COST + n_costs + i] = fabsf(date) < MAX_DATE ? date : INFINITY;
	}
	PG_RETURN_ARRAYTYPE_P(result);
}

PG_FUNCTION_INFO_V1(dlints_block_numbers_differ);

/*
 * _dlints_block_numbers_differ(): do popularities, effects, costs or dates of items differ enough
 * to rewrite their block?  Changes of popularity by less than 5 % do not count.
 */
Datum
dlints_block_numbers_differ(PG_FUNCTION_ARGS)
{
	ArrayType  *before = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *after = PG_GETARG_ARRAYTYPE_P(1);
	const float4 *was = (float4 *) ARR_DATA_PTR(before);
	const float4 *is = (float4 *) ARR_DATA_PTR(after);
	int			width;

	if (ARR_NDIM(before) != 2 || ARR_NDIM(after) != 2 || ARR_HASNULL(before) ||
		ARR_HASNULL(after) || memcmp(ARR_DIMS(before), ARR_DIMS(after), 2 * sizeof(int)) != 0)
		PG_RETURN_BOOL(true);
	width = ARR_DIMS(before)[1];
	for (int i = 0; i < ARR_DIMS(before)[0] * width; i++)
		if (was[i] != is[i] &&
			!(i % width == 0 && was[i] != 0.0f && is[i] != 0.0f &&
			  fabsf(was[i] - is[i]) <= POPULARITY_CHANGE * Min(was[i], is[i])))
			PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(false);
}

/* ---------- centroids ---------- */

/* Decode the features of items, and subtract their mean, which is written to "mean". */
static float *
centred_rows(int count, int factors, int columns, const uint8 *codes, float4 *mean)
{
	int			width = factors + columns;
	float	   *rows = AllocateMany(sizeof(float), (Size) count * width);
	double	   *sums = AllocateZeros(sizeof(double), width);

	for (int i = 0; i < count; i++, codes += item_bytes(factors, columns))
	{
		const uint8 *code = codes + SCALE_BYTES;
		float4		scales[N_SCALES];

		memcpy(scales, codes, SCALE_BYTES);
		for (int f = 0; f < width; f++)
		{
			if (f == factors)
				code += byte_padded(factors) - factors;
			rows[i * width + f] = scales[f >= factors] * (code[f] - 128);
			sums[f] += rows[i * width + f];
		}
	}
	for (int f = 0; f < width; f++)
	{
		mean[f] = (float4) (sums[f] / count);
		for (int i = 0; i < count; i++)
			rows[i * width + f] -= mean[f];
	}
	return rows;
}

/* Compute the standard deviation of the first "len" elements of centered rows. */
static float4
mean_spread(int count, int width, const float *rows, int len)
{
	double		square = 0.0;

	for (int i = 0; i < count; i++, rows += width)
		for (int f = 0; f < len; f++)
			square += (double) rows[f] * rows[f];
	return len > 0 ? (float4) sqrt(square / count / len) : 0.0f;
}

/* Compute the mean of a number per item, such as a cost, and the largest distance from the mean. */
static void
summarize_number(int count, int width, const float4 *numbers, float4 *mean, float4 *spread)
{
	double		sum = 0.0;
	double		largest = 0.0;
	int			known = 0;

	for (int i = 0; i < count; i++)
		if (isfinite(numbers[(Size) i * width]))
		{
			sum += numbers[(Size) i * width];
			known++;
		}
	*mean = known > 0 ? (float4) (sum / known) : INFINITY;
	for (int i = 0; i < count; i++)
		if (isfinite(numbers[(Size) i * width]))
			largest = Max(largest, fabs((double) numbers[(Size) i * width] - *mean));
	*spread = (float4) Min(largest, FLT_MAX);
}

PG_FUNCTION_INFO_V1(dlints_block_centroid);

/*
 * _dlints_block_centroid(): summarize one or more blocks of similar items by means and spreads.
 *
 * In the result, "codes" has the mean features and the principal axes.  "spreads" has the standard
 * deviations of features in directions other than the axes, and the largest distances of numbers
 * from their means.
 */
Datum
dlints_block_centroid(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_P(0);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	int			factors = PG_GETARG_INT32(2);
	int			columns = PG_GETARG_INT32(3);
	int			count = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[0] : 0;
	int			width = count > 0 ? ARR_DIMS(array)[1] : 0;
	const uint8 *codes = (const uint8 *) VARDATA(bytes);
	const float4 *numbers = (const float4 *) ARR_DATA_PTR(array);
	int			n_features;
	ArrayType  *means;
	ArrayType  *spreads;
	float4	   *features;
	float	   *rows;
	double	   *work;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (factors < 0 || factors > DLINTS_MAX_FEATURE_DIM || columns < 0 ||
		columns > DLINTS_MAX_FEATURE_DIM || ARR_NDIM(array) != 2 || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != FLOAT4OID ||
		VARSIZE(bytes) - VARHDRSZ != count * item_bytes(factors, columns))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments \"codes\" and \"numbers\" must be those of a block with \"factors\" and \"columns\"")));
	n_features = factors + columns;
	features = AllocateMany(sizeof(float4), (Size) (1 + N_AXES) * n_features);
	rows = centred_rows(count, factors, columns, codes, features);
	work = AllocateNumbers((Size) 2 * n_features);
	for (int a = 1; a <= N_AXES; a++)
		halving_split_axis(count, n_features, rows, work, features + (Size) a * n_features);
	means = ResultReals(width);
	spreads = ResultReals(N_SPREADS + width);
	((float4 *) ARR_DATA_PTR(spreads))[0] = mean_spread(count, n_features, rows, factors);
	((float4 *) ARR_DATA_PTR(spreads))[1] = mean_spread(count, n_features, rows + factors, columns);
	for (int i = 0; i < width; i++)
		summarize_number(count, width, numbers + i, (float4 *) ARR_DATA_PTR(means) + i,
						 (float4 *) ARR_DATA_PTR(spreads) + N_SPREADS + i);
	values[0] = PointerGetDatum(encode_rows(1 + N_AXES, factors, columns, features));
	values[1] = PointerGetDatum(means);
	values[2] = PointerGetDatum(spreads);
	PG_RETURN_DATUM(ResultRow(fcinfo, 3, values, nulls));
}

/* ---------- groups of similar items ---------- */

/* Read an array argument as rows of numbers.  A one-dimensional array is one row. */
static const float4 *
read_rows(FunctionCallInfo fcinfo, int argno, int *count, int *width)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);

	*count = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[0] : 1;
	*width = ARR_NDIM(array) == 2 ? ARR_DIMS(array)[1] :
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) > 2 || ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT4OID || *width < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("vectors of items must be rows of numbers")));
	return (const float4 *) ARR_DATA_PTR(array);
}

/* Prepare to divide vectors into groups of similar vectors (see core/halving.h). */
static HalvingSet
make_set(int count, int width, const float4 *vectors, const float4 *weights, int **order)
{
	HalvingSet	set = {
		.width = width, .vectors = vectors, .weights = weights,
		.projections = AllocateNumbers(count),
		.rows = AllocateMany(sizeof(float), (Size) HALVING_ROWS * width),
		.axis = AllocateNumbers((Size) 2 * width)};

	*order = AllocateMany(sizeof(int), count);
	for (int i = 0; i < count; i++)
		(*order)[i] = i;
	return set;
}

PG_FUNCTION_INFO_V1(dlints_halving_tree);

/*
 * _dlints_halving_tree(): build a binary tree that divides items into 2^depth groups of similar
 * items.  The result contains a weight per feature (see halving_weights()), and then the tree.
 */
Datum
dlints_halving_tree(PG_FUNCTION_ARGS)
{
	int			count;
	int			width;
	const float4 *sample = read_rows(fcinfo, 0, &count, &width);
	int			n_scales;
	int			scale_rows;
	const float4 *scale = read_rows(fcinfo, 1, &scale_rows, &n_scales);
	int			depth = PG_GETARG_INT32(2);
	ArrayType  *result;
	float4	   *tree;
	int		   *order;
	HalvingSet	set;

	if (scale_rows != 1 || n_scales != width || depth < 0 || depth > HALVING_MAX_DEPTH ||
		halving_tree_size(width, depth) > (int64) MAX_TREE_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"scale\" must have a number per feature, and \"depth\" be at least 0"),
				 errdetail("A tree has at most %d levels and %d numbers.", HALVING_MAX_DEPTH, MAX_TREE_SIZE)));
	result = ResultReals(width + (int) halving_tree_size(width, depth));
	tree = (float4 *) ARR_DATA_PTR(result);
	halving_weights(count, width, sample, scale, tree);
	set = make_set(count, width, sample, tree, &order);
	if (depth > 0)
		halving_tree(&set, count, order, depth, tree + width);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Read the argument "tree" for vectors of "width" elements, and determine the depth of the tree. */
static const float4 *
read_tree(FunctionCallInfo fcinfo, int width, int *depth)
{
	int			rows;
	int			length;
	const float4 *tree = read_rows(fcinfo, 0, &rows, &length);

	for (*depth = 0; *depth <= HALVING_MAX_DEPTH && rows == 1; (*depth)++)
		if (length == width + halving_tree_size(width, *depth))
			return tree;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"tree\" does not fit vectors of %d elements", width)));
	return NULL;				/* keep the compiler quiet */
}

PG_FUNCTION_INFO_V1(dlints_halving_part);

/*
 * _dlints_halving_part(): return the number of an item's group, a leaf of the tree.  Random "bits"
 * choose the side if the item equals the median of a node.
 */
Datum
dlints_halving_part(PG_FUNCTION_ARGS)
{
	int			count;
	int			width;
	int			depth;
	const float4 *features = read_rows(fcinfo, 1, &count, &width);
	const float4 *tree = read_tree(fcinfo, width, &depth);

	PG_RETURN_INT32(halving_part(width, depth, tree + width, features,
								 (uint64) PG_GETARG_INT64(2)));
}

PG_FUNCTION_INFO_V1(dlints_halving_order);

/* _dlints_halving_order(): sort items so that each run of "size" successive items is similar. */
Datum
dlints_halving_order(PG_FUNCTION_ARGS)
{
	int			count;
	int			width;
	int			depth;
	const float4 *features = read_rows(fcinfo, 1, &count, &width);
	const float4 *tree = read_tree(fcinfo, width, &depth);
	int		   *order;
	HalvingSet	set = make_set(count, width, features, tree, &order);
	Datum	   *places = AllocateMany(sizeof(Datum), count);

	halving_order(&set, count, order, Max(PG_GETARG_INT32(2), 1));
	for (int i = 0; i < count; i++)
		places[order[i]] = Int32GetDatum(i);
	PG_RETURN_ARRAYTYPE_P(construct_array(places, count, INT4OID, sizeof(int32), true,
										  TYPALIGN_INT));
}
