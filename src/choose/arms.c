/*
 * arms.c
 *		Arms, candidates that have a model each: their scores, and
 *		dlints_recommend_arms, the best of them.
 *
 * Where candidates share a model, their scores come from one draw of it.  Arms
 * share no parameter.  The score of each under a draw of its own model is a
 * normal number, independent of all others, so that it takes one normal and no
 * vector: for any number of draws an arm is put through its model once.  Its
 * intercept counts.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "choose/topk.h"
#include "core/numbers.h"
#include "core/random.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/observation.h"

/* ---------- scores ---------- */

/* candidates in a strip */
#define STRIP	256

struct ArmScores
{
	Scores		base;
	uint64		seed;
	int			capacity;
	double	   *means;
	double	   *stddevs;
	bool		drawn;			/* one of them is not 0 */
	double		block[STRIP];	/* scores of a strip */
};

/* Where the features' score lies, the intercept included. */
ArmScore
ArmScoreOf(PreparedModel *prepared, ArrayType *features, Datum profile)
{
	const DlintsHeader *model = &prepared->header;
	ArmScore	score;
	double		width;

	score.mean = PreparedScore(prepared, ReduceArray(model, features, profile),
							   &width);
	width *= model->exploration;
	score.stddev = model->policy == POLICY_THOMPSON ? ResultFinite(width) : 0.0;
	if (model->policy == POLICY_UCB)
		score.mean = ResultFinite(score.mean + width);
	return score;
}

/* The scores of a strip under a draw: means and as many normals. */
static void
ScoreStrip(ArmScores *scores, int draw, ScoresStrip *strip)
{
	const double *means = scores->means + strip->first;
	const double *stddevs = scores->stddevs + strip->first;
	double	   *list = scores->block;
	int			i;

	random_normals(random_bits(scores->seed, strip->first), RANDOM_DRAW, draw,
				   strip->count, list);
	for (i = 0; i < strip->count; i++)
		list[i] = means[i] + stddevs[i] * list[i];
	strip->scores = list;
	strip->peak = ResultFinite(peak_of(strip->count, list));
}

/* Where no policy draws, all draws are the same. */
static void
ScoreStripOnce(ArmScores *scores, ScoresStrip *strip)
{
	strip->scores = scores->means + strip->first;
	strip->peak = peak_of(strip->count, strip->scores);
}

/* See scores.h. */
static void
ScoreUnder(Scores *base, int first_draw, int draws, ScoresTaker take,
		   void *taker)
{
	ArmScores  *scores = (ArmScores *) base;
	ScoresStrip strip = {.step = 1};
	int			i;

	for (; strip.first < base->count; strip.first += STRIP)
	{
		strip.count = Min(STRIP, base->count - strip.first);
		if (!scores->drawn)
			ScoreStripOnce(scores, &strip);
		for (i = 0; i < draws; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (scores->drawn)
				ScoreStrip(scores, first_draw + i, &strip);
			take(taker, first_draw + i, &strip);
		}
	}
}

/* For at most so many arms, in the current memory context. */
ArmScores *
ArmScoresCreate(int capacity)
{
	ArmScores  *scores = palloc0(sizeof(ArmScores));

	scores->base.most_draws = PG_INT32_MAX;
	scores->base.under = ScoreUnder;
	scores->seed = FreshSeed();
	scores->capacity = capacity;
	scores->means = AllocateNumbers(capacity);
	scores->stddevs = AllocateNumbers(capacity);
	return scores;
}

void
ArmScoresAdd(ArmScores *scores, ArmScore score)
{
	int			number = scores->base.count++;

	Assert(number < scores->capacity);
	scores->means[number] = score.mean;
	scores->stddevs[number] = score.stddev;
	scores->drawn |= (score.stddev > 0.0);
}

/* ---------- dlints_recommend_arms ---------- */

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
