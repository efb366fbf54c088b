/*
 * random.c
 *		Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
 *		numbers: as easy as 1, 2, 3", 2011) and normals made from it by the
 *		Box-Muller transform.
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
#define TWO_POW_MINUS_53	(1.0 / 9007199254740992.0)

/* The bijection itself: 128 random bits for each counter under a key. */
void
random_philox(const uint32_t counter[4], const uint32_t key[2],
			  uint32_t out[4])
{
	uint32_t	c0 = counter[0];
	uint32_t	c1 = counter[1];
	uint32_t	c2 = counter[2];
	uint32_t	c3 = counter[3];
	uint32_t	k0 = key[0];
	uint32_t	k1 = key[1];
	int			round;

	for (round = 0; round < PHILOX_ROUNDS; round++)
	{
		uint64_t	p0 = (uint64_t) PHILOX_M0 * c0;
		uint64_t	p1 = (uint64_t) PHILOX_M1 * c2;

		c0 = (uint32_t) (p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t) p1;
		c2 = (uint32_t) (p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t) p0;
		k0 += PHILOX_W0;
		k1 += PHILOX_W1;
	}

	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* 64 random bits for each index under a seed: lots, and seeds of more of them */
uint64_t
random_bits(uint64_t seed, uint64_t index)
{
	const uint32_t counter[4] = {(uint32_t) index, (uint32_t) (index >> 32), 0, 0};
	const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
	uint32_t	bits[4];

	random_philox(counter, key, bits);
	return ((uint64_t) bits[1] << 32) | bits[0];
}

/*
 * The words of so many counters that follow each other, in two halves of 64
 * bits.  A matrix of normals is a long list of them.
 */
#define TOGETHER	4

/* Vectors spelt out, because compilers do not make them of these loops. */
typedef uint64_t words __attribute__((vector_size(8 * TOGETHER)));

/* Philox side by side; of each 64 bits the lower 32 count. */
CPU_CLONES
static void
philox_words(uint64_t first, const uint32_t stream[2], const uint32_t key[2],
			 uint64_t low_words[TOGETHER], uint64_t high_words[TOGETHER])
{
	const words low = (words) {0} + UINT32_MAX;
	words		number = first + (words) {0, 1, 2, 3};
	words		c0 = number;
	words		c1 = number >> 32;
	words		c2 = (words) {0} + stream[0];
	words		c3 = (words) {0} + stream[1];
	uint32_t	k0 = key[0];
	uint32_t	k1 = key[1];
	int			round;

	for (round = 0; round < PHILOX_ROUNDS; round++)
	{
		words		p0 = (c0 & low) * ((words) {0} + PHILOX_M0);
		words		p1 = (c2 & low) * ((words) {0} + PHILOX_M1);

		c0 = (p1 >> 32) ^ c1 ^ ((words) {0} + k0);
		c1 = p1;
		c2 = (p0 >> 32) ^ c3 ^ ((words) {0} + k1);
		c3 = p0;
		k0 += PHILOX_W0;
		k1 += PHILOX_W1;
	}
	c0 = (c0 & low) | c1 << 32;
	c2 = (c2 & low) | c3 << 32;
	memcpy(low_words, &c0, sizeof(c0));
	memcpy(high_words, &c2, sizeof(c2));
}

/* 53 of 64 random bits as a number in (0, 1]; zero would have no logarithm */
static double
uniform(uint64_t bits)
{
	return (double) ((bits >> 11) + 1) * TWO_POW_MINUS_53;
}

/*
 * Standard normals number 0 to count - 1 of one row of a purpose's stream.
 * Number i does not depend on count.
 */
void
random_normals(uint64_t seed, RandomPurpose purpose, uint32_t row,
			   size_t count, double *out)
{
	const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
	const uint32_t stream[2] = {row, (uint32_t) purpose};
	uint64_t	first[TOGETHER];
	uint64_t	second[TOGETHER];
	size_t		i;

	for (i = 0; i < count; i += 2)
	{
		size_t		pair = i / 2 % TOGETHER;
		double		radius;
		double		angle;

		if (pair == 0)
			philox_words(i / 2, stream, key, first, second);
		radius = sqrt(-2.0 * log(uniform(first[pair])));
		angle = TWO_PI * uniform(second[pair]);

		out[i] = radius * cos(angle);
		if (i + 1 < count)
			out[i + 1] = radius * sin(angle);
	}
}
