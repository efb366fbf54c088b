/*
 * column.c
 *		Convert numbers, embeddings and weights in columns of the user's tables.
 *
 * Invalid values count as missing, so that one row cannot stop maintenance.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "sql/args.h"
#include "sql/arrays.h"

/* maximum absolute value of a number in a column, so that sums of squares do not overflow */
#define MAX_COLUMN_NUMBER 1e100

/* Maximum norm of an embedding, relative to the typical norm in the column */
#define MAX_COLUMN_NORM 4.0

/* maximum weight of a click, so that one row of the click log cannot outweigh all others */
#define MAX_CLICK_WEIGHT 1000.0

/* Read the first argument, of any numeric type, as double precision.  NULL becomes NaN. */
static double
ReadNumber(FunctionCallInfo fcinfo, const char *what)
{
	Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0));

	if (!TypeIsNumber(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s must be a number, not %s", what, format_type_be(type))));
	return PG_ARGISNULL(0) ? NAN : ArgNumber(type, PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(dlints_column_number);

/* _dlints_column_number(): convert a number to float8.  NaN and values beyond 1e100 become NULL. */
Datum
dlints_column_number(PG_FUNCTION_ARGS)
{
	double		value = ReadNumber(fcinfo, "value of a column");

	if (!(fabs(value) <= MAX_COLUMN_NUMBER))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

PG_FUNCTION_INFO_V1(dlints_click_weight);

/* _dlints_click_weight(): limit a click's weight to -1000 to 1000.  Invalid weights become 0. */
Datum
dlints_click_weight(PG_FUNCTION_ARGS)
{
	double		weight = ReadNumber(fcinfo, "weight of a click");

	if (!isfinite(weight))
		weight = 0.0;
	PG_RETURN_FLOAT8(fmin(fmax(weight, -MAX_CLICK_WEIGHT), MAX_CLICK_WEIGHT));
}

/* Divide the elements of an array by "norm".  Invalid elements become 0. */
static void
ScaleElements(ArrayType *array, double norm, double *vector, int length)
{
	Oid			type = ARR_ELEMTYPE(array);
	Datum	   *elements;
	bool	   *nulls;

	if (!TypeIsNumber(type) || ArgElements(array, &elements, &nulls) != length)
		return;
	for (int i = 0; i < length; i++)
	{
		double		value = nulls[i] ? 0.0 : ArgNumber(type, elements[i]) / norm;

		if (fabs(value) <= MAX_COLUMN_NUMBER && fabs(value) >= 1 / MAX_COLUMN_NUMBER)
			vector[i] = value;
	}
}

/* Scale a vector down if its norm exceeds MAX_COLUMN_NORM. */
static void
Clip(double *vector, int length)
{
	double		square = 0.0;
	double		scale;

	for (int i = 0; i < length; i++)
		square += vector[i] * vector[i];
	if (square <= MAX_COLUMN_NORM * MAX_COLUMN_NORM)
		return;
	scale = MAX_COLUMN_NORM / sqrt(square);
	for (int i = 0; i < length; i++)
		vector[i] *= scale;
}

PG_FUNCTION_INFO_V1(dlints_column_vector);

/*
 * _dlints_column_vector(value, length, norm): divide an embedding by the typical norm in its
 * column.  An embedding of another length becomes zeros.
 */
Datum
dlints_column_vector(PG_FUNCTION_ARGS)
{
	int			length = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT32(1);
	double	   *vector;
	ArrayType  *result;
	float4	   *numbers;

	if (length < 1 || length > DLINTS_MAX_FEATURE_DIM || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("length must be between 1 and %d, and norm must not be null", DLINTS_MAX_FEATURE_DIM)));
	vector = palloc0(sizeof(double) * length);
	result = ResultReals(length);
	numbers = (float4 *) ARR_DATA_PTR(result);
	if (!PG_ARGISNULL(0) && OidIsValid(get_element_type(get_fn_expr_argtype(fcinfo->flinfo, 0))))
		ScaleElements(PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_FLOAT8(2), vector, length);
	Clip(vector, length);
	for (int i = 0; i < length; i++)
		numbers[i] = fabs(vector[i]) < 1e-30 ? 0.0f : (float4) vector[i];
	PG_RETURN_ARRAYTYPE_P(result);
}

PG_FUNCTION_INFO_V1(dlints_are_finite);

/* _dlints_are_finite(numbers, length): does an array have "length" numbers, all of them finite? */
Datum
dlints_are_finite(PG_FUNCTION_ARGS)
{
	ArrayType  *array;
	int			count;
	bool		are_finite;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array = PG_GETARG_ARRAYTYPE_P(0);
	count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	are_finite = ARR_NDIM(array) <= 1 && !ARR_HASNULL(array) &&
		(PG_ARGISNULL(1) || count == PG_GETARG_INT32(1));
	for (int i = 0; are_finite && i < count; i++)
		are_finite = isfinite(((float4 *) ARR_DATA_PTR(array))[i]);
	PG_RETURN_BOOL(are_finite);
}
