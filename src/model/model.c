/*
 * model.c
 *		Layout of a stored model, and how models are allocated, read and
 *		stored.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "core/linalg.h"
#include "core/ridge.h"
#include "model/fields.h"
#include "model/model.h"

/* ---------- what a header says ---------- */

/* Return the kind of a model: how it computes z from features and profile. */
Kind
ModelKind(const DlintsHeader *header)
{
	Kind		kind;

	kind.interactions = header->interactions;
	kind.feature_dim = header->feature_dim;
	kind.reduced_dim = header->reduced_dim;
	kind.intercept = header->intercept != 0;
	return kind;
}

/*
 * Return the projection of a model that has one.  Models with matched
 * interactions reduce x to P x / 4 (core/kinds.h).
 */
Projection
ModelProjection(const DlintsHeader *header)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;
	Projection	projection;

	Assert(ModelHasProjection(header));
	projection.seed = (uint64) header->seed;
	projection.scale = header->projection_scale / (matched ? MATCHED_SCALE : 1.0);
	projection.feature_dim = header->feature_dim;
	projection.reduced_dim = header->reduced_dim;
	return projection;
}

/* Return the number of coordinates of z, the order of all matrices. */
int
ModelCoordinates(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_reduced_len(&kind);
}

/*
 * Return the number of weights that a parameter lifts to: dim, and one for an
 * intercept, the last.
 */
int
ModelLiftedLen(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_lifted_len(&kind);
}

/* Does memory j (0-based) forget? */
bool
ModelMemoryFades(const DlintsHeader *header, int j)
{
	return memory_fades(j, header->memories,
						ModelIsByTime(header) ? 0.0 : header->discount);
}

/*
 * Compute the decay factor of memory j (0-based) after "updates" observations
 * if the model forgets by count, or "time" microseconds if it forgets by
 * time.
 */
double
ModelMemoryDecay(const DlintsHeader *header, int j, int64 updates, int64 time)
{
	if (!ModelMemoryFades(header, j))
		return 1.0;
	if (ModelIsByTime(header))
		return exp2(-((double) time / USECS_PER_SEC) /
					memory_half_life(j, header->half_life));
	return pow(memory_discount(j, header->memories, header->discount),
			   (double) updates);
}

/*
 * Return what memory j stores for H.  A single memory that forgets stores the
 * paper's matrix; one of several stores the sum of squared weights.
 */
Squares
ModelMemorySquares(const DlintsHeader *header, int j)
{
	if (!ModelMemoryFades(header, j))
		return SQUARES_NONE;
	return header->memories > 1 ? SQUARES_SUM : SQUARES_MATRIX;
}

/* Return the count of numbers in the first "memories" memories. */
Size
ModelMemoriesCount(const DlintsHeader *header, int memories)
{
	int			dim = ModelCoordinates(header);
	Size		count = 0;
	int			j;

	for (j = 0; j < memories; j++)
		count = add_size(count,
						 evidence_value_count(dim, ModelMemorySquares(header, j)));
	return count;
}

/* Return the count of numbers in the prior; 0 without a prior. */
Size
ModelPriorCount(const DlintsHeader *header)
{
	int			dim = ModelCoordinates(header);

	return header->prior_weight > 0.0 ? 2 + (Size) dim + linalg_packed_len(dim) : 0;
}

/*
 * Return the count of numbers in the stored value.  An untrained model stores
 * no evidence.
 */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return add_size(header->updates > 0 ?
					ModelMemoriesCount(header, header->memories) : 0,
					ModelPriorCount(header));
}

/* Return the size in bytes of a value with "count" numbers. */
static Size
ModelSizeOf(Size count)
{
	return add_size(sizeof(DlintsHeader), mul_size(count, sizeof(float8)));
}

/* Return the size in bytes of a stored model with this header. */
Size
ModelStoredSize(const DlintsHeader *header)
{
	return ModelSizeOf(ModelStoredCount(header));
}

/*
 * Format the shape of a model as a type modifier: "(n)", "(n,d)",
 * "(n,matched)" or "(n,d,matched)", followed by ",intercept" inside the
 * parentheses if the model has an intercept.
 */
