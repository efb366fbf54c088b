/*
 * draw.c
 *		Seeds, weights and requests: what dlints_recommend and dlints_choose
 *		have in common.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "args.h"
#include "core/random.h"
#include "draw.h"
#include "reduce.h"

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

/* The weights that score all candidates of a choice. */
double *
PolicyWeights(PreparedModel *prepared, const Policy *policy,
			  const Datum *shared)
{
	Size		size = sizeof(double) * ModelLiftedLen(&prepared->header);

	if (policy->draws)
		return DrawWeights(prepared, FreshSeed(), shared);
	if (policy->widens)			/* both parts of one factor */
		PrepareParts(prepared, PART_MEAN | PART_ROOT);
	return memcpy(AllocateWeights(ModelLiftedLen(&prepared->header)),
				  PreparedWeights(prepared, shared), size);
}

/* Remember what the first candidate brings, in a context of the caller's. */
void
RequestBegin(Request *request, const Chooser *chooser,
			 const PreparedModel *prepared, MemoryContext context,
			 Datum model, const Datum *shared)
{
	memset(request, 0, sizeof(Request));
	request->chooser = chooser;
	request->context = context;
	request->model = prepared->header;
	ValueKeySet(&request->model_key, model, context);
	if (shared)
		ValueKeySet(&request->shared_key, *shared, context);
}

/*
 * A choice has one model.  Another stored copy of it will do (GROUP BY on the
 * model itself brings such together), and is the one to be expected next.
 */
void
RequestCheckModel(Request *request, Datum model)
{
	const Chooser *chooser = request->chooser;

	if (!ModelEquals(PointerGetDatum(request->model_key.bytes), model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs the same model for all rows of a %s",
						chooser->function, chooser->rows),
				 errhint("%s", chooser->advice)));
	ValueKeyReplace(&request->model_key, model, request->context);
}

/* The same of the shared context: the same numbers will do. */
void
RequestCheckShared(Request *request, Datum shared)
{
	const Chooser *chooser = request->chooser;
	Datum		expected = PointerGetDatum(request->shared_key.bytes);
	double	   *ours;
	double	   *theirs;
	int			i;

	ours = ArgSharedNumbers(&expected, &request->model);
	theirs = ArgSharedNumbers(&shared, &request->model);
	for (i = 0; i < request->model.shared_dim; i++)
		if (theirs[i] != ours[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s needs the same shared context for all rows of a %s",
							chooser->function, chooser->rows),
					 errhint("%s", chooser->shared_advice)));
	pfree(theirs);
	pfree(ours);
	ValueKeyReplace(&request->shared_key, shared, request->context);
}
