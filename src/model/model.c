/*
 * model.c
 *		Create, read, store and compare models.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "storage/shmem.h"

#include "model/fields.h"
#include "model/model.h"

/* Allocate a model with the given header and zeros as sums over observations. */
Dlints *
ModelAllocate(const DlintsHeader *header)
{
	Size		size =
		ModelSizeOf(add_size(ModelMemoriesCount(header, header->memories),
							 ModelPriorCount(header)));
	Dlints	   *model = palloc0(size);

	model->header = *header;
	SET_VARSIZE(model, size);
	return model;
}

/* Set the counts and estimates in a header to those of an untrained model. */
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

/* Create an untrained model without a prior.  Callers check the parameters in "header" first. */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	DlintsHeader empty = *header;

	empty.prior_weight = 0.0;
	FieldsNormalize(&empty);
	ResetHistory(&empty);
	return ModelAllocate(&empty);
}

/* Remove all observations from a model, but not its prior. */
void
ModelReset(Dlints *model)
{
	ResetHistory(&model->header);
	model->header.sigma = ModelFirstSigma(model);
	memset(model->values, 0, sizeof(float8) *
		   ModelMemoriesCount(&model->header, model->header.memories));
}

/* Raise an error unless a stored model has a valid header and the right size. */
static void
CheckStored(const DlintsHeader *header, Size size)
{
	Problem		problem;

	if (size < sizeof(DlintsHeader))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value is too short")));
	if (!ModelCheckParameters(header, &problem) || !ModelCheckHistory(header, &problem))
		RaiseInvalidInput(&problem, ERRCODE_DATA_CORRUPTED, "stored dlints value is invalid");
	if (size != ModelStoredSize(header))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value has %zu bytes instead of %zu",
						size, ModelStoredSize(header))));
}

/* Check a detoasted model, and return it. */
static Dlints *
CheckedModel(struct varlena *value)
{
	Dlints	   *model = (Dlints *) value;

	CheckStored(&model->header, VARSIZE(model));
	return model;
}

/* Add the zeros that an untrained model does not store.  Returns a trained model itself. */
static Dlints *
ExpandModel(Dlints *stored)
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
	return ExpandModel(CheckedModel(PG_DETOAST_DATUM(datum)));
}

/* Return a copy of a model that the caller may modify. */
Dlints *
ModelCopyFromDatum(Datum datum)
{
	return ExpandModel(CheckedModel(PG_DETOAST_DATUM_COPY(datum)));
}

/* Are two models equal?  Equal models are stored as equal bytes. */
bool
ModelEquals(Datum left, Datum right)
{
	Dlints	   *ours = CheckedModel(PG_DETOAST_DATUM(left));
	Dlints	   *theirs = CheckedModel(PG_DETOAST_DATUM(right));

	return VARSIZE(ours) == VARSIZE(theirs) &&
		memcmp(ours, theirs, VARSIZE(ours)) == 0;
}

uint32
ModelHash(Datum datum)
{
	Dlints	   *model = CheckedModel(PG_DETOAST_DATUM(datum));

	return hash_bytes((unsigned char *) VARDATA(model), VARSIZE(model) - VARHDRSZ);
}

/* Read the header of a model, from at most one chunk of a toasted value. */
DlintsHeader
ModelHeaderFromDatum(Datum datum)
{
	DlintsHeader header;
	struct varlena *start = PG_DETOAST_DATUM_SLICE(datum, 0, sizeof(DlintsHeader) - VARHDRSZ);

	memset(&header, 0, sizeof(header));
	memcpy(&header, start, Min(VARSIZE(start), sizeof(DlintsHeader)));
	CheckStored(&header, toast_raw_datum_size(datum));
	return header;
}

/* Convert a model to its stored form, in the same memory. */
Datum
ModelGetDatum(Dlints *model)
{
	memmove(model->values, ModelStoredNumbers(model),
			sizeof(float8) * ModelStoredCount(&model->header));
	SET_VARSIZE(model, ModelStoredSize(&model->header));
	return PointerGetDatum(model);
}

/* Bytes before the doubles in detoasted data: a varlena header, and padding for alignment */
#define SLICE_HEAD	((Size) 2 * VARHDRSZ)

static double *
ReadNumbers(Datum datum, Size before, Size count)
{
	struct varlena *slice =
		PG_DETOAST_DATUM_SLICE(datum, ModelSizeOf(before) - SLICE_HEAD,
							   VARHDRSZ + count * sizeof(float8));

	return (double *) ((char *) slice + SLICE_HEAD);
}

/* Read the first "count" doubles of a model's sums for the discount factor in use. */
static double *
ReadMemory(Datum datum, const DlintsHeader *header, Size count)
{
	if (header->updates > 0)
		return ReadNumbers(datum, ModelMemoriesCount(header, header->memory - 1), count);
	return (double *) ((char *) palloc0(SLICE_HEAD + count * sizeof(float8)) + SLICE_HEAD);
}

/*
 * Read a model's sums over observations for the discount factor in use.  Sums with squared weights
 * are optional: standard errors and posterior draws need them.
 */
Evidence
ModelMemoryFromDatum(Datum datum, const DlintsHeader *header, bool with_squares)
{
	int			dim = ModelCoefficientCount(header);
	Squares		squares = ModelMemorySquares(header, header->memory - 1);
	Evidence	evidence;

	if (squares == SQUARES_MATRIX && !with_squares)
		squares = SQUARES_NONE;
	evidence_bind(&evidence, dim, squares,
				  ReadMemory(datum, header, evidence_value_count(dim, squares)));
	return evidence;
}

/* Read a model's sums of weights and of rewards for the discount factor in use. */
Evidence
ModelMemorySums(Datum datum, const DlintsHeader *header)
{
	Evidence	evidence = {0};
	double	   *numbers = ReadMemory(datum, header, EVIDENCE_SCALARS);

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
		/* recent rewards contradict older ones, so we use only the ridge of the prior */
		count = 0;
	return ModelPrior(header, count == 0 ? NULL :
					  ReadNumbers(datum, ModelStoredCount(header) - count, count));
}

/* Return the current weight of a model's prior, as a number of observations. */
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
