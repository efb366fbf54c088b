/*
 * arms.c
 *		The aggregate dlints_recommend_arms: choose among the arms of a bandit, each with its own
 *		model.
 *
 * We draw one normal number per arm instead of coefficients, because arms share no coefficients.
 */
#include "postgres.h"

#include "choose/request.h"
#include "choose/topk.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

static double
ArmScore(PreparedModel *prepared, ArrayType *features, Datum profile)
{
	const DlintsHeader *model = &prepared->header;
	double		stddev;
	double		mean = PreparedScore(prepared, ReduceArray(model, features, profile), &stddev);
	double		factor = 1.0;

	if (model->policy == POLICY_GREEDY)
		return mean;
	if (model->policy == POLICY_THOMPSON)
		random_normals(FreshSeed(), RANDOM_DRAW, 0, 0, 1, &factor);
	return ResultFinite(mean + ResultFinite(stddev * model->exploration) * factor);
}

/* dlints_recommend_arms(): return the arm with the highest score, or the k best arms. */
PG_FUNCTION_INFO_V1(dlints_recommend_arms_transfn);

Datum
dlints_recommend_arms_transfn(PG_FUNCTION_ARGS)
{
	const CandidateForm *form = AggregateForm(fcinfo);
	TopK	   *top;
	int			k;
	double		score;

	if (!IsCandidate(fcinfo, form))
		return AggregateSameState(fcinfo);
	k = form->k ? ArgCount(fcinfo, form->k) : 1;
	top = PG_ARGISNULL(0) ?
		TopKCreate(fcinfo, AggregateContext(fcinfo), form->item, k, sizeof(TopK)) :
		(TopK *) PG_GETARG_POINTER(0);
	CheckSameValue(k == top->k, "k");
	score = ArmScore(PrepareModel(fcinfo, form->model), ArgArray(fcinfo, form->features),
					 ProfileArgument(fcinfo, form->profile));
	TopKOfferRandomly(top, score, FreshSeed(), fcinfo->args[form->item]);
	PG_RETURN_POINTER(top);
}
