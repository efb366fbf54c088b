/*
 * pack.c
 *		Compress vectors for storage: dlints_pack, dlints_unpack and dlints_contrast.
 *
 * A compressed ("packed") value begins with the length of its vectors in three bytes, low byte
 * first.  The highest of these 24 bits is 1 for a matrix, and the next bit is 1 for numbers of 8
 * bits instead of 16.  The vectors follow (see core/packed.h).
 */
#include "postgres.h"

#include <float.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

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
	int			len;			/* number of elements per vector */
	int			width;			/* number of bytes per nonzero number */
	bool		is_matrix;
	const uint8 *next;
	Size		left;			/* number of bytes not yet read */
} PackedVectors;

/* Position in a packed value at which the next call may continue */
typedef struct Reader
{
	ValueKey	key;			/* identifies the packed value */
	bytea	   *plain;
	PackedVectors vectors;
	int64		place;			/* index of the next vector, counted from 1 */
	ValueKey	weights_key;	/* identifies the argument "weights" */
	double	   *mean;			/* weighted mean of all vectors; NULL until needed */
} Reader;

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

/* Compress a vector, or the rows of a matrix, to "width" bytes per nonzero number. */
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

/* dlints_pack(): compress a vector or a matrix, with 8 or 16 bits per nonzero number. */
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

/* Advance to the next packed vector.  Returns false after the last vector. */
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

/* Decompress a vector after SkipVector() has checked its size. */
static void
ReadVector(const PackedVectors *vectors, float4 *out)
{
	CheckPacked(packed_read(vectors->len, vectors->width, vectors->next, out));
}

static void
ForgetMean(Reader *reader)
{
	if (reader->mean)
		pfree(reader->mean);
	reader->mean = NULL;
	reader->weights_key.size = 0;
}

/* Return the position where the last call ended, or the beginning for another packed value. */
static Reader *
FindReader(FunctionCallInfo fcinfo)
{
	Datum		packed = PG_GETARG_DATUM(0);
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Reader	   *reader = fcinfo->flinfo->fn_extra;
	bytea	   *before;

	if (reader == NULL)
		reader = fcinfo->flinfo->fn_extra = palloc0(sizeof(Reader));
	if (!ValueKeyMatches(&reader->key, packed))
	{
		before = reader->plain;
		reader->plain = DatumGetByteaPCopy(packed);
		if (before)
			pfree(before);
		reader->place = 0;
		ForgetMean(reader);
		ValueKeyReplace(&reader->key, packed, CurrentMemoryContext);
	}
	MemoryContextSwitchTo(caller);
	return reader;
}

/* Return a vector of a packed value by its number, or NULL if there are fewer vectors. */
static ArrayType *
VectorAt(Reader *reader, int64 n)
{
	PackedVectors next;
	ArrayType  *result;

	if (reader->place == 0 || n < reader->place)
	{
		reader->vectors = ReadPacked(reader->plain);
		reader->place = 1;
	}
	if (reader->vectors.len == 0 && n == 1)
		return construct_empty_array(FLOAT4OID);
	while (n > reader->place && SkipVector(&reader->vectors))
		reader->place++;
	next = reader->vectors;
	if (n != reader->place || !SkipVector(&next))
		return NULL;
	result = ResultReals(next.len);
	ReadVector(&reader->vectors, (float4 *) ARR_DATA_PTR(result));
	return result;
}

PG_FUNCTION_INFO_V1(dlints_unpack);

