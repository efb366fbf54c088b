/*
 * model.c
 *		The life of a stored model: how it is made, read and put back.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "storage/shmem.h"

#include "model/fields.h"
#include "model/model.h"

/* A model of this header, all its numbers zero. */
Dlints *
ModelAllocate(const DlintsHeader *header)
{
	Size		size =
		ModelSizeWith(add_size(ModelMemoriesCount(header, header->memories),
							   ModelPriorCount(header)));
	Dlints	   *model = palloc0(size);

	model->header = *header;
	SET_VARSIZE(model, size);
	return model;
}

/* What a header says of a model that has seen nothing. */
static void
ResetHistory(DlintsHeader *header)
{
	header->updates = 0;
	header->newest = TIME_UNKNOWN;
	header->reference = 0.0;
	header->memory = header->memories;
	header->lambda = ModelFirstRidge(header);
	header->sigma = header->noise > 0.0 ? header->noise : 1.0;
	header->chosen = 0;
	memset(&header->totals, 0, sizeof(Totals));
}

/*
 * A model with the given, already checked, parameters that has seen nothing, and
 * knows nothing beforehand.
 */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	DlintsHeader empty = *header;

	empty.prior_weight = 0.0;
	FieldsSettle(&empty);
	ResetHistory(&empty);
	return ModelAllocate(&empty);
}

/* A model forgets all that it has learned, and keeps its prior. */
void
ModelForget(Dlints *model)
{
	ResetHistory(&model->header);
	model->header.sigma = ModelFirstSigma(model);
	memset(model->values, 0, sizeof(float8) *
		   ModelMemoriesCount(&model->header, model->header.memories));
}

/*
 * What every reader of a stored value relies on: a version it knows and the
 * size that the header implies.  The numbers were checked when the value was
 * made.
 */
static void
CheckStored(const DlintsHeader *header, Size size)
{
	Problem		problem;

	if (size < sizeof(DlintsHeader))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value is too short")));
	if (!ModelCheckParameters(header, &problem) ||
		!ModelHistoryIsValid(header, &problem))
	{
		if (problem.sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
			ProblemRaise(&problem);
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value is invalid"),
				 errdetail("%s.", problem.message)));
	}
	if (size != ModelStoredSize(header))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value has %zu bytes instead of %zu",
						size, ModelStoredSize(header))));
}

/* The form in which it is stored, of which each model has but one. */
static Dlints *
Stored(struct varlena *value)
{
	Dlints	   *model = (Dlints *) value;

	CheckStored(&model->header, VARSIZE(model));
	return model;
}

/*
 * The same with all numbers in memory: those of a model that has seen nothing
 * are zero.
 */
static Dlints *
WithAllNumbers(Dlints *stored)
{
	Dlints	   *model;

	if (stored->header.updates > 0)
		return stored;
	model = ModelAllocate(&stored->header);
	memcpy(ModelPriorNumbers(model), stored->values,
		   sizeof(float8) * ModelPriorCount(&stored->header));
	return model;
}

Dlints *
ModelFromDatum(Datum datum)
{
	return WithAllNumbers(Stored(PG_DETOAST_DATUM(datum)));
}

/* A copy that may be written to. */
Dlints *
ModelCopyFromDatum(Datum datum)
{
	return WithAllNumbers(Stored(PG_DETOAST_DATUM_COPY(datum)));
}

/*
 * Equality is that of the representation: parameters, counts and evidence,
 * wherever and however the values are stored.
 */
bool
ModelEquals(Datum left, Datum right)
{
	Dlints	   *ours = Stored(PG_DETOAST_DATUM(left));
	Dlints	   *theirs = Stored(PG_DETOAST_DATUM(right));

	return VARSIZE(ours) == VARSIZE(theirs) &&
		memcmp(ours, theirs, VARSIZE(ours)) == 0;
}

uint64
ModelHash(Datum datum, uint64 salt)
{
	Dlints	   *model = Stored(PG_DETOAST_DATUM(datum));

	return hash_bytes_extended((unsigned char *) VARDATA(model),
							   VARSIZE(model) - VARHDRSZ, salt);
}

/*
 * The parameters and counts of a model, without the rest: a value out of line
 * is read no further than that.
 */
DlintsHeader
ModelHeaderFromDatum(Datum datum)
{
	DlintsHeader header;
	struct varlena *start = PG_DETOAST_DATUM_SLICE(datum, 0,
												   sizeof(DlintsHeader) - VARHDRSZ);

	memset(&header, 0, sizeof(header));
	memcpy(&header, start, Min(VARSIZE(start), sizeof(DlintsHeader)));
	CheckStored(&header, toast_raw_datum_size(datum));
	return header;
}

/* For a function to return, or a table to store. */
Datum
ModelGetDatum(Dlints *model)
{
	memmove(model->values, ModelStoredNumbers(model),
			sizeof(float8) * ModelStoredCount(&model->header));
	SET_VARSIZE(model, ModelStoredSize(&model->header));
	return PointerGetDatum(model);
}

/*
 * "count" numbers behind the first so many.  Of a value out of line no more than
 * these is read.  The slice begins four bytes before them, so that behind its
 * length word numbers stand where numbers have to.
 */
#define SLICE_HEAD	((Size) 2 * VARHDRSZ)

static double *
ReadNumbers(Datum datum, Size before, Size count)
{
	struct varlena *slice =
		PG_DETOAST_DATUM_SLICE(datum, ModelSizeWith(before) - SLICE_HEAD,
							   VARHDRSZ + count * sizeof(float8));

	return (double *) ((char *) slice + SLICE_HEAD);
}

/* The first "count" numbers of the memory in use. */
static double *
ReadMemory(Datum datum, const DlintsHeader *header, Size count)
{
	if (header->updates > 0)
		return ReadNumbers(datum, ModelMemoriesCount(header, header->memory - 1),
						   count);
	return (double *) ((char *) palloc0(SLICE_HEAD + count * sizeof(float8)) +
					   SLICE_HEAD);
}

/* The memory in use, without H where the mean is all that is wanted. */
Evidence
ModelMemoryFromDatum(Datum datum, const DlintsHeader *header, bool with_squares)
{
	int			dim = ModelCoordinates(header);
	Squares		squares = ModelMemorySquares(header, header->memory - 1);
	Evidence	evidence;

	if (squares == SQUARES_MATRIX && !with_squares)
		squares = SQUARES_NONE;
	evidence_bind(&evidence, dim, squares,
				  ReadMemory(datum, header, evidence_value_count(dim, squares)));
	return evidence;
}

/* The same with N, R and S alone. */
Evidence
ModelMemorySums(Datum datum, const DlintsHeader *header)
{
	Evidence	evidence = {0};
	double	   *numbers = ReadMemory(datum, header, 3);

	evidence.N = numbers;
	evidence.R = numbers + 1;
	evidence.S = numbers + 2;
	return evidence;
}

Prior
ModelPriorFromDatum(Datum datum, const DlintsHeader *header)
{
	Size		count = ModelPriorCount(header);

	if (header->memory < header->memories)
		count = 0;				/* it does not count */
	return ModelPrior(header, count == 0 ? NULL :
					  ReadNumbers(datum, ModelStoredCount(header) - count, count));
}

/* How many observations the prior counts now. */
double
ModelPriorSize(Datum datum, const DlintsHeader *header)
{
	Size		count = ModelPriorCount(header);
	double	   *numbers;

	if (count == 0)
		return 0.0;
	numbers = ReadNumbers(datum, ModelStoredCount(header) - count, 1);
	return ModelPrior(header, numbers).weight * numbers[0];
}
