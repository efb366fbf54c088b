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

/* The same of each lane of as many rows of scores as score_lanes makes. */
extern void peak_of_lanes(size_t count, const double *scores, double *peaks);
extern void peak_of_lanes_float(size_t count, const float *scores,
								float *peaks);

#endif							/* DLINTS_PEAK_H */
