/*
 * new.c
 *		Make a model that has seen nothing, give one other parameters, and let one
 *		know something beforehand.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "model/fields.h"
#include "model/model.h"
#include "sql/args.h"
#include "sql/observation.h"

static uint8
PolicyArgument(FunctionCallInfo fcinfo, int argno)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(argno));
	uint8		policy;

	if (!NumberOfName(&PolicyNames, name, &policy))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown policy \"%s\"", name),
				 errhint("The policies are \"thompson\", \"ucb\" and \"greedy\".")));
	return policy;
}

/*
 * How a profile and features make what is learned.  A matched profile has as many
 * numbers as the features.
 */
static void
SetInteractions(FunctionCallInfo fcinfo, int argno, DlintsHeader *header)
{
	char	   *name;

	if (PG_ARGISNULL(argno))
		return;
	name = text_to_cstring(PG_GETARG_TEXT_PP(argno));
	if (!NumberOfName(&InteractionsNames, name, &header->interactions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown interactions \"%s\"", name),
				 errhint("Interactions are \"matched\", or NULL for none.")));
	header->profile_dim = header->feature_dim;
}

/* The interval in an argument in seconds, a month having 30 days. */
static double
HalfLifeArgument(FunctionCallInfo fcinfo, int argno)
{
	Interval   *interval = PG_GETARG_INTERVAL_P(argno);
	double		seconds = interval->time / (double) USECS_PER_SEC +
		(interval->day + (double) interval->month * DAYS_PER_MONTH) * SECS_PER_DAY;

	ModelCheckHalfLife(seconds, NULL);
	return seconds;
}

/*
 * The shortest window that nobody chose, in observations for each coordinate.
 * Twice as many observations as parameters is the least from which a memory can
 * tell noise from what it has learned (memories.c).
 */
#define SHORT_WINDOW		2

/*
 * Models of up to so many coordinates have three memories.  At 101 coordinates
 * the third would make 126 kB of 84 kB, which each update writes.
 */
#define THREE_MEMORIES_DIM	100

/*
 * Rate and number of memories, of which those that were not given (NULL)
 * follow from the number of coordinates.
 */
static void
SetMemories(FunctionCallInfo fcinfo, int discount_argno, int half_life_argno,
			int memories_argno, DlintsHeader *header)
{
	bool		by_count = PG_ARGISNULL(half_life_argno);
	int			dim = ModelCoordinates(header);
	int			memories = !PG_ARGISNULL(discount_argno) ? 1 :
		dim > THREE_MEMORIES_DIM ? 2 : 3;

	if (!PG_ARGISNULL(memories_argno))
		memories = PG_GETARG_INT32(memories_argno);
	ModelCheckMemories(memories, NULL);
	header->memories = (uint8) memories;
	header->discount = 0.0;
	if (!by_count)
		header->half_life = HalfLifeArgument(fcinfo, half_life_argno);
	if (!PG_ARGISNULL(discount_argno))
		header->discount = ArgFinite(PG_GETARG_FLOAT8(discount_argno), "discount");
	else if (by_count)
		header->discount = memories == 1 ? 1.0 :
			1.0 - 1.0 / ((double) SHORT_WINDOW * dim);
}

PG_FUNCTION_INFO_V1(dlints_new);

/*
 * A model that has seen nothing (Algorithm 1, "Input" and "Initialize")
 *
 * The paper's has a discount and a ridge.  projection_scale is kappa, by default
 * 1/sqrt(reduced_dim) (Theorem 1).
 */
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
	header.policy = PolicyArgument(fcinfo, 9);
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
	SetInteractions(fcinfo, 2, &header);

	/* the sizes are known to be good before a rate follows from them */
	header.memories = 1;
	header.discount = 1.0;
	ModelCheckParameters(&header, NULL);
	SetMemories(fcinfo, 4, 3, 5, &header);
	ModelCheckParameters(&header, NULL);
	PG_RETURN_DLINTS_P(ModelCreate(&header));
}

static void
WeighPrior(Dlints *model, double weight)
{
	if (model->header.prior_weight == 0.0 && weight != 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("prior_weight must not be given without a prior"),
				 errhint("Give the model a prior with dlints_with_prior.")));
	model->header.prior_weight = weight;
}

PG_FUNCTION_INFO_V1(dlints_set);

/* The model with other parameters and the same evidence */
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
		model->header.policy = PolicyArgument(fcinfo, 4);
	if (!PG_ARGISNULL(5))
		WeighPrior(model, PG_GETARG_FLOAT8(5));
	FieldsSettle(&model->header);
	ModelCheckParameters(&model->header, NULL);
	if (!PG_ARGISNULL(1) || !PG_ARGISNULL(3) || !PG_ARGISNULL(5))
		ModelRevised(model);
	PG_RETURN_DLINTS_P(model);
}

/* ---------- what is known beforehand ---------- */

/* The model with room for a prior of this weight, and none where that is 0. */
static Dlints *
WithRoom(Dlints *model, double weight)
{
	DlintsHeader header = model->header;
	Dlints	   *other;

	header.prior_weight = weight;
	other = ModelAllocate(&header);
	memcpy(other->values, model->values, sizeof(float8) *
		   ModelMemoriesCount(&header, header.memories));
	return other;
}

/* The standard deviation of the rewards of evidence; 0 if they are all the same */
static double
Spread(const Evidence *e)
{
	double		mean = *e->R / *e->N;
	double		variance = *e->S / *e->N - mean * mean;

	if (!(variance > LEAST_SHARE * (*e->S / *e->N)))
		return 0.0;
	return fmin(sqrt(variance), DLINTS_MAX_NOISE);
}

PG_FUNCTION_INFO_V1(dlints_with_prior);

/*
 * dlints_with_prior(model, evidence, weight): the model with the evidence known
 * beforehand, in place of what it had of that kind (core/posterior.h)
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
	model = WithRoom(model, *longest.N > 0.0 ? weight : 0.0);
	if (*longest.N > 0.0)
	{
		numbers = ModelPriorNumbers(model);
		numbers[1] = Spread(&longest);
		prior_from(&longest, &rewards, numbers, numbers + 2,
				   numbers + 2 + longest.dim);
	}
	ModelRevised(model);
	PG_RETURN_DLINTS_P(model);
}
