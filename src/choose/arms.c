/*
 * arms.c
 *		dlints_recommend_arms: the best of arms that have a model each.
 *
 * Where candidates share a model, their scores come from one draw of it.  Arms
 * share nothing: each has a draw of its own, and an intercept that counts.
 */
#include "postgres.h"

#include "choose/request.h"
#include "choose/topk.h"
#include "core/dot.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"
#include "sql/results.h"

/* Where one of them is NULL there is no arm to choose. */
static bool
IsArm(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	return !PG_ARGISNULL(form->model) && !PG_ARGISNULL(form->features) &&
		(!form->profile || !PG_ARGISNULL(form->profile));
}

/* The parameter that a model's policy scores by. */
static const double *
Parameter(PreparedModel *prepared, const Policy *policy)
{
	if (policy->draws)
		return PreparedDraw(prepared, FreshSeed());
	PrepareParts(prepared, PART_MEAN);
	return prepared->mean;
}

/* The score of an arm, with its intercept. */
static double
ArmScore(PreparedModel *prepared, ArrayType *features, Datum profile)
{
	const Policy *policy = PolicyGet(prepared->header.policy);
	const double *reduced = ReduceArray(&prepared->header, features, profile);
	double		score = dot_double(prepared->dim,
								   Parameter(prepared, policy), reduced);

	if (policy->widens)
		score += prepared->header.exploration *
			PreparedWidth(prepared, features, profile);
	return ResultFinite(score);
}

/* Offer one arm. */
static Datum
OfferArm(FunctionCallInfo fcinfo, const CandidateForm *form)
{
	int			k = form->k ? ArgCount(fcinfo, form->k) : 1;
	TopK	   *top;

	top = PG_ARGISNULL(0) ?
		TopKCreate(fcinfo, AggregateContext(fcinfo), form->item, k) :
		(TopK *) PG_GETARG_POINTER(0);
	TopKCheckCount(top, k);
	TopKOfferByLot(top,
				   ArmScore(PrepareModel(fcinfo, form->model),
							ArgArray(fcinfo, form->features),
							ProfileArgument(fcinfo, form->profile)),
				   FreshSeed(),
				   PG_ARGISNULL(form->item) ? (Datum) 0 :
				   PG_GETARG_DATUM(form->item), PG_ARGISNULL(form->item));
	PG_RETURN_POINTER(top);
}

/*
 * dlints_recommend_arms(model dlints, arm anyelement, features dlints_vector)
 *		-> anyelement, aggregate
 *
 * The arm whose own model scores the features best by its policy: thompson
 * under a draw of its own for each arm, ucb by expected reward plus
 * exploration times dlints_stddev, greedy by expected reward; with the
 * intercept in each case.  Models may differ in all but what features are.
 * Among equal scores chance decides.  Arms with a NULL model or NULL features
 * are skipped; without arms the result is NULL.
 *
 * dlints_recommend_arms(model dlints, arm anyelement, features dlints_vector,
 *						 k bigint [, profile dlints_vector])
 *		-> anyarray, aggregate
 *
 * The k best arms, best first (fewer if there are fewer).  k is at least 1 and
 * the same for all rows of a group; rows with a NULL profile are skipped.
 */
PG_FUNCTION_INFO_V1(dlints_recommend_arms_transfn);

Datum
dlints_recommend_arms_transfn(PG_FUNCTION_ARGS)
{
	static const CandidateForm forms[] = {
		{.model = 1, .item = 2, .features = 3},
		{.model = 1, .item = 2, .features = 3, .k = 4},
		{.model = 1, .item = 2, .features = 3, .k = 4, .profile = 5},
	};
	const CandidateForm *form = &forms[PG_NARGS() - 4];

	if (!IsArm(fcinfo, form))
		return AggregateSameState(fcinfo);
	return OfferArm(fcinfo, form);
}
