/*
 * model.c
 *		The life of a stored model: how it is made, read and put back.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"

#include "model/fields.h"
#include "model/model.h"

/* A model of this header, all its numbers zero. */
Dlints *
ModelAllocate(const DlintsHeader *header)
{
	Size		size = ModelSizeWith(ModelValueCount(header, header->memories));
	Dlints	   *model = palloc0(size);

	model->header = *header;
	SET_VARSIZE(model, size);
	return model;
}

/* A model with the given, already checked, parameters that has seen nothing. */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	Dlints	   *model = ModelAllocate(header);

	FieldsSettle(&model->header);
	model->header.updates = 0;
	model->header.newest = TIME_UNKNOWN;
	model->header.reference = 0.0;
	model->header.memory = header->memories;
	model->header.sigma = header->noise > 0.0 ? header->noise : 1.0;
	model->header.chosen = 0;
	return model;
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
	if (!ModelParametersAreValid(header, &problem) ||
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
	return stored->header.updates > 0 ? stored :
		ModelCreate(&stored->header);
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
	SET_VARSIZE(model, ModelStoredSize(&model->header));
	return PointerGetDatum(model);
}

/*
 * The first "count" numbers of the memory in use.  Of a value out of line no
 * more than these is read.  The slice begins four bytes before them, so that
 * behind its length word numbers stand where numbers have to.
 */
#define SLICE_HEAD	((Size) 2 * VARHDRSZ)

static double *
ReadMemory(Datum datum, const DlintsHeader *header, Size count)
{
	Size		bytes = count * sizeof(float8);
	Size		before = ModelSizeWith(ModelValueCount(header, header->memory - 1));
	char	   *slice;

	if (header->updates > 0)
		slice = (char *) PG_DETOAST_DATUM_SLICE(datum, before - SLICE_HEAD,
												VARHDRSZ + bytes);
	else
		slice = palloc0(SLICE_HEAD + bytes);
	return (double *) (slice + SLICE_HEAD);
}

/* The memory in use, until ModelMemoryFree. */
Evidence
ModelMemoryFromDatum(Datum datum, const DlintsHeader *header)
{
	int			dim = ModelCoordinates(header);
	bool		fades = ModelMemoryFades(header, header->memory - 1);
	Evidence	evidence;

	evidence_bind(&evidence, dim, fades,
				  ReadMemory(datum, header, evidence_value_count(dim, fades)));
	return evidence;
}

/* The same without H, which the mean does not want. */
Evidence
ModelMemoryForMean(Datum datum, const DlintsHeader *header)
{
	int			dim = ModelCoordinates(header);
	Evidence	evidence;

	evidence_bind(&evidence, dim, false,
				  ReadMemory(datum, header, evidence_value_count(dim, false)));
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

void
ModelMemoryFree(const Evidence *evidence)
{
	pfree((char *) evidence->N - SLICE_HEAD);
}
