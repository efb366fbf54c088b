/*
 * digest.c
 *		NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: fast and
 *		secure message authentication", 1999) in a tree.
 *
 * Two different sequences of as many bytes have the same digest with a
 * probability of at most DIGEST_LEVELS / 2^128 over the choice of the key,
 * whatever they are: NH of two blocks agrees in one of 2^32 keys at most, there
 * are four passes with keys of their own, and so many levels at which two
 * sequences could become the same.
 */
#include "digest.h"

#include <string.h>

#include "clones.h"

#define WORDS	(DIGEST_BLOCK / sizeof(uint64_t))
#define STEP	64				/* bytes: the widest registers */
#define CHILDREN	(DIGEST_BLOCK / sizeof(Digest))
#define LINE	64				/* bytes of a cache line */
#define AHEAD	16384

/*
 * A block, with zeros up to a whole step: the sum of the products of the two halves of
 * each word, to which its key is added.  (A carry between the halves does not
 * matter: with either half of the key given, the other one is as random.)
 */
CPU_CLONES
static Digest
digest_block(const uint64_t (*key)[WORDS], const void *bytes, size_t count)
{
	size_t		size = (count + STEP - 1) / STEP * STEP;
	uint64_t	words[WORDS];
	Digest		digest;
	int			pass;
	size_t		i;

	memcpy(words, bytes, count);
	memset((char *) words + count, 0, size - count);
	for (pass = 0; pass < DIGEST_PASSES; pass++)
	{
		uint64_t	sum = 0;

		for (i = 0; i < size / sizeof(uint64_t); i++)
		{
			uint64_t	word = words[i] + key[pass][i];

			sum += (word & UINT32_MAX) * (word >> 32);
		}
		digest.words[pass] = sum;
	}
	return digest;
}

/* A block of blocks: the digest of their digests. */
static Digest
digest_level(const DigestKey *key, int level, size_t child_size,
			 const char *bytes, size_t count)
{
	Digest		children[CHILDREN];
	size_t		done;
	int			n = 0;

	if (level == 0)
		return digest_block(key->words[0], bytes, count);
	for (done = 0; done < count; done += child_size)
	{
		size_t		size = count - done < child_size ? count - done : child_size;

		children[n++] = digest_level(key, level - 1, child_size / CHILDREN,
									 bytes + done, size);
	}
	return digest_block(key->words[level], children, n * sizeof(Digest));
}

/* One of thousands of values is in no cache: ask for all of it at once. */
static void
fetch_ahead(const char *bytes, size_t count)
{
	size_t		i;

	for (i = 0; i < count && i < AHEAD; i += LINE)
		PREFETCH(bytes + i);
}

/* What tells these bytes from any others of the same count. */
Digest
digest_bytes(const DigestKey *key, const void *bytes, size_t count)
{
	size_t		size = DIGEST_BLOCK;
	int			level = 0;

	fetch_ahead(bytes, count);
	while (size < count)
	{
		size *= CHILDREN;
		level++;
	}
	return digest_level(key, level, size / CHILDREN, bytes, count);
}
