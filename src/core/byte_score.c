/*
 * byte_score.c
 *		Approximate scores of feature vectors that are stored with a byte per feature.
 */
#include "byte_score.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "numbers.h"

#define MAX_CODE	127
#define ZERO_CODE	128
#define MAX_WEIGHT	63
#define MAX_DEVIATION	1e37f
/* Rounding error, as a fraction of the mean's score, to add to the standard deviation of scores */
#define ROUNDING	1e-6f

static float
largest_float(int len, const float *numbers)
{
	float		largest = 0.0f;

	for (int i = 0; i < len; i++)
		largest = fmaxf(largest, fabsf(numbers[i]));
	return largest;
}

/* Encode features as bytes.  Returns the scale: a feature is about (byte - 128) * scale. */
float
byte_encode(int len, const float *features, uint8_t *codes)
{
	float		scale = largest_float(len, features) / MAX_CODE;

	/* a smaller scale could be subnormal, and too imprecise to keep codes below 256 */
	if (!(scale >= 1e-37f))
		scale = 0.0f;
	for (int i = 0; i < byte_padded(len); i++)
		codes[i] = (uint8_t) (ZERO_CODE +
							  (i < len && scale > 0.0f ? (int) lrintf(features[i] / scale) : 0));
	return scale;
}

/* Round at most BYTE_LANES weight vectors to 8-bit integers. */
void
byte_pack_weights(int len, int count, const double *vectors, int vectors_len, int8_t *lanes,
				  ByteWeights *weights)
{
	memset(lanes, 0, (size_t) byte_padded(len) * BYTE_LANES);
	memset(weights, 0, sizeof(*weights));
	weights->quads = byte_padded(len) / 4;
	weights->lanes = lanes;
	for (int v = 0; v < count; v++)
	{
		const double *vector = vectors + (size_t) v * (size_t) vectors_len;
		double		largest = largest_magnitude((size_t) len, vector);
		double		square = 0.0;
		double		scale;

		for (int k = 0; k < len; k++)
			square += vector[k] * vector[k];
		scale = largest / MAX_WEIGHT;
		weights->scales[v] = (float) scale;
		/* standard error of a score due to rounded features and weights, for a scale of 1 */
		weights->errors[v] =
			(float) sqrt((square + scale * scale * MAX_CODE * MAX_CODE / 3 * len) / 12);
		for (int k = 0; k < len && scale > 0.0; k++)
		{
			int			weight = (int) lrint(vector[k] / scale);

			lanes[(size_t) (k / 4) * BYTE_LANES * 4 + (size_t) v * 4 + (size_t) (k % 4)] =
				(int8_t) weight;
			weights->offsets[v] += weight * ZERO_CODE;
		}
	}
}

/* ---------- sums of products ---------- */

/* Compute the dot products of encoded feature vectors with the weight vectors. */
static void
sums_plain(const ByteWeights *weights, int count, const uint8_t *codes, int codes_len,
		   int32_t *sums)
{
	memset(sums, 0, sizeof(int32_t) * BYTE_LANES * (size_t) count);
	for (int c = 0; c < count; c++, codes += codes_len, sums += BYTE_LANES)
		for (int q = 0; q < weights->quads; q++)
		{
			const int8_t *lane = weights->lanes + (size_t) q * BYTE_LANES * 4;
			const uint8_t *quad = codes + (size_t) q * 4;

			for (int l = 0; l < BYTE_LANES; l++, lane += 4)
				sums[l] += quad[0] * lane[0] + quad[1] * lane[1] + quad[2] * lane[2] +
					quad[3] * lane[3];
		}
}

#ifdef CPU_AVX2
#include <immintrin.h>

static inline int32_t
load_quad(const uint8_t *codes)
{
	int32_t		quad;

	memcpy(&quad, codes, sizeof(quad));
	return quad;
}

CPU_AVX2
static void
sums_avx2(const ByteWeights *weights, int count, const uint8_t *codes, int codes_len, int32_t *sums)
{
	const __m256i ones = _mm256_set1_epi16(1);

	for (int c = 0; c < count; c++, codes += codes_len, sums += BYTE_LANES)
	{
		const __m256i *lanes = (const __m256i *) weights->lanes;
		__m256i		low = _mm256_setzero_si256();
		__m256i		high = _mm256_setzero_si256();

		for (int q = 0; q < weights->quads; q++, lanes += 2)
		{
			__m256i		quad = _mm256_set1_epi32(load_quad(codes + (size_t) q * 4));
			__m256i		first = _mm256_maddubs_epi16(quad, _mm256_loadu_si256(lanes));
			__m256i		second = _mm256_maddubs_epi16(quad, _mm256_loadu_si256(lanes + 1));

			low = _mm256_add_epi32(low, _mm256_madd_epi16(ones, first));
			high = _mm256_add_epi32(high, _mm256_madd_epi16(ones, second));
		}
		_mm256_storeu_si256((__m256i *) sums, low);
		_mm256_storeu_si256((__m256i *) sums + 1, high);
	}
}

#ifdef CPU_VNNI
/* Number of feature vectors that are processed at a time, to hide the latency of additions */
#define TOGETHER	8

