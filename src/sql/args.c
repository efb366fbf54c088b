/*
 * args.c
 *		What functions ask of their arguments, whatever they are about; and
 *		checked C values to SQL results.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/array.h"
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

/* The memory context for an aggregate's state; refuses any other caller. */
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

/* An aggregate's state as it came, for a row that does not count. */
Datum
AggregateSameState(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

/* the types of numbers that the next function knows */
bool
TypeIsNumber(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

/*
 * A number or truth value of any type.  One that is too large becomes infinity,
 * which is refused later.
 */
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
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													  value));
	}
}

/* What stands where a number should, for an error to name it. */
const char *
WhatIsWrongWith(double value)
{
	return isnan(value) ? "NaN" :
		isinf(value) ? "infinity" :
		psprintf("numbers beyond %g", WIDEN_MAX);
}

static double
Allowed(bool allowed, double value, const char *what)
{
	if (unlikely(!allowed))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s not allowed in %s", WhatIsWrongWith(value), what)));
	return value;
}

double
ArgFinite(double value, const char *what)
{
	return Allowed(isfinite(value), value, what);
}

/* A number that sums and their squares may be made of. */
double
ArgBounded(double value, const char *what)
{
	return Allowed(fabs(value) <= WIDEN_MAX, value, what);
}

/* A number is not what it has to be. */
void
ArgRefuse(const char *name, const char *range, double value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be %s", name, range),
			 errdetail("The value is %s.", double_to_shortest_decimal(value))));
}

/* A count of something. */
int64
AtLeastOne(int64 value, const char *name)
{
	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name),
				 errdetail("The value is " INT64_FORMAT ".", value)));
	return value;
}

/*
 * The argument k, how many items are wanted.  No array holds more of them than
 * an int can count.
 */
int
ArgCount(FunctionCallInfo fcinfo, int argno)
{
	ArgNotNull(fcinfo, argno, "k");
	return (int) Min(AtLeastOne(PG_GETARG_INT64(argno), "k"), PG_INT32_MAX);
}

/* What is asked of all rows of a group or partition has to be one thing. */
void
CheckSame(bool same, const char *name, const char *rows)
{
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be the same for all rows of a %s", name, rows)));
}

/* ---------- results: numbers, arrays, sets of rows ---------- */

/* A number that overflowed is told with what to do about it. */
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

/* An array of numbers of a type that is so wide, all zero yet. */
static ArrayType *
ZeroArray(Oid type, Size width, int ndim, const int *dims)
{
	Size		size = add_size(ARR_OVERHEAD_NONULLS(ndim),
								mul_size(ArrayGetNItems(ndim, dims), width));
	ArrayType  *array = palloc0(size);
	int			i;

	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = type;
	for (i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = 1;
	}
	return array;
}

static Datum
ResultArray(int ndim, const int *dims, const double *values)
{
	ArrayType  *array = ZeroArray(FLOAT8OID, sizeof(float8), ndim, dims);
	int			count = ArrayGetNItems(ndim, dims);
	int			i;

	for (i = 0; i < count; i++)
		ResultFinite(values[i]);
	memcpy(ARR_DATA_PTR(array), values, count * sizeof(float8));
	return PointerGetDatum(array);
}

/* Numbers, at least one, to be filled. */
ArrayType *
ResultDoubles(int count)
{
	return ZeroArray(FLOAT8OID, sizeof(float8), 1, &count);
}

/* The same as real[] */
ArrayType *
ResultReals(int count)
{
	return ZeroArray(FLOAT4OID, sizeof(float4), 1, &count);
}

/* A real[][], of which neither is zero, to be filled row by row. */
ArrayType *
ResultRealMatrix(int rows, int columns)
{
	const int	dims[2] = {rows, columns};

	return ZeroArray(FLOAT4OID, sizeof(float4), 2, dims);
}

/* A sum of vectors as the real[] of length 1 that points where it does. */
Datum
ResultUnitVector(const double *sum, int count)
{
	ArrayType  *array;
	int			i;

	if (count == 0)
		return PointerGetDatum(construct_empty_array(FLOAT4OID));
	array = ResultReals(count);
	for (i = 0; i < count; i++)
		ResultFinite(sum[i]);
	unit_scale(count, sum, (float4 *) ARR_DATA_PTR(array));
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

/* One row, of the composite type that the function returns. */
Datum
ResultRow(FunctionCallInfo fcinfo, int columns, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != columns)
		elog(ERROR, "return type must be a row of %d columns", columns);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

/* The rows that a function returns all at once, as the call expects them; empty yet. */
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
