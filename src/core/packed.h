/*
 * packed.h
 *		Compressed vectors with one or two bytes per nonzero number.
 *
 * A compressed vector consists of an exponent e (one byte), a bitmap of nonzero numbers, and these
 * numbers divided by 2^e.  Two bytes hold an IEEE half-precision number, low byte first.  One byte
 * holds a sign, and the square root of the absolute value.
 */
#ifndef DLINTS_PACKED_H
#define DLINTS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Range of the exponent e of a compressed vector, whose numbers are divided by 2^e */
#define PACKED_EXPONENT_MIN		(-142)
#define PACKED_EXPONENT_MAX		113

/* Return the number of bytes of a compressed vector before the nonzero numbers. */
static inline size_t
packed_head(int len)
{
	return 1 + ((size_t) len + 7) / 8;
}

static inline size_t
packed_max_size(int len, int width)
{
	return packed_head(len) + (size_t) width * (size_t) len;
}

extern int	packed_exponent(size_t count, const double *numbers);
extern void packed_share_exponent(size_t rows, int *exponents);
extern size_t packed_write(int len, int width, const double *numbers, int exponent, uint8_t *out);
extern size_t packed_size(int len, int width, const uint8_t *in, size_t available);
extern bool packed_read(int len, int width, const uint8_t *in, float *out);

#endif							/* DLINTS_PACKED_H */
