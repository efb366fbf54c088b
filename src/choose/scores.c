/*
 * scores.c
 *		Candidates come once, one after the other, and are scored under each of
 *		the draws, or under the mean where the policy does not draw.
 *
 * A score is psi' A x, where the rows of A are what the model lifts the unit
 * vectors to under this profile.  Of each candidate is kept whatever
 * lets the rest be done later:
 *
 *		its features		scored by lifted draws	n numbers
 *		A x				scored by draws			D numbers, without the intercept
 *
 * whichever takes fewer multiplications.  For K candidates that makes 8 K n or
 * 8 K D bytes, besides 64 K for the scores under a pack of draws and a few
 * matrices of at most MOST_NUMBERS numbers each.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "choose/scores.h"
#include "core/linalg.h"
#include "core/score.h"
#include "model/policy.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/observation.h"
#include "sql/results.h"

/* numbers in a matrix of parameters, or of weights: 32 MB */
#define MOST_NUMBERS	(1 << 22)

/* multiplications between two checks for interrupts: some 10 ms */
#define MOST_WORK		(1 << 24)

/* feature vectors that are put through A at once: 256 kB of them at n = 512 */
#define STRIP			64

struct Scores
{
	PreparedModel *prepared;
	double	   *profile;			/* numbers of the profile */
	uint64		seed;
	bool		drawn;			/* does the policy draw? */
	int			draws;
	int			feature_dim;
	int			dim;			/* coordinates of z without the intercept */
	int			lifted_len;
	double		level;			/* the intercept under the first draw */

	int			capacity;
	int			count;
	double	   *addends;
	bool		adds;			/* one of them is not 0 */

	/* what is kept of each candidate */
	bool		reduces;		/* A x, or else x */
	int			kept_len;		/* numbers that count */
	int			kept_step;		/* from one candidate to the next */
	double	   *kept;
	double	   *lanes;			/* A, in lanes, and feature vectors to be put through it */
	double	   *strip;
	int			in_strip;

	/* draws packed for that */
	double	   *pack;
	int			pack_size;		/* draws in a full one */
	int			pack_first;
	int			pack_end;
	double	   *block;			/* scores under the lanes of one */
	int			block_first;
};

/* Makes parameters number first to first + count - 1. */
typedef void (*ParameterMaker) (Scores *scores, int first, int count,
								double *parameters);

static double *
AllocateNumbers(Size count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(sizeof(double), Max(count, 1)));
}

static void
MakeUnits(Scores *scores, int first, int count, double *parameters)
{
	int			len = scores->prepared->dim;
	int			i;

	memset(parameters, 0, sizeof(double) * len * count);
	for (i = 0; i < count; i++)
		parameters[(Size) i * len + first + i] = 1.0;
}

static void
MakeDraws(Scores *scores, int first, int count, double *parameters)
{
	if (scores->drawn)
		PreparedDraws(scores->prepared, scores->seed, first, count, parameters);
	else
		PreparedMean(scores->prepared, parameters);
	if (first == 0 && scores->prepared->dim > scores->dim)
		scores->level = parameters[scores->dim];
}

/*
 * How many parameters to make and lift at once: solving with their matrix and
 * lifting them must neither take long nor much room.
 */
static int
Portion(const Scores *scores)
{
	int			dim = scores->prepared->dim;
	int			room = MOST_NUMBERS / Max(scores->lifted_len, dim);
	int			portion = Min(room, 4 * MOST_WORK / (dim * dim));

	return Max(portion / SCORE_LANES, 1) * SCORE_LANES;
}