char *
ModelShape(const DlintsHeader *header)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", header->feature_dim);
	if (header->reduced_dim > 0)
		appendStringInfo(&buf, ",%d", header->reduced_dim);
	if (header->interactions == INTERACTIONS_MATCHED)
		appendStringInfoString(&buf, ",matched");
	if (header->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/*
 * Return the memories of a model.  Their numbers are those of the model, not
 * copies.
 */
Memories
ModelMemories(Dlints *model)
{
	int			dim = ModelCoordinates(&model->header);
	double	   *values = model->values;
	Memories	memories;
	int			j;

	memories.count = model->header.memories;
	for (j = 0; j < memories.count; j++)
	{
		Squares		squares = ModelMemorySquares(&model->header, j);

		evidence_bind(&memories.memory[j], dim, squares, values);
		values += evidence_value_count(dim, squares);
	}
	return memories;
}

/* Return the start of the prior in an expanded model. */
double *
ModelPriorNumbers(Dlints *model)
{
	return model->values +
		ModelMemoriesCount(&model->header, model->header.memories);
}

/* Return the start of the numbers that the stored form includes. */
double *
ModelStoredNumbers(Dlints *model)
{
	return model->header.updates > 0 ? model->values : ModelPriorNumbers(model);
}

/*
 * Observations per coordinate after which a prior counts half.  A prior has
 * its full weight in an untrained model, and decays as observations arrive.
 */
#define PRIOR_FADES		10.0

/*
 * Return the prior of a model; "numbers" are those of the evidence-based
 * prior, or NULL.
 *
 * The prior applies only while the longest memory is in use.  If a shorter
 * one is in use, rewards have changed, and the prior is as outdated as the
 * longest memory.
 */
Prior
ModelPrior(const DlintsHeader *header, const double *numbers)
{
	int			dim = ModelCoordinates(header);
	double		steady = PRIOR_FADES * dim;
	Prior		prior = prior_of_ridge(header->lambda);

	if (header->intercept)
		prior.last_ridge = ModelFirstRidge(header);
	if (header->prior_weight > 0.0 && numbers != NULL)
	{
		if (header->memory == header->memories)
			prior.weight = header->prior_weight * steady /
				(steady + header->totals.N);
		prior.N = numbers;
		prior.sigma = numbers[1];
		prior.p = numbers + 2;
		prior.P = prior.p + dim;
	}
	return prior;
}

/*
 * Return the ridge with which memories are compared and the intercept is
 * estimated: the given one, or a constant.
 */
double
ModelFirstRidge(const DlintsHeader *header)
{
	return header->ridge > 0.0 ? header->ridge : RIDGE_START;
}

/*
 * Return the noise of an untrained model: the given one, that of the prior,
 * or 1.
 */
double
ModelFirstSigma(Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Prior		prior = ModelPrior(header, ModelPriorNumbers(model));

	if (header->noise > 0.0)
		return header->noise;
	return prior.sigma > 0.0 ? prior.sigma : 1.0;
}

/* Return the parameters for the interpretation of R and S. */
Rewards
ModelRewards(const DlintsHeader *header)
{
	Rewards		rewards;

	rewards.intercept = header->intercept != 0;
	rewards.reference = header->reference;
	rewards.totals = header->totals;
	return rewards;
}

/* ---------- the value ---------- */

/* Allocate a model with a given header and zeros as numbers. */
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

/*
 * Set the header fields that describe evidence to those of an untrained
 * model.
 */
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
 * Create an untrained model without a prior.  The caller has checked the
 * parameters in "header".
 */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	DlintsHeader empty = *header;

	empty.prior_weight = 0.0;
	FieldsNormalize(&empty);
	ResetHistory(&empty);
	return ModelAllocate(&empty);
}

/* Remove all evidence from a model and keep its prior. */
void
ModelReset(Dlints *model)
{
	ResetHistory(&model->header);
	model->header.sigma = ModelFirstSigma(model);
	memset(model->values, 0, sizeof(float8) *
		   ModelMemoriesCount(&model->header, model->header.memories));
}

/*
 * Check the header and size of a stored value, on which all readers rely.
 * The numbers were checked when the value was created.
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
		!ModelCheckHistory(header, &problem))
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

/* Return a detoasted value as a model in stored form, after checking it. */
static Dlints *
CheckedModel(struct varlena *value)
{
	Dlints	   *model = (Dlints *) value;

	CheckStored(&model->header, VARSIZE(model));
	return model;
}

/* Expand a stored model: an untrained model gets zeros for its evidence. */
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

/* Return an expanded copy that the caller may modify. */
Dlints *
ModelCopyFromDatum(Datum datum)
{
	return ExpandModel(CheckedModel(PG_DETOAST_DATUM_COPY(datum)));
}

/*
 * Compare parameters, counts and evidence of two models.  Each model has
 * exactly one stored form, so comparing bytes suffices.
 */
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

	return hash_bytes_extended((unsigned char *) VARDATA(model),
							   VARSIZE(model) - VARHDRSZ, salt);
}

/*
 * Read the header of a model.  Reads no more than the first chunk of a value
 * stored out of line.
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

/* Convert an expanded model to its stored form, in place. */
Datum
ModelGetDatum(Dlints *model)
{
	memmove(model->values, ModelStoredNumbers(model),
			sizeof(float8) * ModelStoredCount(&model->header));
	SET_VARSIZE(model, ModelStoredSize(&model->header));
	return PointerGetDatum(model);
}

/*
 * Read "count" numbers after skipping the first "before" numbers.  Only the
 * necessary chunks of a value stored out of line are read.
 *
 * The slice begins SLICE_HEAD - VARHDRSZ bytes early, so that after its
 * length word the numbers are aligned.
 */
#define SLICE_HEAD	((Size) 2 * VARHDRSZ)

static double *
ReadNumbers(Datum datum, Size before, Size count)
{
	struct varlena *slice =
		PG_DETOAST_DATUM_SLICE(datum, ModelSizeOf(before) - SLICE_HEAD,
							   VARHDRSZ + count * sizeof(float8));

	return (double *) ((char *) slice + SLICE_HEAD);
}

/*
 * Read the first "count" numbers of the memory in use; zeros if the model is
 * untrained.
 */
static double *
ReadMemory(Datum datum, const DlintsHeader *header, Size count)
{
	if (header->updates > 0)
		return ReadNumbers(datum, ModelMemoriesCount(header, header->memory - 1),
						   count);
	return (double *) ((char *) palloc0(SLICE_HEAD + count * sizeof(float8)) +
					   SLICE_HEAD);
}

/* Read the memory in use.  The caller needs H only for widths and draws. */
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

/* Read only N, R and S of the memory in use. */
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
		count = 0;				/* the prior does not apply to a shorter memory */
	return ModelPrior(header, count == 0 ? NULL :
					  ReadNumbers(datum, ModelStoredCount(header) - count, count));
}

/* Return the observations that the prior currently counts as. */
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
