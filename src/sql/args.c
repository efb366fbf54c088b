/*
 * args.c
 *		Check scalar arguments, and convert C values to SQL results.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/tuplestore.h"

#include "core/numbers.h"
#include "sql/args.h"

void
ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name)
{
	if (PG_ARGISNULL(argno))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

/* Return the memory context of an aggregate's state.  Raises an error outside of aggregates. */
MemoryContext
AggregateContext(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("aggregate support function called in non-aggregate context")));
	return context;
}

/* Return the unchanged state of an aggregate, for a row that the aggregate skips. */
Datum
AggregateSameState(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

bool
TypeIsNumber(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

/* Convert a number or boolean to double precision; a numeric that is too large becomes infinity. */
double
ArgNumber(Oid type, Datum value)
{
	switch (type)
	{
		case BOOLOID:
			return DatumGetBool(value) ? 1.0 : 0.0;
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		default:
			Assert(type == NUMERICOID);
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}
}

const char *
DescribeInvalidNumber(double value)
{
	return isnan(value) ? "NaN" :
		isinf(value) ? "infinity" :
		psprintf("numbers beyond %g", WIDEN_MAX);
}

static double
CheckAllowed(bool allowed, double value, const char *what)
{
	if (unlikely(!allowed))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s not allowed in %s", DescribeInvalidNumber(value), what)));
	return value;
}

double
ArgFinite(double value, const char *what)
{
	return CheckAllowed(isfinite(value), value, what);
}

/* Raise an error if a number exceeds WIDEN_MAX, because sums of squares might overflow. */
double
ArgBounded(double value, const char *what)
{
	return CheckAllowed(fabs(value) <= WIDEN_MAX, value, what);
}

/* Raise an error that an argument must be in a range, such as "between 0 and 1". */
void
ArgRaiseOutOfRange(const char *name, const char *range, double value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be %s", name, range),
			 errdetail("The value is %s.", double_to_shortest_decimal(value))));
}

int64
ArgCheckPositive(int64 value, const char *name)
{
	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name),
				 errdetail("The value is " INT64_FORMAT ".", value)));
	return value;
}

/* Read the argument "k", a bigint, and limit it to the maximum of int. */
int
ArgCount(FunctionCallInfo fcinfo, int argno)
{
	ArgNotNull(fcinfo, argno, "k");
	return (int) Min(ArgCheckPositive(PG_GETARG_INT64(argno), "k"), PG_INT32_MAX);
}

/* Read the argument "k".  Raises an error if the argument exceeds "max". */
int
ArgCountUpTo(FunctionCallInfo fcinfo, int argno, int max)
{
	int			k = ArgCount(fcinfo, argno);

	if (k > max)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("k must be at most %d", max),
				 errdetail("The value is %d.", k)));
	return k;
}

/* Check for interrupts while src/core computes. */
void
CheckInterrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Raise an error unless an argument is the same in all rows. */
void
CheckSameValue(bool same, const char *name)
{
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be the same for all rows of a group", name)));
}

/* ---------- results ---------- */

/* Return a result.  Raises an error with a hint if the result is not finite. */
double
ResultFiniteOr(double value, const char *hint)
{
	if (unlikely(!isfinite(value)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints result out of range"),
				 errhint("%s", hint)));
	return value;
}

double
ResultFinite(double value)
{
	return ResultFiniteOr(value, "Scale features and rewards to moderate size.");
}

/* Create an array of zeros, whose elements have "width" bytes.  An empty array has no dimensions. */
static ArrayType *
CreateZeroArray(Oid type, Size width, int ndim, const int *dims)
{
	int			count = ArrayGetNItems(ndim, dims);
	Size		size = add_size(ARR_OVERHEAD_NONULLS(ndim), mul_size(count, width));
	ArrayType  *array;

	if (count == 0)
		return construct_empty_array(type);
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = type;
	for (int i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = 1;
	}
	return array;
}

static Datum
ResultArray(int ndim, const int *dims, const double *values)
{
	ArrayType  *array = CreateZeroArray(FLOAT8OID, sizeof(float8), ndim, dims);
	int			count = ArrayGetNItems(ndim, dims);

	for (int i = 0; i < count; i++)
		ResultFinite(values[i]);
	memcpy(ARR_DATA_PTR(array), values, count * sizeof(float8));
	return PointerGetDatum(array);
}

/* Create an array double precision[] of zeros. */
ArrayType *
ResultDoubles(int count)
{
	return CreateZeroArray(FLOAT8OID, sizeof(float8), 1, &count);
}

/* Create an array real[] of zeros. */
ArrayType *
ResultReals(int count)
{
	return CreateZeroArray(FLOAT4OID, sizeof(float4), 1, &count);
}

/* Create an array real[][] of zeros. */
ArrayType *
ResultRealMatrix(int rows, int columns)
{
	const int	dims[2] = {rows, columns};

	return CreateZeroArray(FLOAT4OID, sizeof(float4), 2, dims);
}

/* Scale a vector to length 1, and return an array real[].  A zero vector remains zero. */
Datum
ResultUnitVector(const double *sum, int count)
{
	ArrayType  *array = ResultReals(count);

	for (int i = 0; i < count; i++)
		ResultFinite(sum[i]);
	unit_scale(count, sum, (float4 *) ARR_DATA_PTR(array));
	return PointerGetDatum(array);
}

Datum
ResultVector(const double *values, int count)
{
	return ResultArray(1, &count, values);
}

Datum
ResultMatrix(const double *values, int rows, int columns)
{
	const int	dims[2] = {rows, columns};

	return ResultArray(2, dims, values);
}

/* Form a row of the composite type that the SQL function returns. */
Datum
ResultRow(FunctionCallInfo fcinfo, int columns, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE || desc->natts != columns)
		elog(ERROR, "return type must be a row of %d columns", columns);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/* Begin the result of a set-returning function with an empty tuplestore. */
ReturnSetInfo *
ResultRows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & SFRM_Materialize) == 0 || result->expectedDesc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->returnMode = SFRM_Materialize;
	result->setDesc = CreateTupleDescCopy(result->expectedDesc);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	MemoryContextSwitchTo(caller);
	return result;
}
