/*
 * model.c
 *		The life of a stored model: create, check, read, take its evidence out
 *		and put it back.
 *
 * One validator serves every door.  It reports a ModelProblem rather than an
 * error, because what a problem is called depends on the door: a bad
 * parameter, bad text, bad binary data or a damaged table.
 */
#include "dlints.h"

#include <math.h>

#include "access/detoast.h"
#include "common/shortest_dec.h"
#include "storage/shmem.h"

static bool
Problem(ModelProblem *problem, int sqlerrcode, const char *message,
		const char *detail)
{
	problem->sqlerrcode = sqlerrcode;
	problem->message = message;
	problem->detail = detail;
	return false;
}

static bool
OutOfRange(ModelProblem *problem, const char *name, const char *range,
		   double value)
{
	return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
				   psprintf("%s must be %s", name, range),
				   psprintf("The value is %s.",
							double_to_shortest_decimal(value)));
}

static bool
ContextDimIsValid(const Dlints *header, ModelProblem *problem)
{
	if (header->context_dim < 1)
		return OutOfRange(problem, "context_dim", "at least 1",
						  header->context_dim);
	if (header->context_dim > DLINTS_MAX_CONTEXT_DIM)
		return Problem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					   psprintf("dlints cannot have more than %d context dimensions",
								DLINTS_MAX_CONTEXT_DIM),
					   psprintf("context_dim is %d.", header->context_dim));
	return true;
}

/* Interactions have no place without the random matrices. */
static bool
SharedDimIsValid(const Dlints *header, ModelProblem *problem)
{
	if (header->shared_dim < 0)
		return OutOfRange(problem, "shared_dim", "at least 0",
						  header->shared_dim);
	if (header->shared_dim > DLINTS_MAX_SHARED_DIM)
		return Problem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					   psprintf("dlints cannot have more than %d shared dimensions",
								DLINTS_MAX_SHARED_DIM),
					   psprintf("shared_dim is %d.", header->shared_dim));
	if (header->shared_dim > 0 && !ModelHasProjection(header))
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   "shared_dim needs reduced_dim",
					   "The interactions of context and shared context are learned through a projection.");
	return true;
}

static bool
ReducedDimIsValid(const Dlints *header, ModelProblem *problem)
{
	int64		projected = (int64) header->context_dim * (1 + header->shared_dim);

	if (header->reduced_dim < 1)
		return OutOfRange(problem, "reduced_dim", "at least 1",
						  header->reduced_dim);
	if (header->reduced_dim > DLINTS_MAX_DIM && ModelHasProjection(header))
		return Problem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					   psprintf("dlints cannot have more than %d dimensions",
								DLINTS_MAX_DIM),
					   psprintf("reduced_dim is %d.", header->reduced_dim));
	if (header->reduced_dim > DLINTS_MAX_DIM)
		return Problem(problem, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					   psprintf("dlints cannot have more than %d dimensions without projection",
								DLINTS_MAX_DIM),
					   psprintf("context_dim is %d and there is no reduced_dim.",
								header->reduced_dim));
	if (header->reduced_dim > projected)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   header->shared_dim > 0 ?
					   "reduced_dim must not be greater than context_dim * (1 + shared_dim)" :
					   "reduced_dim must not be greater than context_dim",
					   header->shared_dim > 0 ?
					   psprintf("reduced_dim is %d, context_dim is %d, shared_dim is %d.",
								header->reduced_dim, header->context_dim,
								header->shared_dim) :
					   psprintf("reduced_dim is %d, context_dim is %d.",
								header->reduced_dim, header->context_dim));
	if (!ModelHasProjection(header) &&
		header->reduced_dim != header->context_dim)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   "reduced_dim must equal context_dim without projection",
					   NULL);
	return true;
}

/* Does this version know all that the header speaks of? */
static bool
KindsAreKnown(const Dlints *header, ModelProblem *problem)
{
	static const float8 zeros[lengthof(((Dlints *) 0)->unused2)];

	if (header->version != DLINTS_FORMAT_VERSION)
		return Problem(problem, ERRCODE_FEATURE_NOT_SUPPORTED,
					   psprintf("unsupported dlints format version %d",
								header->version), NULL);
	if (header->policy >= DLINTS_POLICY_COUNT)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   psprintf("unknown policy number %d", header->policy),
					   NULL);
	if (header->projection != DLINTS_PROJECTION_NONE &&
		header->projection != DLINTS_PROJECTION_GAUSSIAN)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   psprintf("unknown projection number %d",
								header->projection), NULL);
	if (header->generator != DLINTS_GENERATOR_PHILOX)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   psprintf("unknown generator number %d",
								header->generator), NULL);
	if ((header->flags & ~DLINTS_FLAGS_KNOWN) != 0)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   psprintf("unknown flags %d", header->flags), NULL);
	if (header->unused1 != 0 ||
		memcmp(header->unused2, zeros, sizeof(zeros)) != 0)
		return Problem(problem, ERRCODE_INVALID_PARAMETER_VALUE,
					   "unused fields must be zero", NULL);
	return true;
}

