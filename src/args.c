/*
 * args.c
 *		The doors for numbers between SQL and the core, and what every
 *		aggregate asks of its call.
 *
 * Scalar functions take arrays of any numbers, and of text, which is what an
 * untyped literal or parameter becomes.  Those of real and double precision
 * are read as they are; others become double precision here, so that nothing
 * behind this door knows of them.  Nothing that is not finite gets in or out.
 */
#include "postgres.h"

#include <ctype.h>

#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "args.h"
#include "core/widen.h"
#include "results.h"

void
ArgNotNull(FunctionCallInfo fcinfo, int argno, const char *name)
{
	if (PG_ARGISNULL(argno))
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

/*
 * Something is wrong with an argument.  "where" says in what, and is followed
 * by the model that expects something else, if there is one.
 */
static bool
Unfit(Problem *problem, int sqlerrcode, const char *message,
	  const DlintsHeader *model, const char *where)
{
	return ProblemIs(problem, sqlerrcode, message,
					 model ? psprintf("%s; the model is dlints%s.",
									  where, ModelShape(model)) :
					 psprintf("%s.", where));
}

static bool
LengthIs(const ArgSpec *spec, int actual, Problem *problem)
{
	if (actual == spec->len)
		return true;
	return Unfit(problem, ERRCODE_DATA_EXCEPTION,
				 psprintf("expected %d dimensions, not %d", spec->len, actual),
				 spec->model,
				 psprintf("This is the length of the %s", spec->name));
}

static bool
HasNoNulls(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (!ARR_HASNULL(array) || !array_contains_nulls(array))
		return true;
	return Unfit(problem, ERRCODE_NULL_VALUE_NOT_ALLOWED,
				 "array must not contain nulls", spec->model,
				 psprintf("The %s has one", spec->name));
}

static const char *
WhatIsWrongWith(double value)
{
	return isnan(value) ? "NaN" :
		isinf(value) ? "infinity" :
		psprintf("numbers beyond %g", WIDEN_MAX);
}

/* Elements first to first + count - 1, in storage order. */
static bool
NumbersAreValid(ArrayType *array, const ArgSpec *spec, Size first, Size count,
				double *out, Problem *problem)
{
	bool		valid;
	Size		i = 0;

	if (ARR_ELEMTYPE(array) == FLOAT4OID)
		valid = widen_float(count, (float4 *) ARR_DATA_PTR(array) + first, out);
	else
		valid = widen_double(count, (float8 *) ARR_DATA_PTR(array) + first, out);
	if (likely(valid))
		return true;

	while (i < count - 1 && fabs(out[i]) <= WIDEN_MAX)
		i++;
	return Unfit(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
				 psprintf("%s not allowed in array", WhatIsWrongWith(out[i])),
				 spec->model,
				 psprintf("Element %zu of the %s", first + i + 1, spec->name));
}

/* One-dimensional, or empty */
static bool
IsVector(ArrayType *array, const ArgSpec *spec, Problem *problem)
{
	if (ARR_NDIM(array) <= 1)
		return true;
	return Unfit(problem, ERRCODE_ARRAY_SUBSCRIPT_ERROR,
				 "array must be one-dimensional", spec->model,
				 psprintf("The %s has %d dimensions", spec->name,
						  ARR_NDIM(array)));
}

static int
VectorLength(ArrayType *array)
{
	return ARR_NDIM(array) == 0 ? 0 : ARR_DIMS(array)[0];
}

/* A vector of the specified length, put into "out". */
bool
VectorIsValid(ArrayType *array, const ArgSpec *spec, double *out,
			  Problem *problem)
{
	/* nearly all are, and learning asks it of each */
	if (likely(ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == spec->len &&
			   !ARR_HASNULL(array)))
		return NumbersAreValid(array, spec, 0, spec->len, out, problem);
	if (spec->may_be_empty && ARR_NDIM(array) == 0)
	{
		memset(out, 0, sizeof(double) * spec->len);
		return true;
	}
	return IsVector(array, spec, problem) &&
		HasNoNulls(array, spec, problem) &&
		LengthIs(spec, VectorLength(array), problem) &&
		NumbersAreValid(array, spec, 0, spec->len, out, problem);
}

/*
 * A model with a shared context is called with one, and no other is.
 */
bool
SharedIsExpected(bool given, const char *name, const DlintsHeader *model,
				 Problem *problem)
{
	if (given == (model->shared_dim > 0))
		return true;
	if (!given)
	{
		ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
				  psprintf("argument \"%s\" is missing", name),
				  psprintf("The model is dlints%s, with a shared context of %d dimensions.",
						   ModelShape(model), model->shared_dim));
		problem->hint = model->interactions == INTERACTIONS_MATCHED ?
			"Give the profile behind the context; '{}' for somebody new." :
			"Behind the context, give what describes the user.";
		return false;
	}
	ProblemIs(problem, ERRCODE_INVALID_PARAMETER_VALUE,
			  psprintf("argument \"%s\" must not be given", name),
			  psprintf("The model is dlints%s, without a shared context.",
					   ModelShape(model)));
	problem->hint = "dlints_new makes a model with one if it is given shared_dim or interactions; of several models, name the one in WHERE.";
	return false;
}

