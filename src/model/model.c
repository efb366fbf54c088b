/*
 * model.c
 *		A stored model: what its header says, how it is made and read, and
 *		where its memories are.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "model/fields.h"
#include "model/model.h"

/* How this model makes z of contexts. */
Kind
ModelKind(const DlintsHeader *header)
{
	Kind		kind;

	kind.interactions = header->interactions;
	kind.context_dim = header->context_dim;
	kind.reduced_dim = header->reduced_dim;
	kind.shared_dim = header->shared_dim;
	kind.intercept = header->intercept != 0;
	return kind;
}

/* The matrix of a model that has one.  Matched models reduce x to P x / 2. */
Projection
ModelProjection(const DlintsHeader *header)
{
	bool		matched = header->interactions == INTERACTIONS_MATCHED;
	Projection	projection;

	Assert(ModelHasProjection(header));
	projection.seed = (uint64) header->seed;
	projection.scale = header->projection_scale / (matched ? 2.0 : 1.0);
	projection.context_dim = header->context_dim;
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

/* weights over a context that a parameter lifts to, the intercept's last */
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

/* numbers of the first so many memories */
static Size
ValueCount(const DlintsHeader *header, int memories)
{
	int			dim = ModelCoordinates(header);
	Size		count = 0;
	int			j;

	for (j = 0; j < memories; j++)
		count = add_size(count,
						 evidence_value_count(dim, ModelMemoryFades(header, j)));
	return count;
}

/* numbers of all as stored: a model that has seen nothing has none */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return header->updates > 0 ? ValueCount(header, header->memories) : 0;
}

static Size
SizeWith(Size count)
{
	return add_size(sizeof(DlintsHeader), mul_size(count, sizeof(float8)));
}

/* bytes of a stored model with these parameters and counts */
Size
ModelStoredSize(const DlintsHeader *header)
{
	return SizeWith(ModelStoredCount(header));
}

/*
 * The kind of a model as a column's type names it: "(n)", "(n,d)", "(n,d,m)" or
 * "(n,0,m)" with crossed, "(n,matched)" or "(n,d,matched)" with matched
 * interactions, each perhaps with ",intercept".
 */
char *
ModelShape(const DlintsHeader *header)
{
	bool		crossed = header->interactions == INTERACTIONS_CROSSED;
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", header->context_dim);
	if (header->reduced_dim > 0 || crossed)
		appendStringInfo(&buf, ",%d", header->reduced_dim);
	if (crossed)
		appendStringInfo(&buf, ",%d", header->shared_dim);
	if (header->interactions == INTERACTIONS_MATCHED)
		appendStringInfoString(&buf, ",matched");
	if (header->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/* A model of this header, all its numbers zero. */
Dlints *
ModelAllocate(const DlintsHeader *header)
{
	Size		size = SizeWith(ValueCount(header, header->memories));
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
		bool		fades = ModelMemoryFades(&model->header, j);

		evidence_bind(&memories.memory[j], dim, fades, values);
		values += evidence_value_count(dim, fades);
	}
	return memories;
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
	Size		before = SizeWith(ValueCount(header, header->memory - 1));
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
