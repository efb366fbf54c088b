/*
 * pgvector.c
 *		Values of pgvector as features and profiles, for dlints_pgvector.
 *
 * They are read as they are stored, which pgvector cannot change: databases
 * hold such values.  Its own casts to real[] do the same, and take as long as
 * a whole recommendation does over the rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "core/numbers.h"
#include "sql/arrays.h"
#include "sql/results.h"

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
