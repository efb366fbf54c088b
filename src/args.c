/*
 * args.c
 *		The doors for numbers between SQL and the core, and what every
 *		aggregate asks of its call.
 *
 * Contexts come as real[] or double precision[]; the core works in double
 * precision.  Nothing that is not finite gets in or out.
 */
#include "args.h"

#include "core/widen.h"
#include "storage/shmem.h"

void
ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name)
{
	if (PG_ARGISNULL(argno))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

/* The memory context for an aggregate's state; refuses any other caller. */
MemoryContext
AggregateContext(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate support function called in non-aggregate context");
	return context;
}

/* An aggregate's state as it came, for a row that does not count. */
Datum
AggregateSameState(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

static void
CheckNoNulls(ArrayType *array)
{
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array must not contain nulls")));
}

/* "what" is said where a call has two arrays to get wrong, or NULL. */
static void
CheckLength(int expected, int actual, const char *what)
{
	if (expected != actual)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected %d dimensions, not %d", expected, actual),
				 what ? errdetail("This is the length of %s.", what) : 0));
}

/* One-dimensional (or empty), no NULL element; returns the length. */
int
ArgVectorLength(ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be one-dimensional")));
	CheckNoNulls(array);
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

static void
NotFinite(const char *what, double value)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s not allowed in %s",
					isnan(value) ? "NaN" : "infinity", what)));
}

double
ArgFinite(double value, const char *what)
{
	if (!isfinite(value))
		NotFinite(what, value);
	return value;
}

/* The argument k, how many items are wanted. */
int
ArgCount(FunctionCallInfo fcinfo, int argno)
{
	int			k;

	ArgNotNull(fcinfo, argno, "k");
	k = PG_GETARG_INT32(argno);
	if (k < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be at least 1"),
				 errdetail("The value is %d.", k)));
	return k;
}

/*
 * Elements first to first + count - 1 of an array without NULLs, in storage
 * order, checked to be finite.
 */
void
ArgSlice(ArrayType *array, Size first, Size count, double *out)
{
	bool		finite;
	Size		i;

	if (ARR_ELEMTYPE(array) == FLOAT4OID)
		finite = widen_float(count, (float4 *) ARR_DATA_PTR(array) + first,
							 out);
	else if (ARR_ELEMTYPE(array) == FLOAT8OID)
		finite = widen_double(count, (float8 *) ARR_DATA_PTR(array) + first,
							  out);
	else
		elog(ERROR, "unexpected array element type %u", ARR_ELEMTYPE(array));

	if (likely(finite))
		return;
	for (i = 0; i < count; i++)
		ArgFinite(out[i], "array");
}

/* A vector of exactly dim numbers. */
void
ArgVector(ArrayType *array, int dim, double *out)
{
	CheckLength(dim, ArgVectorLength(array), NULL);
	ArgSlice(array, 0, dim, out);
}

/*
 * ArgDot for the cases that it leaves: double precision, and all that is
 * wrong.  If the sum is not finite, one of the numbers is to blame or it has
 * overflowed.
 */
double
ArgDotChecked(ArrayType *context, int dim, const double *weights)
{
	double		score;
	double		element;
	int			i;

	CheckLength(dim, ArgVectorLength(context), NULL);
	if (ARR_ELEMTYPE(context) == FLOAT4OID)
		score = dot_float(dim, weights,
						  (const float4 *) ARR_DATA_PTR(context));
	else
		score = dot_double(dim, weights,
						   (const float8 *) ARR_DATA_PTR(context));
	if (likely(isfinite(score)))
		return score;

	for (i = 0; i < dim; i++)
	{
		ArgFinite(weights[i], "weights");
		ArgSlice(context, i, 1, &element);
	}
	return ResultFinite(score);
}

/* Rows of a two-dimensional array whose rows have the given length. */
int
ArgMatrixRows(ArrayType *array, int columns)
{
	if (ARR_NDIM(array) == 0)
		return 0;
	if (ARR_NDIM(array) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be two-dimensional"),
				 errdetail("A batch of contexts has one row for each reward.")));
	CheckNoNulls(array);
	CheckLength(columns, ARR_DIMS(array)[1], NULL);
	return ARR_DIMS(array)[0];
}

static void
CheckSameCount(const char *what, int contexts, int others)
{
	if (others != contexts)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many %s as contexts", what),
				 errdetail("Contexts: %d, %s: %d.", contexts, what, others)));
}

/* One reward for each of so many contexts. */
void
ArgRewards(ArrayType *array, int contexts)
{
	CheckSameCount("rewards", contexts, ArgVectorLength(array));
}

/*
 * A model of shared_dim "dim" is called with a shared context if, and only if,
 * that is not 0.
 */
static void
CheckShared(const ArrayType *shared, int dim, const char *name)
{
	if (shared == NULL && dim > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" is missing", name),
				 errdetail("The model has a shared context of %d dimensions.",
						   dim)));
	if (shared != NULL && dim == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not be given", name),
				 errdetail("The model has no shared context."),
				 errhint("dlints_new makes a model with one if shared_dim is greater than 0.")));
}

/* The shared context of a call, if the model has one. */
void
ArgShared(ArrayType *shared, int dim, double *out)
{
	CheckShared(shared, dim, "shared");
	if (shared == NULL)
		return;
	CheckLength(dim, ArgVectorLength(shared), "the shared context");
	ArgSlice(shared, 0, dim, out);
}

/* The same, in memory of its own; no trace is left of what it came in. */
double *
ArgSharedNumbers(const Datum *shared, int dim)
{
	ArrayType  *array = shared ? DatumGetArrayTypeP(*shared) : NULL;
	double	   *numbers = palloc(sizeof(double) * dim);

	ArgShared(array, dim, numbers);
	if (array && PointerGetDatum(array) != *shared)
		pfree(array);
	return numbers;
}

/* The shared contexts of a batch: one row for each of so many contexts. */
void
ArgShareds(ArrayType *shareds, int dim, int contexts)
{
	CheckShared(shareds, dim, "shareds");
	if (shareds)
		CheckSameCount("shared contexts", contexts, ArgMatrixRows(shareds, dim));
}

double
ResultFinite(double value)
{
	if (unlikely(!isfinite(value)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints result out of range"),
				 errhint("Scale contexts and rewards to moderate size.")));
	return value;
}

static Datum
ResultArray(int ndim, const int *dims, const double *values)
{
	Size		count = (ndim == 2) ? mul_size(dims[0], dims[1]) : dims[0];
	Size		size = add_size(ARR_OVERHEAD_NONULLS(ndim),
								mul_size(count, sizeof(float8)));
	ArrayType  *array = palloc0(size);
	Size		i;

	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = FLOAT8OID;
	for (i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = 1;
	}

	for (i = 0; i < count; i++)
		ResultFinite(values[i]);
	memcpy(ARR_DATA_PTR(array), values, count * sizeof(float8));
	return PointerGetDatum(array);
}

Datum
ResultVector(const double *values, int count)
{
	return ResultArray(1, &count, values);
}

/* double precision[][], given row by row */
Datum
ResultMatrix(const double *values, int rows, int columns)
{
	const int	dims[2] = {rows, columns};

	return ResultArray(2, dims, values);
}
