/*
 * ridge.h
 *		Estimate the ridge from a model's sums over observations.
 */
#ifndef DLINTS_RIDGE_H
#define DLINTS_RIDGE_H

#include "evidence.h"

/* Initial value of the ridge, before it is estimated */
#define RIDGE_START		0.1

extern size_t ridge_find_work(int dim);
extern double ridge_find(const Evidence *e, double parameters, double start,
						 const Rewards *rewards, double noise, double *work);

#endif							/* DLINTS_RIDGE_H */