/* dlints_unpack(packed, n) -> real[]: return vector n, counted from 1, or NULL. */
Datum
dlints_unpack(PG_FUNCTION_ARGS)
{
	ArrayType  *result = VectorAt(FindReader(fcinfo), PG_GETARG_INT64(1));

	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Read an array of weights, which must be positive. */
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

/*
 * Compute the weighted mean of a packed value's vectors, or zeros for a single vector.
 * Differences from the first vector are summed, so that the mean of equal numbers is exact.
 */
static double *
WeightedMean(bytea *packed, ArrayType *array, MemoryContext context)
{
	PackedVectors next = ReadPacked(packed);
	PackedVectors rest = next;
	int			len = next.len;
	int			places;
	double	   *weights = ReadWeights(array, &places);
	float4	   *first = palloc(sizeof(float4) * Max(len, 1));
	float4	   *numbers = palloc(sizeof(float4) * Max(len, 1));
	double	   *mean = MemoryContextAllocZero(context, sizeof(double) * Max(len, 1));
	double		sum = 0.0;
	int			count;

	for (count = 0; SkipVector(&rest); next = rest, count++)
	{
		double		weight = weights[Min(count, places - 1)];

		ReadVector(&next, count == 0 ? first : numbers);
		sum += weight;
		for (int k = 0; k < len && count > 0; k++)
			mean[k] += weight * ((double) numbers[k] - first[k]);
	}
	for (int k = 0; k < len && count > 1; k++)
		mean[k] = first[k] + mean[k] / sum;
	pfree(first);
	pfree(numbers);
	pfree(weights);
	return mean;
}

static void
SubtractMean(int len, const double *mean, float4 *numbers)
{
	for (int k = 0; k < len; k++)
	{
		double		contrast = numbers[k] - mean[k];

		CheckReals(1, &contrast);
		numbers[k] = (float4) contrast;
	}
}

PG_FUNCTION_INFO_V1(dlints_contrast);

/*
 * dlints_contrast(packed, n [, weights]): return vector n minus the weighted mean of all vectors.
 * If there are fewer weights than vectors, the last weight is repeated.
 */
Datum
dlints_contrast(PG_FUNCTION_ARGS)
{
	Reader	   *reader = FindReader(fcinfo);
	ArrayType  *result = VectorAt(reader, PG_GETARG_INT64(1));
	MemoryContext context = fcinfo->flinfo->fn_mcxt;

	if (!reader->mean || !ValueKeyMatches(&reader->weights_key, PG_GETARG_DATUM(2)))
	{
		ForgetMean(reader);
		reader->mean = WeightedMean(reader->plain, PG_GETARG_ARRAYTYPE_P(2), context);
		ValueKeyReplace(&reader->weights_key, PG_GETARG_DATUM(2), context);
	}
	if (result == NULL)
		PG_RETURN_NULL();
	SubtractMean(reader->vectors.len, reader->mean, (float4 *) ARR_DATA_PTR(result));
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Decompress a vector or matrix, and subtract the weighted mean of its vectors. */
ArrayType *
UnpackVectors(bytea *packed, ArrayType *weights)
{
	PackedVectors vectors = ReadPacked(packed);
	PackedVectors rest = vectors;
	double	   *mean = weights == NULL ? NULL :
		WeightedMean(packed, weights, CurrentMemoryContext);
	int			count = 0;
	ArrayType  *result;

	while (SkipVector(&rest))
		count++;
	if (count == 0)
		return construct_empty_array(FLOAT4OID);
	CheckPacked(vectors.is_matrix || count == 1);
	result = vectors.is_matrix ? ResultRealMatrix(count, vectors.len) :
		ResultReals(vectors.len);
	for (int i = 0; i < count; i++)
	{
		float4	   *numbers = (float4 *) ARR_DATA_PTR(result) + (Size) i * vectors.len;

		ReadVector(&vectors, numbers);
		if (mean != NULL)
			SubtractMean(vectors.len, mean, numbers);
		SkipVector(&vectors);
	}
	return result;
}

PG_FUNCTION_INFO_V1(dlints_vector_packed);

/* dlints_vector(packed): return the vector or matrix that was packed. */
Datum
dlints_vector_packed(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(UnpackVectors(PG_GETARG_BYTEA_PP(0), NULL));
}

/* Append a packed vector to a packed matrix.  Only the first vector's header is copied. */
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
