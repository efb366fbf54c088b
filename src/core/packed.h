/*
 * packed.h
 *		Vectors in few bytes: a bit per number, and one or two bytes per number that
 *		is not zero.
 *
 * A vector begins with its exponent, one byte: numbers are divided by that power of
 * two.  Then come a bit per number, 1 if the number is not zero, and the numbers that
 * are not zero.
 *
 * Two bytes are IEEE 754's half precision, the low byte first: numbers of at least
 * 2^-28 of the largest keep 11 bits.  One byte is a sign and the square root of the
 * number, in 127 steps of the root of the next power of two: small numbers keep more
 * of their digits than in even steps.
 */
#ifndef DLINTS_PACKED_H
#define DLINTS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Range of exponents for the numbers that floats can be, chosen to fit into a byte.
 * Denormal floats have few digits, and keep them.
 */
#define PACKED_EXPONENT_MIN		(-142)
#define PACKED_EXPONENT_MAX		113

/* Bytes before the numbers: the exponent, and a bit per number */
static inline size_t
packed_head(int len)
{
	return 1 + ((size_t) len + 7) / 8;
}

/* Maximum number of bytes of a vector; "width" is the number of bytes per number. */
static inline size_t
packed_max_size(int len, int width)
{
	return packed_head(len) + (size_t) width * (size_t) len;
}

extern int	packed_exponent(size_t count, const double *numbers);
extern void packed_share_exponent(size_t rows, int *exponents);
extern size_t packed_write(int len, int width, const double *numbers, int exponent,
						   uint8_t *out);
extern size_t packed_size(int len, int width, const uint8_t *in, size_t available);
extern bool packed_read(int len, int width, const uint8_t *in, float *out);

#endif							/* DLINTS_PACKED_H */
