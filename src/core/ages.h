/*
 * ages.h
 *		Features of dates, computed from a date and the current time.
 */
#ifndef DLINTS_AGES_H
#define DLINTS_AGES_H

#include <stddef.h>

#define AGES_PER_DATE	3

/*
 * Write three features per date: 1 / (1 + distance from now) in days, in weeks and in months.
 * Features are multiples of 0.01.  Dates are Unix times; an infinite date gets zeros.  The features
 * of successive dates are ages_step numbers apart.  All tables store dates as floats, so that equal
 * dates have equal features.
 */
extern void write_ages(size_t count, const float *dates, size_t dates_step, double now,
					   float *ages, size_t ages_step);

#endif							/* DLINTS_AGES_H */
