/*
 * pack.c
 *		Compress vectors for storage in a log: dlints_pack, dlints_unpack and dlints_contrast.
 *
 * A compressed ("packed") value begins with the length of its vectors in three bytes, the low byte
 * first.  The highest of these 24 bits is 1 for a matrix, and the next bit is 1 for numbers of 8
 * bits instead of 16.  The vectors follow (see core/packed.h).
 */
#include "postgres.h"

#include <float.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "core/packed.h"
#include "posterior/kept_models.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/pack.h"

#define HEADER		3
#define IS_MATRIX	(1 << 23)
#define HAS_8_BITS	(1 << 22)

/* Vectors that are being unpacked */
typedef struct PackedVectors
{
	int			len;			/* number of elements of a vector */
	int			width;			/* bytes per number that is not zero */
	bool		is_matrix;
	const uint8 *next;
	Size		left;			/* number of bytes that are not read yet */
} PackedVectors;

/* Vectors that the previous call of dlints_contrast unpacked, stored in fn_extra */
typedef struct Unpacked
{
	ValueKey	key;			/* identifies the packed value */
	ValueKey	weights_key;	/* identifies the argument "weights" */
	ArrayType  *vectors;
} Unpacked;

static void
CheckLength(int len)
{
	if (len > DLINTS_MAX_FEATURE_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a packed vector cannot have more than %d numbers",
						DLINTS_MAX_FEATURE_DIM),
				 errdetail("There are %d.", len)));
}

/* Return the number of vectors in an array, and set spec->len to their length. */
static int
VectorCount(ArrayType *array, ArgSpec *spec)
{
	int			count = 1;

	if (ARR_NDIM(array) == 2)
	{
		spec->len = ARR_DIMS(array)[1];
		count = ArgMatrixRows(array, spec);
	}
	else
		spec->len = ArgVectorLength(array, spec);
	CheckLength(spec->len);
	return count;
}

static void
CheckReals(Size count, const double *numbers)
{
	for (Size i = 0; i < count; i++)
		if (fabs(numbers[i]) > FLT_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%g in features is out of range for type real", numbers[i])));
}

/* Compress a vector, or the rows of a matrix, to "width" bytes per number. */
bytea *
PackVectors(ArrayType *array, int width)
{
	ArgSpec		spec = {"features", 0, NULL};
	int			count = VectorCount(array, &spec);
	Size		all = (Size) count * spec.len;
	int			shape = spec.len | (ARR_NDIM(array) == 2 ? IS_MATRIX : 0) |
		(width == 1 ? HAS_8_BITS : 0);
	double	   *numbers = AllocateNumbers(all);
	int		   *exponents;
	bytea	   *result;
	uint8	   *start;
	uint8	   *end;

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(array, &spec, i, 1, numbers + (Size) i * spec.len);
	}
	CheckReals(all, numbers);
	exponents = AllocateMany(sizeof(int), count);
	for (int i = 0; i < count; i++)
		exponents[i] = packed_exponent(spec.len, numbers + (Size) i * spec.len);
	packed_share_exponent(count, exponents);
	result = palloc(VARHDRSZ + HEADER + count * packed_max_size(spec.len, width));
	start = (uint8 *) VARDATA(result);
	start[0] = (uint8) shape;
	start[1] = (uint8) (shape >> 8);
	start[2] = (uint8) (shape >> 16);
	end = start + HEADER;
	for (int i = 0; i < count && spec.len > 0; i++)
	{
		CHECK_FOR_INTERRUPTS();
		end += packed_write(spec.len, width, numbers + (Size) i * spec.len, exponents[i], end);
	}
	SET_VARSIZE(result, VARHDRSZ + (end - start));
	pfree(exponents);
	pfree(numbers);
	return result;
}

PG_FUNCTION_INFO_V1(dlints_pack);

/*
 * dlints_pack(): compress a vector, or the rows of a matrix, with 8 or 16 bits per nonzero number.
 */
Datum
dlints_pack(PG_FUNCTION_ARGS)
{
	int64		bits = PG_GETARG_INT64(1);

	if (bits != 8 && bits != 16)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bits must be 8 or 16, not %lld", (long long) bits)));
	PG_RETURN_BYTEA_P(PackVectors(ArgArray(fcinfo, 0), (int) bits / 8));
}

static void
CheckPacked(bool good)
{
	if (!good)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("these bytes are not those of packed vectors")));
}

