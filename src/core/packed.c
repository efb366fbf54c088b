/*
 * packed.c
 *		Compressed vectors with one or two bytes per nonzero number.
 */
#include "packed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "numbers.h"

/* IEEE half-precision format, with exponents as in frexp() */
#define PRECISION		11
#define MIN_EXPONENT	(-13)
#define MAX_EXPONENT	15

#define SIGN			0x8000
#define EXPONENT		0x7c00
#define FRACTION		0x03ff

/* Format of a number in 8 bits: a sign, and the square root of its scaled absolute value */
#define BYTE_SIGN		0x80
#define BYTE_STEPS		127

/* Maximum difference between the exponent that vectors share and the median of their exponents */
#define MAX_ABOVE_MEDIAN	3
/* Maximum difference between the shared exponent and the exponent of a vector that shares it */
#define MAX_BELOW_SHARED	6

/* Round to half precision, with ties to even. */
static unsigned
half_of(double number)
{
	unsigned	sign = signbit(number) ? SIGN : 0;
	int			exponent;

	frexp(number, &exponent);
	if (exponent < MIN_EXPONENT || number == 0.0)
		exponent = MIN_EXPONENT;
	return sign | (((unsigned) (exponent - MIN_EXPONENT) << (PRECISION - 1)) +
				   (unsigned) rint(ldexp(fabs(number), PRECISION - exponent)));
}

/* Return the absolute value of a half-precision number, in units of the smallest one. */
static uint64_t
magnitude_of_half(unsigned bits)
{
	unsigned	exponent = (bits & EXPONENT) / (FRACTION + 1);

	if (exponent == 0)
		return bits & FRACTION;
	return (uint64_t) ((bits & FRACTION) | (FRACTION + 1)) << (exponent - 1);
}

/* Encode a number in 8 bits: its sign, and the square root of its absolute value. */
static unsigned
byte_of(double number)
{
	return (signbit(number) ? BYTE_SIGN : 0) |
		(unsigned) rint(BYTE_STEPS * sqrt(ldexp(fabs(number), -MAX_EXPONENT)));
}

/* Return the absolute value of a number in 8 bits, in units of the smallest positive number. */
static uint64_t
magnitude_of_byte(unsigned bits)
{
	uint64_t	root = bits & BYTE_STEPS;

	return root * root;
}

/* Return the exponent of the power of two by which a vector is divided before compression. */
int
packed_exponent(size_t count, const double *numbers)
{
	double		largest = largest_magnitude(count, numbers);
	int			exponent = PACKED_EXPONENT_MIN + MAX_EXPONENT;

	if (largest > 0.0)
		frexp(largest, &exponent);
	exponent -= MAX_EXPONENT;
	return exponent < PACKED_EXPONENT_MIN ? PACKED_EXPONENT_MIN : exponent;
}

/* Give vectors with similar exponents a common exponent, so that equal numbers round equally. */
void
packed_share_exponent(size_t rows, int *exponents)
{
	size_t		counts[PACKED_EXPONENT_MAX - PACKED_EXPONENT_MIN + 1] = {0};
	size_t		count = 0;
	size_t		below = 0;
	int			median = PACKED_EXPONENT_MIN;
	int			shared;

	for (size_t i = 0; i < rows; i++)
		if (exponents[i] > PACKED_EXPONENT_MIN)
		{
			counts[exponents[i] - PACKED_EXPONENT_MIN]++;
			count++;
		}
	while (2 * below < count)
		below += counts[++median - PACKED_EXPONENT_MIN];
	shared = median;
	for (size_t i = 0; i < rows; i++)
		if (exponents[i] > shared && exponents[i] <= median + MAX_ABOVE_MEDIAN)
			shared = exponents[i];
	for (size_t i = 0; i < rows; i++)
		if (exponents[i] > PACKED_EXPONENT_MIN && exponents[i] <= shared &&
			exponents[i] >= shared - MAX_BELOW_SHARED)
			exponents[i] = shared;
}

/* Compress a vector, and write it to "out".  Returns the number of bytes. */
size_t
packed_write(int len, int width, const double *numbers, int exponent, uint8_t *out)
{
	uint8_t    *mask = out + 1;
	uint8_t    *next = out + packed_head(len);
	double		scale = ldexp(1.0, -exponent);

	memset(out, 0, packed_head(len));
	out[0] = (uint8_t) exponent;
	for (int i = 0; i < len; i++)
	{
		double		number = numbers[i] * scale;
		unsigned	bits = width == 1 ? byte_of(number) : half_of(number);

		if ((bits & ~(width == 1 ? BYTE_SIGN : SIGN)) == 0)
			continue;
		mask[i / 8] |= (uint8_t) (1 << i % 8);
		*next++ = (uint8_t) bits;
		if (width == 2)
			*next++ = (uint8_t) (bits >> 8);
	}
	return (size_t) (next - out);
}

/* Return the number of bytes of the compressed vector at "in", or 0 if the vector is incomplete. */
size_t
packed_size(int len, int width, const uint8_t *in, size_t available)
{
	size_t		size = packed_head(len);

	if (available < size)
		return 0;
	for (size_t i = packed_head(len); i-- > 1;)
		size += (size_t) (width * __builtin_popcount(in[i]));
	return available < size ? 0 : size;
}

/* Decompress a vector.  Returns false if a number is not finite. */
bool
packed_read(int len, int width, const uint8_t *in, float *out)
{
	const uint8_t *mask = in + 1;
	const uint8_t *next = in + packed_head(len);
	int			exponent = (int) in[0] - 256 * (in[0] > PACKED_EXPONENT_MAX);
	double		unit = width == 1 ?
		ldexp(1.0, exponent + MAX_EXPONENT) / (BYTE_STEPS * BYTE_STEPS) :
		ldexp(1.0, exponent + MIN_EXPONENT - PRECISION);
	unsigned	sign = width == 1 ? BYTE_SIGN : SIGN;
	unsigned	has_invalid = 0;

	for (int i = 0; i < len; i++)
	{
		unsigned	bits = 0;
		double		size;

		if (mask[i / 8] & 1 << i % 8)
		{
			bits = width == 1 ? next[0] : next[0] | (unsigned) next[1] << 8;
			next += width;
		}
		has_invalid |= (bits & EXPONENT) == EXPONENT;
		size = unit * (double) (width == 1 ? magnitude_of_byte(bits) : magnitude_of_half(bits));
		out[i] = size < FLT_MAX ? (float) size : FLT_MAX;
		if (bits & sign)
			out[i] = -out[i];
	}
	return !has_invalid;
}
