/*
 * model.c
 *		The life of a stored model: what its header says, and how it is made, read
 *		and put back.
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

/* How this model makes z of feature vectors. */
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

/* The matrix of a model that has one.  Matched models reduce x to P x / 4. */
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

/* coordinates of z, and with it the order of the evidence */
int
ModelCoordinates(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_reduced_len(&kind);
}

/*
 * weights over a feature vector that a parameter lifts to, the intercept's
 * last
 */
int
ModelLiftedLen(const DlintsHeader *header)
{
	Kind		kind = ModelKind(header);

	return kind_lifted_len(&kind);
}

/* Does memory j, counted from 0, forget? */
bool
ModelMemoryFades(const DlintsHeader *header, int j)
{
	return memory_fades(j, header->memories,
						ModelIsByTime(header) ? 0.0 : header->discount);
}

/*
 * What remains of a weight in memory j after so many more observations or so
 * much more time, in microseconds, whichever it is that ages the model.
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

/* What memory j keeps of the squares of weights: the paper's, if it is the only one. */
Squares
ModelMemorySquares(const DlintsHeader *header, int j)
{
	if (!ModelMemoryFades(header, j))
		return SQUARES_NONE;
	return header->memories > 1 ? SQUARES_SUM : SQUARES_MATRIX;
}

/* numbers of the first so many memories */
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

/* numbers of the prior */
Size
ModelPriorCount(const DlintsHeader *header)
{
	int			dim = ModelCoordinates(header);

	return header->prior_weight > 0.0 ? 2 + (Size) dim + linalg_packed_len(dim) : 0;
}

/* numbers of all as stored: evidence of a model that has seen nothing has none */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return add_size(header->updates > 0 ?
					ModelMemoriesCount(header, header->memories) : 0,
					ModelPriorCount(header));
}

/* bytes of a model with so many numbers */
static Size
ModelSizeWith(Size count)
{
	return add_size(sizeof(DlintsHeader), mul_size(count, sizeof(float8)));
}

/* bytes of a stored model with these parameters and counts */
Size
ModelStoredSize(const DlintsHeader *header)
{
	return ModelSizeWith(ModelStoredCount(header));
}

/*
 * The kind of a model as a column's type names it: "(n)", "(n,d)",
 * "(n,matched)" or "(n,d,matched)", each perhaps with ",intercept".
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

/* All memories of a model; their numbers are the model's own. */
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

/* Where the prior of a model with all its numbers begins. */
double *
ModelPriorNumbers(Dlints *model)
{
	return model->values +
		ModelMemoriesCount(&model->header, model->header.memories);
}

/* Where those numbers begin that are stored. */
double *
ModelStoredNumbers(Dlints *model)
{
	return model->header.updates > 0 ? model->values : ModelPriorNumbers(model);
}

/*
 * What is known beforehand counts less the more was learned: its full weight at
 * first, half of it after so many observations for each coordinate.
 */
#define PRIOR_FADES		10.0

/*
 * The prior of a model: its ridge in use and, if it has them, these numbers.  They
 * count beside the longest memory.  Where a shorter one is in use the world has
 * turned, and what was known before is as old as what the longest one knows.
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

/* The ridge under which the memory in use is found, and that of an intercept. */
double
ModelFirstRidge(const DlintsHeader *header)
{
	return header->ridge > 0.0 ? header->ridge : RIDGE_START;
}

/* The noise that a model begins with: given, the prior's, or 1 */
double
ModelFirstSigma(Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Prior		prior = ModelPrior(header, ModelPriorNumbers(model));

	if (header->noise > 0.0)
		return header->noise;
	return prior.sigma > 0.0 ? prior.sigma : 1.0;
}

/* How the sums of rewards are to be read. */
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
