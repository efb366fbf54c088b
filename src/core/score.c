/*
 * score.c
 *		Compute scores of feature vectors under interleaved weight vectors.
 */
#include "score.h"

#include "clones.h"

/* Interleave weight vectors in groups of "lanes" vectors.  Zeros fill the last group. */
#define PACK_BODY(number, lanes, rounded) \
	int			v; \
	int			k; \
\
	for (v = 0; v < (rounded); v++) \
	{ \
		const double *vector = vectors + (size_t) v * (size_t) vectors_len; \
		number	   *lane = packed + (size_t) (v / (lanes)) * (lanes) * \
			(size_t) len + v % (lanes); \
\
		for (k = 0; k < len; k++) \
			lane[(size_t) k * (lanes)] = v < count ? (number) vector[k] : 0; \
	}

void
score_pack(int len, int count, const double *vectors, int vectors_len, double *packed)
{
	PACK_BODY(double, SCORE_LANES, score_rounded(count));
}

void
score_pack_float(int len, int count, const double *vectors, int vectors_len, float *packed)
{
	PACK_BODY(float, SCORE_LANES_FLOAT, score_rounded_float(count));
}

/* Number of feature vectors that are scored at a time, so that scores stay in CPU registers */
#define TOGETHER	4

/* Size in bytes of the scores of one feature vector under a group of weight vectors */
#define ROW_BYTES	64

/*
 * Define a function that scores TOGETHER feature vectors under a group of weight vectors.  All
 * instruction sets add products in the same order, so that results are equal.
 *
 * We use SIMD vector types, because compilers generate slow code for short loops.
 */
#define SCORE_FUNCTION(name, number, bytes, attribute) \
	attribute static void \
	name(int len, const number *lanes, const number *features, size_t features_len, \
		 size_t step, number *scores, size_t scores_len) \
	{ \
		typedef number vector \
			__attribute__((vector_size(bytes), aligned(sizeof(number)), may_alias)); \
		vector		sum[TOGETHER][ROW_BYTES / (bytes)]; \
\
		UNROLL \
		for (int c = 0; c < TOGETHER; c++) \
			UNROLL \
			for (int l = 0; l < ROW_BYTES / (bytes); l++) \
				sum[c][l] = (vector) {0}; \
		for (int k = 0; k < len; k++, lanes += ROW_BYTES / sizeof(number), features += step) \
		{ \
			UNROLL \
			for (size_t c = 0; c < TOGETHER; c++) \
				UNROLL \
				for (int l = 0; l < ROW_BYTES / (bytes); l++) \
					sum[c][l] += ((const vector *) lanes)[l] * features[c * features_len]; \
		} \
		UNROLL \
		for (size_t c = 0; c < TOGETHER; c++) \
			UNROLL \
			for (int l = 0; l < ROW_BYTES / (bytes); l++) \
				((vector *) (scores + c * scores_len))[l] = sum[c][l]; \
	}

SCORE_FUNCTION(double_sse2, double, 16,)
SCORE_FUNCTION(float_sse2, float, 16,)

#ifdef CPU_AVX2
SCORE_FUNCTION(double_avx2, double, 32, CPU_AVX2)
SCORE_FUNCTION(float_avx2, float, 32, CPU_AVX2)
SCORE_FUNCTION(double_avx512, double, 64, CPU_AVX512)
SCORE_FUNCTION(float_avx512, float, 64, CPU_AVX512)

#define CHOOSE_FUNCTION(number) \
	(__builtin_cpu_supports("avx512f") ? number##_avx512 : \
	 __builtin_cpu_supports("avx2") ? number##_avx2 : number##_sse2)
#else
#define CHOOSE_FUNCTION(number) number##_sse2
#endif

/*
 * Call the function "score" for groups of TOGETHER feature vectors.  The last group may overlap
 * the previous group.  If "count" is less than TOGETHER, a group repeats one vector.
 */
#define SCORE_ALL(score) \
	size_t		feature_step = count < TOGETHER ? 0 : (size_t) features_len; \
	size_t		score_step = count < TOGETHER ? 0 : (size_t) scores_len; \
\
	for (int c = 0; c < count; c += count < TOGETHER ? 1 : TOGETHER) \
	{ \
		size_t		first = (size_t) (c + TOGETHER <= count || count < TOGETHER ? c : \
									  count - TOGETHER); \
\
		(score)(len, lanes, features + first * (size_t) features_len, feature_step, \
				(size_t) step, scores + first * (size_t) scores_len, score_step); \
	}

/*
 * Compute scores of feature vectors under one group of weight vectors.  The elements of a feature
 * vector are "step" numbers apart.
 */
void
score_lanes_spaced(int len, const double *lanes, int count, const double *features,
				   int features_len, int step, double *scores, int scores_len)
{
	SCORE_ALL(CHOOSE_FUNCTION(double));
}

/* Compute scores of feature vectors under one group of weight vectors. */
void
score_lanes(int len, const double *lanes, int count, const double *features,
			int features_len, double *scores, int scores_len)
{
	score_lanes_spaced(len, lanes, count, features, features_len, 1, scores, scores_len);
}

void
score_lanes_float(int len, const float *lanes, int count, const float *features,
				  int features_len, float *scores, int scores_len)
{
	const int	step = 1;

	SCORE_ALL(CHOOSE_FUNCTION(float));
}
