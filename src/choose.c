/*
 * choose.c
 *		Draws from the posterior and what is chosen with them.
 *
 * One draw scores all candidates of a group.  A draw for each row would not
 * be Thompson sampling: candidates share the parameter, and their scores must
 * move together.  The other policies score by the posterior mean, and by its
 * width.
 */
#include "postgres.h"

#include "args.h"
#include "draw.h"
#include "results.h"
#include "topk.h"

/* The seed argument, or an independent one. */
static uint64
SeedArgument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? FreshSeed() :
		(uint64) PG_GETARG_INT64(argno);
}

PG_FUNCTION_INFO_V1(dlints_draw);

/*
 * dlints_draw(model dlints, seed bigint DEFAULT NULL) -> double precision[]
 *
 * One perturbed estimate psi-tilde (Algorithm 1), of as many numbers as
 * dlints_mean has: normal with mean psi-hat and covariance
 * xi^2 sigma^2 Z^-1 Z~ Z^-1.  With a seed the same for the same model; without,
 * independent of every other draw.
 */
Datum
dlints_draw(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	PG_RETURN_DATUM(ResultVector(PreparedDraw(prepared, SeedArgument(fcinfo, 1)),
								 prepared->dim));
}

PG_FUNCTION_INFO_V1(dlints_draw_weights);

/*
 * dlints_draw_weights(model dlints [, shared anycompatiblearray],
 *					   seed bigint DEFAULT NULL) -> double precision[]
 *
 * A draw carried back to context space as dlints_weights carries the mean.  Its
 * dot product with a context is the score of that context under the draw, up
 * to the intercept, which is the same for all.
 */
Datum
dlints_draw_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;
	double	   *weights;

	/* the model and, in front of the seed, perhaps the shared context */
	if (PG_ARGISNULL(0) || PG_ARGISNULL(PG_NARGS() - 2))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	weights = DrawWeights(prepared, SeedArgument(fcinfo, PG_NARGS() - 1),
						  ArgSharedDatum(fcinfo, 1, 2));
	PG_RETURN_DATUM(ResultVector(weights, prepared->header.context_dim));
}

PG_FUNCTION_INFO_V1(dlints_dot);

/*
 * dlints_dot(weights double precision[], context anycompatiblearray)
 *		-> double precision
 *
 * The score of a context under a weight vector of the same length.
 */
Datum
dlints_dot(PG_FUNCTION_ARGS)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(0);
	ArgSpec		weights_spec = {"array of weights", 0, NULL, false};
	ArgSpec		spec = {"context", 0, NULL, false};

	spec.len = ArgVectorLength(weights, &weights_spec);
	PG_RETURN_FLOAT8(ArgDot(ArgArray(fcinfo, 1), &spec,
							(const float8 *) ARR_DATA_PTR(weights)));
}

/* Where the transition functions of dlints_recommend find their arguments. */
#define MODEL_ARGNO		1
#define ITEM_ARGNO		2
#define CONTEXT_ARGNO	3
#define SHARED_ARGNO	4		/* not in all forms */

/* The state of dlints_recommend for one group. */
typedef struct RecommendState
{
	Request		request;
	ArgSpec		context;		/* what candidates have to be */
	double	   *weights;		/* of the group's one draw, or of the mean */
	double		width_factor;	/* what the posterior width counts */
	uint64		ties;			/* seed of the lots that are drawn for them */
	TopK	   *top;
} RecommendState;

static const Chooser recommend = {
	.function = "dlints_recommend",
	.rows = "group",
	.advice = "Use GROUP BY to recommend from several models.",
	.shared_advice = "Use GROUP BY to recommend to several users.",
};

static RecommendState *
BeginRecommend(FunctionCallInfo fcinfo, const Datum *shared, int k)
{
	MemoryContext context = AggregateContext(fcinfo);
	PreparedModel *prepared = PrepareModel(fcinfo, MODEL_ARGNO);
	const Policy *policy = PolicyGet(prepared->header.policy);
	MemoryContext caller = MemoryContextSwitchTo(context);
	RecommendState *state = palloc0(sizeof(RecommendState));

	RequestBegin(&state->request, &recommend, prepared, context,
				 PG_GETARG_DATUM(MODEL_ARGNO), shared);
	state->context = ArgContextSpec(&state->request.model);
	state->weights = PolicyWeights(prepared, policy, shared);
	if (policy->widens)
		state->width_factor = prepared->header.exploration;
	state->ties = FreshSeed();
	state->top = TopKCreate(fcinfo, context, ITEM_ARGNO, k);
	MemoryContextSwitchTo(caller);
	return state;
}

