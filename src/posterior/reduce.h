/*
 * reduce.h
 *		Contexts to reduced contexts, and parameters to weights over contexts,
 *		as a model does it.
 */
#ifndef DLINTS_REDUCE_H
#define DLINTS_REDUCE_H

#include "postgres.h"

#include "utils/array.h"

#include "model/model.h"

extern void ReduceContexts(const DlintsHeader *model, int count,
						   const double *contexts, const double *shareds,
						   double *reduced);
extern double *ReduceContext(const DlintsHeader *model, ArrayType *context,
							 const Datum *shared);
extern void LiftParameters(const DlintsHeader *model, int count,
						   const double *parameters, const double *shared,
						   double *weights);
extern void LiftParameter(const DlintsHeader *model, const double *parameter,
						  const Datum *shared, double *weights);

#endif							/* DLINTS_REDUCE_H */
