/*
 * vector.c
 *		The type dlints_vector, which is an array of numbers under another name,
 *		what spares arrays a conversion that nobody needs, and values of pgvector
 *		as vectors, for dlints_pgvector.
 *
 * Those are read as they are stored, which pgvector cannot change: databases
 * hold such values.  Its own casts to real[] do the same, and take as long as
 * a whole recommendation does over the rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "core/numbers.h"
#include "sql/args.h"
#include "sql/arrays.h"

/*
 * Have an array function read the first argument as double precision[].  It
 * keeps what it looked up where this call would.
 */
static Datum
ReadArray(FunctionCallInfo fcinfo, PGFunction function)
{
	LOCAL_FCINFO(call, 3);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 3, InvalidOid,
							 fcinfo->context, NULL);
	call->args[0] = fcinfo->args[0];
	call->args[1].value = ObjectIdGetDatum(FLOAT8OID);
	call->args[1].isnull = false;
	call->args[2].value = Int32GetDatum(-1);
	call->args[2].isnull = false;
	return function(call);
}

PG_FUNCTION_INFO_V1(dlints_vector_in);

Datum
dlints_vector_in(PG_FUNCTION_ARGS)
{
	return ReadArray(fcinfo, array_in);
}

PG_FUNCTION_INFO_V1(dlints_vector_recv);

Datum
dlints_vector_recv(PG_FUNCTION_ARGS)
{
	return ReadArray(fcinfo, array_recv);
}

/* The argument as double precision[], whatever it is inside. */
static Datum
WriteArray(FunctionCallInfo fcinfo, PGFunction function)
{
	fcinfo->args[0].value = PointerGetDatum(ArgArrayWidened(ArgArray(fcinfo, 0)));
	return function(fcinfo);
}

PG_FUNCTION_INFO_V1(dlints_vector_out);

Datum
dlints_vector_out(PG_FUNCTION_ARGS)
{
	return WriteArray(fcinfo, array_out);
}

PG_FUNCTION_INFO_V1(dlints_vector_send);

Datum
dlints_vector_send(PG_FUNCTION_ARGS)
{
	return WriteArray(fcinfo, array_send);
}

PG_FUNCTION_INFO_V1(dlints_vector);

/* dlints_vector(anyarray) -> dlints_vector */
Datum
dlints_vector(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(ArgArray(fcinfo, 0));
}

/* ---------- planner support ---------- */

PG_FUNCTION_INFO_V1(dlints_vector_support);

/*
 * Support function of casts to dlints_vector: one from real[] or double
 * precision[] has nothing to do.
 */
Datum
dlints_vector_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *cast;
	Oid			source;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	cast = ((SupportRequestSimplify *) request)->fcall;
	source = exprType(linitial(cast->args));
	if (source != FLOAT4ARRAYOID && source != FLOAT8ARRAYOID)
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(makeRelabelType(linitial(cast->args),
									  cast->funcresulttype, -1, InvalidOid,
									  COERCE_IMPLICIT_CAST));
}

/* ---------- values of pgvector ---------- */

/* A vector or a halfvec: dim numbers of 4 or 2 bytes follow. */
typedef struct PgVector
{
	int32		vl_len_;
	int16		dim;
	int16		unused;
} PgVector;

/* Numbers of one of these types, to be copied as floats */
typedef void (*Copier) (int count, const PgVector *vector, float4 *out);

static void
CopyFloats(int count, const PgVector *vector, float4 *out)
{
	memcpy(out, vector + 1, sizeof(float4) * count);
}

static void
CopyHalves(int count, const PgVector *vector, float4 *out)
{
	widen_half(count, (const uint16 *) (vector + 1), out);
}

static const PgVector *
ReadVector(Datum datum, Size width)
{
	const PgVector *vector = (const PgVector *) PG_DETOAST_DATUM(datum);

	if (VARSIZE(vector) < sizeof(PgVector) || vector->dim < 1 ||
		VARSIZE(vector) != sizeof(PgVector) + vector->dim * width)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dlints cannot read this version of pgvector's type")));
	return vector;
}

static Datum
FromVector(Datum datum, Size width, Copier copy)
{
	const PgVector *vector = ReadVector(datum, width);
	ArrayType  *array = ResultReals(vector->dim);

	copy(vector->dim, vector, (float4 *) ARR_DATA_PTR(array));
	return PointerGetDatum(array);
}

/* The elements of an array of vectors, of one dimension and without nulls. */
static int
Elements(ArrayType *array, Datum **elements)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array of vectors must be one-dimensional")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array must not contain nulls")));
	return ArgElements(array, elements, NULL);
}

static Datum
FromVectors(ArrayType *vectors, Size width, Copier copy)
{
	Datum	   *elements;
	int			count = Elements(vectors, &elements);
	ArrayType  *array;
	int			dim;
	int			i;

	if (count == 0)
		return PointerGetDatum(construct_empty_array(FLOAT4OID));
	dim = ReadVector(elements[0], width)->dim;
	array = ResultRealMatrix(count, dim);
	for (i = 0; i < count; i++)
	{
		const PgVector *vector = ReadVector(elements[i], width);

		if (vector->dim != dim)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("expected %d dimensions, not %d", dim, vector->dim),
					 errdetail("Vector %d of the array is not as long as the first one.",
							   i + 1)));
		copy(dim, vector, (float4 *) ARR_DATA_PTR(array) + (Size) i * dim);
	}
	return PointerGetDatum(array);
}

PG_FUNCTION_INFO_V1(dlints_from_vector);

/* dlints_from_vector(vector) -> dlints_vector */
Datum
dlints_from_vector(PG_FUNCTION_ARGS)
{
	return FromVector(PG_GETARG_DATUM(0), sizeof(float4), CopyFloats);
}

PG_FUNCTION_INFO_V1(dlints_from_halfvec);

/* dlints_from_halfvec(halfvec) -> dlints_vector */
Datum
dlints_from_halfvec(PG_FUNCTION_ARGS)
{
	return FromVector(PG_GETARG_DATUM(0), sizeof(uint16), CopyHalves);
}

PG_FUNCTION_INFO_V1(dlints_from_vectors);

/* dlints_from_vector(vector[]) -> dlints_vector, a row for each */
Datum
dlints_from_vectors(PG_FUNCTION_ARGS)
{
	return FromVectors(PG_GETARG_ARRAYTYPE_P(0), sizeof(float4), CopyFloats);
}

PG_FUNCTION_INFO_V1(dlints_from_halfvecs);

/* dlints_from_halfvec(halfvec[]) -> dlints_vector, a row for each */
Datum
dlints_from_halfvecs(PG_FUNCTION_ARGS)
{
	return FromVectors(PG_GETARG_ARRAYTYPE_P(0), sizeof(uint16), CopyHalves);
}
