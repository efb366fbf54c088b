/*
 * request.c
 *		What dlints_recommend and dlints_choose have in common: seeds, the
 *		weights and the width that a policy scores by, and one model and one
 *		shared context for all candidates.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "core/random.h"
#include "posterior/reduce.h"
#include "sql/observation.h"

/*
 * A seed independent of that of any other draw, on any server.  Each process
 * takes a random key once and counts under it, because asking the system each
 * time would cost as much as the draw.
 */
uint64
FreshSeed(void)
{
	static struct
	{
		int			pid;		/* a forked process takes a key of its own */
		uint32		counter[4];
		uint32		key[2];
	}			state;
	uint32		bits[4];

	if (state.pid != MyProcPid)
	{
		if (!pg_strong_random(state.counter, sizeof(state.counter)) ||
			!pg_strong_random(state.key, sizeof(state.key)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not obtain random numbers")));
		state.pid = MyProcPid;
	}
	if (++state.counter[0] == 0)
		state.counter[1]++;
	random_philox(state.counter, state.key, bits);
	return ((uint64) bits[1] << 32) | bits[0];
}

/*
 * Weights are read with every candidate, faster if no vector register's worth
 * of them lies across two cache lines.
 */
static double *
AllocateWeights(int count)
{
	const Size	line = 64;

	return (double *) TYPEALIGN(line, palloc(sizeof(double) * count + line));
}

/*
 * psi-tilde carried back to context space, under a shared context if the model
 * has one: in the current memory context
 */
double *
DrawWeights(PreparedModel *prepared, uint64 seed, const Datum *shared)
{
	const DlintsHeader *model = &prepared->header;
	double	   *draw = PreparedDraw(prepared, seed);
	double	   *weights = AllocateWeights(ModelLiftedLen(model));

	LiftParameter(model, draw, shared, weights);
	pfree(draw);
	return weights;
}

/* What a policy takes of a model. */
static int
PolicyParts(const Policy *policy)
{
	return policy->widens ? PART_MEAN | PART_ROOT :
		policy->draws ? PART_DRAW : PART_MEAN;
}

/* The weights that score all candidates of a choice. */
double *
PolicyWeights(PreparedModel *prepared, const Datum *shared)
{
	int			count = ModelLiftedLen(&prepared->header);

	if (PolicyGet(prepared->header.policy)->draws)
		return DrawWeights(prepared, FreshSeed(), shared);
	return memcpy(AllocateWeights(count), PreparedWeights(prepared, shared),
				  sizeof(double) * count);
}

/* Remember what the first candidate brings, in a context of the caller's. */
void
RequestBegin(Request *request, const Asker *asker, PreparedModel *prepared,
			 MemoryContext context, Datum model, const Datum *shared)
{
	const Policy *policy = PolicyGet(prepared->header.policy);

	/* all parts at once, of one factor */
	PrepareParts(prepared, PolicyParts(policy));
	memset(request, 0, sizeof(Request));
	request->asker = asker;
	request->context = context;
	request->model = prepared->header;
	request->expected = ArgContextSpec(&request->model);
	if (policy->widens)
		request->width_factor = prepared->header.exploration;
	ValueKeySet(&request->model_key, model, context);
	if (shared)
		ValueKeySet(&request->shared_key, *shared, context);
}

/*
 * Is this the shared context of the request?  The same numbers will do, and
 * are what is to be expected next.
 */
void
RequestCheckShared(Request *request, Datum shared)
{
	Datum		expected = PointerGetDatum(request->shared_key.bytes);
	double	   *ours;
	double	   *theirs;
	int			i;

	if (likely(ValueKeyMatches(&request->shared_key, shared)))
		return;
	ours = ReadShared(&expected, &request->model);
	theirs = ReadShared(&shared, &request->model);
	for (i = 0; i < request->model.shared_dim; i++)
		if (theirs[i] != ours[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s needs the same shared context for all rows of a %s",
							request->asker->function, request->asker->rows),
					 errhint("%s", request->asker->shared_advice)));
	pfree(theirs);
	pfree(ours);
	ValueKeyReplace(&request->shared_key, shared, request->context);
}

/* What the posterior width adds to the score of a candidate. */
double
RequestWidth(const Request *request, PreparedModel *prepared,
			 ArrayType *context)
{
	Datum		shared = PointerGetDatum(request->shared_key.bytes);

	return request->width_factor *
		PreparedWidth(prepared, context,
					  request->shared_key.size > 0 ? &shared : NULL);
}
