/*
 * random.c
 *		Random bits by Philox4x32-10, and normal random numbers by the Box-Muller transform.
 *
 * Philox: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
 */
#include "random.h"

#include <math.h>
#include <string.h>

#include "clones.h"

#define PHILOX_ROUNDS	10
#define PHILOX_M0		UINT32_C(0xD2511F53)
#define PHILOX_M1		UINT32_C(0xCD9E8D57)
#define PHILOX_W0		UINT32_C(0x9E3779B9)
#define PHILOX_W1		UINT32_C(0xBB67AE85)

#define TWO_PI			6.283185307179586476925286766559
#define LN_2			0.693147180559945309417232121458176568
#define TWO_POW_52		4503599627370496.0
#define TWO_POW_84		19342813113834066795298816.0

/*
 * Compute 128 random bits from a counter of four words and a key.  The words are 32-bit numbers in
 * 64-bit variables, so that the compiler vectorizes loops over counters.
 */
static inline void
philox(uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3, const uint32_t key[2],
	   uint64_t *first, uint64_t *second)
{
	uint32_t	k0 = key[0];
	uint32_t	k1 = key[1];

	UNROLL
	for (int round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = PHILOX_M0 * c0;
		uint64_t	p1 = PHILOX_M1 * c2;

		c0 = (p1 >> 32) ^ c1 ^ k0;
		c1 = p1 & UINT32_MAX;
		c2 = (p0 >> 32) ^ c3 ^ k1;
		c3 = p0 & UINT32_MAX;
		k0 += PHILOX_W0;
		k1 += PHILOX_W1;
	}
	*first = c1 << 32 | c0;
	*second = c3 << 32 | c2;
}

void
random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint64_t	bits[2];

	philox(counter[0], counter[1], counter[2], counter[3], key, &bits[0], &bits[1]);
	for (int i = 0; i < 4; i++)
		out[i] = (uint32_t) (bits[i / 2] >> 32 * (i % 2));
}

uint64_t
random_bits(uint64_t seed, uint64_t index)
{
	const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
	uint64_t	bits[2];

	philox(index & UINT32_MAX, index >> 32, 0, 0, key, &bits[0], &bits[1]);
	return bits[0];
}

/* Number of pairs of normal random numbers that are computed at a time */
#define PAIRS_TOGETHER	16

/* The two random words of each of PAIRS_TOGETHER successive counters */
typedef struct Words
{
	uint64_t	first[PAIRS_TOGETHER];
	uint64_t	second[PAIRS_TOGETHER];
} Words;

/* Compute random words for successive counters, beginning with counter "first". */
CPU_CLONES
static void
make_words(uint64_t first, const uint32_t stream[2], const uint32_t key[2], Words *restrict words)
{
	for (uint64_t i = 0; i < PAIRS_TOGETHER; i++)
		philox((first + i) & UINT32_MAX, (first + i) >> 32, stream[0], stream[1], key,
			   &words->first[i], &words->second[i]);
}

/* ---------- normals ---------- */

/*
 * Bits of the doubles 2^52 and 2^84.  Replacing the low 32 bits by an integer n adds n or 2^32 n,
 * which is faster than a conversion.
 */
#define BITS_2_52		UINT64_C(0x4330000000000000)
#define BITS_2_84		UINT64_C(0x4530000000000000)
/* Bits of about sqrt(1/2), the minimum of the factor in log_of() */
#define BITS_ROOT		UINT64_C(0x3fe6a09e00000000)

static inline double
as_double(uint64_t bits)
{
	double		number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static inline uint64_t
as_bits(double number)
{
	uint64_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Convert 64 random bits to an integer from 1 to 2^53, as a double. */
static inline double
positive_integer(uint64_t bits)
{
	uint64_t	integer = (bits >> 11) + 1;
	double		high = as_double(BITS_2_84 | integer >> 32);
	double		low = as_double(BITS_2_52 | (integer & UINT32_MAX));

	return (high - (TWO_POW_84 + TWO_POW_52)) + low;
}

/* Compute log(x / 2^53) by the series of the inverse hyperbolic tangent. */
static inline double
log_of(double x)
{
	uint64_t	exponent = (as_bits(x) - BITS_ROOT) >> 52;
	double		factor = as_double(as_bits(x) - (exponent << 52));
	double		power = as_double(BITS_2_52 | exponent) - (TWO_POW_52 + 53.0);
	double		s = (factor - 1.0) / (factor + 1.0);
	double		z = s * s;

	return power * LN_2 + 2.0 * s *
		(1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 +
		z * (1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17 + z * (1.0 / 19 + z / 21))))))))));
}

/* Compute sin(t) for angles of at most an eighth of a turn by a Taylor series. */
static inline double
sine_of(double t)
{
	double		z = t * t;

	return t * (1.0 - z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 -
		z * (1.0 / 39916800 - z * (1.0 / 6227020800 - z * (1.0 / 1307674368000))))))));
}

static inline double
cosine_of(double t)
{
	double		z = t * t;

	return 1.0 - z * (1.0 / 2 - z * (1.0 / 24 - z * (1.0 / 720 - z * (1.0 / 40320 -
		z * (1.0 / 3628800 - z * (1.0 / 479001600 - z * (1.0 / 87178291200 -
		z * (1.0 / 20922789888000))))))));
}

/*
 * Convert random words to pairs of normal numbers by the Box-Muller transform.  The C library's
 * functions are slower, and their last digits differ between CPUs.
 */
