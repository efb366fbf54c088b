/*
 * recommend.c
 *		The aggregate dlints_recommend: return the best candidates of a group of rows.
 *
 * One posterior draw of coefficients scores all candidates of a group.
 */
#include "postgres.h"

#include "choose/request.h"
#include "choose/topk.h"
#include "sql/args.h"
#include "sql/observation.h"

typedef struct RecommendState
{
	TopK		top;			/* first member, because final functions read the state as a TopK */
	Request		request;
	double	   *weights;		/* weights of features */
	uint64		tie_seed;		/* seed of the tie-break keys */
} RecommendState;

static const MismatchMessages recommend = {
	.function = "dlints_recommend",
	.rows = "group",
	.advice = "Use GROUP BY to recommend from several models, or dlints_recommend_arms where each row has a model of its own.",
	.profile_advice = "Use GROUP BY to recommend to several users.",
};

static RecommendState *
BeginState(FunctionCallInfo fcinfo, const CandidateForm *form, int k)
{
	MemoryContext context = AggregateContext(fcinfo);
	PreparedModel *prepared = PrepareModel(fcinfo, form->model);
	Datum		profile = ProfileArgument(fcinfo, form->profile);
	MemoryContext caller = MemoryContextSwitchTo(context);
	RecommendState *state = (RecommendState *)
		TopKCreate(fcinfo, context, form->item, k, sizeof(RecommendState));

	RequestInit(&state->request, &recommend, prepared, context,
				 PG_GETARG_DATUM(form->model), profile);
	state->weights = PolicyWeights(prepared, profile);
	state->tie_seed = FreshSeed();
	MemoryContextSwitchTo(caller);
	return state;
}

/* Compute a candidate's score without the intercept. */
static double
Score(FunctionCallInfo fcinfo, const CandidateForm *form, const RecommendState *state)
{
	const Request *request = &state->request;
	ArrayType  *features = ArgArray(fcinfo, form->features);
	double		score = ArgDot(features, &request->expected, state->weights);
	double	   *numbers;

	if (request->stddev_factor == 0.0)
		return score;
	numbers = palloc(sizeof(double) * request->expected.len);
	ArgVector(features, &request->expected, numbers);
	return ResultFinite(score + RequestUcbBonus(request, PrepareModel(fcinfo, form->model),
											 numbers));
}

/*
 * dlints_recommend(): return the item with the highest score, or the k best items.  Ties are
 * broken randomly (Ghoorchian et al., Algorithm 1, "Select arm").
 */
PG_FUNCTION_INFO_V1(dlints_recommend_transfn);

Datum
dlints_recommend_transfn(PG_FUNCTION_ARGS)
{
	const CandidateForm *form = AggregateForm(fcinfo);
	RecommendState *state;
	int			k;

	if (!IsCandidate(fcinfo, form))
		return AggregateSameState(fcinfo);
	k = form->k ? ArgCount(fcinfo, form->k) : 1;
	state = PG_ARGISNULL(0) ? BeginState(fcinfo, form, k) :
		(RecommendState *) PG_GETARG_POINTER(0);
	CheckSameValue(k == state->top.k, "k");
	if (unlikely(!ValueKeyMatches(&state->request.model_key, PG_GETARG_DATUM(form->model))))
		CheckSameModel(&state->request.model_key, PG_GETARG_DATUM(form->model), &recommend,
					   state->request.context);
	if (form->profile)
		RequestCheckProfile(&state->request, PG_GETARG_DATUM(form->profile));
	TopKOfferRandomly(&state->top, Score(fcinfo, form, state), state->tie_seed,
				   fcinfo->args[form->item]);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(dlints_recommend_finalfn);

/* final function of aggregates without the argument k */
Datum
dlints_recommend_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return TopKReturnBest(fcinfo, (TopK *) PG_GETARG_POINTER(0));
}

PG_FUNCTION_INFO_V1(dlints_recommend_k_finalfn);

/* final function of aggregates with the argument k */
Datum
dlints_recommend_k_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(TopKArray((TopK *) PG_GETARG_POINTER(0)));
}
