/*
 * spectral.h
 *		Eigenvectors and singular vectors of small matrices.
 */
#ifndef DLINTS_SPECTRAL_H
#define DLINTS_SPECTRAL_H

#include <stdbool.h>
#include <stddef.h>

extern size_t spectral_work(int d);
extern size_t spectral_integers(int d);
extern bool spectral_eigenvectors(int d, double *full, double *values, double *work, int *integers);
extern bool spectral_nearest_rotation(int d, double *full, double *rotation,
									double *left, double *right, double *work, int *integers);

#endif							/* DLINTS_SPECTRAL_H */
