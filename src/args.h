/*
 * args.h
 *		SQL arguments to checked C values and back: arrays, dimensions,
 *		ranges, and one wording for each error.
 */
#ifndef DLINTS_ARGS_H
#define DLINTS_ARGS_H

#include "dlints.h"

#include "utils/array.h"

/* arguments that must not be NULL in functions that are not strict */
extern void ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name);

extern MemoryContext AggregateContext(FunctionCallInfo fcinfo);
extern Datum AggregateSameState(FunctionCallInfo fcinfo);

/* real[] or double precision[] */
extern void ArgVector(ArrayType *array, int dim, double *out);
extern int	ArgVectorLength(ArrayType *array);
extern double ArgDot(ArrayType *context, int dim, const double *weights);
extern int	ArgMatrixRows(ArrayType *array, int columns);
extern void ArgSlice(ArrayType *array, Size first, Size count, double *out);
extern void ArgRewards(ArrayType *array, int contexts);

extern double ArgFinite(double value, const char *what);

/* results */
extern double ResultFinite(double value);
extern Datum ResultVector(const double *values, int count);
extern Datum ResultMatrix(const double *values, int rows, int columns);

#endif							/* DLINTS_ARGS_H */
