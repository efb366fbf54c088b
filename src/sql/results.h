/*
 * results.h
 *		Checked C values to SQL results: numbers, arrays, sets of rows.
 */
#ifndef DLINTS_RESULTS_H
#define DLINTS_RESULTS_H

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/array.h"

extern double ResultFinite(double value);
extern double ResultFiniteOr(double value, const char *hint);
extern Datum ResultVector(const double *values, int count);
extern ArrayType *ResultReals(int count);
extern ArrayType *ResultRealMatrix(int rows, int columns);
extern Datum ResultUnitVector(const double *sum, int count);
extern Datum ResultMatrix(const double *values, int rows, int columns);
extern Datum ResultRow(FunctionCallInfo fcinfo, int columns, Datum *values, bool *nulls);
extern ReturnSetInfo *ResultRows(FunctionCallInfo fcinfo);

#endif							/* DLINTS_RESULTS_H */
