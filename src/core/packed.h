/*
 * packed.h
 *		Vectors in few bytes: half precision, and nothing for zeros.
 *
 * Each vector is a bit for each number, 1 where it is not zero, and then two
 * bytes for each of these: IEEE 754's half precision, the low byte first.  All
 * vectors of a value share a power of two that the halves are multiplied with.
 * It is such that the largest number is just within their range: what is at
 * least 2^-28 of that keeps 11 bits, whatever the unit.
 */
#ifndef DLINTS_PACKED_H
#define DLINTS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Exponents of that power for numbers that floats can be, such that a byte
 * holds them: the least floats have few digits, and keep them all.
 */
#define PACKED_EXPONENT_MIN		(-142)
#define PACKED_EXPONENT_MAX		113

/* bytes for the bits of a vector */
static inline size_t
packed_bits(int len)
{
	return ((size_t) len + 7) / 8;
}

/* bytes of a vector at most */
static inline size_t
packed_most(int len)
{
	return packed_bits(len) + 2 * (size_t) len;
}

extern int	packed_exponent(size_t count, const double *numbers);
extern size_t packed_write(int len, const double *numbers, int exponent,
						   uint8_t *out);
extern size_t packed_size(int len, const uint8_t *in, size_t available);
extern bool packed_read(int len, const uint8_t *in, int exponent, float *out);

#endif							/* DLINTS_PACKED_H */
