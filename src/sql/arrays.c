/*
 * arrays.c
 *		Arrays of numbers, checked.
 *
 * Functions take arrays of any numbers.  Those of real and double precision are
 * read as they are; others become double precision here, so that nothing behind
 * this door knows of them.  Nothing that is not finite gets in.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/numbers.h"
#include "sql/args.h"
#include "sql/arrays.h"

/*
 * Something is wrong with an argument.  "where" says in what, and is followed
 * by the model that expects something else, if there is one.
 */
static bool
Unfit(Problem *problem, int sqlerrcode, const char *message,
	  const DlintsHeader *model, const char *where)
{
	return ProblemIs(problem, sqlerrcode, message,
					 model ? psprintf("%s; the model is dlints%s.",
									  where, ModelShape(model)) :
					 psprintf("%s.", where), NULL);
}

static bool
LengthIs(const ArgSpec *spec, int actual, Problem *problem)
{
	if (actual == spec->len)
		return true;
	return Unfit(problem, ERRCODE_DATA_EXCEPTION,
				 psprintf("expected %d dimensions, not %d", spec->len, actual),
				 spec->model,
				 psprintf("This is the length of the %s", spec->name));
}

static bool
HasNoNulls(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (!ARR_HASNULL(array) || !array_contains_nulls(array))
		return true;
	return Unfit(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
				 "array must not contain nulls", spec->model,
				 psprintf("There is one in the %s", spec->name));
}

/* Elements first to first + count - 1, in storage order. */
static bool
NumbersAreValid(ArrayType *array, const ArgSpec *spec, Size first, Size count,
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
	return Unfit(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
				 psprintf("%s not allowed in array", WhatIsWrongWith(out[i])),
				 spec->model,
				 psprintf("Element %zu of the %s", first + i + 1, spec->name));
}

/* One-dimensional, or empty */
static bool
IsVector(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (ARR_NDIM(array) <= 1)
		return true;
	return Unfit(problem, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
				 "array must be one-dimensional", spec->model,
				 psprintf("The number of dimensions of the %s is %d",
						  spec->name, ARR_NDIM(array)));
}

static int
VectorLength(ArrayType *array)
{
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

/* A vector of the specified length, put into "out". */
bool
VectorIsValid(ArrayType *array, const ArgSpec *spec, double *out,
			  Problem *problem)
{
	/* nearly all are, and learning asks it of each */
	if (likely(ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == spec->len &&
			   !ARR_HASNULL(array)))
		return NumbersAreValid(array, spec, 0, spec->len, out, problem);
	return IsVector(array, spec, problem) &&
		HasNoNulls(array, spec, problem) &&
		LengthIs(spec, VectorLength(array), problem) &&
		NumbersAreValid(array, spec, 0, spec->len, out, problem);
}

/* The elements of an array of any type; "nulls" is NULL where there can be none. */
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

/* The same array in double precision; its nulls stay. */
ArrayType *
ArgArrayWidened(ArrayType *array)
{
	Oid			type = ARR_ELEMTYPE(array);
	Datum	   *elements;
	bool	   *nulls;
	int			count = ArgElements(array, &elements, &nulls);
	int			i;

	for (i = 0; i < count; i++)
		if (!nulls[i])
			elements[i] = Float8GetDatum(ArgNumber(type, elements[i]));
	return construct_md_array(elements, nulls, ARR_NDIM(array),
							  ARR_DIMS(array), ARR_LBOUND(array),
							  FLOAT8OID, sizeof(float8),
							  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* An argument as an array of real or double precision. */
bool
ArrayIsNumeric(Datum datum, ArrayType **array, Problem *problem)
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
		return ProblemIs(problem, ERRCODE_DATATYPE_MISMATCH,
						 psprintf("array of numbers expected, not %s[]",
								  format_type_be(type)), NULL, NULL);
	*array = ArgArrayWidened(*array);
	return true;
}

ArrayType *
ArgArrayConverted(Datum datum)
{
	ArrayType  *array;

	ArrayIsNumeric(datum, &array, NULL);
	return array;
}

void
ArgVector(ArrayType *array, const ArgSpec *spec, double *out)
{
	VectorIsValid(array, spec, out, NULL);
}

/* As many of them as there are rows of features */
void
ArgCheckCount(int features, int others, const char *what)
{
	if (others != features)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many %s as rows of features", what),
				 errdetail("Rows of features: %d, %s: %d.", features, what, others)));
}

/* The length of an array of one dimension or none. */
int
ArgElementCount(ArrayType *array, const ArgSpec *spec)
{
	IsVector(array, spec, NULL);
	return VectorLength(array);
}

/* The same of one that must have no nulls. */
int
ArgVectorLength(ArrayType *array, const ArgSpec *spec)
{
	int			length = ArgElementCount(array, spec);

	HasNoNulls(array, spec, NULL);
	return length;
}

/* An array without nulls, of the specified length. */
void
ArgCheckLength(ArrayType *array, const ArgSpec *spec)
{
	LengthIs(spec, ArgVectorLength(array, spec), NULL);
}

/*
 * ArgDot for the cases that it leaves: double precision, and all that is
 * wrong.  If the sum is not finite, one of the numbers is to blame or it has
 * overflowed.
 */
double
ArgDotChecked(ArrayType *features, const ArgSpec *spec, const double *weights)
{
	double		score;
	int			i;

	ArgCheckLength(features, spec);
	if (ARR_ELEMTYPE(features) == FLOAT4OID)
		score = dot_float(spec->len, weights,
						  (const float4 *) ARR_DATA_PTR(features));
	else
		score = dot_double(spec->len, weights,
						   (const float8 *) ARR_DATA_PTR(features));
	if (likely(isfinite(score)))
		return score;

	for (i = 0; i < spec->len; i++)
		ArgFinite(weights[i], "weights");
	ArgVector(features, spec, palloc(sizeof(double) * spec->len));
	return ResultFinite(score);
}

/* Rows of a two-dimensional array (or an empty one), of the specified length. */
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
	HasNoNulls(array, spec, NULL);
	if (ARR_DIMS(array)[1] != spec->len)
	{
		ArgSpec		rows = *spec;

		rows.name = psprintf("rows of the %s", spec->name);
		LengthIs(&rows, ARR_DIMS(array)[1], NULL);
	}
	return ARR_DIMS(array)[0];
}

/* Some of these rows. */
void
ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first, int rows,
			   double *out)
{
	NumbersAreValid(array, spec, first * spec->len, (Size) rows * spec->len, out, NULL);
}
