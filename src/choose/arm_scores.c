/*
 * arm_scores.c
 *		The scores of candidates that have a model each.
 *
 * Arms share no parameter.  The score of each under a draw of its own model is
 * a normal number, independent of all others, so that it takes one normal and
 * no vector: for any number of draws an arm is put through its model once.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "core/numbers.h"
#include "core/random.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/results.h"

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
	const Policy *policy = PolicyGet(model->policy);
	ArmScore	score;
	double		width;

	score.mean = PreparedScore(prepared, ReduceArray(model, features, profile),
							   &width);
	width *= model->exploration;
	score.stddev = policy->draws ? ResultFinite(width) : 0.0;
	if (policy->widens)
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
