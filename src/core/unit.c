/*
 * unit.c
 *		The sums are kept in double precision, and their direction is what
 *		comes of them.
 */
#include "unit.h"

#include <math.h>

#include "clones.h"

CPU_CLONES
void
unit_add(size_t count, double weight, const double *restrict vector,
		 double *restrict sum)
{
	size_t		i;

	for (i = 0; i < count; i++)
		sum[i] += weight * vector[i];
}

static double
largest(size_t count, const double *sum)
{
	double		max = 0.0;
	size_t		i;

	for (i = 0; i < count; i++)
		max = fmax(max, fabs(sum[i]));
	return max;
}

/*
 * A finite sum scaled to length 1; of zeros, zeros.  The largest number is
 * divided out first, so that no square overflows, nor do all of them vanish.
 */
void
unit_scale(size_t count, const double *restrict sum, float *restrict out)
{
	double		max = largest(count, sum);
	double		squares = 0.0;
	double		length;
	size_t		i;

	if (max == 0.0)
		max = 1.0;
	for (i = 0; i < count; i++)
		squares += (sum[i] / max) * (sum[i] / max);
	length = squares > 0.0 ? sqrt(squares) : 1.0;

	/* what is added takes the sign off a zero */
	for (i = 0; i < count; i++)
		out[i] = (float) (sum[i] / max / length) + 0.0f;
}
