/*
 * args.c
 *		What functions ask of their arguments, whatever they are about.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/numbers.h"
#include "sql/args.h"

void
ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name)
{
	CheckNotNull(PG_ARGISNULL(argno), name);
}

void
CheckNotNull(bool isnull, const char *name)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

/* The memory context for an aggregate's state; refuses any other caller. */
MemoryContext
AggregateContext(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("aggregate support function called in non-aggregate context")));
	return context;
}

/* An aggregate's state as it came, for a row that does not count. */
Datum
AggregateSameState(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(PG_GETARG_POINTER(0));
}

/* the types of numbers that the next function knows */
bool
TypeIsNumber(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

/*
 * A number or truth value of any type.  One that is too large becomes infinity,
 * which is refused later.
 */
double
ArgNumber(Oid type, Datum value)
{
	switch (type)
	{
		case BOOLOID:
			return DatumGetBool(value) ? 1.0 : 0.0;
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		default:
			Assert(type == NUMERICOID);
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													  value));
	}
}

/* What stands where a number should, for an error to name it. */
const char *
WhatIsWrongWith(double value)
{
	return isnan(value) ? "NaN" :
		isinf(value) ? "infinity" :
		psprintf("numbers beyond %g", WIDEN_MAX);
}

static double
Allowed(bool allowed, double value, const char *what)
{
	if (unlikely(!allowed))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s not allowed in %s", WhatIsWrongWith(value), what)));
	return value;
}

double
ArgFinite(double value, const char *what)
{
	return Allowed(isfinite(value), value, what);
}

/* A number that sums and their squares may be made of. */
double
ArgBounded(double value, const char *what)
{
	return Allowed(fabs(value) <= WIDEN_MAX, value, what);
}

/* A number is not what it has to be. */
void
ArgRefuse(const char *name, const char *range, double value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be %s", name, range),
			 errdetail("The value is %s.", double_to_shortest_decimal(value))));
}

/* A count of something. */
int64
AtLeastOne(int64 value, const char *name)
{
	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1", name),
				 errdetail("The value is " INT64_FORMAT ".", value)));
	return value;
}

/*
 * The argument k, how many items are wanted.  No array holds more of them than
 * an int can count.
 */
int
ArgCount(FunctionCallInfo fcinfo, int argno)
{
	ArgNotNull(fcinfo, argno, "k");
	return (int) Min(AtLeastOne(PG_GETARG_INT64(argno), "k"), PG_INT32_MAX);
}

/* What is asked of all rows of a group or partition has to be one thing. */
void
CheckSame(bool same, const char *name, const char *rows)
{
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be the same for all rows of a %s", name, rows)));
}
