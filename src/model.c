/*
 * model.c
 *		The life of a stored model: create, read, take its memories out, and
 *		find the one in use when they have learned.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "common/int.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/linalg.h"
#include "core/widen.h"
#include "fields.h"
#include "model.h"

/*
 * Comes before whatever calls BLAS.  OpenBLAS takes 128 MB of address space at
 * its first product, and where there is none it tries again for ever, deaf to
 * every signal but SIGQUIT.
 */
void
BlasReady(void)
{
	if (unlikely(!linalg_ready()))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("BLAS needs 128 MB of address space for each process that computes."),
				 errhint("Raise or remove the limit on the server's address space (ulimit -v).")));
}

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

/*
 * The matrices of a model that has any.  The first block of a matched model's z
 * is P x / 2; its shared context meets no matrix.
 */
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
	projection.shared_dim = matched ? 0 : header->shared_dim;
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

/*
 * The memory in use, until ModelMemoryFree: of a value out of line no more is
 * read than that, and of its matrices only G where the other one is not wanted.
 * A slice is read from four bytes before on, so that behind its length word
 * numbers stand where numbers have to.
 */
#define SLICE_HEAD	(2 * VARHDRSZ)

Evidence
ModelMemoryFromDatum(Datum datum, const DlintsHeader *header, bool with_H)
{
	int			j = header->memory - 1;
	int			dim = ModelCoordinates(header);
	bool		fades = with_H && ModelMemoryFades(header, j);
	Size		bytes = evidence_value_count(dim, fades) * sizeof(float8);
	char	   *slice;
	Evidence	evidence;

	if (header->updates > 0)
		slice = (char *) PG_DETOAST_DATUM_SLICE(datum,
												SizeWith(ValueCount(header, j)) - SLICE_HEAD,
												VARHDRSZ + bytes);
	else
		slice = palloc0(SLICE_HEAD + bytes);
	evidence_bind(&evidence, dim, fades, (double *) (slice + SLICE_HEAD));
	return evidence;
}

void
ModelMemoryFree(const Evidence *evidence)
{
	pfree((char *) evidence->N - SLICE_HEAD);
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

/* R and S of all memories about another reference reward. */
void
ModelRebase(Dlints *model, double reference)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		evidence_rebase(&memories.memory[j],
						model->header.reference - reference);
	model->header.reference = reference;
}

/*
 * The first reward may have been an odd one.  Where a memory's rewards are so
 * far from the reference that their own spread is lost in S, move it to them.
 */
#define LEAST_SPREAD	1e-4

void
ModelKeepReference(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	int			j;

	if (!model->header.intercept)
		return;
	for (j = 0; j < memories.count; j++)
	{
		const Evidence *memory = &memories.memory[j];
		double		mean = *memory->R / *memory->N;
		double		reference = model->header.reference + mean;

		/* what comes from outside may have a mean that no rewards have */
		if (*memory->N > 0.0 && fabs(reference) <= WIDEN_MAX &&
			*memory->S - *memory->R * mean < LEAST_SPREAD * *memory->S)
		{
			ModelRebase(model, reference);
			return;
		}
	}
}

/*
 * Find the memory in use and the noise, from the evidence alone.  A single
 * memory under a given noise has nothing to be found.
 */
static void
ModelChoose(Dlints *model)
{
	DlintsHeader *header = &model->header;
	Memories	memories = ModelMemories(model);
	MemoryChoice choice = {0, 1.0};
	double	   *work;

	if (memories.count > 1 || header->noise == 0.0)
	{
		CHECK_FOR_INTERRUPTS();
		BlasReady();
		work = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) *
									  memory_choose_work(ModelCoordinates(header),
														 memories.count));
		choice = memory_choose(memories.memory, memories.count, header->ridge,
							   header->intercept, header->reference, work);
		pfree(work);
	}
	header->memory = choice.used + 1;
	header->sigma = header->noise > 0.0 ? header->noise : choice.sigma;
	header->chosen = header->updates;
}

/*
 * A choice costs about D^3, an update D^2: for small models it is made after
 * each, for larger ones after so many that it stays a small part of learning,
 * and after each eighth of a short history.
 */
#define ALWAYS_CHOSEN_DIM	12

/* So many updates after the last choice the next one is due. */
static int64
ChoiceInterval(const DlintsHeader *header, int64 chosen)
{
	double		dim = (double) ModelCoordinates(header) / ALWAYS_CHOSEN_DIM;

	return Max(1, Min((int64) (dim * dim), chosen / 8));
}

/*
 * Of so many more updates one by one, how many until the last that comes with
 * a choice: -1 if none does, 0 if it is the last one made, whose choice was
 * cancelled.
 */
int
ModelLastChoice(const DlintsHeader *header, int more)
{
	int64		chosen = header->chosen;
	int			last = -1;
	int			i;

	for (i = 0; i <= more; i++)
		if (header->updates + i - chosen >= ChoiceInterval(header, chosen))
		{
			chosen = header->updates + i;
			last = i;
		}
	return last;
}

static void
CheckEvidence(Dlints *model)
{
	if (!ModelEvidenceIsValid(model))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints evidence out of range"),
				 errdetail("The sums over contexts and rewards overflow double precision."),
				 errhint("Scale contexts and rewards to moderate size.")));
}

/*
 * The last door before a model that has learned more is stored: what is not
 * finite does not pass.
 */
void
ModelLearned(Dlints *model)
{
	const DlintsHeader *header = &model->header;

	CheckEvidence(model);
	if (header->updates - header->chosen >=
		ChoiceInterval(header, header->chosen))
		ModelChoose(model);
}

/*
 * Is it out of the question that learning so many more observations ends in an
 * error?  What an observation adds is beneath the last digit of the largest
 * numbers (see widen.h); a change of the reference by at most twice WIDEN_MAX
 * multiplies N by its square.  Only models from elsewhere come near.
 */
#define MODERATE_SUM	1e150

bool
ModelCanLearn(Dlints *model, int more)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		if (*memories.memory[j].N > MODERATE_SUM ||
			fabs(*memories.memory[j].R) > MODERATE_SUM ||
			*memories.memory[j].S > MODERATE_SUM)
			return false;
	return model->header.updates <= PG_INT64_MAX - more;
}

/* The same for one whose evidence has changed in another way. */
void
ModelRevised(Dlints *model)
{
	CheckEvidence(model);
	ModelChoose(model);
}

/* Microseconds from one time to a later one, as many as there is room for. */
int64
TimeBetween(int64 earlier, int64 later)
{
	int64		between;

	return pg_sub_s64_overflow(later, earlier, &between) ? PG_INT64_MAX : between;
}
