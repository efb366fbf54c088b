/*
 * packed.c
 *		Vectors in few bytes: one or two for each number, and nothing for zeros.
 */
#include "packed.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Halves have 11 bits of precision, and these exponents as frexp() has them. */
#define PRECISION		11
#define LEAST_EXPONENT	(-13)
#define MOST_EXPONENT	15

#define SIGN			0x8000
#define EXPONENT		0x7c00
#define FRACTION		0x03ff

/* A byte has this sign, and that many steps. */
#define BYTE_SIGN		0x80
#define BYTE_STEPS		127

/*
 * The nearest half, of two the even one.  A number that is rounded up to a
 * power of two carries into the exponent by itself.
 */
static unsigned
half_of(double number)
{
	unsigned	sign = signbit(number) ? SIGN : 0;
	int			exponent;

	frexp(number, &exponent);
	if (exponent < LEAST_EXPONENT || number == 0.0)
		exponent = LEAST_EXPONENT;
	return sign | (((unsigned) (exponent - LEAST_EXPONENT) << (PRECISION - 1)) +
				   (unsigned) rint(ldexp(fabs(number), PRECISION - exponent)));
}

/* a half without its sign, in units of the least one */
static uint64_t
size_of_half(unsigned bits)
{
	unsigned	exponent = (bits & EXPONENT) / (FRACTION + 1);

	if (exponent == 0)
		return bits & FRACTION;
	return (uint64_t) ((bits & FRACTION) | (FRACTION + 1)) << (exponent - 1);
}

/* the nearest root in steps of the largest one */
static unsigned
byte_of(double number)
{
	return (signbit(number) ? BYTE_SIGN : 0) |
		(unsigned) rint(BYTE_STEPS * sqrt(ldexp(fabs(number), -MOST_EXPONENT)));
}

/* a byte without its sign, in units of the square of a step */
static uint64_t
size_of_byte(unsigned bits)
{
	uint64_t	root = bits & BYTE_STEPS;

	return root * root;
}

/* The exponent for some numbers that floats can be: 0 if all are zero. */
int
packed_exponent(size_t count, const double *numbers)
{
	double		largest = 0.0;
	int			exponent = MOST_EXPONENT;
	size_t		i;

	for (i = 0; i < count; i++)
		largest = fmax(largest, fabs(numbers[i]));
	if (largest > 0.0)
		frexp(largest, &exponent);
	exponent -= MOST_EXPONENT;
	return exponent < PACKED_EXPONENT_MIN ? PACKED_EXPONENT_MIN : exponent;
}

/* The bytes of a vector; as many as is returned. */
size_t
packed_write(int len, int width, const double *numbers, int exponent, uint8_t *out)
{
	uint8_t    *next = out + packed_bits(len);
	double		scale = ldexp(1.0, -exponent);
	int			i;

	memset(out, 0, packed_bits(len));
	for (i = 0; i < len; i++)
	{
		double		number = numbers[i] * scale;
		unsigned	bits = width == 1 ? byte_of(number) : half_of(number);

		if ((bits & ~(width == 1 ? BYTE_SIGN : SIGN)) == 0)
			continue;
		out[i / 8] |= (uint8_t) (1 << i % 8);
		*next++ = (uint8_t) bits;
		if (width == 2)
			*next++ = (uint8_t) (bits >> 8);
	}
	return (size_t) (next - out);
}

/* How many bytes the vector has that begins here; 0 if they are not all there. */
size_t
packed_size(int len, int width, const uint8_t *in, size_t available)
{
	size_t		size = packed_bits(len);
	size_t		i;

	if (available < size)
		return 0;
	for (i = packed_bits(len); i-- > 0;)
		size += (size_t) (width * __builtin_popcount(in[i]));
	return available < size ? 0 : size;
}

/*
 * The numbers of a vector whose bytes are all there; false if one of them is
 * none.  The largest float may have been rounded up, beyond all floats.
 */
bool
packed_read(int len, int width, const uint8_t *in, int exponent, float *out)
{
	const uint8_t *next = in + packed_bits(len);
	double		unit = width == 1 ?
		ldexp(1.0, exponent + MOST_EXPONENT) / (BYTE_STEPS * BYTE_STEPS) :
		ldexp(1.0, exponent + LEAST_EXPONENT - PRECISION);
	unsigned	sign = width == 1 ? BYTE_SIGN : SIGN;
	unsigned	worst = 0;
	int			i;

	for (i = 0; i < len; i++)
	{
		unsigned	bits = 0;
		double		size;

		if (in[i / 8] & 1 << i % 8)
		{
			bits = width == 1 ? next[0] : next[0] | (unsigned) next[1] << 8;
			next += width;
		}
		worst |= (bits & EXPONENT) == EXPONENT;
		size = unit * (double) (width == 1 ? size_of_byte(bits) : size_of_half(bits));
		out[i] = size < FLT_MAX ? (float) size : FLT_MAX;
		if (bits & sign)
			out[i] = -out[i];
	}
	return !worst;
}
