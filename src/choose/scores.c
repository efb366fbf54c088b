/*
 * scores.c
 *		Score candidates under many vectors of coefficients ("draws") from a model's posterior.
 *
 * We either convert coefficients to weights of the original features, or project the features.  We
 * choose the way with fewer multiplications.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/request.h"
#include "choose/scores.h"
#include "core/random.h"
#include "core/score.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* maximum number of doubles in each array of the work space: 32 MB */
#define MAX_NUMBERS	(1 << 22)

/* number of multiplications between checks for interrupts: about 10 ms */
#define WORK_PER_CHECK		(1 << 24)

/* number of coefficient vectors that are converted at a time, to fit into the CPU's cache */
#define DRAWS_PER_PORTION		32

/* number of candidates scored at a time, so that their features fit into the CPU's cache */
#define STRIP			32

struct Scores
{
	int			count;
	/* maximum number of coefficient vectors in one pass over candidates */
	int			max_draws;
	PreparedModel *prepared;
	double	   *profile;
	uint64		seed;
	bool		drawn;			/* does the policy draw coefficients from the posterior? */
	const double *parameters;	/* coefficients that the caller has drawn, or NULL */
	int			draws;			/* number of coefficient vectors; 1 for policies without draws */
	int			feature_dim;
	int			dim;			/* number of coefficients without the intercept */

	double	   *addends;		/* bonus added to each candidate's score; NULL: none */
	double	   *addend_stddevs; /* standard deviations of random bonuses for scores; NULL: none */

	/* how scores are computed */
	/* multiply features by the projection matrix, instead of coefficients by its transpose? */
	bool		reduces;
	int			len;			/* length of the vectors whose dot products are scores */
	int			step;			/* offset from one feature vector to the next, in doubles */
	double	   *strip;			/* features of at most STRIP candidates */
	double	   *profiles;		/* copies of the user's profile, one per candidate of a strip */
	double	   *reduced;		/* features after projection */

	ArrayType  *array;
	ArgSpec		expected;

	double	   *pack;
	int			pack_size;
	double	   *levels;			/* intercept of each coefficient vector */
	int			first_draw;		/* index of the first coefficient vector that is being scored */
	double		block[SCORE_LANES * STRIP];
};

static void
MakeDraws(Scores *scores, int first, int count, double *parameters)
{
	if (scores->parameters)
		memcpy(parameters, scores->parameters + (Size) first * scores->prepared->dim,
			   sizeof(double) * count * scores->prepared->dim);
	else if (scores->drawn)
		PreparedDraws(scores->prepared, scores->seed, first, count, parameters);
	else
		memcpy(parameters, scores->prepared->mean, sizeof(double) * scores->prepared->dim);
	for (int i = 0; i < count; i++)
		scores->levels[first - scores->first_draw + i] = scores->prepared->dim > scores->dim ?
			parameters[(Size) i * scores->prepared->dim + scores->dim] : 0.0;
}

/* Return the number of coefficient vectors that are converted to weights at a time. */
static int
PortionSize(const Scores *scores)
{
	int			dim = scores->prepared->dim;
	int			room = MAX_NUMBERS / Max(scores->feature_dim + 1, dim);
	int			portion = Min(room, 4 * WORK_PER_CHECK / (dim * dim));

	if (!ModelHasProjection(&scores->prepared->header))
		portion = Min(portion, DRAWS_PER_PORTION);
	return Max(portion / SCORE_LANES, 1) * SCORE_LANES;
}

/* Interleave coefficient vectors, after converting them to weights if necessary. */
static void
PackDraws(Scores *scores, int first, int count, double *lanes)
{
	const DlintsHeader *model = &scores->prepared->header;
	int			portion = Min(PortionSize(scores), score_rounded(count));
	int			dim = scores->prepared->dim;
	int			weights_len = scores->reduces ? dim : ModelLiftedLen(model);
	double	   *parameters = AllocateNumbers((Size) portion * dim);
	double	   *weights = scores->reduces ? parameters :
		AllocateNumbers((Size) portion * weights_len);

	for (int done = 0; done < count; done += portion)
	{
		int			n = Min(portion, count - done);

		CHECK_FOR_INTERRUPTS();
		MakeDraws(scores, first + done, n, parameters);
		if (!scores->reduces)
			LiftParameters(model, n, parameters, scores->profile, weights);
		score_pack(scores->len, n, weights, weights_len, lanes + (Size) done * scores->len);
	}
	if (!scores->reduces)
		pfree(weights);
	pfree(parameters);
}

/* Choose whether to project features, or to convert coefficients to weights of features. */
static void
ChooseVectors(Scores *scores)
{
	double		candidates = scores->count;
	double		draws = scores->draws;
	double		n = scores->feature_dim;
	double		dim = scores->dim;

	scores->reduces = draws > 1.0 && ModelHasProjection(&scores->prepared->header) &&
		dim * n <= MAX_NUMBERS && candidates * dim * (n + draws) < draws * n * (dim + candidates);
	scores->len = scores->reduces ? scores->dim : scores->feature_dim;
	scores->step = scores->reduces ? scores->prepared->dim : scores->feature_dim;
	scores->strip = AllocateZeros(sizeof(double), (Size) STRIP * scores->feature_dim);
	if (!scores->reduces)
		return;
	scores->reduced = AllocateNumbers((Size) STRIP * scores->step);
	scores->profiles = AllocateNumbers((Size) STRIP * scores->feature_dim);
	for (int i = 0; i < STRIP * scores->prepared->header.profile_dim; i++)
		scores->profiles[i] = scores->profile[i % scores->feature_dim];
}

/* ---------- scores ---------- */

