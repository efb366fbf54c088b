/*
 * model.c
 *		The life of a stored model: create, check, read, take its evidence out
 *		and put it back.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/detoast.h"
#include "common/int.h"
#include "common/hashfn.h"
#include "common/shortest_dec.h"
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

/* How this model reduces contexts. */
Projection
ModelProjection(const DlintsHeader *header)
{
	Projection	projection;

	projection.seed = (uint64) header->seed;
	projection.scale = header->projection_scale;
	projection.context_dim = header->context_dim;
	projection.reduced_dim = ModelHasProjection(header) ?
		header->reduced_dim : header->context_dim;
	projection.shared_dim = header->shared_dim;
	projection.intercept = header->intercept != 0;
	return projection;
}

/* coordinates of z, and with it the order of the evidence */
int
ModelCoordinates(const DlintsHeader *header)
{
	Projection	projection = ModelProjection(header);

	return projection_reduced_len(&projection);
}

/* weights over a context that a parameter lifts to, the intercept's last */
int
ModelLiftedLen(const DlintsHeader *header)
{
	Projection	projection = ModelProjection(header);

	return projection_lifted_len(&projection);
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

/* The value is what there is, unlike in the message. */
static bool
OutOfRange(Problem *problem, const char *name, const char *range, double value)
{
	return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					 psprintf("%s must be %s", name, range),
					 psprintf("The value is %s.",
							  double_to_shortest_decimal(value)));
}

/* The comparison is written so that NaN fails it. */
static bool
NumberIsBetween(const char *name, double value, double min, double max,
				Problem *problem)
{
	if (value >= min && value <= max)
		return true;
	return OutOfRange(problem, name,
					  psprintf("between %g and %g", min, max), value);
}

static bool
DimensionIsBetween(const char *name, const char *kind, int value, int min,
				   int max, Problem *problem)
{
	if (value < min)
		return OutOfRange(problem, name, psprintf("at least %d", min), value);
	if (value > max)
		return ProblemIs(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf("dlints cannot have more than %d %s",
								  max, kind),
						 psprintf("%s is %d.", name, value));
	return true;
}

/* Does this version know all that the header speaks of? */
static bool
KindsAreKnown(const DlintsHeader *header, Problem *problem)
{
	static const float8 zeros[lengthof(header->unused2)];

	if (header->version != DLINTS_FORMAT_VERSION)
		return ProblemIs(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
						 psprintf("unsupported dlints format version %d",
								  header->version), NULL);
	if (!PolicyIsKnown(header->policy))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 psprintf("Policy number %d is unknown", header->policy),
						 NULL);
	if (header->intercept > 1)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "intercept must be 0 or 1", NULL);
	if (header->unused1 != 0 ||
		memcmp(header->unused2, zeros, sizeof(zeros)) != 0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "Unused fields must be zero", NULL);
	return true;
}

/* With a projection, 0 < reduced_dim <= n (1 + m). */
static bool
ReductionIsValid(const DlintsHeader *header, Problem *problem)
{
	int64		projected = (int64) header->context_dim * (1 + header->shared_dim);

	if (!ModelReducedDimIsValid(header->reduced_dim, problem))
		return false;
	if (header->reduced_dim > projected && header->shared_dim == 0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "reduced_dim must not be greater than context_dim",
						 psprintf("reduced_dim is %d, context_dim is %d.",
								  header->reduced_dim, header->context_dim));
	if (header->reduced_dim > projected)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "reduced_dim must not be greater than context_dim * (1 + shared_dim)",
						 psprintf("reduced_dim is %d, context_dim is %d, shared_dim is %d.",
								  header->reduced_dim, header->context_dim,
								  header->shared_dim));
	return NumberIsBetween("projection_scale", header->projection_scale,
						   DLINTS_MIN_SCALE, DLINTS_MAX_SCALE, problem);
}

/* Without, z is x, and there is nothing to make interactions with. */
static bool
IdentityIsValid(const DlintsHeader *header, Problem *problem)
{
	if (header->context_dim > DLINTS_MAX_DIM)
		return ProblemIs(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						 psprintf("dlints cannot have more than %d dimensions without projection",
								  DLINTS_MAX_DIM),
						 psprintf("context_dim is %d and there is no reduced_dim.",
								  header->context_dim));
	if (header->shared_dim > 0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "shared_dim needs reduced_dim",
						 "The interactions of context and shared context are learned through a projection.");
	if (header->projection_scale != 0.0)
		return OutOfRange(problem, "projection_scale", "0 without projection",
						  header->projection_scale);
	return true;
}

static bool
HalfLifeIsValid(double seconds, Problem *problem)
{
	return NumberIsBetween("half_life", seconds, DLINTS_MIN_HALF_LIFE,
						   DLINTS_MAX_HALF_LIFE, problem);
}

