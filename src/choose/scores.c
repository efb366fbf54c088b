/*
 * scores.c
 *		The scores of candidates under each of many draws of their model, or
 *		under the mean where the policy does not draw.
 *
 * A score is psi' A x, where the rows of A are what the model lifts the unit
 * vectors to under this profile.  Draws score either of
 *
 *		the features x, after they were lifted		n numbers
 *		A x, without the intercept					D numbers
 *
 * whichever takes fewer multiplications.  Candidates are read from their array in
 * strips that stay in the cache until all draws have scored them.  A few matrices
 * of at most MOST_NUMBERS numbers each take up the memory.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "core/numbers.h"
#include "core/random.h"
#include "core/score.h"
#include "posterior/parts.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* numbers in a matrix of parameters, or of weights: 32 MB */
#define MOST_NUMBERS	(1 << 22)

/* multiplications between two checks for interrupts: some 10 ms */
#define MOST_WORK		(1 << 24)

/* draws that are made at once where it does not matter */
#define FEW_DRAWS		32

/* candidates in a strip: 16 kB of them at n = 64 */
#define STRIP			32

struct Scores
{
	int			count;			/* candidates */
	int			most_draws;		/* maximum draws in a call of ScoreUnderDraws */
	PreparedModel *prepared;
	double	   *profile;		/* numbers of the profile */
	uint64		seed;
	bool		drawn;			/* does the policy draw? */
	int			draws;			/* 1 if it does not */
	int			feature_dim;
	int			dim;			/* coordinates of z without the intercept */
	int			lifted_len;

	double	   *addends;		/* added to each candidate's scores, or NULL */
	double	   *addend_stddevs; /* of a normal per draw that is added, too, or NULL */

	/* what is scored of each candidate */
	bool		reduces;		/* A x, or else x */
	int			len;			/* numbers that count */
	int			step;			/* from one candidate to the next */
	double	   *lanes;			/* A */
	double	   *strip;			/* feature vectors of a strip */
	double	   *reduced;		/* A times these vectors */

	ArrayType  *array;			/* features of all candidates, a row each */
	ArgSpec		expected;

	/* draws packed for that, and scores of a strip under some of them */
	double	   *pack;			/* weights as they are, where there is one draw */
	int			pack_size;
	double	   *levels;			/* intercepts of these draws */
	int			first_draw;		/* of them */
	double		block[SCORE_LANES * STRIP];
};

/* Makes parameters number first to first + count - 1. */
typedef void (*ParameterMaker) (Scores *scores, int first, int count,
								double *parameters);

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
	int			i;

	if (scores->drawn)
		PreparedDraws(scores->prepared, scores->seed, first, count, parameters);
	else
		memcpy(parameters, scores->prepared->mean, sizeof(double) * scores->prepared->dim);
	for (i = 0; i < count; i++)
		scores->levels[first - scores->first_draw + i] = scores->prepared->dim > scores->dim ?
			parameters[(Size) i * scores->prepared->dim + scores->dim] : 0.0;
}

/*
 * How many parameters to make and lift at once.  Few of them stay in the cache,
 * but a projection that is not kept is made anew for each portion: then as many
 * as neither take long nor much room.
 */
static int
Portion(const Scores *scores)
{
	int			dim = scores->prepared->dim;
	int			room = MOST_NUMBERS / Max(scores->lifted_len, dim);
	int			portion = Min(room, 4 * MOST_WORK / (dim * dim));

	if (!ModelHasProjection(&scores->prepared->header))
		portion = Min(portion, FEW_DRAWS);
	return Max(portion / SCORE_LANES, 1) * SCORE_LANES;
}

/* Pack parameters, or what they become when they are lifted. */
static void
PackIntoLanes(Scores *scores, ParameterMaker make, bool lift, int first,
			  int count, double *lanes)
{
	int			portion = Min(Portion(scores), score_rounded(count));
	int			from = lift ? scores->lifted_len : scores->prepared->dim;
	int			len = lift ? scores->feature_dim : scores->dim;
	double	   *parameters = AllocateNumbers((Size) portion * scores->prepared->dim);
	double	   *weights = lift ? AllocateNumbers((Size) portion * from) : parameters;
	int			done;

	for (done = 0; done < count; done += portion)
	{
		int			n = Min(portion, count - done);

		CHECK_FOR_INTERRUPTS();
		make(scores, first + done, n, parameters);
		if (lift)
			LiftParameters(&scores->prepared->header, n, parameters,
						   scores->profile, weights);
		score_pack(len, n, weights, from, lanes + (Size) done * len);
	}
	if (lift)
		pfree(weights);
	pfree(parameters);
}