CPU_VNNI
static void
sums_vnni(const ByteWeights *weights, int count, const uint8_t *codes, int codes_len, int32_t *sums)
{
	for (int c = 0; c < count; c += TOGETHER)
	{
		const uint8_t *rows[TOGETHER];
		__m512i		row_sums[TOGETHER];

		/* if fewer than TOGETHER feature vectors are left, repeat the last one */
		UNROLL
		for (int i = 0; i < TOGETHER; i++)
		{
			rows[i] = codes + (size_t) (c + i < count ? c + i : count - 1) * (size_t) codes_len;
			row_sums[i] = _mm512_setzero_si512();
		}
		for (int q = 0; q < weights->quads; q++)
		{
			__m512i		lane = _mm512_loadu_si512(weights->lanes + (size_t) q * BYTE_LANES * 4);

			UNROLL
			for (int i = 0; i < TOGETHER; i++)
			{
				__m512i		quads = _mm512_set1_epi32(load_quad(rows[i] + (size_t) q * 4));

				row_sums[i] = _mm512_dpbusd_epi32(row_sums[i], quads, lane);
			}
		}
		UNROLL
		for (int i = 0; i < TOGETHER; i++)
			if (c + i < count)
				_mm512_storeu_si512(sums + (size_t) (c + i) * BYTE_LANES, row_sums[i]);
	}
}
#endif							/* CPU_VNNI */
#endif							/* CPU_AVX2 */

/* Compute the dot products of encoded feature vectors with the weight vectors. */
void
byte_sums(const ByteWeights *weights, int count, const uint8_t *codes, int codes_len, int32_t *sums)
{
#ifdef CPU_VNNI
	if (__builtin_cpu_supports("avx512vnni"))
	{
		sums_vnni(weights, count, codes, codes_len, sums);
		return;
	}
#endif
#ifdef CPU_AVX2
	if (__builtin_cpu_supports("avx2"))
	{
		sums_avx2(weights, count, codes, codes_len, sums);
		return;
	}
#endif
	sums_plain(weights, count, codes, codes_len, sums);
}

/* Convert integer dot products to floating-point scores, and add them to "scores". */
CPU_CLONES
void
byte_add_scores(const ByteWeights *restrict weights, int count, const int32_t *restrict sums,
				const float *restrict scales, int scales_step, float *restrict scores)
{
	for (int c = 0; c < count; c++, sums += BYTE_LANES, scores += BYTE_LANES, scales += scales_step)
		for (int l = 0; l < BYTE_LANES; l++)
			scores[l] += *scales * weights->scales[l] * (float) (sums[l] - weights->offsets[l]);
}

/*
 * Write an upper bound of the score for each mean vector and weight vector: the score plus "times"
 * standard deviations.
 *
 * The second half of each row of "bounds" contains variances.  We add the squared score of each
 * principal axis to the variance, and replace variances by standard deviations.
 */
CPU_CLONES
void
byte_write_bounds(int count, int axes, const float *restrict scores, float times,
				  float *restrict bounds)
{
	for (int c = 0; c < count; c++, bounds += BOUND_NUMBERS)
	{
		const float *mean = scores;

		scores += BYTE_LANES;
		for (int a = 0; a < axes; a++, scores += BYTE_LANES)
			for (int l = 0; l < BYTE_LANES; l++)
				bounds[BYTE_LANES + l] += scores[l] * scores[l];
		for (int l = 0; l < BYTE_LANES; l++)
		{
			float		deviation = sqrtf(bounds[BYTE_LANES + l]) + FLT_MIN +
				ROUNDING * fabsf(mean[l]);

			/* the comparison also replaces infinite and NaN deviations */
			deviation = deviation < MAX_DEVIATION ? deviation : MAX_DEVIATION;
			bounds[l] = mean[l] + times * deviation;
			bounds[BYTE_LANES + l] = deviation;
		}
	}
}

/*
 * Lower the sort keys of rows whose upper bounds of scores exceed thresholds.  We subtract the
 * cubes of the excesses, in standard deviations.
 */
CPU_CLONES
void
byte_subtract_excesses(int count, const int *rows, const float *bounds, const float *thresholds,
					   double *keys)
{
	for (int i = 0; i < count; i++)
	{
		const float *row = bounds + (size_t) rows[i] * BOUND_NUMBERS;
		float		cubes[BYTE_LANES];
		int			exceeds = 0;

		for (int l = 0; l < BYTE_LANES; l++)
			exceeds |= row[l] > thresholds[l];
		if (!exceeds)
			continue;
		for (int l = 0; l < BYTE_LANES; l++)
		{
			float		excess = (row[l] - thresholds[l]) / row[BYTE_LANES + l];

			excess = excess > 0.0f ? excess : 0.0f;
			cubes[l] = excess * excess * excess;
		}
		UNROLL
		for (int width = BYTE_LANES / 2; width > 0; width /= 2)
			for (int l = 0; l < width; l++)
				cubes[l] += cubes[l + width];
		keys[rows[i]] -= (double) cubes[0];
	}
}

/* ---------- comparison ---------- */

static void
compare_plain(int count, const float *scores, const float *limits, uint16_t *masks)
{
	for (int c = 0; c < count; c++, scores += BYTE_LANES)
	{
		masks[c] = 0;
		for (int l = 0; l < BYTE_LANES; l++)
			masks[c] = (uint16_t) (masks[c] | (scores[l] >= limits[l]) << l);
	}
}

#ifdef CPU_AVX2
CPU_AVX2
static void
compare_avx2(int count, const float *scores, const float *limits, uint16_t *masks)
{
	const __m256 low = _mm256_loadu_ps(limits);
	const __m256 high = _mm256_loadu_ps(limits + 8);

	for (int c = 0; c < count; c++, scores += BYTE_LANES)
	{
		int			first = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores), low,
															 _CMP_GE_OQ));
		int			second = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + 8), high,
															  _CMP_GE_OQ));

		masks[c] = (uint16_t) (first | second << 8);
	}
}
#endif

/* For each feature vector, set bit l of its mask if its score l is at least limits[l]. */
void
byte_compare(int count, const float *scores, const float *limits, uint16_t *masks)
{
#ifdef CPU_AVX2
	if (__builtin_cpu_supports("avx2"))
		compare_avx2(count, scores, limits, masks);
	else
#endif
		compare_plain(count, scores, limits, masks);
}
