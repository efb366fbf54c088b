/*
 * widen.c
 *		Widening is what learning does with every number of every feature
 *		vector, so the check for numbers that may not be must not cost more
 *		than the copy.
 *
 * A number is finite if and only if its product with zero is zero.  The
 * products are summed, and one look at the sum tells of all.  Numbers that may
 * be finite and still too large are scaled first, so that these overflow.
 */
#include "widen.h"

#include <float.h>
#include <string.h>

#include "clones.h"

#define LANES	16

#define WIDEN_BODY(count, in, out, scale) \
	double		sum[LANES]; \
	double		rest = 0.0; \
	int			k; \
\
	UNROLL \
	for (k = 0; k < LANES; k++) \
		sum[k] = 0.0; \
	for (; count >= LANES; count -= LANES, in += LANES, out += LANES) \
	{ \
		UNROLL \
		for (k = 0; k < LANES; k++) \
		{ \
			double		value = in[k]; \
\
			out[k] = value; \
			sum[k] += value * (scale) * 0.0; \
		} \
	} \
	for (; count > 0; count--) \
	{ \
		*out = *in++; \
		rest += *out++ * (scale) * 0.0; \
	} \
	UNROLL \
	for (k = 0; k < LANES; k++) \
		rest += sum[k]; \
	return rest == 0.0

CPU_CLONES
bool
widen_float(size_t count, const float *restrict in, double *restrict out)
{
	WIDEN_BODY(count, in, out, 1.0);
}

CPU_CLONES
bool
widen_double(size_t count, const double *restrict in, double *restrict out)
{
	WIDEN_BODY(count, in, out, DBL_MAX / WIDEN_MAX);
}

/*
 * The exponent of a half moves to where that of a float is, and a product with a
 * power of two puts its bias right, with numbers below the normal ones.  What was
 * infinite or no number is 2^16 or more by then.
 */
CPU_CLONES
void
widen_half(size_t count, const uint16_t *restrict in, float *restrict out)
{
	const float bias = 0x1p112f;
	size_t		i;

	for (i = 0; i < count; i++)
	{
		uint32_t	bits = (uint32_t) (in[i] & 0x7fff) << 13;
		uint32_t	sign = (uint32_t) (in[i] & 0x8000) << 16;
		float		value;

		memcpy(&value, &bits, sizeof(value));
		value *= bias;
		memcpy(&bits, &value, sizeof(bits));
		bits |= value >= 0x1p16f ? 0x7f800000 : 0;
		bits |= sign;
		memcpy(&out[i], &bits, sizeof(bits));
	}
}
