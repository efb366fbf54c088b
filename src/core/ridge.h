/*
 * ridge.h
 *		Estimate the ridge penalty of a model from the sums over its observations.
 */
#ifndef DLINTS_RIDGE_H
#define DLINTS_RIDGE_H

#include "evidence.h"

/* Ridge of a model before the first estimate */
#define RIDGE_START		0.1

extern size_t ridge_find_work(int dim);
extern double ridge_find(const Evidence *e, double parameters, double start,
						 const Rewards *rewards, double noise, double *work);

#endif							/* DLINTS_RIDGE_H */