/* One that a user gave; the header's 0, for none, is not to be had that way. */
void
ModelCheckHalfLife(double seconds)
{
	Problem		problem;

	if (!HalfLifeIsValid(seconds, &problem))
		ProblemRaise(&problem);
}

static bool
MemoriesAreValid(int memories, Problem *problem)
{
	if (memories < 1 || memories > MEMORY_MAX)
		return OutOfRange(problem, "memories",
						  psprintf("between 1 and %d", MEMORY_MAX), memories);
	return true;
}

/* A model forgets by count or by time, and only what forgets has other memories. */
static bool
ForgettingIsValid(const DlintsHeader *header, Problem *problem)
{
	if (!MemoriesAreValid(header->memories, problem))
		return false;
	if (header->half_life != 0.0)
	{
		if (header->discount != 0.0)
			return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
							 "a model has either a discount or a half_life", NULL);
		return HalfLifeIsValid(header->half_life, problem);
	}
	if (header->memories > 1 && header->discount == 1.0)
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "discount must be less than 1 for several memories",
						 "With a discount of 1 the first one forgets nothing.");
	return NumberIsBetween("discount", header->discount,
						   DLINTS_MIN_DISCOUNT, 1.0, problem);
}

/*
 * Are the parameters good?  Safe on a header alone, before anything of the
 * size that it implies is allocated.
 */
bool
ModelParametersAreValid(const DlintsHeader *header, Problem *problem)
{
	return KindsAreKnown(header, problem) &&
		DimensionIsBetween("context_dim", "context dimensions",
						   header->context_dim, 1, DLINTS_MAX_CONTEXT_DIM,
						   problem) &&
		DimensionIsBetween("shared_dim", "shared dimensions",
						   header->shared_dim, 0, DLINTS_MAX_SHARED_DIM,
						   problem) &&
		(header->reduced_dim == 0 ? IdentityIsValid(header, problem) :
		 ReductionIsValid(header, problem)) &&
		ForgettingIsValid(header, problem) &&
		(header->noise == 0.0 ||
		 NumberIsBetween("noise", header->noise,
						 DLINTS_MIN_NOISE, DLINTS_MAX_NOISE, problem)) &&
		NumberIsBetween("ridge", header->ridge,
						DLINTS_MIN_RIDGE, DLINTS_MAX_RIDGE, problem) &&
		NumberIsBetween("exploration", header->exploration,
						0.0, DLINTS_MAX_EXPLORATION, problem);
}

/*
 * The sizes of a model, and whether it has an intercept, as a column's type
 * names them: "(n)", "(n,d)", "(n,d,m)", each perhaps with ",intercept".
 */
char *
ModelShape(const DlintsHeader *header)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", header->context_dim);
	if (header->reduced_dim > 0)
		appendStringInfo(&buf, ",%d", header->reduced_dim);
	if (header->shared_dim > 0)
		appendStringInfo(&buf, ",%d", header->shared_dim);
	if (header->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/*
 * A reduced_dim that a user gave: the header's 0, for none, is not to be had
 * by saying so.
 */
bool
ModelReducedDimIsValid(int reduced_dim, Problem *problem)
{
	return DimensionIsBetween("reduced_dim", "dimensions", reduced_dim, 1,
							  DLINTS_MAX_DIM, problem);
}

void
ModelCheckReducedDim(int reduced_dim)
{
	Problem		problem;

	if (!ModelReducedDimIsValid(reduced_dim, &problem))
		ProblemRaise(&problem);
}

/* As many memories as a user gave, who may give more than the header can hold. */
void
ModelCheckMemories(int memories)
{
	Problem		problem;

	if (!MemoriesAreValid(memories, &problem))
		ProblemRaise(&problem);
}

/* Parameters that a user gave. */
void
ModelCheckParameters(const DlintsHeader *header)
{
	Problem		problem;

	if (!ModelParametersAreValid(header, &problem))
		ProblemRaise(&problem);
}

static bool
NoHistory(const DlintsHeader *header)
{
	return header->newest == TIME_UNKNOWN && header->reference == 0.0 &&
		header->memory == header->memories && header->chosen == 0 &&
		header->sigma == (header->noise > 0.0 ? header->noise : 1.0);
}

/* Can these counts, and what was found of the evidence, be a model's? */
static bool
HistoryIsValid(const DlintsHeader *header, Problem *problem)
{
	if (header->updates < 0)
		return OutOfRange(problem, "updates", "at least 0", header->updates);
	if (header->updates == 0 && !NoHistory(header))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "A model without observations has no history", NULL);
	if (header->memory < 1 || header->memory > header->memories)
		return OutOfRange(problem, "memory", "one of the memories",
						  header->memory);
	if (header->chosen < 0 || header->chosen > header->updates)
		return OutOfRange(problem, "chosen", "between 0 and updates",
						  header->chosen);
	if (!(fabs(header->reference) <= WIDEN_MAX) ||
		(header->reference != 0.0 && !header->intercept))
		return OutOfRange(problem, "reference_reward",
						  "a reward, and 0 without an intercept",
						  header->reference);
	if (header->noise != 0.0 && header->sigma != header->noise)
		return OutOfRange(problem, "sigma", "the noise that was given",
						  header->sigma);
	if (header->updates > 0 &&
		(ModelIsByTime(header) ? !IS_VALID_TIMESTAMP(header->newest) :
		 header->newest != TIME_UNKNOWN))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "newest must be a time for a model by time, and null for others",
						 NULL);
	return NumberIsBetween("sigma", header->sigma, DBL_MIN, DBL_MAX, problem);
}