bool
RewardIsValid(double reward, const DlintsHeader *model, Problem *problem)
{
	if (likely(fabs(reward) <= WIDEN_MAX))
		return true;
	return ProblemIs(problem, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
					 psprintf("%s not allowed in reward",
							  WhatIsWrongWith(reward)),
					 psprintf("The reward of an observation; the model is dlints%s.",
							  ModelShape(model)));
}

/* As strict about what surrounds a number as the server's own input. */
static bool
ParseNumber(const char *string, double *number)
{
	char	   *end;

	*number = strtod(string, &end);
	if (end == string)
		return false;
	while (isspace((unsigned char) *end))
		end++;
	return *end == '\0';
}

static bool
TextIsNumber(Datum element, double *number, Problem *problem)
{
	char	   *string = TextDatumGetCString(element);

	if (ParseNumber(string, number))
		return true;
	return ProblemIs(problem, ERRCODE_INVALID_TEXT_REPRESENTATION,
					 psprintf("invalid input syntax for type double precision: \"%s\"",
							  string), NULL);
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

/* the types of elements that the next function knows */
static bool
TypeIsNumeric(Oid type, Problem *problem)
{
	if (type == BOOLOID || type == INT2OID || type == INT4OID ||
		type == INT8OID || type == NUMERICOID || type == TEXTOID)
		return true;
	return ProblemIs(problem, ERRCODE_DATATYPE_MISMATCH,
					 psprintf("array of numbers expected, not %s[]",
							  format_type_be(type)), NULL);
}

static bool
ElementIsNumber(Oid type, Datum element, double *number, Problem *problem)
{
	if (type == TEXTOID)
		return TextIsNumber(element, number, problem);
	*number = ArgNumber(type, element);
	return true;
}

/* The same array in double precision; its nulls stay. */
static bool
ConvertArray(ArrayType *array, ArrayType **converted, Problem *problem)
{
	Oid			type = ARR_ELEMTYPE(array);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	if (!TypeIsNumeric(type, problem))
		return false;
	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	deconstruct_array(array, type, typlen, typbyval, typalign,
					  &elements, &nulls, &count);
	for (i = 0; i < count; i++)
	{
		double		number = 0.0;

		if (!nulls[i] && !ElementIsNumber(type, elements[i], &number, problem))
			return false;
		elements[i] = Float8GetDatum(number);
	}
	*converted = construct_md_array(elements, nulls, ARR_NDIM(array),
									ARR_DIMS(array), ARR_LBOUND(array),
									FLOAT8OID, sizeof(float8),
									FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	return true;
}

/* An argument as an array of real or double precision. */
bool
ArrayIsNumeric(Datum datum, ArrayType **array, Problem *problem)
{
	*array = DatumGetArrayTypeP(datum);
	if (ARR_ELEMTYPE(*array) == FLOAT4OID || ARR_ELEMTYPE(*array) == FLOAT8OID)
		return true;
	return ConvertArray(*array, array, problem);
}

ArrayType *
ArgArrayConverted(Datum datum)
{
	ArrayType  *array;
	Problem		problem;

	if (!ArrayIsNumeric(datum, &array, &problem))
		ProblemRaise(&problem);
	return array;
}

void
ArgVector(ArrayType *array, const ArgSpec *spec, double *out)
{
	Problem		problem;

	if (!VectorIsValid(array, spec, out, &problem))
		ProblemRaise(&problem);
}

void
ArgContext(ArrayType *array, const DlintsHeader *model, double *out)
{
	ArgSpec		spec = ArgContextSpec(model);

	ArgVector(array, &spec, out);
}

double
ArgReward(double reward, const DlintsHeader *model)
{
	Problem		problem;

	if (!RewardIsValid(reward, model, &problem))
		ProblemRaise(&problem);
	return reward;
}

/* What an observation counts, or a history is multiplied by. */
double
ArgWeight(double weight)
{
	if (!(weight > 0.0 && weight <= DLINTS_MAX_WEIGHT))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight must be greater than 0 and at most %g",
						DLINTS_MAX_WEIGHT),
				 errdetail("The value is %s.",
						   double_to_shortest_decimal(weight))));
	return weight;
}

int64
ArgTimeValue(int64 time)
{
	if (TIMESTAMP_NOT_FINITE(time))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("the time of an observation must be finite")));
	return time;
}

/* When something was observed; only models by time want to know. */
int64
ArgTime(FunctionCallInfo fcinfo, int argno, const DlintsHeader *model)
{
	if (!ModelIsByTime(model))
		return TIME_UNKNOWN;
	if (argno >= PG_NARGS() || PG_ARGISNULL(argno))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a model that forgets by time needs the time of an observation"),
				 errhint("Give it behind the reward: argument \"at\", or \"ats\" for a batch.")));
	return ArgTimeValue(PG_GETARG_TIMESTAMPTZ(argno));
}

