/*
 * model.c
 *		Create, read, store and compare models.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "storage/shmem.h"

#include "core/linalg.h"
#include "model/fields.h"
#include "model/model.h"

/* Allocate a model with a given header, in which all sums over observations are 0. */
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

/* Set counts and estimates in the header to those of an untrained model. */
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

/* Create an untrained model without a prior.  The caller has checked the parameters in "header". */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	DlintsHeader empty = *header;

	empty.prior_weight = 0.0;
	FieldsNormalize(&empty);
	ResetHistory(&empty);
	return ModelAllocate(&empty);
}

/* Remove all observations from a model, but keep its prior. */
void
ModelReset(Dlints *model)
{
	ResetHistory(&model->header);
	model->header.sigma = ModelFirstSigma(model);
	memset(model->values, 0, sizeof(float8) *
		   ModelMemoriesCount(&model->header, model->header.memories));
}

/* Raise an error unless a stored value has a valid header, and the size according to its header. */
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

/* Return a detoasted value as a model, after checking it. */
static Dlints *
CheckedModel(struct varlena *value)
{
	Dlints	   *model = (Dlints *) value;

	CheckStored(&model->header, VARSIZE(model));
	return model;
}

/* Copy a stored model.  An untrained model gets zeros for its sums. */
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

/* Are two models equal?  Each model has exactly one stored form. */
bool
ModelEquals(Datum left, Datum right)
{
	Dlints	   *ours = CheckedModel(PG_DETOAST_DATUM(left));
	Dlints	   *theirs = CheckedModel(PG_DETOAST_DATUM(right));

	return VARSIZE(ours) == VARSIZE(theirs) &&
		memcmp(ours, theirs, VARSIZE(ours)) == 0;
}

uint64
ModelHash(Datum datum, uint64 salt)
{
	Dlints	   *model = CheckedModel(PG_DETOAST_DATUM(datum));

	return hash_bytes_extended((unsigned char *) VARDATA(model), VARSIZE(model) - VARHDRSZ, salt);
}

/* Read the header of a model.  Reads at most one chunk of a toasted value. */
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

/* Size of a varlena header, and of preceding data that we read to align the doubles of a slice */
#define SLICE_HEAD	((Size) 2 * VARHDRSZ)

static double *
ReadNumbers(Datum datum, Size before, Size count)
{
	struct varlena *slice =
		PG_DETOAST_DATUM_SLICE(datum, ModelSizeOf(before) - SLICE_HEAD,
							   VARHDRSZ + count * sizeof(float8));

	return (double *) ((char *) slice + SLICE_HEAD);
}

/* Read the first "count" doubles of the sums for the discount factor that the model uses. */
static double *
ReadMemory(Datum datum, const DlintsHeader *header, Size count)
{
	if (header->updates > 0)
		return ReadNumbers(datum, ModelMemoriesCount(header, header->memory - 1), count);
	return (double *) ((char *) palloc0(SLICE_HEAD + count * sizeof(float8)) + SLICE_HEAD);
}

/*
 * Read the sums over observations for the discount factor that the model uses.  "with_squares" also
 * reads sums with squared weights, for standard errors and posterior draws.
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

/* Read the sums of weights and of rewards for the discount factor that the model uses. */
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
		count = 0;				/* the prior's observations are outdated; use only its ridge */
	return ModelPrior(header, count == 0 ? NULL :
					  ReadNumbers(datum, ModelStoredCount(header) - count, count));
}

/* Return the current weight of the prior, as a number of observations. */
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
