/*
 * packed.h
 *		Vectors in few bytes: one or two for each number, and nothing for zeros.
 *
 * Each vector is a bit for each number, 1 where it is not zero, and then so
 * many bytes for each of these.  All vectors of a value share a power of two that
 * the numbers are multiplied with, such that the largest is just within range.
 *
 * Two bytes are IEEE 754's half precision, the low byte first: what is at least
 * 2^-28 of the largest keeps 11 bits, whatever the unit.  One byte is a sign and
 * the root of the number, in 127 steps of that of the largest, or of up to
 * twice as much: small numbers keep more of their digits than in even steps.
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

/* bytes of a vector at most, of so many for each number */
static inline size_t
packed_most(int len, int width)
{
	return packed_bits(len) + (size_t) width * (size_t) len;
}

extern int	packed_exponent(size_t count, const double *numbers);
extern size_t packed_write(int len, int width, const double *numbers, int exponent,
						   uint8_t *out);
extern size_t packed_size(int len, int width, const uint8_t *in, size_t available);
extern bool packed_read(int len, int width, const uint8_t *in, int exponent,
						float *out);

#endif							/* DLINTS_PACKED_H */