static PackedVectors
ReadPacked(bytea *packed)
{
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(packed);
	PackedVectors vectors;
	int			shape;

	CheckPacked(VARSIZE_ANY_EXHDR(packed) >= HEADER);
	shape = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
	vectors.len = shape & ~(IS_MATRIX | HAS_8_BITS);
	vectors.width = (shape & HAS_8_BITS) != 0 ? 1 : 2;
	vectors.is_matrix = (shape & IS_MATRIX) != 0;
	CheckPacked(vectors.len <= DLINTS_MAX_FEATURE_DIM);
	vectors.next = bytes + HEADER;
	vectors.left = VARSIZE_ANY_EXHDR(packed) - HEADER;
	CheckPacked(vectors.len > 0 || vectors.left == 0);
	return vectors;
}

/* Advance to the next packed vector.  Returns false at the end. */
static bool
SkipVector(PackedVectors *vectors)
{
	Size		size = packed_size(vectors->len, vectors->width, vectors->next, vectors->left);

	CHECK_FOR_INTERRUPTS();
	if (vectors->left == 0)
		return false;
	CheckPacked(size > 0);
	vectors->next += size;
	vectors->left -= size;
	return true;
}

/* Read the array of weights, which must be positive. */
static double *
ReadWeights(ArrayType *array, int *count)
{
	ArgSpec		spec = {"weights", 0, NULL};
	double	   *weights;
	int			i;

	spec.len = *count = ArgVectorLength(array, &spec);
	weights = palloc(sizeof(double) * Max(*count, 1));
	ArgVector(array, &spec, weights);
	for (i = 0; i < *count; i++)
		if (!(weights[i] > 0.0))
			break;
	if (i < *count || *count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weights must be numbers greater than 0")));
	return weights;
}

/* Read a packed vector, whose size SkipVector() has checked. */
static void
ReadVector(const PackedVectors *vectors, float4 *out)
{
	CheckPacked(packed_read(vectors->len, vectors->width, vectors->next, out));
}

/*
 * Subtract the weighted mean of some vectors from each.  We sum differences from the first vector,
 * so that the mean of equal numbers is exact.  A single vector remains unmodified.
 */
static void
SubtractMean(int count, int len, const double *weights, int places, float4 *vectors)
{
	double	   *mean = AllocateZeros(sizeof(double), len);
	double		sum = 0.0;

	for (int i = 0; i < count; i++)
	{
		double		weight = weights[Min(i, places - 1)];

		sum += weight;
		for (int k = 0; k < len; k++)
			mean[k] += weight * ((double) vectors[(Size) i * len + k] - vectors[k]);
	}
	for (int k = 0; k < len; k++)
		mean[k] = vectors[k] + mean[k] / sum;
	for (int i = 0; count > 1 && i < count; i++)
		for (int k = 0; k < len; k++)
		{
			float4	   *number = &vectors[(Size) i * len + k];
			double		contrast = *number - mean[k];

			CheckReals(1, &contrast);
			*number = (float4) contrast;
		}
	pfree(mean);
}

/*
 * Unpack a vector or matrix.  Unless "weights" is NULL, subtracts the weighted mean of its vectors.
 */
ArrayType *
UnpackVectors(bytea *packed, ArrayType *weights)
{
	PackedVectors vectors = ReadPacked(packed);
	PackedVectors rest = vectors;
	int			len = vectors.len;
	int			places = 0;
	double	   *numbers = weights ? ReadWeights(weights, &places) : NULL;
	int			count = 0;
	ArrayType  *result;
	float4	   *first;

	while (SkipVector(&rest))
		count++;
	if (count == 0)
		return construct_empty_array(FLOAT4OID);
	CheckPacked(vectors.is_matrix || count == 1);
	result = vectors.is_matrix ? ResultRealMatrix(count, len) : ResultReals(len);
	first = (float4 *) ARR_DATA_PTR(result);
	for (int i = 0; i < count; i++)
	{
		ReadVector(&vectors, first + (Size) i * len);
		SkipVector(&vectors);
	}
	if (weights)
		SubtractMean(count, len, numbers, places, first);
	return result;
}

PG_FUNCTION_INFO_V1(dlints_unpack);

/* dlints_unpack(packed, n) -> real[]: return vector n, counted from 1, or NULL. */
Datum
dlints_unpack(PG_FUNCTION_ARGS)
{
	PackedVectors vectors = ReadPacked(PG_GETARG_BYTEA_PP(0));
	PackedVectors next;
	int64		n = PG_GETARG_INT64(1);
	ArrayType  *result;

	if (vectors.len == 0 && n == 1)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT4OID));
	while (n > 1 && SkipVector(&vectors))
		n--;
	next = vectors;
	if (n != 1 || !SkipVector(&next))
		PG_RETURN_NULL();
	result = ResultReals(vectors.len);
	ReadVector(&vectors, (float4 *) ARR_DATA_PTR(result));
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Unpack the arguments of dlints_contrast, unless the previous call had the same arguments. */
static ArrayType *
FindContrasts(FunctionCallInfo fcinfo)
{
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	Unpacked   *kept = fcinfo->flinfo->fn_extra;
	ArrayType  *vectors;

	if (kept == NULL)
		kept = fcinfo->flinfo->fn_extra = MemoryContextAllocZero(context, sizeof(Unpacked));
	if (kept->vectors && ValueKeyMatches(&kept->key, PG_GETARG_DATUM(0)) &&
		ValueKeyMatches(&kept->weights_key, PG_GETARG_DATUM(2)))
		return kept->vectors;
	vectors = UnpackVectors(PG_GETARG_BYTEA_PP(0), PG_GETARG_ARRAYTYPE_P(2));
	if (kept->vectors)
		pfree(kept->vectors);
	kept->vectors = NULL;
	ValueKeyReplace(&kept->key, PG_GETARG_DATUM(0), context);
	ValueKeyReplace(&kept->weights_key, PG_GETARG_DATUM(2), context);
	kept->vectors = MemoryContextAlloc(context, VARSIZE(vectors));
	return memcpy(kept->vectors, vectors, VARSIZE(vectors));
}

