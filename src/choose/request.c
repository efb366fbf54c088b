/*
 * request.c
 *		Shared code of SQL functions that choose items: random seeds, argument checks, UCB scores.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"

#include "choose/request.h"
#include "core/random.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

int			session_seed = -1;
static int	key_owner;			/* id of the process that generated the random key; 0: no key */

/* Restart the sequence of seeds after a change of the setting dlints.seed. */
void
RestartSeeds(int value, void *extra)
{
	key_owner = 0;
}

/*
 * Return a random seed, or the next seed of the sequence that the setting dlints.seed begins.  We
 * encrypt a counter with a random key, because system calls for random bytes are slow.
 */
uint64
FreshSeed(void)
{
	static uint64 key;
	static uint64 counter;

	if (key_owner != MyProcPid)
	{
		/* parallel workers must not repeat the random numbers of the leader process */
		key = (uint64) session_seed + ((uint64) (ParallelWorkerNumber + 1) << 32);
		counter = 0;
		if (session_seed < 0 &&
			(!pg_strong_random(&key, sizeof(key)) || !pg_strong_random(&counter, sizeof(counter))))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not obtain random numbers")));
		key_owner = MyProcPid;
	}
	return random_bits(key, counter++);
}

uint64
SeedArgument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? FreshSeed() :
		(uint64) PG_GETARG_INT64(argno);
}

/* Get the positions of an aggregate's arguments, which depend on the number of arguments. */
const CandidateForm *
AggregateForm(FunctionCallInfo fcinfo)
{
	static const CandidateForm forms[] = {
		{.model = 1, .item = 2, .features = 3},
		{.model = 1, .item = 2, .features = 3, .k = 4},
		{.model = 1, .item = 2, .features = 3, .k = 4, .profile = 5},
	};

	return &forms[PG_NARGS() - 4];
}

/* Is the row a candidate?  Aggregates skip rows with a NULL model, features or profile. */
bool
IsCandidate(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	return !PG_ARGISNULL(form->model) && !PG_ARGISNULL(form->features) &&
		(!form->profile || !PG_ARGISNULL(form->profile));
}

/* Get the feature weights with which a policy scores candidates, without the UCB bonus. */
double *
PolicyWeights(PreparedModel *prepared, Datum profile)
{
	Size		size = sizeof(double) * ModelLiftedLen(&prepared->header);
	double	   *weights = palloc(size);
	double	   *draw;

	if (prepared->header.policy != POLICY_THOMPSON)
		return memcpy(weights, PreparedWeights(prepared, profile), size);
	draw = PreparedDraw(prepared, FreshSeed());
	LiftParameter(&prepared->header, draw, profile, weights);
	pfree(draw);
	return weights;
}

void
RequestInit(Request *request, const MismatchMessages *messages,
			 PreparedModel *prepared, MemoryContext context, Datum model, Datum profile)
{
	uint8		policy = prepared->header.policy;

	/* compute all results in one call, so that the model is factored only once */
	PrepareParts(prepared, policy == POLICY_UCB ? PART_MEAN | PART_ROOT :
				 policy == POLICY_THOMPSON ? PART_DRAW : PART_MEAN);
	memset(request, 0, sizeof(Request));
	request->messages = messages;
	request->context = context;
	request->model = prepared->header;
	request->expected = ArgFeatureSpec(&request->model);
	if (policy == POLICY_UCB)
	{
		request->stddev_factor = prepared->header.exploration;
		request->profile = ReadProfile(profile, &request->model);
	}
	ValueKeySet(&request->model_key, model, context);
	ValueKeySet(&request->profile_key, profile, context);
}

/* Raise an error unless the profile of a row equals that of the first row. */
void
RequestCheckProfile(Request *request, Datum profile)
{
	Datum		expected = PointerGetDatum(request->profile_key.bytes);
	double	   *ours;
	double	   *theirs;

	if (likely(ValueKeyMatches(&request->profile_key, profile)))
		return;
	ours = ReadProfile(expected, &request->model);
	theirs = ReadProfile(profile, &request->model);
	for (int i = 0; i < request->model.profile_dim; i++)
		if (theirs[i] != ours[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s needs the same profile for all rows of a %s",
							request->messages->function, request->messages->rows),
					 errhint("%s", request->messages->profile_advice)));
	pfree(theirs);
	pfree(ours);
	/* keep this datum, because the next rows probably pass an identical datum */
	ValueKeyReplace(&request->profile_key, profile, request->context);
}

/* Compute the UCB bonus: exploration times the posterior standard deviation. */
double
RequestUcbBonus(const Request *request, PreparedModel *prepared, const double *features)
{
	int			dim = prepared->dim;
	double	   *reduced = palloc(sizeof(double) * 2 * dim);
	double		stddev;

	PrepareParts(prepared, PART_ROOT);
	ReduceFeatures(&prepared->header, 1, features, request->profile, reduced);
	stddev = posterior_stddev(dim, prepared->root, reduced, reduced + dim);
	pfree(reduced);
	return ResultFinite(request->stddev_factor * stddev);
}
