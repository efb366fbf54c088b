/*
 * dot.h
 *		Dot products of a weight vector with one feature vector: what every
 *		candidate of a recommendation costs.
 *
 * A fixed number of independent partial sums lets the compiler vectorise
 * without reassociating, so that every CPU gives the same answer.
 */
#ifndef DLINTS_DOT_H
#define DLINTS_DOT_H

extern double dot_float(int n, const double *weights, const float *features);
extern double dot_double(int n, const double *weights, const double *features);

#endif							/* DLINTS_DOT_H */
