/*
 * digest.c
 *		NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: fast and
 *		secure message authentication", 1999) in a tree.
 *
 * Two different sequences of as many bytes have the same digest with a
 * probability of at most DIGEST_LEVELS / 2^128 over the choice of the key,
 * whatever they are: NH of two blocks agrees under one of 2^32 keys at most,
 * there are four passes with keys of their own, and so many levels at which two
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
 * A block, with zeros up to a whole step: the sum of the products of the two
 * halves of each word, to which its key is added.
 *
 * NH adds keys to the halves, without the carry between them, but its bound
 * holds here, too.  Two blocks differ in some word.  With the keys of all
 * others given, their sums agree where the halves a b and a' b' of that word
 * have products that differ by a given number (mod 2^64).  Where a != a', the
 * lower halves, one b at most does so for each a: with the lower half of the
 * key given, b' - b is the same for all b (mod 2^32).  So if another b, larger
 * by 0 < s < 2^32, does, then b' is larger by s or by s - 2^32, and
 * a' s = a s or a' (s - 2^32) = a s (mod 2^64).  All these are so small that
 * they are equal as they stand: a' = a, or both are 0.  Where a = a', b' - b is
 * not 0 and a alone is multiplied by it: one a at most for each b.
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

/* One of thousands of values is in no cache: ask for all of it at once. */
static void
fetch_ahead(const char *bytes, size_t count)
{
	size_t		i;

	for (i = 0; i < count && i < AHEAD; i += LINE)
		PREFETCH(bytes + i);
}

/*
 * What tells these bytes from any others of the same count.  A block of level
 * n + 1 is made of the digests of those of level n, as they become complete.
 */
Digest
digest_bytes(const DigestKey *key, const void *bytes, size_t count)
{
	Digest		pending[DIGEST_LEVELS][CHILDREN];
	size_t		blocks = (count + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
	Digest		digest = {{0}};
	size_t		i;

	fetch_ahead(bytes, count);
	for (i = 0; i < blocks; i++)
	{
		size_t		start = i * DIGEST_BLOCK;
		size_t		place = i;	/* among the blocks of this level */
		size_t		last = blocks - 1;
		int			level = 0;

		digest = digest_block(key->words[0], (const char *) bytes + start,
							  i < last ? DIGEST_BLOCK : count - start);
		/* the only block of a level is the top */
		for (; last > 0; place /= CHILDREN, last /= CHILDREN)
		{
			size_t		child = place % CHILDREN;

			pending[level][child] = digest;
			if (child < CHILDREN - 1 && place < last)
				break;
			level++;
			digest = digest_block(key->words[level], pending[level - 1],
								  (child + 1) * sizeof(Digest));
		}
	}
	return digest;
}