/* Lift parameters and pack what they become. */
static void
LiftIntoLanes(Scores *scores, ParameterMaker make, int first, int count,
			  double *lanes)
{
	int			portion = Min(Portion(scores), score_rounded(count));
	double	   *parameters = AllocateNumbers((Size) portion * scores->prepared->dim);
	double	   *weights = AllocateNumbers((Size) portion * scores->lifted_len);
	int			done;

	for (done = 0; done < count; done += portion)
	{
		int			n = Min(portion, count - done);

		CHECK_FOR_INTERRUPTS();
		make(scores, first + done, n, parameters);
		LiftParameters(&scores->prepared->header, n, parameters,
					   scores->profile, weights);
		score_pack(scores->feature_dim, n, weights, scores->lifted_len,
				   lanes + (Size) done * scores->feature_dim);
	}
	pfree(weights);
	pfree(parameters);
}

/* The same, of draws that are scored as they are. */
static void
DrawIntoLanes(Scores *scores, int first, int count, double *lanes)
{
	int			len = scores->prepared->dim;
	int			portion = Min(Portion(scores), score_rounded(count));
	double	   *parameters = AllocateNumbers((Size) portion * len);
	int			done;

	for (done = 0; done < count; done += portion)
	{
		int			n = Min(portion, count - done);

		CHECK_FOR_INTERRUPTS();
		MakeDraws(scores, first + done, n, parameters);
		score_pack(scores->dim, n, parameters, len,
				   lanes + (Size) done * scores->dim);
	}
	pfree(parameters);
}

/* Keep feature vectors as they are. */
static void
KeepFeatures(Scores *scores)
{
	scores->kept_len = scores->feature_dim;
	scores->kept_step = scores->feature_dim;
}

/* Keep what A makes of each feature vector. */
static void
KeepReduced(Scores *scores)
{
	scores->reduces = true;
	scores->kept_len = scores->dim;
	scores->kept_step = score_rounded(scores->dim);
	scores->lanes = AllocateNumbers((Size) scores->kept_step * scores->feature_dim);
	scores->strip = AllocateNumbers((Size) STRIP * scores->feature_dim);
	LiftIntoLanes(scores, MakeUnits, 0, scores->dim, scores->lanes);
}

/* multiplications that lift a parameter, about */
static double
LiftingCosts(const DlintsHeader *model, double dim)
{
	Projection	projection;

	if (!ModelHasProjection(model))
		return dim;
	projection = ModelProjection(model);
	return (double) projection.feature_dim * projection.reduced_dim;
}

/* See above. */
static void
ChooseWhatToKeep(Scores *scores)
{
	double		candidates = scores->capacity;
	double		draws = scores->draws;
	double		n = scores->feature_dim;
	double		dim = scores->dim;
	double		lift = LiftingCosts(&scores->prepared->header, dim);
	double		direct = draws * lift + candidates * n * draws;
	double		reduced = dim * lift + candidates * dim * (n + draws);

	if (reduced < direct && dim * n <= MOST_NUMBERS)
		KeepReduced(scores);
	else
		KeepFeatures(scores);
}

/*
 * For at most so many candidates, in the current memory context.
 */
Scores *
ScoresCreate(PreparedModel *prepared, Datum profile, int capacity,
			 int draws, uint64 seed)
{
	const DlintsHeader *model = &prepared->header;
	Scores	   *scores = palloc0(sizeof(Scores));

	scores->prepared = prepared;
	scores->profile = ReadProfile(profile, model);
	scores->seed = seed;
	scores->drawn = PolicyGet(model->policy)->draws;
	scores->draws = scores->drawn ? draws : 1;
	scores->feature_dim = model->feature_dim;
	scores->dim = prepared->dim - (model->intercept ? 1 : 0);
	scores->lifted_len = ModelLiftedLen(model);
	scores->capacity = capacity;
	scores->addends = AllocateNumbers(capacity);

	ChooseWhatToKeep(scores);
	scores->kept = AllocateNumbers(mul_size(capacity, scores->kept_step));
	scores->pack_size = Min(score_rounded(scores->draws),
							Max(MOST_NUMBERS / scores->kept_len / SCORE_LANES, 1) * SCORE_LANES);
	scores->pack = AllocateNumbers((Size) scores->pack_size * scores->kept_len);
	scores->block = AllocateNumbers((Size) SCORE_LANES * capacity);
	scores->block_first = -SCORE_LANES;
	return scores;
}

