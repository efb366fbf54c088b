/*
 * args.h
 *		What functions ask of their arguments, whatever they are about: not
 *		null, finite, counted, the same in all rows; how they return results,
 *		checked; and one wording for each error.
 */
#ifndef DLINTS_ARGS_H
#define DLINTS_ARGS_H

#include "fmgr.h"
#include "utils/array.h"

/* The entry of a function for one form of its call, as in the catalogue. */
#define FORM_ENTRY(function, body, Form, ...) \
	PG_FUNCTION_INFO_V1(function); \
	Datum \
	function(PG_FUNCTION_ARGS) \
	{ \
		static const Form form = {__VA_ARGS__}; \
		return body(fcinfo, &form); \
	}

extern void ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name);

extern MemoryContext AggregateContext(FunctionCallInfo fcinfo);
extern Datum AggregateSameState(FunctionCallInfo fcinfo);

extern bool TypeIsNumber(Oid type);
extern double ArgNumber(Oid type, Datum value);
extern double ArgFinite(double value, const char *what);
extern double ArgBounded(double value, const char *what);
extern const char *WhatIsWrongWith(double value);
extern void ArgRefuse(const char *name, const char *range, double value);
extern int64 AtLeastOne(int64 value, const char *name);
extern int	ArgCount(FunctionCallInfo fcinfo, int argno);
extern void CheckSame(bool same, const char *name, const char *rows);

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
