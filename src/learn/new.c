/*
 * new.c
 *		SQL functions that create models, change their parameters, and add priors.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "model/fields.h"
#include "sql/args.h"
#include "sql/observation.h"

static uint8
ReadName(FunctionCallInfo fcinfo, int argno, const FieldNames *names, const char *what,
		 const char *hint)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(argno));
	int			value = FindName(names, name);

	if (value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown %s \"%s\"", what, name),
				 errhint("%s", hint)));
	return (uint8) value;
}

static uint8
ReadPolicy(FunctionCallInfo fcinfo, int argno)
{
	return ReadName(fcinfo, argno, &PolicyNames, "policy",
					"Valid policies are \"thompson\", \"ucb\" and \"greedy\".");
}

/* Read an interval argument, and convert it to seconds.  A month has 30 days. */
static double
ReadHalfLife(FunctionCallInfo fcinfo, int argno)
{
	Interval   *interval = PG_GETARG_INTERVAL_P(argno);
	double		seconds = interval->time / (double) USECS_PER_SEC +
		(interval->day + (double) interval->month * DAYS_PER_MONTH) * SECS_PER_DAY;

	ModelCheckHalfLife(seconds, NULL);
	return seconds;
}

/*
 * Time window of a model's smallest default discount factor, in observations per coefficient.
 * Estimates from shorter windows are mostly noise.
 */
#define DEFAULT_WINDOW_PER_DIM		2

/*
 * Maximum number of features of a model with three discount factors by default.  Larger models
 * have two, because each factor adds to the size of the stored model.
 */
#define MAX_DIM_THREE_MEMORIES	100

/* Set a model's discount factors or half-lives from SQL arguments, with defaults for NULL. */
static void
SetMemories(FunctionCallInfo fcinfo, int discount_argno, int half_life_argno,
			int memories_argno, DlintsHeader *header)
{
	bool		by_count = PG_ARGISNULL(half_life_argno);
	int			dim = ModelCoefficientCount(header);
	int			memories = !PG_ARGISNULL(discount_argno) ? 1 :
		dim > MAX_DIM_THREE_MEMORIES ? 2 : 3;

	if (!PG_ARGISNULL(memories_argno))
		memories = PG_GETARG_INT32(memories_argno);
	ModelCheckMemories(memories, NULL);
	header->memories = (uint8) memories;
	header->discount = 0.0;
	if (!by_count)
		header->half_life = ReadHalfLife(fcinfo, half_life_argno);
	if (!PG_ARGISNULL(discount_argno))
		header->discount = ArgFinite(PG_GETARG_FLOAT8(discount_argno), "discount");
	else if (by_count)
		header->discount = memories == 1 ? 1.0 :
			1.0 - 1.0 / ((double) DEFAULT_WINDOW_PER_DIM * dim);
}

PG_FUNCTION_INFO_V1(dlints_new);

/* dlints_new(): create an untrained model (Ghoorchian et al., Algorithm 1, "Initialize"). */
Datum
dlints_new(PG_FUNCTION_ARGS)
{
	DlintsHeader header;

	ArgNotNull(fcinfo, 0, "dim");
	ArgNotNull(fcinfo, 7, "exploration");
	ArgNotNull(fcinfo, 9, "policy");
	ArgNotNull(fcinfo, 10, "intercept");
	ArgNotNull(fcinfo, 11, "seed");

	memset(&header, 0, sizeof(header));
	header.version = DLINTS_FORMAT_VERSION;
	header.policy = ReadPolicy(fcinfo, 9);
	header.intercept = PG_GETARG_BOOL(10) ? 1 : 0;
	header.feature_dim = PG_GETARG_INT32(0);
	header.ridge = PG_ARGISNULL(6) ? 0.0 : PG_GETARG_FLOAT8(6);
	header.exploration = PG_GETARG_FLOAT8(7);
	header.noise = PG_ARGISNULL(8) ? 0.0 : PG_GETARG_FLOAT8(8);
	header.seed = PG_GETARG_INT64(11);
	if (!PG_ARGISNULL(1))
	{
		ModelCheckReducedDim(PG_GETARG_INT32(1), NULL);
		header.reduced_dim = PG_GETARG_INT32(1);
		header.projection_scale = PG_ARGISNULL(12) ?
			1.0 / sqrt(header.reduced_dim) : PG_GETARG_FLOAT8(12);
	}
	if (!PG_ARGISNULL(2))
	{
		header.interactions = ReadName(fcinfo, 2, &InteractionsNames, "interactions",
									   "Interactions are \"matched\", or NULL for none.");
		header.profile_dim = header.feature_dim;
	}

	/* check dimensions before the default discount is computed from them */
	header.memories = 1;
	header.discount = 1.0;
	ModelCheckParameters(&header, NULL);
	SetMemories(fcinfo, 4, 3, 5, &header);
	ModelCheckParameters(&header, NULL);
	PG_RETURN_DLINTS_P(ModelCreate(&header));
}

