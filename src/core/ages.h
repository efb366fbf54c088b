/*
 * ages.h
 *		Features of dates, computed from a date and the current time when items are
 *		scored.
 */
#ifndef DLINTS_AGES_H
#define DLINTS_AGES_H

#include <stddef.h>

/* Number of features of a date */
#define AGES_PER_DATE	3

/*
 * Write three features per date: multiples of 0.01, which are 1 for the current time and decrease
 * to 0 over about a day, a week and a month.  Dates are Unix times; an infinite date gets zeros.
 * Successive dates' features are ages_step numbers apart.
 *
 * Dates are stored in single precision, exact to two minutes.  The tables "block" and "item_vector"
 * must store equal dates; otherwise shortlists from blocks would miss items.
 */
extern void write_ages(size_t count, const float *dates, size_t dates_step, double now,
					   float *ages, size_t ages_step);

#endif							/* DLINTS_AGES_H */
