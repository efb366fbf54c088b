/*
 * random.h
 *		Counter-based random numbers.  Each number is a pure function of a
 *		seed (the key), a stream and an index.  A projection matrix therefore
 *		needs no storage, and a seeded draw can be repeated anywhere.
 *
 * The mapping from (seed, stream, index) to numbers belongs to the stored format: a change would
 * silently change the meaning of stored models.  Golden values in the tests pin it.
 */
#ifndef DLINTS_RANDOM_H
#define DLINTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Streams separate the uses of one seed.  The high half of a stream's number is its purpose.  The
 * low half distinguishes streams of one purpose, such as the rows of a matrix.
 */
typedef enum RandomPurpose
{
	RANDOM_PROJECTION = 1,		/* rows of the projection matrix */
	RANDOM_DRAW = 2,			/* normals of a draw of the coefficients */
	RANDOM_SIGNS = 5,			/* random signs of a name; the name's hash is the key */
	RANDOM_START = 6,			/* start vectors of svd.c; an item's hash is the key */
	RANDOM_BONUS = 7			/* normals of perturbed bonuses; row = candidate, index = draw */
} RandomPurpose;

extern void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
extern uint64_t random_bits(uint64_t seed, uint64_t index);
extern void random_normals(uint64_t seed, RandomPurpose purpose, uint32_t row,
						   size_t count, double *out);
extern void random_normals_from(uint64_t seed, RandomPurpose purpose, uint32_t row,
								uint64_t first, size_t count, double *out);

/*
 * Names as vectors (feature hashing).  A name's vector has pseudorandom signs.  Its dot product
 * with a weighted sum of such vectors is approximately the name's weight, times the length of the
 * vectors.
 *
 * Users store these vectors in columns and train models with them, so the signs of a name
 * never change.  Golden values in the tests pin them.
 */
extern uint64_t hash_name(const void *bytes, size_t count);
extern void hash_add_signs(uint64_t hash, double weight, size_t count, double *sum);

#endif							/* DLINTS_RANDOM_H */
