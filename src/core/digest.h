/*
 * digest.h
 *		What bytes are known by without being kept.
 */
#ifndef DLINTS_DIGEST_H
#define DLINTS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BLOCK	1024	/* bytes that are digested at a time */
#define DIGEST_PASSES	4
#define DIGEST_LEVELS	6		/* enough for 32 GB */

/* Random numbers, which nobody knows who chooses the bytes. */
typedef struct DigestKey
{
	uint64_t	words[DIGEST_LEVELS][DIGEST_PASSES][DIGEST_BLOCK / 8];
} DigestKey;

typedef struct Digest
{
	uint64_t	words[DIGEST_PASSES];
} Digest;

extern Digest digest_bytes(const DigestKey *key, const void *bytes,
						   size_t count);

#endif							/* DLINTS_DIGEST_H */