/* Score what A makes of each feature vector. */
static void
Reduce(Scores *scores)
{
	scores->reduces = true;
	scores->len = scores->dim;
	scores->step = score_rounded(scores->dim);
	scores->lanes = AllocateNumbers((Size) scores->step * scores->feature_dim);
	PackIntoLanes(scores, MakeUnits, true, 0, scores->dim, scores->lanes);
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
ChooseWhatToScore(Scores *scores)
{
	double		candidates = scores->count;
	double		draws = scores->draws;
	double		n = scores->feature_dim;
	double		dim = scores->dim;
	double		lift = LiftingCosts(&scores->prepared->header, dim);
	double		direct = draws * lift + candidates * n * draws;
	double		reduced = dim * lift + candidates * dim * (n + draws);

	scores->len = scores->feature_dim;
	scores->step = scores->feature_dim;
	if (reduced < direct && dim * n <= MOST_NUMBERS)
		Reduce(scores);
}

/* Put feature vectors of the strip through A. */
static void
ReduceStrip(Scores *scores, int count, double *out)
{
	Size		pack_len = (Size) SCORE_LANES * scores->feature_dim;
	int			packs = scores->step / SCORE_LANES;
	int			i;

	for (i = 0; i < packs; i++)
	{
		CHECK_FOR_INTERRUPTS();
		score_lanes(scores->feature_dim, scores->lanes + i * pack_len,
					count, scores->strip, scores->feature_dim,
					out + (Size) i * SCORE_LANES, scores->step);
	}
}

/* ---------- scores ---------- */

/* The weights of the only draw, or of the mean. */
static void
MakeWeights(Scores *scores)
{
	double	   *parameters;

	Assert(!scores->reduces);
	if (scores->pack)
		return;
	parameters = AllocateNumbers(scores->prepared->dim);
	scores->pack = AllocateNumbers(scores->lifted_len);
	scores->levels = AllocateNumbers(1);
	MakeDraws(scores, 0, 1, parameters);
	LiftParameters(&scores->prepared->header, 1, parameters, scores->profile,
				   scores->pack);
	pfree(parameters);
}

/* Make draws and pack them. */
static void
FillPack(Scores *scores, int first, int count)
{
	if (count > scores->pack_size)
	{
		scores->pack_size = score_rounded(count);
		scores->pack = AllocateNumbers((Size) scores->pack_size * scores->len);
		scores->levels = AllocateNumbers(scores->pack_size);
	}
	scores->first_draw = first;
	PackIntoLanes(scores, MakeDraws, !scores->reduces, first, count, scores->pack);
}

/* What is scored of some candidates. */
static const double *
ReadStrip(Scores *scores, int first, int count)
{
	ArgMatrixSlice(scores->array, &scores->expected, first, count, scores->strip);
	if (!scores->reduces)
		return scores->strip;
	ReduceStrip(scores, count, scores->reduced);
	return scores->reduced;
}

/* Add to a candidate's scores under some draws their normals, scaled. */
static void
AddNormals(const Scores *scores, int candidate, int first_draw, int draws, double *list)
{
	double		stddev = scores->addend_stddevs[candidate];
	double		normals[SCORE_LANES];
	int			i;

	if (stddev == 0.0)
		return;
	random_normals_from(scores->seed, RANDOM_BONUS, (uint32) candidate,
						(uint64) first_draw, (size_t) draws, normals);
	for (i = 0; i < draws; i++)
		list[i] += ResultFinite(stddev * normals[i]);
}

/*
 * Complete the scores in the block, "step" of each candidate: those under "draws"
 * draws from first_draw count.
 */
static void
AddAddends(Scores *scores, const ScoresStrip *strip, int first_draw, int draws)
{
	int			step = strip->step;
	int			i;
	int			l;

	for (i = 0; scores->addends && i < strip->count; i++)
		for (l = 0; l < step; l++)
			scores->block[i * step + l] += scores->addends[strip->first + i];
	for (i = 0; scores->addend_stddevs && i < strip->count; i++)
		AddNormals(scores, strip->first + i, first_draw, draws, scores->block + i * step);
}

/* Hand over the scores of a strip under a draw. */
static void
HandOver(const double *list, double peak, double level, int draw, ScoresStrip *strip,
		 ScoresTaker take, void *taker)
{
	strip->scores = list;
	strip->peak = ResultFinite(peak);
	strip->level = level;
	take(taker, draw, strip);
}

/* The scores of a strip under all draws. */
static void
ScoreStrip(Scores *scores, int first_draw, int draws, ScoresStrip *strip,
		   ScoresTaker take, void *taker)
{
	const double *vectors = ReadStrip(scores, strip->first, strip->count);
	int			draw;
	int			i;

	strip->step = SCORE_LANES;
	for (draw = 0; draw < draws; draw += SCORE_LANES)
	{
		int			lanes = Min(SCORE_LANES, draws - draw);
		double		peaks[SCORE_LANES];

		CHECK_FOR_INTERRUPTS();
		score_lanes(scores->len, scores->pack + (Size) draw * scores->len,
					strip->count, vectors, scores->step, scores->block, SCORE_LANES);
		AddAddends(scores, strip, first_draw + draw, lanes);
		peak_of_lanes(strip->count, scores->block, peaks);
		for (i = 0; i < lanes; i++)
			HandOver(scores->block + i, peaks[i], scores->levels[draw + i],
					 first_draw + draw + i, strip, take, taker);
	}
}

/* The score of a candidate under the weights of the only draw. */
static double
Dot(const Scores *scores, int candidate)
{
	int			n = scores->feature_dim;
	Size		at = (Size) candidate * n;

	if (ARR_ELEMTYPE(scores->array) == FLOAT4OID)
		return dot_float(n, scores->pack,
						 (const float4 *) ARR_DATA_PTR(scores->array) + at);
	return dot_double(n, scores->pack,
					  (const float8 *) ARR_DATA_PTR(scores->array) + at);
}

/*
 * The scores of a strip where all draws are the same.  A number that is not
 * finite shows in them, and is looked for then.
 */
static void
ScoreStripOnce(Scores *scores, int first_draw, int draws, ScoresStrip *strip,
			   ScoresTaker take, void *taker)
{
	double	   *list = scores->block;
	int			i;

	CHECK_FOR_INTERRUPTS();
	for (i = 0; i < strip->count; i++)
		list[i] = Dot(scores, strip->first + i);
	if (isnan(peak_of(strip->count, list)))
		ReadStrip(scores, strip->first, strip->count);
	strip->step = 1;
	AddAddends(scores, strip, first_draw, 1);
	HandOver(list, peak_of(strip->count, list), scores->levels[0], first_draw, strip,
			 take, taker);
	for (i = 1; i < draws; i++)
		take(taker, first_draw + i, strip);
}

/*
 * Score all candidates under draws first_draw to first_draw + draws - 1.  Calls
 * "take" for each strip of candidates, in order, once for each draw.
 */
void
ScoreUnderDraws(Scores *scores, int first_draw, int draws, ScoresTaker take,
			void *taker)
{
	bool		once = scores->draws == 1;
	ScoresStrip strip = {.first = 0};

	if (once)
		MakeWeights(scores);
	else
		FillPack(scores, first_draw, draws);
	for (; strip.first < scores->count; strip.first += STRIP)
	{
		strip.count = Min(STRIP, scores->count - strip.first);
		(once ? ScoreStripOnce : ScoreStrip) (scores, first_draw, draws, &strip,
											  take, taker);
	}
}

int
ScoresCount(const Scores *scores)
{
	return scores->count;
}

/* Returns the maximum number of draws in a call of ScoreUnderDraws. */
int
ScoresMostDraws(const Scores *scores)
{
	return scores->most_draws;
}

/*
 * Create the scores of candidates whose features are the rows of an array.  The
 * caller has checked the rows' length.  "addends" has a number for each candidate,
 * or is NULL.  "addend_stddevs" likewise has the standard deviations of normals
 * that are added under each draw; a policy that does not draw adds none.  "seed"
 * determines the draws and these normals.
 */
Scores *
ScoresCreate(PreparedModel *prepared, Datum profile, ArrayType *array,
			 double *addends, double *addend_stddevs, int draws, uint64 seed)
{
	const DlintsHeader *model = &prepared->header;
	Scores *scores = palloc0(sizeof(Scores));

	scores->prepared = prepared;
	scores->profile = ReadProfile(profile, model);
	scores->seed = seed;
	scores->drawn = model->policy == POLICY_THOMPSON;
	scores->draws = scores->drawn ? draws : 1;
	scores->feature_dim = model->feature_dim;
	scores->dim = prepared->dim - (model->intercept ? 1 : 0);
	scores->lifted_len = ModelLiftedLen(model);
	scores->count = ARR_DIMS(array)[0];
	scores->array = array;
	scores->addends = addends;
	scores->addend_stddevs = scores->drawn ? addend_stddevs : NULL;
	scores->expected = ArgFeatureSpec(&prepared->header);
	ChooseWhatToScore(scores);
	scores->most_draws = Max(MOST_NUMBERS / scores->len / SCORE_LANES, 1) * SCORE_LANES;
	scores->strip = AllocateNumbers((Size) STRIP * scores->feature_dim);
	if (scores->reduces)
		scores->reduced = AllocateNumbers((Size) STRIP * scores->step);
	return scores;
}
