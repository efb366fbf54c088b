/*
 * arms.c
 *		dlints_recommend_arms: the best of arms that have a model each.
 *
 * Where candidates share a model, their scores come from one draw of it.  Arms
 * share nothing: each has a draw of its own, and an intercept that counts.
 */
#include "postgres.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "choose/topk.h"
#include "core/random.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

/* A score of an arm under a draw of its own. */
static double
DrawScore(const ArmScore *score)
{
	double		normal;

	random_normals(FreshSeed(), RANDOM_DRAW, 0, 1, &normal);
	return ResultFinite(score->mean + score->stddev * normal);
}

/*
 * dlints_recommend_arms(model, arm, features [, k [, profile]]): as
 * dlints_recommend, of arms whose own models score the features, each under a
 * draw of its own and with its intercept
 */
PG_FUNCTION_INFO_V1(dlints_recommend_arms_transfn);

Datum
dlints_recommend_arms_transfn(PG_FUNCTION_ARGS)
{
	const CandidateForm *form = AggregateForm(fcinfo);
	ArmScore	score;
	TopK	   *top;
	int			k = 1;

	if (!IsCandidate(fcinfo, form))
		return AggregateSameState(fcinfo);
	if (form->k)
		k = ArgCount(fcinfo, form->k);
	top = PG_ARGISNULL(0) ?
		TopKCreate(fcinfo, AggregateContext(fcinfo), form->item, k) :
		(TopK *) PG_GETARG_POINTER(0);
	TopKCheckCount(top, k);
	score = ArmScoreOf(PrepareModel(fcinfo, form->model),
					   ArgArray(fcinfo, form->features),
					   ProfileArgument(fcinfo, form->profile));
	TopKOfferByLot(top, DrawScore(&score), FreshSeed(), fcinfo->args[form->item]);
	PG_RETURN_POINTER(top);
}

PG_FUNCTION_INFO_V1(dlints_recommend_arms_finalfn);

/* The best one; of the k best the final function is dlints_top's. */
Datum
dlints_recommend_arms_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return TopKReturnBest(fcinfo, (TopK *) PG_GETARG_POINTER(0));
}
