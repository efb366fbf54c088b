/*
 * model.c
 *		The life of a stored model: create, check, read, take its evidence out
 *		and put it back.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "common/hashfn.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "storage/shmem.h"

#include "fields.h"
#include "model.h"

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

/* numbers of b, G and H */
static Size
ValueCount(const DlintsHeader *header)
{
	return evidence_value_count(ModelCoordinates(header), header->discount);
}

/* the same as stored: a model that has seen nothing has none */
Size
ModelStoredCount(const DlintsHeader *header)
{
	return header->counts.updates > 0 ? ValueCount(header) : 0;
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
		NumberIsBetween("discount", header->discount,
						DLINTS_MIN_DISCOUNT, 1.0, problem) &&
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

/* Parameters that a user gave. */
void
ModelCheckParameters(const DlintsHeader *header)
{
	Problem		problem;

	if (!ModelParametersAreValid(header, &problem))
		ProblemRaise(&problem);
}

/*
 * A model that came in from outside, its parameters found valid before: every
 * number of the evidence finite, sums of squares not negative, and none where
 * nothing was observed.  Its numbers are brought into the form that learning
 * leaves behind, so that one model has one representation.
 */
bool
ModelExternalIsValid(Dlints *model, Problem *problem)
{
	const EvidenceCounts *counts = &model->header.counts;
	Evidence	evidence;

	ModelGetEvidence(model, &evidence);
	if (!evidence_is_valid(&evidence))
		return ProblemIs(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						 "NaN, infinity, a negative count or a negative sum of squares not allowed in dlints",
						 NULL);
	evidence_settle(&evidence);
	model->header.counts = evidence.counts;
	if (counts->updates == 0 &&
		(counts->weight_sum != 0.0 || counts->reward_sum != 0.0 ||
		 counts->reward_square_sum != 0.0))
		return ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
						 "A model without observations has no sums", NULL);
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
 * Do both models mean the same by their evidence?  Sizes, projection and
 * discount define it; ridge, exploration and policy do not.
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

/* A model with the given, already checked, parameters and no evidence. */
Dlints *
ModelCreate(const DlintsHeader *header)
{
	Size		size = SizeWith(ValueCount(header));
	Dlints	   *model = palloc0(size);

	model->header = *header;
	SET_VARSIZE(model, size);
	model->header.exploration += 0.0;	/* zero has no sign, here and below */
	model->header.projection_scale += 0.0;
	memset(&model->header.counts, 0, sizeof(EvidenceCounts));
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
	if (!ModelParametersAreValid(header, &problem))
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
	return stored->header.counts.updates > 0 ? stored :
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

/* The evidence of a model; its arrays are the model's own. */
void
ModelGetEvidence(Dlints *model, Evidence *evidence)
{
	evidence_bind(evidence, ModelCoordinates(&model->header),
				  model->header.discount, model->values);
	evidence->counts = model->header.counts;
}

/*
 * Put evidence that was taken out and changed back into its model.  The last
 * door before a model is stored: what is not finite does not pass.
 */
void
ModelPutEvidence(Dlints *model, const Evidence *evidence)
{
	Assert(evidence->b == model->values);

	model->header.counts = evidence->counts;
	if (!evidence_is_valid(evidence))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints evidence out of range"),
				 errdetail("The sums over contexts and rewards overflow double precision."),
				 errhint("Scale contexts and rewards to moderate size.")));
}
