/*
 * request.c
 *		What functions that choose have in common: seeds, the weights and the
 *		width that a policy scores by, and one model and one profile for all
 *		candidates.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "core/random.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/*
 * A seed independent of that of any other draw, on any server.  Each process
 * takes a random key once and counts under it, because asking the system each
 * time would cost as much as the draw.
 */
uint64
FreshSeed(void)
{
	static int	pid;			/* a forked process takes a key of its own */
	static uint64 key;
	static uint64 counter;

	if (pid != MyProcPid)
	{
		if (!pg_strong_random(&key, sizeof(key)) ||
			!pg_strong_random(&counter, sizeof(counter)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not obtain random numbers")));
		pid = MyProcPid;
	}
	return random_bits(key, counter++);
}

/* The argument, or an independent one. */
uint64
SeedArgument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? FreshSeed() :
		(uint64) PG_GETARG_INT64(argno);
}

/* The number of arguments, the state among them, says which form it is. */
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

/* Where one of them is NULL there is no candidate. */
bool
IsCandidate(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	return !PG_ARGISNULL(form->model) && !PG_ARGISNULL(form->features) &&
		(!form->profile || !PG_ARGISNULL(form->profile));
}

/*
 * psi-tilde carried back to feature space, under a profile if the model
 * has one: in the current memory context
 */
double *
DrawWeights(PreparedModel *prepared, uint64 seed, Datum profile)
{
	const DlintsHeader *model = &prepared->header;
	double	   *draw = PreparedDraw(prepared, seed);
	double	   *weights = palloc(sizeof(double) * ModelLiftedLen(model));

	LiftParameter(model, draw, profile, weights);
	pfree(draw);
	return weights;
}

/* What a policy takes of a model. */
static int
PolicyParts(uint8 policy)
{
	return policy == POLICY_UCB ? PART_MEAN | PART_ROOT :
		policy == POLICY_THOMPSON ? PART_DRAW : PART_MEAN;
}

/* The weights that score all candidates of a choice. */
double *
PolicyWeights(PreparedModel *prepared, Datum profile)
{
	Size		size = sizeof(double) * ModelLiftedLen(&prepared->header);

	if (prepared->header.policy == POLICY_THOMPSON)
		return DrawWeights(prepared, FreshSeed(), profile);
	return memcpy(palloc(size), PreparedWeights(prepared, profile), size);
}

/* Remember what the first candidate brings, in a context of the caller's. */
void
RequestBegin(Request *request, const MismatchMessages *messages,
			 PreparedModel *prepared, MemoryContext context, Datum model,
			 Datum profile)
{
	/* all parts at once, of one factor */
	PrepareParts(prepared, PolicyParts(prepared->header.policy));
	memset(request, 0, sizeof(Request));
	request->messages = messages;
	request->context = context;
	request->model = prepared->header;
	request->expected = ArgFeatureSpec(&request->model);
	if (prepared->header.policy == POLICY_UCB)
	{
		request->width_factor = prepared->header.exploration;
		request->profile = ReadProfile(profile, &request->model);
	}
	ValueKeySet(&request->model_key, model, context);
	ValueKeySet(&request->profile_key, profile, context);
}

/*
 * Is this the profile of the request?  The same numbers will do, and
 * are what is to be expected next.
 */
void
RequestCheckProfile(Request *request, Datum profile)
{
	Datum		expected = PointerGetDatum(request->profile_key.bytes);
	double	   *ours;
	double	   *theirs;
	int			i;

	if (likely(ValueKeyMatches(&request->profile_key, profile)))
		return;
	ours = ReadProfile(expected, &request->model);
	theirs = ReadProfile(profile, &request->model);
	for (i = 0; i < request->model.profile_dim; i++)
		if (theirs[i] != ours[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s needs the same profile for all rows of a %s",
							request->messages->function, request->messages->rows),
					 errhint("%s", request->messages->profile_advice)));
	pfree(theirs);
	pfree(ours);
	ValueKeyReplace(&request->profile_key, profile, request->context);
}

/* What the posterior width adds to the score of a candidate. */
double
RequestWidth(const Request *request, PreparedModel *prepared,
			 const double *features)
{
	int			dim = prepared->dim;
	double	   *reduced = palloc(sizeof(double) * 2 * dim);
	double		width;

	PrepareParts(prepared, PART_ROOT);
	ReduceFeatures(&prepared->header, 1, features, request->profile, reduced);
	width = posterior_stddev(dim, prepared->root, reduced, reduced + dim);
	pfree(reduced);
	return ResultFinite(request->width_factor * width);
}
