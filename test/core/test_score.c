/*
 * test_score.c
 *		Scores of many feature vectors: right, and the same for equal ones
 *		wherever they stand.
 */
#include "oracle.h"

#include <float.h>
#include <string.h>

#include "core/score.h"

#define LEN_MAX		40
#define COUNT_MAX	11

/* All scores as a count by score_rounded(vectors) matrix, row by row. */
static double *
scores_new(int len, int vectors, const double *weights, int count,
		   const double *features)
{
	int			rounded = score_rounded(vectors);
	double	   *packed = guarded((size_t) rounded * (size_t) len);
	double	   *scores = guarded((size_t) count * (size_t) rounded);
	const ScoreSteps steps = {.features = (size_t) rounded, .lane = 1};
	int			v;

	score_pack(len, vectors, weights, len, packed);
	for (v = 0; v < rounded; v += SCORE_LANES)
		score_lanes(len, packed + (size_t) v * (size_t) len, count, features,
					len, scores + v, steps);
	return scores;
}

static void
check_scores(int len, int vectors, int count)
{
	uint64_t	seed = (uint64_t) (len * 10000 + vectors * 100 + count);
	double	   *weights = dice_array(&seed, (size_t) len * (size_t) vectors);
	double	   *features = dice_array(&seed, (size_t) len * (size_t) count);
	double	   *scores = scores_new(len, vectors, weights, count, features);
	int			rounded = score_rounded(vectors);
	int			c;
	int			v;

	for (c = 0; c < count; c++)
		for (v = 0; v < rounded; v++)
		{
			const double *w = weights + v * len;
			const double *x = features + c * len;
			double		score = scores[c * rounded + v];

			if (v < vectors)
				assert_near(score, exact_dot(len, w, x),
							(len + 2) * DBL_EPSILON * exact_dot_size(len, w, x));
			else
				assert_true(score == 0.0);
		}
}

static void
test_agrees_with_long_double(void **state)
{
	int			len;
	int			count;

	for (len = 1; len <= LEN_MAX; len++)
		for (count = 1; count <= COUNT_MAX; count++)
			check_scores(len, 1 + (len + count) % 20, count);
}

/* the same features at every place, bit by bit */
static void
test_place_does_not_matter(void **state)
{
	uint64_t	seed = 7;
	double	   *weights = dice_array(&seed, LEN_MAX * 9);
	double	   *x = dice_array(&seed, LEN_MAX);
	double	   *features = guarded(LEN_MAX * COUNT_MAX);
	double	   *scores;
	int			c;

	for (c = 0; c < COUNT_MAX; c++)
		memcpy(features + c * LEN_MAX, x, sizeof(double) * LEN_MAX);
	scores = scores_new(LEN_MAX, 9, weights, COUNT_MAX, features);
	for (c = 1; c < COUNT_MAX; c++)
		assert_memory_equal(scores + c * 16, scores, sizeof(double) * 16);
}

/* transposed, with what lies between untouched */
static void
test_steps(void **state)
{
	const ScoreSteps steps = {.features = 2, .lane = 100};
	double		weights[SCORE_LANES];
	double		features[] = {1, -1, 2, -1, 3, -1, 4, -1, 5, -1};
	double		scores[SCORE_LANES * 100];
	int			c;
	int			l;

	for (l = 0; l < SCORE_LANES; l++)
		weights[l] = l + 1;
	for (c = 0; c < LENGTH(scores); c++)
		scores[c] = -7;
	score_lanes(1, weights, 5, features, 2, scores, steps);
	for (l = 0; l < SCORE_LANES; l++)
		for (c = 0; c < 100; c++)
			assert_true(scores[l * 100 + c] ==
						(c % 2 == 0 && c < 10 ? (l + 1) * (c / 2 + 1) : -7));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_agrees_with_long_double),
		test_of(test_place_does_not_matter),
		test_of(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