/* The comparisons are written so that NaN fails them. */
static bool
NumbersAreInRange(const Dlints *header, ModelProblem *problem)
{
	if (!(header->discount > 0.0 && header->discount <= 1.0))
		return OutOfRange(problem, "discount", "greater than 0 and at most 1",
						  header->discount);
	if (!(header->ridge > 0.0 && isfinite(header->ridge)))
		return OutOfRange(problem, "ridge", "greater than 0 and finite",
						  header->ridge);
	if (!(header->exploration >= 0.0 && isfinite(header->exploration)))
		return OutOfRange(problem, "exploration", "at least 0 and finite",
						  header->exploration);
	if (!ModelHasProjection(header) && header->projection_scale != 0.0)
		return OutOfRange(problem, "projection_scale", "0 without projection",
						  header->projection_scale);
	if (ModelHasProjection(header) &&
		!(header->projection_scale > 0.0 && isfinite(header->projection_scale)))
		return OutOfRange(problem, "projection_scale",
						  "greater than 0 and finite",
						  header->projection_scale);
	return true;
}

/*
 * Are the parameters good?  Safe on a header alone, before anything of the
 * size that it implies is allocated.
 */
bool
ModelParametersAreValid(const Dlints *header, ModelProblem *problem)
{
	return KindsAreKnown(header, problem) &&
		ContextDimIsValid(header, problem) &&
		SharedDimIsValid(header, problem) &&
		ReducedDimIsValid(header, problem) &&
		NumbersAreInRange(header, problem);
}

/*
 * The whole validator: parameters, every number of the evidence finite, sums
 * of squares not negative.  The varlena size must be right.
 */
static bool
ModelIsValid(const Dlints *model, ModelProblem *problem)
{
	Evidence	evidence;

	if (!ModelParametersAreValid(model, problem))
		return false;
	ModelGetEvidence(unconstify(Dlints *, model), &evidence);
	if (!evidence_is_valid(&evidence))
		return Problem(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
					   "NaN, infinity, a negative count or a negative sum of squares not allowed in dlints",
					   NULL);
	return true;
}

/* bytes of a model with these parameters */
Size
ModelSize(const Dlints *header)
{
	return add_size(DLINTS_HEADER_SIZE,
					mul_size(evidence_value_count(ModelCoordinates(header),
												  header->discount),
							 sizeof(float8)));
}

/* A model with the given, already checked, parameters and no evidence. */
Dlints *
ModelCreate(const Dlints *header)
{
	Size		size = ModelSize(header);
	Dlints	   *model = palloc0(size);

	memcpy(model, header, DLINTS_HEADER_SIZE);
	SET_VARSIZE(model, size);
	model->exploration += 0.0;	/* zero has no sign, here and below */
	model->projection_scale += 0.0;
	model->updates = 0;
	model->weight_sum = 0.0;
	model->reward_sum = 0.0;
	model->reward_square_sum = 0.0;
	return model;
}

/* Parameters that a user gave. */
void
ModelCheckParameters(const Dlints *header)
{
	ModelProblem problem;

	if (!ModelParametersAreValid(header, &problem))
		ereport(ERROR,
				(errcode(problem.sqlerrcode),
				 errmsg("%s", problem.message),
				 problem.detail ? errdetail("%s", problem.detail) : 0));
}

/*
 * Report what is wrong with an external form.  A version that is not known
 * here is named as such: the value may be a good one.
 */
void
ModelReject(const ModelProblem *problem, int sqlerrcode, const char *message)
{
	if (problem->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
		ereport(ERROR,
				(errcode(problem->sqlerrcode),
				 errmsg("%s", problem->message)));
	ereport(ERROR,
			(errcode(sqlerrcode),
			 errmsg("%s", message),
			 errdetail("%s.%s%s", problem->message,
					   problem->detail ? " " : "",
					   problem->detail ? problem->detail : "")));
}

/*
 * What every reader of a stored value relies on: a version it knows and the
 * size that the header implies.  The numbers were checked when the value was
 * made.
 */
static void
CheckStored(const Dlints *model, Size size)
{
	ModelProblem problem;

	if (size < DLINTS_HEADER_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value is too short")));
	if (!ModelParametersAreValid(model, &problem))
		ereport(ERROR,
				(errcode(problem.sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED ?
						 problem.sqlerrcode : ERRCODE_DATA_CORRUPTED),
				 errmsg("%s", problem.message)));
	if (size != ModelSize(model))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored dlints value has %zu bytes instead of %zu",
						size, ModelSize(model))));
}

Dlints *
ModelFromDatum(Datum datum)
{
	Dlints	   *model = (Dlints *) PG_DETOAST_DATUM(datum);

	CheckStored(model, VARSIZE(model));
	return model;
}