PG_FUNCTION_INFO_V1(dlints_contrast);

/*
 * dlints_contrast(packed, n [, weights]): return vector n minus the weighted mean of all vectors.
 * The last weight also applies to all further vectors.  A single vector is returned unmodified.
 */
Datum
dlints_contrast(PG_FUNCTION_ARGS)
{
	ArrayType  *vectors = FindContrasts(fcinfo);
	int64		n = PG_GETARG_INT64(1);
	int			dims = ARR_NDIM(vectors);
	ArrayType  *result;
	int			len;

	if (n < 1 || n > (dims == 2 ? ARR_DIMS(vectors)[0] : 1))
		PG_RETURN_NULL();
	if (dims < 2)
		PG_RETURN_ARRAYTYPE_P(DatumGetArrayTypePCopy(PointerGetDatum(vectors)));
	len = ARR_DIMS(vectors)[1];
	result = ResultReals(len);
	memcpy(ARR_DATA_PTR(result), (float4 *) ARR_DATA_PTR(vectors) + (n - 1) * len,
		   sizeof(float4) * len);
	PG_RETURN_ARRAYTYPE_P(result);
}

PG_FUNCTION_INFO_V1(dlints_vector_packed);

/* dlints_vector(packed): return the vector or matrix that was packed. */
Datum
dlints_vector_packed(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(UnpackVectors(PG_GETARG_BYTEA_PP(0), NULL));
}

/* Append a packed vector to a packed matrix, without its header unless it is the first. */
static void
AppendPacked(StringInfo stack, bytea *packed)
{
	const char *bytes = VARDATA_ANY(packed);

	CheckPacked(!ReadPacked(packed).is_matrix);
	if (stack->len == VARHDRSZ)
		appendBinaryStringInfo(stack, bytes, HEADER);
	else if (memcmp(stack->data + VARHDRSZ, bytes, HEADER) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("packed vectors must have the same length and number of bits")));
	appendBinaryStringInfo(stack, bytes + HEADER, (int) (VARSIZE_ANY_EXHDR(packed) - HEADER));
}

PG_FUNCTION_INFO_V1(dlints_stack_packed);

/* _dlints_stack_packed(): concatenate packed vectors of equal length to a packed matrix. */
Datum
dlints_stack_packed(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	Datum	   *elements;
	bool	   *nulls;
	int			count = ArgElements(array, &elements, &nulls);
	StringInfoData stack;

	initStringInfo(&stack);
	appendStringInfoSpaces(&stack, VARHDRSZ);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			PG_RETURN_NULL();
		AppendPacked(&stack, DatumGetByteaPP(elements[i]));
	}
	if (count == 0)
		PG_RETURN_NULL();
	stack.data[VARHDRSZ + HEADER - 1] |= (char) (IS_MATRIX >> 16);
	SET_VARSIZE(stack.data, stack.len);
	PG_RETURN_BYTEA_P(stack.data);
}
