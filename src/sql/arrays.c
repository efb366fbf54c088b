/*
 * arrays.c
 *		Check arguments that are arrays of numbers, of any numeric type, without NaN and infinity.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "sql/args.h"
#include "sql/arrays.h"

/* Report an invalid array: raise an error or, if "problem" is not NULL, return false. */
static bool
ReportArray(Problem *problem, int sqlerrcode, const char *message,
			const DlintsHeader *model, const char *where)
{
	return ReportProblem(problem, sqlerrcode, message,
						 model ? psprintf("%s; the model is dlints%s.", where, ModelShape(model)) :
						 psprintf("%s.", where), NULL);
}

static bool
CheckLength(const ArgSpec *spec, int actual, Problem *problem)
{
	if (actual == spec->len)
		return true;
	return ReportArray(problem, ERRCODE_DATA_EXCEPTION,
					   psprintf("expected %d dimensions, not %d", spec->len, actual), spec->model,
					   psprintf("Wrong length of the %s", spec->name));
}

static bool
CheckNoNulls(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (!ARR_HASNULL(array) || !array_contains_nulls(array))
		return true;
	return ReportArray(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
					   "array must not contain nulls", spec->model,
					   psprintf("A null was found in the %s", spec->name));
}

/* Convert elements of an array, from index "first" on, to double.  Returns false on error. */
static bool
ReadNumbers(ArrayType *array, const ArgSpec *spec, Size first, Size count,
			double *out, Problem *problem)
{
	bool		valid;
	Size		i = 0;

	if (ARR_ELEMTYPE(array) == FLOAT4OID)
		valid = widen_float(count, (float4 *) ARR_DATA_PTR(array) + first, out);
	else
		valid = widen_double(count, (float8 *) ARR_DATA_PTR(array) + first, out);
	if (likely(valid))
		return true;

	while (i < count - 1 && fabs(out[i]) <= WIDEN_MAX)
		i++;
	return ReportArray(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
					   psprintf("%s not allowed in array", DescribeInvalidNumber(out[i])),
					   spec->model, psprintf("Element %zu of the %s", first + i + 1, spec->name));
}

static bool
CheckOneDimensional(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (ARR_NDIM(array) <= 1)
		return true;
	return ReportArray(problem, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
					   "array must be one-dimensional", spec->model,
					   psprintf("The number of dimensions of the %s is %d",
								spec->name, ARR_NDIM(array)));
}

static int
VectorLength(ArrayType *array)
{
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

/* Convert an array of spec->len numbers to double.  Returns false if the array is invalid. */
bool
ArgReadVector(ArrayType *array, const ArgSpec *spec, double *out, Problem *problem)
{
	/* fast path for valid arrays, because training calls this function for each row */
	if (likely(ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == spec->len && !ARR_HASNULL(array)))
		return ReadNumbers(array, spec, 0, spec->len, out, problem);
	return CheckOneDimensional(array, spec, problem) &&
		CheckNoNulls(array, spec, problem) &&
		CheckLength(spec, VectorLength(array), problem) &&
		ReadNumbers(array, spec, 0, spec->len, out, problem);
}

/* Deconstruct an array, and return its length.  The argument "nulls" may be NULL. */
int
ArgElements(ArrayType *array, Datum **elements, bool **nulls)
{
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			count;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  elements, nulls, &count);
	return count;
}

/* Convert an array of numbers to double precision[], with its NULLs. */
ArrayType *
ArgArrayWidened(ArrayType *array)
{
	Oid			type = ARR_ELEMTYPE(array);
	Datum	   *elements;
	bool	   *nulls;
	int			count = ArgElements(array, &elements, &nulls);

	for (int i = 0; i < count; i++)
		if (!nulls[i])
			elements[i] = Float8GetDatum(ArgNumber(type, elements[i]));
	return construct_md_array(elements, nulls, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array),
							  FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/*
 * Detoast an array of numbers, and convert it to real[] or double precision[].  Returns false if
 * the elements are not numbers.
 */
bool
GetNumericArray(Datum datum, ArrayType **array, Problem *problem)
{
	Oid			type;

	*array = (ArrayType *) DatumGetPointer(datum);
	if (likely(ArrayIsPlain(datum)))
		return true;
	*array = DatumGetArrayTypeP(datum);
	type = ARR_ELEMTYPE(*array);
	if (type == FLOAT4OID || type == FLOAT8OID)
		return true;
	if (!TypeIsNumber(type))
		return ReportProblem(problem, ERRCODE_DATATYPE_MISMATCH,
							 psprintf("array of numbers expected, not %s[]",
									  format_type_be(type)), NULL, NULL);
	*array = ArgArrayWidened(*array);
	return true;
}

ArrayType *
ArgArrayConverted(Datum datum)
{
	ArrayType  *array;

	GetNumericArray(datum, &array, NULL);
	return array;
}

void
ArgVector(ArrayType *array, const ArgSpec *spec, double *out)
{
	ArgReadVector(array, spec, out, NULL);
}

void
ArgCheckCount(int features, int others, const char *what)
{
	if (others != features)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many %s as rows of features", what),
				 errdetail("Rows of features: %d, %s: %d.", features, what, others)));
}

/* Return the number of elements.  Raises an error if the array has several dimensions. */
int
ArgElementCount(ArrayType *array, const ArgSpec *spec)
{
	CheckOneDimensional(array, spec, NULL);
	return VectorLength(array);
}

/* Return the number of elements.  Raises an error for NULLs and for several dimensions. */
int
ArgVectorLength(ArrayType *array, const ArgSpec *spec)
{
	int			length = ArgElementCount(array, spec);

	CheckNoNulls(array, spec, NULL);
	return length;
}

/* Raise an error unless the array is a vector of spec->len elements without NULL. */
void
ArgCheckLength(ArrayType *array, const ArgSpec *spec)
{
	CheckLength(spec, ArgVectorLength(array, spec), NULL);
}

/* Compute a dot product after checking the arguments, for ArgDot(). */
double
ArgDotChecked(ArrayType *features, const ArgSpec *spec, const double *weights)
{
	double		score;

	ArgCheckLength(features, spec);
	if (ARR_ELEMTYPE(features) == FLOAT4OID)
		score = dot_float(spec->len, weights, (const float4 *) ARR_DATA_PTR(features));
	else
		score = dot_double(spec->len, weights, (const float8 *) ARR_DATA_PTR(features));
	if (likely(isfinite(score)))
		return score;

	for (int i = 0; i < spec->len; i++)
		ArgBounded(weights[i], "weights");
	ArgVector(features, spec, palloc(sizeof(double) * spec->len));
	return ResultFinite(score);
}

/* Return the number of rows of a matrix.  Raises an error unless it has spec->len columns. */
int
ArgMatrixRows(ArrayType *array, const ArgSpec *spec)
{
	if (ARR_NDIM(array) == 0)
		return 0;
	if (ARR_NDIM(array) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be two-dimensional"),
				 errdetail("The number of dimensions of the %s is %d.",
						   spec->name, ARR_NDIM(array))));
	CheckNoNulls(array, spec, NULL);
	if (ARR_DIMS(array)[1] != spec->len)
	{
		ArgSpec		rows = *spec;

		rows.name = psprintf("rows of the %s", spec->name);
		CheckLength(&rows, ARR_DIMS(array)[1], NULL);
	}
	return ARR_DIMS(array)[0];
}

/* Convert some rows of a matrix to double precision, from row "first" on (counted from 0). */
void
ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first, int rows, double *out)
{
	ReadNumbers(array, spec, first * spec->len, (Size) rows * spec->len, out, NULL);
}