/* A copy that may be written to. */
Dlints *
ModelCopyFromDatum(Datum datum)
{
	Dlints	   *model = (Dlints *) PG_DETOAST_DATUM_COPY(datum);

	CheckStored(model, VARSIZE(model));
	return model;
}

/*
 * The parameters and counts of a model, without the rest: a value out of line
 * is read no further than that.
 */
Dlints
ModelHeaderFromDatum(Datum datum)
{
	Dlints		header;
	struct varlena *start = PG_DETOAST_DATUM_SLICE(datum, 0,
												   DLINTS_HEADER_SIZE - VARHDRSZ);

	memset(&header, 0, sizeof(header));
	memcpy(&header, start, Min(VARSIZE(start), DLINTS_HEADER_SIZE));
	CheckStored(&header, toast_raw_datum_size(datum));
	return header;
}

/* The evidence of a model; its arrays are the model's own. */
void
ModelGetEvidence(Dlints *model, Evidence *evidence)
{
	evidence_bind(evidence, ModelCoordinates(model), model->discount,
				  model->values);
	evidence->counts.updates = model->updates;
	evidence->counts.weight_sum = model->weight_sum;
	evidence->counts.reward_sum = model->reward_sum;
	evidence->counts.reward_square_sum = model->reward_square_sum;
}

/* The counts only, for evidence that is not complete. */
void
ModelPutCounts(Dlints *model, const Evidence *evidence)
{
	model->updates = evidence->counts.updates;
	model->weight_sum = evidence->counts.weight_sum;
	model->reward_sum = evidence->counts.reward_sum;
	model->reward_square_sum = evidence->counts.reward_square_sum;
}

/*
 * Put evidence that was taken out and changed back into its model.  The last
 * door before a model is stored: what is not finite does not pass.
 */
void
ModelPutEvidence(Dlints *model, const Evidence *evidence)
{
	Assert(evidence->b == model->values);

	ModelPutCounts(model, evidence);
	if (!evidence_is_valid(evidence))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("dlints evidence out of range"),
				 errdetail("The sums over contexts and rewards overflow double precision."),
				 errhint("Scale contexts and rewards to moderate size.")));
}

/*
 * Accept a model that came in from outside, all but its evidence checked
 * before.  Its numbers are brought into the form that learning leaves behind,
 * so that one model has one representation.
 */
void
ModelAccept(Dlints *model, int sqlerrcode, const char *message)
{
	ModelProblem problem;
	Evidence	evidence;

	if (!ModelIsValid(model, &problem))
		ModelReject(&problem, sqlerrcode, message);
	ModelGetEvidence(model, &evidence);
	evidence_settle(&evidence);
	ModelPutCounts(model, &evidence);
}

static void
Mismatch(const char *name, const char *left, const char *right)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("dlints models with different %s do not fit together",
					name),
			 errdetail("The left model has %s %s, the right one %s.",
					   name, left, right)));
}

static void
SameInteger(const char *name, int64 left, int64 right)
{
	if (left != right)
		Mismatch(name, psprintf(INT64_FORMAT, left),
				 psprintf(INT64_FORMAT, right));
}

static void
SameNumber(const char *name, double left, double right)
{
	if (left != right)
		Mismatch(name, double_to_shortest_decimal(left),
				 double_to_shortest_decimal(right));
}

/*
 * Do both models mean the same by their evidence?  Sizes, projection and
 * discount define it; ridge, exploration and policy do not.
 */
void
ModelCheckSameEvidence(const Dlints *left, const Dlints *right)
{
	SameInteger("context_dim", left->context_dim, right->context_dim);
	if (left->projection != right->projection)
		Mismatch("reduced_dim",
				 ModelHasProjection(left) ? psprintf("%d", left->reduced_dim) : "NULL",
				 ModelHasProjection(right) ? psprintf("%d", right->reduced_dim) : "NULL");
	SameInteger("reduced_dim", left->reduced_dim, right->reduced_dim);
	SameInteger("shared_dim", left->shared_dim, right->shared_dim);
	if (ModelHasIntercept(left) != ModelHasIntercept(right))
		Mismatch("intercept", ModelHasIntercept(left) ? "true" : "false",
				 ModelHasIntercept(right) ? "true" : "false");
	SameInteger("seed", left->seed, right->seed);
	SameNumber("projection_scale", left->projection_scale,
			   right->projection_scale);
	SameNumber("discount", left->discount, right->discount);
}

/* How this model reduces contexts. */
Projection
ModelProjection(const Dlints *model)
{
	Projection	projection;

	projection.seed = (uint64) model->seed;
	projection.scale = model->projection_scale;
	projection.context_dim = model->context_dim;
	projection.reduced_dim = model->reduced_dim;
	projection.shared_dim = model->shared_dim;
	projection.intercept = ModelHasIntercept(model);
	return projection;
}
