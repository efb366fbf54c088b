/*
 * ages.c
 *		Features of dates.
 */
#include "ages.h"

#include <math.h>

#include "clones.h"

#define SECONDS_PER_DAY	86400.0
/* Maximum age of a date, in seconds; larger ages count as this age. */
#define MAX_AGE			(1e9 * SECONDS_PER_DAY)
#define DATES_PER_VECTOR	8
#define DATES_TOGETHER	64

/*
 * Convert ages of dates, in seconds, to three features per date, rounded to multiples of 0.01.
 * The factor 100 + 1e-10 makes halves round up despite rounding errors.
 */
CPU_CLONES
static void
ages_together(size_t count, const double *restrict seconds, float (*restrict ages)[DATES_TOGETHER])
{
	for (size_t first = 0; first < count; first += DATES_PER_VECTOR)
		for (size_t i = first; i < first + DATES_PER_VECTOR; i++)
		{
			double		days = seconds[i] * (1.0 / SECONDS_PER_DAY);
			double		day = 1.0 + days;
			double		week = 7.0 + days;
			double		month = 30.0 + days;
			double		factor = (100.0 + 1e-10) / (day * week * month);

			ages[0][i] = (float) ((int) (factor * week * month + 0.5) * 0.01);
			ages[1][i] = (float) ((int) (factor * 7.0 * day * month + 0.5) * 0.01);
			ages[2][i] = (float) ((int) (factor * 30.0 * day * week + 0.5) * 0.01);
		}
}

void
write_ages(size_t count, const float *dates, size_t dates_step, double now, float *ages,
		   size_t ages_step)
{
	double		seconds[DATES_TOGETHER] = {0.0};
	float		together[AGES_PER_DATE][DATES_TOGETHER];

	for (size_t first = 0; first < count; first += DATES_TOGETHER)
	{
		size_t		n = DATES_TOGETHER;

		if (n > count - first)
			n = count - first;
		for (size_t i = 0; i < n; i++, dates += dates_step)
		{
			double		distance = fabs(*dates - now);

			seconds[i] = distance < MAX_AGE ? distance : MAX_AGE;
		}
		ages_together(n, seconds, together);
		for (size_t i = 0; i < n; i++, ages += ages_step)
			for (size_t age = 0; age < AGES_PER_DATE; age++)
				ages[age] = together[age][i];
	}
}