/* The posterior width at a candidate, under the model that the row brings. */
static double
WidthAt(FunctionCallInfo fcinfo, const RecommendState *state)
{
	return PreparedWidth(PrepareModel(fcinfo, MODEL_ARGNO),
						 ArgArray(fcinfo, CONTEXT_ARGNO),
						 state->request.shared_key.size > 0 ?
						 &fcinfo->args[SHARED_ARGNO].value : NULL);
}

/* Score one candidate. */
static Datum
Recommend(FunctionCallInfo fcinfo, RecommendState *state)
{
	double		score;

	if (!RequestHasModel(&state->request, PG_GETARG_DATUM(MODEL_ARGNO)))
		RequestCheckModel(&state->request, PG_GETARG_DATUM(MODEL_ARGNO));
	if (state->request.shared_key.size > 0 &&
		!RequestHasShared(&state->request, PG_GETARG_DATUM(SHARED_ARGNO)))
		RequestCheckShared(&state->request, PG_GETARG_DATUM(SHARED_ARGNO));
	score = ArgDot(ArgArray(fcinfo, CONTEXT_ARGNO), &state->context,
				   state->weights);
	if (state->width_factor > 0.0)
		score = ResultFinite(score + state->width_factor * WidthAt(fcinfo, state));
	TopKOfferByLot(state->top, score, state->ties,
				   PG_ARGISNULL(ITEM_ARGNO) ? (Datum) 0 :
				   PG_GETARG_DATUM(ITEM_ARGNO), PG_ARGISNULL(ITEM_ARGNO));
	PG_RETURN_POINTER(state);
}

/*
 * A NULL model, context or shared context makes no candidate.  Calls without a
 * shared context have "without" arguments.
 */
static bool
IsCandidate(FunctionCallInfo fcinfo, int without)
{
	return !PG_ARGISNULL(MODEL_ARGNO) && !PG_ARGISNULL(CONTEXT_ARGNO) &&
		(PG_NARGS() == without || !PG_ARGISNULL(SHARED_ARGNO));
}

PG_FUNCTION_INFO_V1(dlints_recommend_transfn);

/*
 * dlints_recommend(model dlints, item anyelement,
 *					context real[] | double precision[]
 *					[, shared, of the same type]) -> anyelement, aggregate
 *
 * The item whose context scores best by the model's policy.  thompson: under
 * one draw of the perturbed estimate (Algorithm 1, "Select arm"), a new one
 * for each group of each statement.  ucb: by expected reward plus exploration
 * times dlints_stddev.  greedy: by expected reward.  Model and shared context
 * are the same for all rows of a group.  Among equal scores chance decides, each
 * having the same.  Candidates with a NULL context are skipped; without
 * candidates the result is NULL.
 */
Datum
dlints_recommend_transfn(PG_FUNCTION_ARGS)
{
	RecommendState *state;

	if (!IsCandidate(fcinfo, 4))
		return AggregateSameState(fcinfo);
	if (PG_ARGISNULL(0))
		state = BeginRecommend(fcinfo,
							   ArgSharedDatum(fcinfo, SHARED_ARGNO, 4), 1);
	else
		state = (RecommendState *) PG_GETARG_POINTER(0);
	return Recommend(fcinfo, state);
}

PG_FUNCTION_INFO_V1(dlints_recommend_k_transfn);

/*
 * dlints_recommend(model dlints, item anyelement,
 *					context real[] | double precision[]
 *					[, shared, of the same type], k bigint)
 *		-> anyarray, aggregate
 *
 * As above, the k best items, best first (fewer if there are fewer
 * candidates).  k is at least 1 and the same for all rows of a group.
 */
Datum
dlints_recommend_k_transfn(PG_FUNCTION_ARGS)
{
	RecommendState *state;
	int			k;

	if (!IsCandidate(fcinfo, 5))
		return AggregateSameState(fcinfo);
	k = ArgCount(fcinfo, PG_NARGS() - 1);
	if (PG_ARGISNULL(0))
		state = BeginRecommend(fcinfo,
							   ArgSharedDatum(fcinfo, SHARED_ARGNO, 5), k);
	else
		state = (RecommendState *) PG_GETARG_POINTER(0);
	TopKCheckCount(state->top, k);
	return Recommend(fcinfo, state);
}

PG_FUNCTION_INFO_V1(dlints_recommend_finalfn);

Datum
dlints_recommend_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return TopKReturnBest(fcinfo, ((RecommendState *) PG_GETARG_POINTER(0))->top);
}

PG_FUNCTION_INFO_V1(dlints_recommend_k_finalfn);

Datum
dlints_recommend_k_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(TopKArray(((RecommendState *) PG_GETARG_POINTER(0))->top));
}
