/*
 * arms.c
 *		dlints_recommend_arms: choose among arms that have a model each.
 *
 * The models of two arms share no coefficients.  We therefore draw one normal number per arm,
 * instead of a vector of coefficients.
 */
#include "postgres.h"

#include "choose/request.h"
#include "choose/topk.h"
#include "core/random.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

typedef struct ArmScore
{
	double		mean;
	double		stddev;			/* standard deviation of the arm's score; 0: no draw */
} ArmScore;

static ArmScore
ArmScoreOf(PreparedModel *prepared, ArrayType *features, Datum profile)
{
	const DlintsHeader *model = &prepared->header;
	ArmScore	score;
	double		stddev;

	score.mean = PreparedScore(prepared, ReduceArray(model, features, profile), &stddev);
	stddev *= model->exploration;
	score.stddev = model->policy == POLICY_THOMPSON ? ResultFinite(stddev) : 0.0;
	if (model->policy == POLICY_UCB)
		score.mean = ResultFinite(score.mean + stddev);
	return score;
}

static double
DrawScore(const ArmScore *score)
{
	double		normal;

	random_normals(FreshSeed(), RANDOM_DRAW, 0, 1, &normal);
	return ResultFinite(score->mean + score->stddev * normal);
}

/*
 * dlints_recommend_arms(model, arm, features [, k [, profile]]): return the best arm, or the k
 * best.
 *
 * The score of each arm is an independent draw.  It includes the intercept.
 */
PG_FUNCTION_INFO_V1(dlints_recommend_arms_transfn);

Datum
dlints_recommend_arms_transfn(PG_FUNCTION_ARGS)
{
	const CandidateForm *form = AggregateForm(fcinfo);
	ArmScore	score;
	TopK	   *top;
	int			k;

	if (!IsCandidate(fcinfo, form))
		return AggregateSameState(fcinfo);
	k = form->k ? ArgCount(fcinfo, form->k) : 1;
	top = PG_ARGISNULL(0) ?
		TopKCreate(fcinfo, AggregateContext(fcinfo), form->item, k, sizeof(TopK)) :
		(TopK *) PG_GETARG_POINTER(0);
	CheckSameValue(k == top->k, "k", "group");
	score = ArmScoreOf(PrepareModel(fcinfo, form->model), ArgArray(fcinfo, form->features),
					   ProfileArgument(fcinfo, form->profile));
	TopKOfferRandomly(top, DrawScore(&score), FreshSeed(), fcinfo->args[form->item]);
	PG_RETURN_POINTER(top);
}