CPU_CLONES
static void
transform(const Words *restrict words, double *restrict cosines, double *restrict sines)
{
	for (int i = 0; i < PAIRS_TOGETHER; i++)
	{
		double		radius = sqrt(-2.0 * log_of(positive_integer(words->first[i])));
		double		turns = positive_integer(words->second[i]) * (0.5 / TWO_POW_52);
		/* adding 1.5 * 2^52 rounds the number of quarter turns to an integer */
		double		rounded = 4.0 * turns + 1.5 * TWO_POW_52;
		uint64_t	quarters = as_bits(rounded);
		double		angle = TWO_PI * (turns - 0.25 * (rounded - 1.5 * TWO_POW_52));
		uint64_t	sine = as_bits(radius * sine_of(angle));
		uint64_t	cosine = as_bits(radius * cosine_of(angle));
		uint64_t	swapped = (sine ^ cosine) & (0 - (quarters & 1));

		cosines[i] = as_double(cosine ^ swapped ^ ((quarters + 1) & 2) << 62);
		sines[i] = as_double(sine ^ swapped ^ (quarters & 2) << 62);
	}
}

/* Write "count" standard normal numbers of a random stream, from index "first" on. */
void
random_normals(uint64_t seed, RandomPurpose purpose, uint32_t row,
			   uint64_t first, size_t count, double *out)
{
	const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
	const uint32_t stream[2] = {row, (uint32_t) purpose};
	size_t		skipped = (size_t) (first % 2);
	size_t		pairs = (count + skipped + 1) / 2;
	Words		words;
	double		cosines[PAIRS_TOGETHER];
	double		sines[PAIRS_TOGETHER];

	for (size_t pair = 0; pair < pairs; pair++)
	{
		size_t		lane = pair % PAIRS_TOGETHER;

		if (lane == 0)
		{
			make_words(first / 2 + pair, stream, key, &words);
			transform(&words, cosines, sines);
		}
		if (2 * pair >= skipped)
			out[2 * pair - skipped] = cosines[lane];
		if (2 * pair + 1 < count + skipped)
			out[2 * pair + 1 - skipped] = sines[lane];
	}
}

/* ---------- names ---------- */

/*
 * Key of the hash function SipHash-2-4 (Aumasson and Bernstein, 2012).  The key is not secret,
 * because hashes must be equal on all machines and in all versions.
 */
#define KEY_LOW			UINT64_C(0x0706050403020100)
#define KEY_HIGH		UINT64_C(0x0f0e0d0c0b0a0908)

#define BYTES_PER_WORD	8
#define ROUNDS_PER_WORD	2
#define FINAL_ROUNDS	4

#define SIGNS_PER_BLOCK	128

#define ROTATE(x, bits)	(((x) << (bits)) | ((x) >> (64 - (bits))))

static void
siphash_rounds(uint64_t v[4], int rounds)
{
	for (int i = 0; i < rounds; i++)
	{
		v[0] += v[1];
		v[2] += v[3];
		v[1] = ROTATE(v[1], 13) ^ v[0];
		v[3] = ROTATE(v[3], 16) ^ v[2];
		v[0] = ROTATE(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = ROTATE(v[1], 17) ^ v[2];
		v[3] = ROTATE(v[3], 21) ^ v[0];
		v[2] = ROTATE(v[2], 32);
	}
}

static void
siphash_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	siphash_rounds(v, ROUNDS_PER_WORD);
	v[0] ^= word;
}

/* Read up to eight bytes as a little-endian number. */
static uint64_t
little_endian(const unsigned char *bytes, size_t count)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < count; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

uint64_t
hash_name(const void *bytes, size_t count)
{
	const unsigned char *next = bytes;
	size_t		left = count;
	uint64_t	v[4] = {
		KEY_LOW ^ UINT64_C(0x736f6d6570736575),
		KEY_HIGH ^ UINT64_C(0x646f72616e646f6d),
		KEY_LOW ^ UINT64_C(0x6c7967656e657261),
		KEY_HIGH ^ UINT64_C(0x7465646279746573)
	};

	for (; left >= BYTES_PER_WORD; left -= BYTES_PER_WORD, next += BYTES_PER_WORD)
		siphash_word(v, little_endian(next, BYTES_PER_WORD));
	siphash_word(v, little_endian(next, left) | (uint64_t) count << 56);

	v[2] ^= 0xff;
	siphash_rounds(v, FINAL_ROUNDS);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Add random signs that are derived from a hash, times "weight", to "sum". */
void
hash_add_signs(uint64_t hash, double weight, size_t count, double *sum)
{
	const uint32_t key[2] = {(uint32_t) hash, (uint32_t) (hash >> 32)};
	const double signed_weight[2] = {weight, -weight};

	for (size_t i = 0; i < count; i += SIGNS_PER_BLOCK)
	{
		const uint32_t counter[4] = {
			(uint32_t) (i / SIGNS_PER_BLOCK), 0, 0, RANDOM_SIGNS
		};
		size_t		signs = SIGNS_PER_BLOCK;
		uint32_t	bits[4];
		size_t		k;

		if (signs > count - i)
			signs = count - i;
		random_philox(counter, key, bits);
		for (k = 0; k < signs; k++)
			sum[i + k] += signed_weight[(bits[k / 32] >> (k % 32)) & 1];
	}
}
