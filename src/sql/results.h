/*
 * results.h
 *		Checked C values to SQL results: numbers, arrays, sets of rows.
 */
#ifndef DLINTS_RESULTS_H
#define DLINTS_RESULTS_H

#include "access/tupdesc.h"
#include "fmgr.h"
#include "utils/array.h"

struct Tuplestorestate;

extern double ResultFinite(double value);
extern double ResultFiniteOr(double value, const char *hint);
extern Datum ResultVector(const double *values, int count);
extern ArrayType *ResultReals(int count);
extern ArrayType *ResultRealMatrix(int rows, int columns);
extern Datum ResultUnitVector(const double *sum, int count);
extern Datum ResultMatrix(const double *values, int rows, int columns);
extern struct Tuplestorestate *ResultRows(FunctionCallInfo fcinfo,
										  TupleDesc desc);

#endif							/* DLINTS_RESULTS_H */
