/*
 * vector.c
 *		The type dlints_vector, and conversions from pgvector's types.
 *
 * dlints_vector is real[] or double precision[] under another name.  pgvector's storage format is
 * read directly, because the cast to real[] is slow.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "sql/args.h"
#include "sql/arrays.h"

/* Call array_in or array_recv for elements of type double precision. */
static Datum
CallArrayInput(FunctionCallInfo fcinfo, PGFunction function)
{
	LOCAL_FCINFO(call, 3);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 3, InvalidOid, fcinfo->context, NULL);
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
	return CallArrayInput(fcinfo, array_in);
}

PG_FUNCTION_INFO_V1(dlints_vector_recv);

Datum
dlints_vector_recv(PG_FUNCTION_ARGS)
{
	return CallArrayInput(fcinfo, array_recv);
}

/* Convert the argument to double precision[], and call array_out or array_send. */
static Datum
CallArrayOutput(FunctionCallInfo fcinfo, PGFunction function)
{
	fcinfo->args[0].value = PointerGetDatum(ArgArrayWidened(ArgArray(fcinfo, 0)));
	return function(fcinfo);
}

PG_FUNCTION_INFO_V1(dlints_vector_out);

Datum
dlints_vector_out(PG_FUNCTION_ARGS)
{
	return CallArrayOutput(fcinfo, array_out);
}

PG_FUNCTION_INFO_V1(dlints_vector_send);

Datum
dlints_vector_send(PG_FUNCTION_ARGS)
{
	return CallArrayOutput(fcinfo, array_send);
}

PG_FUNCTION_INFO_V1(dlints_vector);

/* dlints_vector(anyarray): cast an array of numbers to dlints_vector. */
Datum
dlints_vector(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(ArgArray(fcinfo, 0));
}

PG_FUNCTION_INFO_V1(dlints_vector_support);

/* Planner support: remove casts from real[] and double precision[]. */
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
	PG_RETURN_POINTER(makeRelabelType(linitial(cast->args), cast->funcresulttype, -1, InvalidOid,
									  COERCE_IMPLICIT_CAST));
}

/* ---------- values of pgvector's types ---------- */

/* Header of a value of type vector or halfvec, before "dim" numbers of 4 or 2 bytes */
typedef struct PgVector
{
	int32		vl_len_;
	int16		dim;
	int16		unused;
} PgVector;

/* Copy the numbers of a vector, with "width" bytes per number. */
static void
CopyNumbers(const PgVector *vector, Size width, float4 *out)
{
	if (width == sizeof(float4))
		memcpy(out, vector + 1, sizeof(float4) * vector->dim);
	else
		widen_half(vector->dim, (const uint16 *) (vector + 1), out);
}

static const PgVector *
GetPgVector(Datum datum, Size width)
{
	const PgVector *vector = (const PgVector *) PG_DETOAST_DATUM(datum);

	if (VARSIZE(vector) < sizeof(PgVector) || vector->dim < 1 ||
		VARSIZE(vector) != sizeof(PgVector) + vector->dim * width)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("unsupported storage format of a pgvector type")));
	return vector;
}

static Datum
ConvertVector(Datum datum, Size width)
{
	const PgVector *vector = GetPgVector(datum, width);
	ArrayType  *array = ResultReals(vector->dim);

	CopyNumbers(vector, width, (float4 *) ARR_DATA_PTR(array));
	return PointerGetDatum(array);
}

static int
GetElements(ArrayType *array, Datum **elements)
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
ConvertVectors(ArrayType *vectors, Size width)
{
	Datum	   *elements;
	int			count = GetElements(vectors, &elements);
	ArrayType  *array;
	int			dim;

	if (count == 0)
		return PointerGetDatum(construct_empty_array(FLOAT4OID));
	dim = GetPgVector(elements[0], width)->dim;
	array = ResultRealMatrix(count, dim);
	for (int i = 0; i < count; i++)
	{
		const PgVector *vector = GetPgVector(elements[i], width);

		if (vector->dim != dim)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_EXCEPTION),
					 errmsg("expected %d dimensions, not %d", dim, vector->dim),
					 errdetail("Vector %d of the array differs in length from the first vector.",
							   i + 1)));
		CopyNumbers(vector, width, (float4 *) ARR_DATA_PTR(array) + (Size) i * dim);
	}
	return PointerGetDatum(array);
}

PG_FUNCTION_INFO_V1(dlints_from_vector);

/* dlints_from_vector(vector): convert a vector to dlints_vector. */
Datum
dlints_from_vector(PG_FUNCTION_ARGS)
{
	return ConvertVector(PG_GETARG_DATUM(0), sizeof(float4));
}

PG_FUNCTION_INFO_V1(dlints_from_halfvec);

/* dlints_from_halfvec(halfvec): convert a halfvec to dlints_vector. */
Datum
dlints_from_halfvec(PG_FUNCTION_ARGS)
{
	return ConvertVector(PG_GETARG_DATUM(0), sizeof(uint16));
}

PG_FUNCTION_INFO_V1(dlints_from_vectors);

/* dlints_from_vector(vector[]): convert an array of vectors to the rows of a matrix. */
Datum
dlints_from_vectors(PG_FUNCTION_ARGS)
{
	return ConvertVectors(PG_GETARG_ARRAYTYPE_P(0), sizeof(float4));
}

PG_FUNCTION_INFO_V1(dlints_from_halfvecs);

/* dlints_from_halfvec(halfvec[]): convert an array of halfvecs to the rows of a matrix. */
Datum
dlints_from_halfvecs(PG_FUNCTION_ARGS)
{
	return ConvertVectors(PG_GETARG_ARRAYTYPE_P(0), sizeof(uint16));
}
