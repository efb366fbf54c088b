/*
 * ridge.h
 *		Estimation of the ridge from the evidence.
 *
 * Rewards themselves show how large the coefficients are.  With 2 clicks in 100 impressions,
 * features explain about 1e-4 of the rewards' variance.  A ridge of 1 would then fit noise.
 */
#ifndef DLINTS_RIDGE_H
#define DLINTS_RIDGE_H

#include "evidence.h"

/* Ridge at which the search starts; models with too few observations keep this ridge */
#define RIDGE_START		0.1

extern size_t ridge_find_work(int dim);
extern double ridge_find(const Evidence *e, double parameters, double start,
						 const Rewards *rewards, double noise, double *work);

#endif							/* DLINTS_RIDGE_H */
