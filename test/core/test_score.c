/*
 * test_score.c
 *		Scores of many feature vectors: correct, and equal for equal vectors
 *		at every position.
 */
#include "oracle.h"

#include <float.h>
#include <string.h>

#include "core/score.h"

#define LEN_MAX		40
#define COUNT_MAX	27

/* Compute all scores, as a count by score_rounded(vectors) matrix by rows. */
static double *
scores_new(int len, int vectors, const double *weights, int count, const double *features)
{
	int			rounded = score_rounded(vectors);
	double	   *packed = guarded((size_t) rounded * (size_t) len);
	double	   *scores = guarded((size_t) count * (size_t) rounded);

	score_pack(len, vectors, weights, len, packed);
	for (int v = 0; v < rounded; v += SCORE_LANES)
		score_lanes(len, packed + (size_t) v * (size_t) len, count, features,
					len, scores + v, rounded);
	return scores;
}

static float *
floats_new(size_t count, const double *numbers)
{
	float	   *floats = guarded_floats(count);

	for (size_t i = 0; i < count; i++)
		floats[i] = (float) numbers[i];
	return floats;
}

/* Compute all scores in single precision. */
static float *
float_scores_new(int len, int vectors, const double *weights, int count, const float *features)
{
	int			rounded = score_rounded_float(vectors);
	float	   *packed = guarded_floats((size_t) rounded * (size_t) len);
	float	   *scores = guarded_floats((size_t) count * (size_t) rounded);

	score_pack_float(len, vectors, weights, len, packed);
	for (int v = 0; v < rounded; v += SCORE_LANES_FLOAT)
		score_lanes_float(len, packed + (size_t) v * (size_t) len, count,
						  features, len, scores + v, rounded);
	return scores;
}

/* A score is its dot product; a lane without weights has 0. */
static void
check_score(double score, int len, const double *w, const double *x, double epsilon)
{
	if (w)
		assert_near(score, exact_dot(len, w, x), (len + 2) * epsilon * exact_dot_size(len, w, x));
	else
		assert_true(score == 0.0);
}

static void
check_scores(int len, int vectors, int count)
{
	uint64_t	seed = (uint64_t) (len * 10000 + vectors * 100 + count);
	double	   *weights = dice_array(&seed, (size_t) len * (size_t) vectors);
	double	   *features = dice_array(&seed, (size_t) len * (size_t) count);
	double	   *scores = scores_new(len, vectors, weights, count, features);
	float	   *floats = float_scores_new(len, vectors, weights, count,
										  floats_new((size_t) (len * count), features));
	int			rounded = score_rounded(vectors);
	int			rounded_float = score_rounded_float(vectors);
	int			c;

	for (c = 0; c < count; c++)
		for (int v = 0; v < rounded_float; v++)
		{
			const double *w = v < vectors ? weights + v * len : NULL;
			const double *x = features + c * len;

			if (v < rounded)
				check_score(scores[c * rounded + v], len, w, x, DBL_EPSILON);
			check_score(floats[c * rounded_float + v], len, w, x, FLT_EPSILON);
		}
}

static void
test_scores_equal_long_double(void **state)
{
	for (int len = 1; len <= LEN_MAX; len++)
		for (int count = 1; count <= COUNT_MAX; count++)
		{
			check_scores(len, 1 + (len + count) % 20, count);
			free_all(state);
		}
}

/* Equal vectors have equal scores at every position, bit by bit. */
static void
test_equal_vectors_have_equal_scores(void **state)
{
	uint64_t	seed = 7;
	double	   *weights = dice_array(&seed, LEN_MAX * 9);
	double	   *x = dice_array(&seed, LEN_MAX);
	double	   *features = guarded(LEN_MAX * COUNT_MAX);
	float	   *floats;
	double	   *scores;
	float	   *float_scores;

	for (int c = 0; c < COUNT_MAX; c++)
		memcpy(features + c * LEN_MAX, x, sizeof(double) * LEN_MAX);
	floats = floats_new(LEN_MAX * COUNT_MAX, features);
	scores = scores_new(LEN_MAX, 9, weights, 1, features);
	float_scores = float_scores_new(LEN_MAX, 9, weights, 1, floats);
	for (int count = 2; count <= COUNT_MAX; count++)
	{
		double	   *more = scores_new(LEN_MAX, 9, weights, count, features);
		float	   *float_more = float_scores_new(LEN_MAX, 9, weights, count, floats);

		for (int c = 0; c < count; c++)
		{
			assert_memory_equal(more + c * 16, scores, sizeof(double) * 16);
			assert_memory_equal(float_more + c * 16, float_scores, sizeof(float) * 16);
		}
	}
}

/* Numbers between feature vectors are not read, and numbers between scores stay. */
static void
test_steps_skip_other_numbers(void **state)
{
	double		weights[SCORE_LANES_FLOAT];
	float		float_weights[SCORE_LANES_FLOAT];
	double		features[2 * COUNT_MAX];
	float		float_features[2 * COUNT_MAX];
	double		scores[100 * COUNT_MAX];
	float		float_scores[100 * COUNT_MAX];

	for (int i = 0; i < SCORE_LANES_FLOAT; i++)
		weights[i] = float_weights[i] = (float) (i + 1);
	for (int i = 0; i < COUNT_MAX; i++)
	{
		features[2 * i] = float_features[2 * i] = (float) (i + 1);
		features[2 * i + 1] = float_features[2 * i + 1] = NAN;
	}
	for (int i = 0; i < 100 * COUNT_MAX; i++)
		scores[i] = float_scores[i] = -7;
	score_lanes(1, weights, COUNT_MAX, features, 2, scores, 100);
	score_lanes_float(1, float_weights, COUNT_MAX, float_features, 2, float_scores, 100);
	for (int i = 0; i < 100 * COUNT_MAX; i++)
	{
		int			score = (i % 100 + 1) * (i / 100 + 1);

		assert_true(scores[i] == (i % 100 < SCORE_LANES ? score : -7));
		assert_true(float_scores[i] == (i % 100 < SCORE_LANES_FLOAT ? score : -7));
	}
}

/* All scores of the row are not finite. */
static void
test_not_finite_features_affect_their_row_only(void **state)
{
	static const float bad[] = {NAN, INFINITY, -INFINITY};
	static const double weights[3 * SCORE_LANES_FLOAT] = {1, 1, 1, 0, 1, 0};
	float		features[3 * COUNT_MAX];
	int			place;

	for (place = 0; place < LENGTH(features); place++)
		for (int b = 0; b < LENGTH(bad); b++)
		{
			float	   *scores;

			for (int i = 0; i < LENGTH(features); i++)
				features[i] = 1;
			features[place] = bad[b];
			scores = float_scores_new(3, 2, weights, COUNT_MAX, features);
			for (int i = 0; i < COUNT_MAX * SCORE_LANES_FLOAT; i++)
				assert_true(!isfinite(scores[i]) == (i / SCORE_LANES_FLOAT == place / 3));
			free_all(state);
		}
}

TEST_PROGRAM("score",
	test_of(test_scores_equal_long_double),
	test_of(test_equal_vectors_have_equal_scores),
	test_of(test_steps_skip_other_numbers),
	test_of(test_not_finite_features_affect_their_row_only),)
