/*
 * peak.h
 *		What matters of most lists of scores: the highest, and whether all are
 *		finite.
 */
#ifndef DLINTS_PEAK_H
#define DLINTS_PEAK_H

#include <stddef.h>

/* The highest of some numbers; NaN if one of them is not finite. */
extern double peak_of(size_t count, const double *numbers);

#endif							/* DLINTS_PEAK_H */