/* The length of an array without nulls, of one dimension or none. */
int
ArgVectorLength(ArrayType *array, const ArgSpec *spec)
{
	Problem		problem;

	if (!IsVector(array, spec, &problem) ||
		!HasNoNulls(array, spec, &problem))
		ProblemRaise(&problem);
	return VectorLength(array);
}

/* An array without nulls, of the specified length. */
void
ArgCheckLength(ArrayType *array, const ArgSpec *spec)
{
	Problem		problem;

	if (!LengthIs(spec, ArgVectorLength(array, spec), &problem))
		ProblemRaise(&problem);
}

double
ArgFinite(double value, const char *what)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s not allowed in %s", WhatIsWrongWith(value), what)));
	return value;
}

/* A number that sums and their squares may be made of. */
double
ArgBounded(double value, const char *what)
{
	if (unlikely(!(fabs(value) <= WIDEN_MAX)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s not allowed in %s", WhatIsWrongWith(value), what)));
	return value;
}

/*
 * The argument k, how many items are wanted.  No array holds more of them than
 * an int can count.
 */
int
ArgCount(FunctionCallInfo fcinfo, int argno)
{
	int64		k;

	ArgNotNull(fcinfo, argno, "k");
	k = PG_GETARG_INT64(argno);
	if (k < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("k must be at least 1"),
				 errdetail("The value is " INT64_FORMAT ".", k)));
	return (int) Min(k, PG_INT32_MAX);
}

/*
 * ArgDot for the cases that it leaves: double precision, and all that is
 * wrong.  If the sum is not finite, one of the numbers is to blame or it has
 * overflowed.
 */
double
ArgDotChecked(ArrayType *context, const ArgSpec *spec, const double *weights)
{
	double		score;
	int			i;

	ArgCheckLength(context, spec);
	if (ARR_ELEMTYPE(context) == FLOAT4OID)
		score = dot_float(spec->len, weights,
						  (const float4 *) ARR_DATA_PTR(context));
	else
		score = dot_double(spec->len, weights,
						   (const float8 *) ARR_DATA_PTR(context));
	if (likely(isfinite(score)))
		return score;

	for (i = 0; i < spec->len; i++)
		ArgFinite(weights[i], "weights");
	ArgVector(context, spec, palloc(sizeof(double) * spec->len));
	return ResultFinite(score);
}

/* Rows of a two-dimensional array (or an empty one), of the specified length. */
int
ArgMatrixRows(ArrayType *array, const ArgSpec *spec)
{
	Problem		problem;

	if (ARR_NDIM(array) == 0)
		return 0;
	if (ARR_NDIM(array) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array must be two-dimensional"),
				 errdetail("The %s has one row for each reward.",
						   spec->name)));
	if (!HasNoNulls(array, spec, &problem))
		ProblemRaise(&problem);
	if (ARR_DIMS(array)[1] != spec->len)
	{
		ArgSpec		rows = *spec;

		rows.name = psprintf("rows of the %s", spec->name);
		LengthIs(&rows, ARR_DIMS(array)[1], &problem);
		ProblemRaise(&problem);
	}
	return ARR_DIMS(array)[0];
}

/* Some of these rows. */
void
ArgMatrixSlice(ArrayType *array, const ArgSpec *spec, Size first, int rows,
			   double *out)
{
	Problem		problem;

	if (!NumbersAreValid(array, spec, first * spec->len,
						 (Size) rows * spec->len, out, &problem))
		ProblemRaise(&problem);
}

void
ArgCheckSameCount(const char *what, int contexts, int others)
{
	if (others != contexts)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many %s as contexts", what),
				 errdetail("Contexts: %d, %s: %d.", contexts, what, others)));
}

/* Is the argument of this name given if, and only if, the model wants it? */
void
ArgCheckShared(const ArrayType *shared, const char *name,
			   const DlintsHeader *model)
{
	Problem		problem;

	if (unlikely(!SharedIsExpected(shared != NULL, name, model, &problem)))
		ProblemRaise(&problem);
}

/* The shared context of a call, if the model has one. */
void
ArgShared(ArrayType *shared, const DlintsHeader *model, double *out)
{
	ArgSpec		spec = ArgSharedSpec(model);

	ArgCheckShared(shared, "shared", model);
	if (shared)
		ArgVector(shared, &spec, out);
}

/*
 * The same, in memory of its own; no trace is left of what it came in.  NULL
 * where the call has none.
 */
double *
ArgSharedNumbers(const Datum *shared, const DlintsHeader *model)
{
	ArrayType  *array;
	double	   *numbers;

	if (shared == NULL)
	{
		ArgCheckShared(NULL, "shared", model);
		return NULL;
	}
	array = ArgArrayConverted(*shared);
	numbers = palloc(sizeof(double) * model->shared_dim);
	ArgShared(array, model, numbers);
	if (PointerGetDatum(array) != *shared)
		pfree(array);
	return numbers;
}