static bool
EvidenceIsValid(Dlints *model)
{
	Memories	memories = ModelMemories(model);
	int			j;

	for (j = 0; j < memories.count; j++)
		if (!evidence_is_valid(&memories.memory[j]))
			return false;
	return true;
}

/*
 * A model that came in from outside, its parameters found valid before: every
 * number of the evidence finite, sums of squares not negative.  Its numbers
 * are brought into the form that learning leaves behind, so that one model has
 * one representation.
 */
bool
ModelExternalIsValid(Dlints *model, Problem *problem)
{
	Memories	memories = ModelMemories(model);
	int			j;

	if (!HistoryIsValid(&model->header, problem))
		return false;
	if (!EvidenceIsValid(model))
		return ProblemIs(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						 "NaN, infinity, a negative weight or a negative sum of squares not allowed in dlints",
						 NULL);
	for (j = 0; j < memories.count; j++)
		evidence_settle(&memories.memory[j]);
	FieldsSettle(&model->header);
	return true;
}

static char *
FieldText(const DlintsHeader *header, const Field *field)
{
	StringInfoData buf;

	initStringInfo(&buf);
	FieldWrite(&buf, header, field);
	return buf.data;
}

/*
 * Do both models mean the same by their evidence?  Sizes, intercept, projection,
 * memories and their rates define it; ridge, exploration, noise and policy do
 * not.
 */
void
ModelCheckSameEvidence(const DlintsHeader *left, const DlintsHeader *right)
{
	int			i;

	for (i = 0; i < field_count; i++)
		if (fields[i].defines_evidence &&
			!FieldIsSame(left, right, &fields[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("dlints models with different %s do not fit together",
							fields[i].name),
					 errdetail("The left model has %s %s, the right one %s.",
							   fields[i].name, FieldText(left, &fields[i]),
							   FieldText(right, &fields[i]))));
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
		!HistoryIsValid(header, &problem))
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
 * are zero, as are its counts.
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
 * The memory in use, in memory of its own: of a value out of line no more is
 * read than that.
 */
Evidence
ModelMemoryFromDatum(Datum datum, const DlintsHeader *header)
{
	int			j = header->memory - 1;
	int			dim = ModelCoordinates(header);
	bool		fades = ModelMemoryFades(header, j);
	Size		bytes = evidence_value_count(dim, fades) * sizeof(float8);
	double	   *values = palloc0(bytes);
	Evidence	evidence;

	if (header->updates > 0)
	{
		Size		offset = SizeWith(ValueCount(header, j)) - VARHDRSZ;
		struct varlena *slice = PG_DETOAST_DATUM_SLICE(datum, offset, bytes);

		memcpy(values, VARDATA(slice), bytes);
		if (PointerGetDatum(slice) != datum)
			pfree(slice);
	}
	evidence_bind(&evidence, dim, fades, values);
	return evidence;
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

	header->chosen = header->updates;
	if (memories.count > 1 || header->noise == 0.0)
	{
		CHECK_FOR_INTERRUPTS();
		BlasReady();
		work = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) *
									  memory_choose_work(ModelCoordinates(header),
														 memories.count));
		choice = memory_choose(memories.memory, memories.count, header->ridge,
							   header->noise, header->intercept, header->reference, work);
		pfree(work);
	}
	header->memory = choice.used + 1;
	header->sigma = header->noise > 0.0 ? header->noise : choice.sigma;
}

/*
 * A choice costs about D^3, an update D^2: for small models it is made after
 * each, for larger ones after so many that it stays a small part of learning,
 * and after each eighth of a short history.
 */
#define ALWAYS_CHOSEN_DIM	12

static bool
ChoiceIsDue(const DlintsHeader *header)
{
	double		dim = (double) ModelCoordinates(header) / ALWAYS_CHOSEN_DIM;
	int64		since = header->updates - header->chosen;

	return since >= Min((int64) (dim * dim), header->chosen / 8);
}

static void
CheckEvidence(Dlints *model)
{
	if (!EvidenceIsValid(model))
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
	CheckEvidence(model);
	if (ChoiceIsDue(&model->header))
		ModelChoose(model);
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
