/*
 * hash.h
 *		Names as vectors: each name stands for random signs of its own, and a
 *		weighted sum of names is a vector in which each of them can be found
 *		again by a dot product.
 *
 * What a name stands for is part of what users store, in columns and in models
 * that have learned from them: it never changes.  Golden values in the tests
 * pin it.
 */
#ifndef DLINTS_HASH_H
#define DLINTS_HASH_H

#include <stddef.h>
#include <stdint.h>

extern uint64_t hash_name(const void *bytes, size_t count);
extern void hash_add_signs(uint64_t hash, double weight, size_t count,
						   double *sum);

#endif							/* DLINTS_HASH_H */
