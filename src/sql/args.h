/*
 * args.h
 *		Check scalar arguments, and convert C values to SQL results.
 */
#ifndef DLINTS_ARGS_H
#define DLINTS_ARGS_H

#include "fmgr.h"
#include "utils/array.h"

extern void ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name);

extern MemoryContext AggregateContext(FunctionCallInfo fcinfo);
extern Datum AggregateSameState(FunctionCallInfo fcinfo);

extern bool TypeIsNumber(Oid type);
extern double ArgNumber(Oid type, Datum value);
extern double ArgFinite(double value, const char *what);
extern double ArgBounded(double value, const char *what);
extern const char *DescribeInvalidNumber(double value);
extern void ArgRaiseOutOfRange(const char *name, const char *range, double value);
extern int64 ArgCheckPositive(int64 value, const char *name);
extern int	ArgCount(FunctionCallInfo fcinfo, int argno);
extern int	ArgCountUpTo(FunctionCallInfo fcinfo, int argno, int max);
extern void CheckInterrupts(void);
extern void CheckSameValue(bool same, const char *name);

struct ReturnSetInfo;

extern double ResultFinite(double value);
extern double ResultFiniteOr(double value, const char *hint);
extern Datum ResultVector(const double *values, int count);
extern ArrayType *ResultDoubles(int count);
extern ArrayType *ResultReals(int count);
extern ArrayType *ResultRealMatrix(int rows, int columns);
extern Datum ResultUnitVector(const double *sum, int count);
extern Datum ResultMatrix(const double *values, int rows, int columns);
extern Datum ResultRow(FunctionCallInfo fcinfo, int columns, Datum *values, bool *nulls);
extern struct ReturnSetInfo *ResultRows(FunctionCallInfo fcinfo);

#endif							/* DLINTS_ARGS_H */
