/*
 * pack.h
 *		Compress vectors for storage in a log.
 */
#ifndef DLINTS_PACK_H
#define DLINTS_PACK_H

#include "utils/array.h"

extern bytea *PackVectors(ArrayType *array, int width);
extern ArrayType *UnpackVectors(bytea *packed, ArrayType *weights);

#endif							/* DLINTS_PACK_H */
