/*
 * random.h
 *		Random numbers that are functions of a seed, a stream and an index.
 *
 * Stored models depend on these functions, which must not change.
 */
#ifndef DLINTS_RANDOM_H
#define DLINTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Purposes of random numbers; each purpose has separate random streams */
typedef enum RandomPurpose
{
	RANDOM_PROJECTION = 1,		/* elements of the random projection matrix */
	RANDOM_DRAW = 2,			/* coefficients drawn from the posterior */
	RANDOM_SIGNS = 5,			/* vectors of random signs for feature hashing */
	RANDOM_START = 6,			/* start vectors of the singular value decomposition */
	RANDOM_BONUS = 7			/* random bonuses added to candidates' scores */
} RandomPurpose;

extern void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
extern uint64_t random_bits(uint64_t seed, uint64_t index);
extern void random_normals(uint64_t seed, RandomPurpose purpose, uint32_t row, uint64_t first,
						   size_t count, double *out);

/*
 * Convert names to vectors of random signs (feature hashing).  Users store the vectors, so the
 * signs of a name must not change.
 */
extern uint64_t hash_name(const void *bytes, size_t count);
extern void hash_add_signs(uint64_t hash, double weight, size_t count, double *sum);

#endif							/* DLINTS_RANDOM_H */
