/*
 * hash.c
 *		SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input
 *		PRF", 2012) of a name, and the signs that Philox makes of that.
 *
 * The key is the one of the authors' test vectors, the bytes 0 to 15.  It hides
 * nothing: it only has to be the same everywhere and for ever.
 */
#include "hash.h"

#include "random.h"

#define KEY_LOW			UINT64_C(0x0706050403020100)
#define KEY_HIGH		UINT64_C(0x0f0e0d0c0b0a0908)

#define WORD			8		/* bytes that go in at a time */
#define ROUNDS			2		/* after each word */
#define LAST_ROUNDS		4

#define SIGNS			128		/* of one block of Philox */

#define ROTATE(x, bits)	(((x) << (bits)) | ((x) >> (64 - (bits))))

static void
mix(uint64_t v[4], int rounds)
{
	int			i;

	for (i = 0; i < rounds; i++)
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
absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v, ROUNDS);
	v[0] ^= word;
}

/* Up to eight bytes as a number, the first the lowest, on every machine. */
static uint64_t
little_endian(const unsigned char *bytes, size_t count)
{
	uint64_t	word = 0;
	size_t		i;

	for (i = 0; i < count; i++)
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

	for (; left >= WORD; left -= WORD, next += WORD)
		absorb(v, little_endian(next, WORD));
	absorb(v, little_endian(next, left) | (uint64_t) count << 56);

	v[2] ^= 0xff;
	mix(v, LAST_ROUNDS);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/*
 * Add the first count signs of a hash to as many sums, times the weight.  Sign
 * i is bit i of what Philox makes of the counters 0, 1, … under the hash as
 * its key, and a bit that is set is a minus.
 */
void
hash_add_signs(uint64_t hash, double weight, size_t count, double *sum)
{
	const uint32_t key[2] = {(uint32_t) hash, (uint32_t) (hash >> 32)};
	const double signed_weight[2] = {weight, -weight};
	size_t		i;

	for (i = 0; i < count; i += SIGNS)
	{
		const uint32_t counter[4] = {
			(uint32_t) (i / SIGNS), 0, 0, RANDOM_SIGNS
		};
		size_t		signs = SIGNS;
		uint32_t	bits[4];
		size_t		k;

		if (signs > count - i)
			signs = count - i;
		random_philox(counter, key, bits);
		for (k = 0; k < signs; k++)
			sum[i + k] += signed_weight[(bits[k / 32] >> (k % 32)) & 1];
	}
}
