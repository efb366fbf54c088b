/*
 * ages.h
 *		Features of dates, computed from the distance between a date and the current time.
 */
#ifndef DLINTS_AGES_H
#define DLINTS_AGES_H

#include <stddef.h>

#define AGES_PER_DATE	3

/*
 * Write three features per date: 1 / (1 + distance from now), with distances in days, weeks and
 * months.  Dates are Unix times; the features of infinite dates are 0.
 */
extern void write_ages(size_t count, const float *dates, size_t dates_step, double now,
					   float *ages, size_t ages_step);

#endif							/* DLINTS_AGES_H */
