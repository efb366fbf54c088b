/*
 * score.c
 *		Scores of feature vectors under interleaved weight vectors.
 */
#include "score.h"

#include "clones.h"

/* Interleave weight vectors in groups of "lanes" vectors.  Zeros complete the last group. */
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

/* SIMD vector types, because compilers generate poor code for such short loops */
#define VECTOR(number, bytes) \
	number __attribute__((vector_size(bytes), aligned(sizeof(number)), may_alias))

typedef VECTOR(double, 16) double_x2;
typedef VECTOR(double, 32) double_x4;
typedef VECTOR(double, 64) double_x8;
typedef VECTOR(float, 16) float_x4;
typedef VECTOR(float, 32) float_x8;
typedef VECTOR(float, 64) float_x16;

/*
 * Compute the dot products of feature vectors with a group of weight vectors.
 *
 * All instruction sets use this body, so that they add the products in the same order.
 */
#define SCORE_BODY(number, vector, width, lane_count, together) \
	vector		sum[together][(lane_count) / (width)]; \
	int			k; \
	int			c; \
	int			l; \
\
	UNROLL \
	for (c = 0; c < (together); c++) \
		UNROLL \
		for (l = 0; l < (lane_count) / (width); l++) \
			sum[c][l] = (vector) {0}; \
	for (k = 0; k < len; k++, lanes += (lane_count)) \
	{ \
		const vector *weights = (const vector *) lanes; \
\
		UNROLL \
		for (c = 0; c < (together); c++) \
			UNROLL \
			for (l = 0; l < (lane_count) / (width); l++) \
				sum[c][l] += weights[l] * \
					features[(size_t) c * (size_t) features_len + (size_t) k * (size_t) step]; \
	} \
	UNROLL \
	for (c = 0; c < (together); c++) \
		UNROLL \
		for (l = 0; l < (lane_count) / (width); l++) \
			((vector *) (scores + (size_t) c * (size_t) scores_len))[l] = sum[c][l]

#define SCORE_PARAMETERS(number) \
	int len, const number *lanes, const number *features, int features_len, int step, \
	number *scores, int scores_len

#define SCORE_FUNCTION(name, number, vector, lane_count, together, attribute) \
	attribute static void \
	name(SCORE_PARAMETERS(number)) \
	{ \
		SCORE_BODY(number, vector, (int) (sizeof(vector) / sizeof(number)), \
				   lane_count, together); \
	}

/* A SIMD function and the number of feature vectors that it processes together */
typedef struct ScoreKernel
{
	int			together;
	void		(*score) (SCORE_PARAMETERS(double));
} ScoreKernel;

typedef struct ScoreKernelFloat
{
	int			together;
	void		(*score) (SCORE_PARAMETERS(float));
} ScoreKernelFloat;

#define DOUBLE_FUNCTION(name, vector, together, attribute) \
	SCORE_FUNCTION(name, double, vector, SCORE_LANES, together, attribute)
#define FLOAT_FUNCTION(name, vector, together, attribute) \
	SCORE_FUNCTION(name, float, vector, SCORE_LANES_FLOAT, together, attribute)

DOUBLE_FUNCTION(double_by_1, double_x2, 1,)
DOUBLE_FUNCTION(double_by_4, double_x2, 4,)
FLOAT_FUNCTION(float_by_1, float_x4, 1,)
FLOAT_FUNCTION(float_by_4, float_x4, 4,)

static const ScoreKernel kernels[] = {{4, double_by_4}, {1, double_by_1}};
static const ScoreKernelFloat kernels_float[] = {{4, float_by_4}, {1, float_by_1}};

/* Each kernel processes as many feature vectors together as fit into the CPU's registers. */
#ifdef CPU_AVX2
DOUBLE_FUNCTION(double_by_1_avx2, double_x4, 1, CPU_AVX2)
DOUBLE_FUNCTION(double_by_4_avx2, double_x4, 4, CPU_AVX2)
DOUBLE_FUNCTION(double_by_8_avx512, double_x8, 8, CPU_AVX512)
FLOAT_FUNCTION(float_by_1_avx2, float_x8, 1, CPU_AVX2)
FLOAT_FUNCTION(float_by_4_avx2, float_x8, 4, CPU_AVX2)
FLOAT_FUNCTION(float_by_8_avx512, float_x16, 8, CPU_AVX512)

/* the first kernel of each array requires AVX-512 */
static const ScoreKernel kernels_x86[] = {
	{8, double_by_8_avx512}, {4, double_by_4_avx2}, {1, double_by_1_avx2}
};
static const ScoreKernelFloat kernels_x86_float[] = {
	{8, float_by_8_avx512}, {4, float_by_4_avx2}, {1, float_by_1_avx2}
};

#define CHOOSE_KERNEL(plain, x86) \
	(!__builtin_cpu_supports("avx2") ? (plain) : \
	 (x86) + (__builtin_cpu_supports("avx512f") ? 0 : 1))
#else
#define CHOOSE_KERNEL(plain, x86)	(plain)
#endif

/* Score all feature vectors with a kernel, which takes several per call. */
#define SCORE_ALL(kernel) \
	int			c; \
\
	for (c = 0; c < count; c += (kernel)->together) \
	{ \
		while ((kernel)->together > count || \
			   ((kernel)->together > 1 && (kernel)[1].together >= count - c)) \
			(kernel)++; \
		if (c > count - (kernel)->together) \
			c = count - (kernel)->together; \
		(kernel)->score(len, lanes, features + (size_t) c * (size_t) features_len, \
						features_len, step, scores + (size_t) c * (size_t) scores_len, \
						scores_len); \
	}

/*
 * Compute scores of "count" feature vectors under one group of weight vectors.
 *
 * Feature vectors begin features_len numbers apart, and their elements are "step" numbers
 * apart.  Rows of scores are scores_len numbers apart.
 */
void
score_lanes_spaced(int len, const double *lanes, int count, const double *features,
				   int features_len, int step, double *scores, int scores_len)
{
	const ScoreKernel *kernel = CHOOSE_KERNEL(kernels, kernels_x86);

	SCORE_ALL(kernel);
}

/* Call score_lanes_spaced() for feature vectors of contiguous numbers. */
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
	const ScoreKernelFloat *kernel = CHOOSE_KERNEL(kernels_float, kernels_x86_float);
	const int	step = 1;

	SCORE_ALL(kernel);
}
