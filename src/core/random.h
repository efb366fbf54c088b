/*
 * random.h
 *		Counter-based random numbers: entry "index" of stream "stream" of key
 *		"seed" is a pure function of the three, so that a projection matrix
 *		needs no storage and a seeded draw can be repeated anywhere.
 *
 * The mapping from (seed, stream, index) to a number is part of the stored
 * format, and goes with its version: changing it would silently change what
 * every stored model means.  Golden values in the tests pin it.
 */
#ifndef DLINTS_RANDOM_H
#define DLINTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Streams keep uses of one seed apart.  The high half of the stream number is
 * the purpose, the low half is the purpose's own (a matrix row, say).
 */
typedef enum RandomPurpose
{
	RANDOM_PROJECTION = 1,		/* rows of P */
	RANDOM_DRAW = 2,			/* the normals behind a perturbed estimate */
	RANDOM_SIGNS = 5,			/* of names; the key is a hash, no seed */
	RANDOM_START = 6,			/* of iterated panels; the same */
	RANDOM_BONUS = 7			/* perturbed bonuses: a row per candidate, by draw */
} RandomPurpose;

extern void random_philox(const uint32_t counter[4], const uint32_t key[2],
						  uint32_t out[4]);
extern uint64_t random_bits(uint64_t seed, uint64_t index);
extern void random_normals(uint64_t seed, RandomPurpose purpose, uint32_t row,
						   size_t count, double *out);
extern void random_normals_from(uint64_t seed, RandomPurpose purpose, uint32_t row,
								uint64_t first, size_t count, double *out);

/*
 * Names as vectors: each name stands for random signs of its own, and a weighted
 * sum of names is a vector in which each of them can be found again by a dot
 * product.
 *
 * What a name stands for is part of what users store, in columns and in models
 * that have learned from them: it never changes.  Golden values in the tests pin
 * it.
 */
extern uint64_t hash_name(const void *bytes, size_t count);
extern void hash_add_signs(uint64_t hash, double weight, size_t count,
						   double *sum);

#endif							/* DLINTS_RANDOM_H */
