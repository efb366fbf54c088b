/*
 * score.c
 *		Lanes of weight vectors against feature vectors.
 */
#include "score.h"

#include "clones.h"

/* feature vectors that share what is loaded of the weights */
#define TOGETHER	4

/*
 * Pack "count" vectors of "len" numbers, which stand vectors_len apart, into
 * score_rounded(count) * len numbers.  Lanes without a vector are zero.
 */
void
score_pack(int len, int count, const double *vectors, int vectors_len,
		   double *packed)
{
	int			rounded = score_rounded(count);
	int			v;
	int			k;

	for (v = 0; v < rounded; v++)
	{
		const double *vector = vectors + (size_t) v * (size_t) vectors_len;
		double	   *lane = packed + (size_t) (v / SCORE_LANES) * SCORE_LANES *
			(size_t) len + v % SCORE_LANES;

		for (k = 0; k < len; k++)
			lane[(size_t) k * SCORE_LANES] = v < count ? vector[k] : 0.0;
	}
}

/*
 * Vectors that registers hold.  They are spelt out because compilers make poor
 * ones of loops as short as these, and worse ones of vectors that are too long
 * for the CPU, so that a clone wants its own type.
 */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/*
 * One body for all of them, and for one feature vector and for several, so
 * that the order of summation cannot differ.
 */
#define SCORE_BODY(vector, width, together) \
	vector		sum[together][SCORE_LANES / (width)]; \
	int			k; \
	int			c; \
	int			l; \
\
	UNROLL \
	for (c = 0; c < (together); c++) \
		UNROLL \
		for (l = 0; l < SCORE_LANES / (width); l++) \
			sum[c][l] = (vector) {0.0}; \
	for (k = 0; k < len; k++, lanes += SCORE_LANES) \
	{ \
		const vector *weights = (const vector *) lanes; \
\
		UNROLL \
		for (c = 0; c < (together); c++) \
			UNROLL \
			for (l = 0; l < SCORE_LANES / (width); l++) \
				sum[c][l] += weights[l] * \
					features[(size_t) c * (size_t) features_len + (size_t) k]; \
	} \
	for (c = 0; c < (together); c++) \
		for (l = 0; l < SCORE_LANES; l++) \
			scores[(size_t) c * steps.features + (size_t) l * steps.lane] = \
				sum[c][l / (width)][l % (width)]

#define SCORE_FUNCTION(name, vector, width, together, attribute) \
	attribute static void \
	name(int len, const double *lanes, const double *features, \
		 int features_len, double *scores, ScoreSteps steps) \
	{ \
		SCORE_BODY(vector, width, together); \
	}

typedef void (*ScoreFunction) (int len, const double *lanes,
							   const double *features, int features_len,
							   double *scores, ScoreSteps steps);

SCORE_FUNCTION(one_by_pairs, pair, 2, 1,)
SCORE_FUNCTION(several_by_pairs, pair, 2, TOGETHER,)

#ifdef CPU_AVX2
SCORE_FUNCTION(one_by_quads, quad, 4, 1, CPU_AVX2)
SCORE_FUNCTION(several_by_quads, quad, 4, TOGETHER, CPU_AVX2)
#endif

/*
 * Scores of "count" feature vectors, which stand features_len apart, under the
 * vectors of one pack of lanes.
 */
void
score_lanes(int len, const double *lanes, int count, const double *features,
			int features_len, double *scores, ScoreSteps steps)
{
	ScoreFunction one = one_by_pairs;
	ScoreFunction several = several_by_pairs;
	int			c;

#ifdef CPU_AVX2
	if (__builtin_cpu_supports("avx2"))
	{
		one = one_by_quads;
		several = several_by_quads;
	}
#endif
	for (c = 0; c + TOGETHER <= count; c += TOGETHER)
		several(len, lanes, features + (size_t) c * (size_t) features_len,
				features_len, scores + (size_t) c * steps.features, steps);
	for (; c < count; c++)
		one(len, lanes, features + (size_t) c * (size_t) features_len,
			features_len, scores + (size_t) c * steps.features, steps);
}
