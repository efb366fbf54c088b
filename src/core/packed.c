/*
 * packed.c
 *		Vectors in few bytes: half precision, and nothing for zeros.
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
packed_write(int len, const double *numbers, int exponent, uint8_t *out)
{
	uint8_t    *half = out + packed_bits(len);
	double		scale = ldexp(1.0, -exponent);
	int			i;

	memset(out, 0, packed_bits(len));
	for (i = 0; i < len; i++)
	{
		unsigned	bits = half_of(numbers[i] * scale);

		if ((bits & ~SIGN) == 0)
			continue;
		out[i / 8] |= (uint8_t) (1 << i % 8);
		*half++ = (uint8_t) bits;
		*half++ = (uint8_t) (bits >> 8);
	}
	return (size_t) (half - out);
}

/* How many bytes the vector has that begins here; 0 if they are not all there. */
size_t
packed_size(int len, const uint8_t *in, size_t available)
{
	size_t		size = packed_bits(len);
	size_t		i;

	if (available < size)
		return 0;
	for (i = packed_bits(len); i-- > 0;)
		size += 2 * (size_t) __builtin_popcount(in[i]);
	return available < size ? 0 : size;
}

/*
 * The numbers of a vector whose bytes are all there; false if one of them is
 * none.  The largest float may have been rounded up, beyond all floats.
 */
bool
packed_read(int len, const uint8_t *in, int exponent, float *out)
{
	const uint8_t *half = in + packed_bits(len);
	double		unit = ldexp(1.0, exponent + LEAST_EXPONENT - PRECISION);
	unsigned	worst = 0;
	int			i;

	for (i = 0; i < len; i++)
	{
		double		size = 0.0;
		unsigned	bits = 0;

		if (in[i / 8] & 1 << i % 8)
		{
			bits = half[0] | (unsigned) half[1] << 8;
			half += 2;
			if ((bits & EXPONENT) == 0)
				size = (bits & FRACTION) * unit;
			else
				size = ((uint64_t) ((bits & FRACTION) | (FRACTION + 1)) <<
						((bits & EXPONENT) / (FRACTION + 1) - 1)) * unit;
		}
		worst |= (bits & EXPONENT) == EXPONENT;
		out[i] = size < FLT_MAX ? (float) size : FLT_MAX;
		if (bits & SIGN)
			out[i] = -out[i];
	}
	return !worst;
}
