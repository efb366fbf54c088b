/*
 * results.c
 *		Checked C values to SQL results: numbers, arrays, sets of rows.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/tuplestore.h"

#include "core/numbers.h"
#include "sql/results.h"

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

/* A real[] of count numbers, at least one, to be filled. */
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
		(result->allowedModes & SFRM_Materialize) == 0)
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