static void
MakeWeights(Scores *scores)
{
	double	   *parameters;

	Assert(!scores->reduces);
	if (scores->pack)
		return;
	parameters = AllocateNumbers(scores->prepared->dim);
	scores->pack = AllocateNumbers(ModelLiftedLen(&scores->prepared->header));
	scores->levels = AllocateNumbers(1);
	MakeDraws(scores, 0, 1, parameters);
	LiftParameters(&scores->prepared->header, 1, parameters, scores->profile, scores->pack);
	pfree(parameters);
}

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
	PackDraws(scores, first, count, scores->pack);
}

/* Read the features of some candidates, and project them if necessary. */
static const double *
ReadStrip(Scores *scores, int first, int count)
{
	ArgMatrixSlice(scores->array, &scores->expected, first, count, scores->strip);
	if (!scores->reduces)
		return scores->strip;
	/* always project STRIP rows, because single rows have other rounding errors */
	ReduceFeatures(&scores->prepared->header, STRIP, scores->strip, scores->profiles,
				   scores->reduced);
	return scores->reduced;
}

static void
AddNormals(const Scores *scores, int candidate, int first_draw, int draws, double *list)
{
	double		stddev = scores->addend_stddevs[candidate];
	double		normals[SCORE_LANES];

	if (stddev == 0.0)
		return;
	random_normals(scores->seed, RANDOM_BONUS, (uint32) candidate,
				   (uint64) first_draw, (size_t) draws, normals);
	for (int i = 0; i < draws; i++)
		list[i] += ResultFinite(stddev * normals[i]);
}

static void
AddAddends(Scores *scores, const ScoresStrip *strip, int first_draw, int draws)
{
	int			step = strip->step;

	for (int i = 0; scores->addends && i < strip->count; i++)
		for (int l = 0; l < step; l++)
			scores->block[i * step + l] += scores->addends[strip->first + i];
	for (int i = 0; scores->addend_stddevs && i < strip->count; i++)
		AddNormals(scores, strip->first + i, first_draw, draws, scores->block + (Size) i * step);
}

static void
ReportScores(const double *list, double peak, double level, int draw, ScoresStrip *strip,
		 ScoresConsumer consume, void *consumer)
{
	strip->scores = list;
	strip->peak = ResultFinite(peak);
	strip->level = level;
	consume(consumer, draw, strip);
}

static void
ScoreStrip(Scores *scores, int first_draw, int draws, ScoresStrip *strip,
		   ScoresConsumer consume, void *consumer)
{
	const double *vectors = ReadStrip(scores, strip->first, strip->count);

	strip->step = SCORE_LANES;
	for (int draw = 0; draw < draws; draw += SCORE_LANES)
	{
		int			lanes = Min(SCORE_LANES, draws - draw);
		double		peaks[SCORE_LANES];

		CHECK_FOR_INTERRUPTS();
		score_lanes(scores->len, scores->pack + (Size) draw * scores->len,
					strip->count, vectors, scores->step, scores->block, SCORE_LANES);
		AddAddends(scores, strip, first_draw + draw, lanes);
		peak_of_lanes(strip->count, scores->block, peaks);
		for (int i = 0; i < lanes; i++)
			ReportScores(scores->block + i, peaks[i], scores->levels[draw + i],
					 first_draw + draw + i, strip, consume, consumer);
	}
}

/* Score at most STRIP candidates if there is only one coefficient vector. */
static void
ScoreStripOnce(Scores *scores, int first_draw, int draws, ScoresStrip *strip,
			   ScoresConsumer consume, void *consumer)
{
	double	   *list = scores->block;
	int			n = scores->feature_dim;
	char	   *numbers = ARR_DATA_PTR(scores->array);

	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < strip->count; i++)
	{
		Size		at = (Size) (strip->first + i) * n;

		list[i] = ARR_ELEMTYPE(scores->array) == FLOAT4OID ?
			dot_float(n, scores->pack, (const float4 *) numbers + at) :
			dot_double(n, scores->pack, (const float8 *) numbers + at);
	}
	if (isnan(peak_of(strip->count, list)))
		ReadStrip(scores, strip->first, strip->count);
	strip->step = 1;
	AddAddends(scores, strip, first_draw, 1);
	ReportScores(list, peak_of(strip->count, list), scores->levels[0], first_draw, strip,
			 consume, consumer);
	for (int i = 1; i < draws; i++)
		consume(consumer, first_draw + i, strip);
}

/*
 * Score all candidates under several posterior draws.  Passes the scores of at most STRIP
 * candidates at a time to "consume".
 */
void
ScoreUnderDraws(Scores *scores, int first_draw, int draws, ScoresConsumer consume, void *consumer)
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
		(once ? ScoreStripOnce : ScoreStrip) (scores, first_draw, draws, &strip, consume, consumer);
	}
}

/* Use coefficients that the caller has drawn with the seed of "scores". */
void
ScoresUseDraws(Scores *scores, const double *parameters)
{
	scores->parameters = scores->drawn ? parameters : NULL;
}

int
ScoresCount(const Scores *scores)
{
	return scores->count;
}

int
ScoresMaxDraws(const Scores *scores)
{
	return scores->max_draws;
}

/*
 * Prepare to score candidates, whose features are the rows of "array".  The score of a candidate
 * also includes "addends" and, under Thompson sampling, a random number with the standard
 * deviation "addend_stddevs".
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
	scores->count = ARR_DIMS(array)[0];
	scores->array = array;
	scores->addends = addends;
	scores->addend_stddevs = scores->drawn ? addend_stddevs : NULL;
	scores->expected = ArgFeatureSpec(&prepared->header);
	ChooseVectors(scores);
	scores->max_draws = Max(MAX_NUMBERS / scores->len / SCORE_LANES, 1) * SCORE_LANES;
	return scores;
}
