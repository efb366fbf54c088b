/*
 * ridge.h
 *		The ridge that the evidence prefers.
 *
 * How large coefficients are to be expected is seen in the rewards themselves.
 * Where two of a hundred visitors click, features explain a ten-thousandth of
 * the squares, and a ridge of 1 takes noise for taste.
 */
#ifndef DLINTS_RIDGE_H
#define DLINTS_RIDGE_H

#include "evidence.h"

/* where the search begins, and what is taken until there is enough to go by */
#define RIDGE_START		0.1

extern size_t ridge_find_work(int dim);
extern double ridge_find(const Evidence *e, double parameters, double first,
						 const Rewards *rewards, double noise, double *work);

#endif							/* DLINTS_RIDGE_H */
