/*
 * test_digest.c
 *		The digest is what its definition says, of any count of bytes, and no
 *		byte is left out.
 */
#include "oracle.h"

#include "core/digest.h"

static DigestKey key;

static const size_t counts[] = {
	1, 7, 8, 63, 64, 65, 144, 1023, 1024, 1025, 2048, 5184, 32767, 32768,
	32769, 70000, 1048576, 1048577
};

/* so many random bytes at an odd address, so that nothing relies on alignment */
static unsigned char *
random_bytes(uint64_t *seed, size_t count)
{
	unsigned char *bytes = (unsigned char *) allocate(count + 1) + 1;
	size_t		i;

	for (i = 0; i < count; i++)
		bytes[i] = (unsigned char) (128.0 * (dice(seed) + 1.0));
	return bytes;
}

static int
make_key(void **state)
{
	uint64_t	seed = 1;
	unsigned char *bytes = random_bytes(&seed, sizeof(key));

	memcpy(&key, bytes, sizeof(key));
	return 0;
}

/* Layer by layer from below, with zeros up to a multiple of 64 bytes. */
static Digest
layers(const unsigned char *bytes, size_t count)
{
	size_t		blocks = (count + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
	uint64_t   *words = allocate(blocks * DIGEST_BLOCK);
	Digest	   *digests = allocate(blocks * sizeof(Digest));
	Digest		top;
	int			level;

	memset(words, 0, blocks * DIGEST_BLOCK);
	memcpy(words, bytes, count);
	for (level = 0;; level++)
	{
		size_t		used = (count + 63) / 64 * 8;
		size_t		i;

		memset(digests, 0, blocks * sizeof(Digest));
		for (i = 0; i < blocks * DIGEST_PASSES * (DIGEST_BLOCK / 8); i++)
		{
			size_t		block = i / (DIGEST_PASSES * (DIGEST_BLOCK / 8));
			size_t		pass = i / (DIGEST_BLOCK / 8) % DIGEST_PASSES;
			size_t		place = i % (DIGEST_BLOCK / 8);
			size_t		word = block * (DIGEST_BLOCK / 8) + place;
			uint64_t	sum = words[word] + key.words[level][pass][place];

			if (word < used)
				digests[block].words[pass] += (sum >> 32) * (uint32_t) sum;
		}
		if (blocks == 1)
			break;
		memset(words, 0, blocks * DIGEST_BLOCK);
		count = blocks * sizeof(Digest);
		memcpy(words, digests, count);
		blocks = (count + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
	}
	top = digests[0];
	return top;
}

static void
test_definition(void **state)
{
	uint64_t	seed = 2;
	int			i;

	for (i = 0; i < LENGTH(counts); i++)
	{
		unsigned char *bytes = random_bytes(&seed, counts[i]);
		Digest		actual = digest_bytes(&key, bytes, counts[i]);
		Digest		expected = layers(bytes, counts[i]);

		assert_memory_equal(&actual, &expected, sizeof(Digest));
	}
}

/* One bit makes a difference in every pass, wherever it is. */
static void
test_each_byte_counts(void **state)
{
	uint64_t	seed = 3;
	int			i;

	for (i = 0; i < LENGTH(counts); i++)
	{
		unsigned char *bytes = random_bytes(&seed, counts[i]);
		Digest		before = digest_bytes(&key, bytes, counts[i]);
		size_t		step = counts[i] / 2000 + 1;
		size_t		k;

		for (k = 0; k < counts[i]; k += step)
		{
			Digest		after;
			int			pass;

			bytes[k] ^= 1 << k % 8;
			after = digest_bytes(&key, bytes, counts[i]);
			bytes[k] ^= 1 << k % 8;
			for (pass = 0; pass < DIGEST_PASSES; pass++)
				assert_true(after.words[pass] != before.words[pass]);
		}
	}
}

/* Zeros have a digest, too, and it hangs on the key. */
static void
test_key_counts(void **state)
{
	const unsigned char zeros[DIGEST_BLOCK] = {0};
	Digest		before = digest_bytes(&key, zeros, sizeof(zeros));
	Digest		after;
	int			pass;

	for (pass = 0; pass < DIGEST_PASSES; pass++)
		key.words[0][pass][100] += UINT64_C(0x100000001);
	after = digest_bytes(&key, zeros, sizeof(zeros));
	for (pass = 0; pass < DIGEST_PASSES; pass++)
	{
		int			other;

		assert_true(after.words[pass] != before.words[pass]);
		for (other = 0; other < pass; other++)
			assert_true(before.words[pass] != before.words[other]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_definition),
		test_of(test_each_byte_counts),
		test_of(test_key_counts),
	};

	return cmocka_run_group_tests(tests, make_key, NULL);
}