/* Where the next feature vector is to go; ScoresAdd then counts it. */
double *
ScoresRoom(Scores *scores)
{
	Assert(scores->count < scores->capacity);
	if (!scores->reduces)
		return scores->kept + (Size) scores->count * scores->feature_dim;
	return scores->strip + (Size) scores->in_strip * scores->feature_dim;
}

/* Put the feature vectors of the strip through A. */
static void
EmptyStrip(Scores *scores)
{
	const ScoreSteps steps = {.features = scores->kept_step, .lane = 1};
	double	   *out = scores->kept +
		(Size) (scores->count - scores->in_strip) * scores->kept_step;
	Size		pack_len = (Size) SCORE_LANES * scores->feature_dim;
	int			packs = scores->kept_step / SCORE_LANES;
	int			i;

	for (i = 0; i < packs; i++)
	{
		CHECK_FOR_INTERRUPTS();
		score_lanes(scores->feature_dim, scores->lanes + i * pack_len,
					scores->in_strip, scores->strip, scores->feature_dim,
					out + (Size) i * SCORE_LANES, steps);
	}
	scores->in_strip = 0;
}

/* The features are there; the addend counts in all of its scores. */
void
ScoresAdd(Scores *scores, double addend)
{
	scores->addends[scores->count++] = addend;
	scores->adds |= (addend != 0.0);
	if (scores->reduces && ++scores->in_strip == STRIP)
		EmptyStrip(scores);
}

static void
AddAddends(const Scores *scores, double *list)
{
	int			i;

	for (i = 0; scores->adds && i < scores->count; i++)
		list[i] += scores->addends[i];
	if (!linalg_all_finite(scores->count, list))
		ResultFinite(INFINITY);
}

/* There are no more candidates. */
void
ScoresComplete(Scores *scores)
{
	if (scores->in_strip > 0)
		EmptyStrip(scores);
}

int
ScoresCount(const Scores *scores)
{
	return scores->count;
}

/* Pack draws from "first" on. */
static void
FillPack(Scores *scores, int first)
{
	int			count = Min(scores->pack_size, scores->draws - first);

	if (scores->reduces)
		DrawIntoLanes(scores, first, count, scores->pack);
	else
		LiftIntoLanes(scores, MakeDraws, first, count, scores->pack);
	scores->pack_first = first;
	scores->pack_end = first + count;
}

/* Score all candidates under the lanes that begin with draw "first". */
static void
ScoreBlock(Scores *scores, int first)
{
	const ScoreSteps steps = {.features = 1, .lane = scores->capacity};
	int			len = scores->kept_len;
	int			stride = scores->kept_step;
	int			portion = Max(MOST_WORK / SCORE_LANES / len, 1);
	int			lanes = Min(SCORE_LANES, scores->draws - first);
	int			done;
	int			i;

	for (done = 0; done < scores->count; done += portion)
	{
		CHECK_FOR_INTERRUPTS();
		score_lanes(len, scores->pack + (Size) (first - scores->pack_first) * len,
					Min(portion, scores->count - done),
					scores->kept + (Size) done * stride, stride,
					scores->block + done, steps);
	}
	for (i = 0; i < lanes; i++)
		AddAddends(scores, scores->block + i * steps.lane);
	scores->block_first = first;
}

/*
 * The scores of all candidates under a draw, up to the intercept, which is the
 * same for all.  To be asked of one draw after the other, and gone at the next.
 */
const double *
ScoresUnder(Scores *scores, int draw)
{
	draw = Min(draw, scores->draws - 1);
	if (draw >= scores->pack_end)
		FillPack(scores, draw);
	if (draw >= scores->block_first + SCORE_LANES)
		ScoreBlock(scores, draw);
	return scores->block + (Size) (draw - scores->block_first) * scores->capacity;
}

/* The intercept under the first draw. */
double
ScoresLevel(const Scores *scores)
{
	return scores->level;
}