PG_FUNCTION_INFO_V1(dlints_set);

/*
 * dlints_set(): change parameters of a model, except those with NULL arguments.  A ridge or noise
 * of 0 is estimated.
 */
Datum
dlints_set(PG_FUNCTION_ARGS)
{
	Dlints	   *model;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	model = PG_GETARG_DLINTS_P_COPY(0);
	if (!PG_ARGISNULL(1))
		model->header.ridge = PG_GETARG_FLOAT8(1);
	if (!PG_ARGISNULL(2))
		model->header.exploration = PG_GETARG_FLOAT8(2);
	if (!PG_ARGISNULL(3))
		model->header.noise = PG_GETARG_FLOAT8(3);
	if (!PG_ARGISNULL(4))
		model->header.policy = ReadPolicy(fcinfo, 4);
	FieldsNormalize(&model->header);
	ModelCheckParameters(&model->header, NULL);
	if (!PG_ARGISNULL(1) || !PG_ARGISNULL(3))
		ModelFinishRevision(model);
	PG_RETURN_DLINTS_P(model);
}

/* ---------- prior ---------- */

/* Copy a model without its prior, and make room for a new prior unless "weight" is 0. */
static Dlints *
CopyWithoutPrior(Dlints *model, double weight)
{
	DlintsHeader header = model->header;
	Dlints	   *other;

	header.prior_weight = weight;
	other = ModelAllocate(&header);
	memcpy(other->values, model->values, sizeof(float8) *
		   ModelMemoriesCount(&header, header.memories));
	return other;
}

/* Return the standard deviation of rewards, or 0 if only rounding errors remain. */
static double
RewardStddev(const Evidence *e)
{
	double		mean = *e->R / *e->N;
	double		variance = *e->S / *e->N - mean * mean;

	if (!(variance > ROUNDING_SHARE * (*e->S / *e->N)))
		return 0.0;
	return fmin(sqrt(variance), DLINTS_MAX_NOISE);
}

PG_FUNCTION_INFO_V1(dlints_with_prior);

/*
 * dlints_with_prior(model, evidence, weight): use the observations of the model "evidence",
 * multiplied by "weight", as a prior.  An untrained "evidence" removes the prior.
 */
Datum
dlints_with_prior(PG_FUNCTION_ARGS)
{
	Dlints	   *model;
	Dlints	   *evidence;
	Memories	memories;
	Evidence	longest;
	Rewards		rewards;
	double		weight;
	double	   *numbers;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	weight = PG_ARGISNULL(2) ? 1.0 : PG_GETARG_FLOAT8(2);
	CheckWeight(weight, NULL);
	model = PG_GETARG_DLINTS_P(0);
	evidence = PG_GETARG_DLINTS_P(1);
	ModelCheckSameEvidence(&model->header, &evidence->header);
	memories = ModelMemories(evidence);
	longest = memories.memory[memories.count - 1];
	rewards = ModelRewards(&evidence->header);
	model = CopyWithoutPrior(model, *longest.N > 0.0 ? weight : 0.0);
	if (*longest.N > 0.0)
	{
		numbers = ModelPriorNumbers(model);
		numbers[1] = RewardStddev(&longest);
		prior_from(&longest, &rewards, numbers, numbers + 2, numbers + 2 + longest.dim);
	}
	ModelFinishRevision(model);
	PG_RETURN_DLINTS_P(model);
}
