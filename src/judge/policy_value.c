/*
 * policy_value.c
 *		Evaluate policies: the aggregate dlints_policy_value, and the functions dlints_bounds and
 *		_dlints_best.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "miscadmin.h"

#include "core/random.h"
#include "core/value.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Length of the state of dlints_policy_value, with and without predictions of rewards */
#define VALUE_NUMBERS		((int) (sizeof(PolicyValue) / sizeof(float8)))
#define VALUE_NUMBERS_PLAIN	((int) (offsetof(PolicyValue, doubly) / sizeof(float8)))

/* Maximum count that a double represents without rounding */
#define MAX_OBSERVATIONS	9007199254740992.0

StaticAssertDecl(sizeof(PolicyValue) == 14 * sizeof(float8),
				 "the state of dlints_policy_value changed");

/* Raise an error for an invalid state of the aggregate, which user-defined aggregates may pass. */
static void
RaiseInvalidState(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message)));
}

static ArrayType *
ReadState(Datum state, PolicyValue *value)
{
	ArrayType  *array = DatumGetArrayTypeP(state);
	int			count = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;

	if ((count != VALUE_NUMBERS && count != VALUE_NUMBERS_PLAIN) ||
		ARR_HASNULL(array) || ARR_ELEMTYPE(array) != FLOAT8OID)
		RaiseInvalidState("unexpected state of dlints_policy_value");
	memset(value, 0, sizeof(*value));
	memcpy(value, ARR_DATA_PTR(array), sizeof(float8) * count);
	if (!(value->count >= 1.0 && value->count <= MAX_OBSERVATIONS))
		RaiseInvalidState("unexpected state of dlints_policy_value");
	return array;
}

/* Merge statistics into the state of the aggregate.  The final function checks for overflow. */
static Datum
MergeIntoState(FunctionCallInfo fcinfo, const PolicyValue *more, int count)
{
	PolicyValue value = {0};
	ArrayType  *array;

	if (PG_ARGISNULL(0))
	{
		array = ResultDoubles(count);
		value = *more;
	}
	else
	{
		array = ReadState(PG_GETARG_DATUM(0), &value);
		if (ARR_DIMS(array)[0] != count)
			RaiseInvalidState("states of dlints_policy_value have different lengths");
		value_merge(&value, more);
	}
	memcpy(ARR_DATA_PTR(array), &value, sizeof(float8) * count);
	return PointerGetDatum(array);
}

/* Return the importance weight of a decision: target probability / logged probability. */
static double
DecisionWeight(double logged, double target)
{
	if (!(logged > 0.0 && logged <= 1.0))
		ArgRaiseOutOfRange("logged", "a probability, greater than 0 and at most 1", logged);
	if (!(target >= 0.0 && target <= 1.0))
		ArgRaiseOutOfRange("target", "a probability, from 0 to 1", target);
	return target / logged;
}

PG_FUNCTION_INFO_V1(dlints_policy_value_transfn);

/*
 * dlints_policy_value(): estimate the mean reward of a policy from the log of another policy (see
 * core/value.h).  "logged" and "target" are the probabilities of a decision under the two
 * policies.
 */
Datum
dlints_policy_value_transfn(PG_FUNCTION_ARGS)
{
	bool		modelled = PG_NARGS() > 4;
	PolicyValue value;
	double		reward;
	double		weight;

	AggregateContext(fcinfo);
	for (int i = 1; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			return AggregateSameState(fcinfo);
	reward = ArgBounded(PG_GETARG_FLOAT8(1), "reward");
	weight = DecisionWeight(PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3));
	value = value_of(reward, weight,
					 modelled ? ArgBounded(PG_GETARG_FLOAT8(4), "predicted") : 0.0,
					 modelled ? ArgBounded(PG_GETARG_FLOAT8(5), "expected") : 0.0);
	PG_RETURN_DATUM(MergeIntoState(fcinfo, &value, modelled ? VALUE_NUMBERS : VALUE_NUMBERS_PLAIN));
}

PG_FUNCTION_INFO_V1(dlints_policy_value_combinefn);

Datum
dlints_policy_value_combinefn(PG_FUNCTION_ARGS)
{
	PolicyValue other;
	ArrayType  *array;

	AggregateContext(fcinfo);
	if (PG_ARGISNULL(1))
		return AggregateSameState(fcinfo);
	array = ReadState(PG_GETARG_DATUM(1), &other);
	PG_RETURN_DATUM(MergeIntoState(fcinfo, &other, ARR_DIMS(array)[0]));
}

/* columns of the SQL type dlints_policy_estimate */
enum
{
	VALUE_OBSERVATIONS,
	VALUE_REWARD,
	VALUE_REWARD_STDERR,
	VALUE_IPS,
	VALUE_IPS_STDERR,
	VALUE_SNIPS,
	VALUE_SNIPS_STDERR,
	VALUE_DR,
	VALUE_DR_STDERR,
	VALUE_WEIGHT,
	VALUE_WEIGHT_STDERR,
	VALUE_SAMPLE_SIZE,
	VALUE_MAX_WEIGHT,
	VALUE_COLUMNS
};

typedef struct ValueRow
{
	Datum		values[VALUE_COLUMNS];
	bool		nulls[VALUE_COLUMNS];
} ValueRow;

static void
PutNumber(ValueRow *row, int column, double number)
{
	ResultFiniteOr(number, "Rewards or importance weights (target / logged) are too large; check the smallest logged probability.");
	row->values[column] = Float8GetDatum(number);
	row->nulls[column] = false;
}

/* Store a mean in a column of the result, and the standard error in the next column. */
static void
PutMean(ValueRow *row, int column, const PolicyValue *value, Moments moments)
{
	PutNumber(row, column, moments.mean);
	if (value->count > 1.0)
		PutNumber(row, column + 1, value_stderr(value, moments));
}

PG_FUNCTION_INFO_V1(dlints_policy_value_finalfn);

Datum
dlints_policy_value_finalfn(PG_FUNCTION_ARGS)
{
	PolicyValue value = {0};
	bool		modelled = false;
	ValueRow	row;

	AggregateContext(fcinfo);
	memset(row.nulls, true, sizeof(row.nulls));
	memset(row.values, 0, sizeof(row.values));
	if (!PG_ARGISNULL(0))
		modelled = ARR_DIMS(ReadState(PG_GETARG_DATUM(0), &value))[0] == VALUE_NUMBERS;

	row.values[VALUE_OBSERVATIONS] = Int64GetDatum((int64) value.count);
	row.nulls[VALUE_OBSERVATIONS] = false;
	if (value.count > 0.0)
	{
		PutMean(&row, VALUE_REWARD, &value, value.reward);
		PutMean(&row, VALUE_IPS, &value, value.weighted);
		if (value.weight.mean > 0.0)
			PutNumber(&row, VALUE_SNIPS, value.snips);
		if (value.weight.mean > 0.0 && value.count > 1.0)
			PutNumber(&row, VALUE_SNIPS_STDERR, value_snips_stderr(&value));
		if (modelled)
			PutMean(&row, VALUE_DR, &value, value.doubly);
		PutMean(&row, VALUE_WEIGHT, &value, value.weight);
		PutNumber(&row, VALUE_SAMPLE_SIZE, value_sample_size(&value));
		PutNumber(&row, VALUE_MAX_WEIGHT, value.max_weight);
	}
	return ResultRow(fcinfo, VALUE_COLUMNS, row.values, row.nulls);
}

PG_FUNCTION_INFO_V1(dlints_bounds);

/* dlints_bounds(): return confidence bounds of a mean, valid even if computed again and again. */
Datum
dlints_bounds(PG_FUNCTION_ARGS)
{
	double		mean = ArgBounded(PG_GETARG_FLOAT8(0), "mean");
	double		stderr_of_mean = ArgBounded(PG_GETARG_FLOAT8(1), "stderr");
	double		count = (double) PG_GETARG_INT64(2);
	double		lowest = ArgBounded(PG_GETARG_FLOAT8(3), "lowest");
	double		highest = ArgBounded(PG_GETARG_FLOAT8(4), "highest");
	double		confidence = PG_GETARG_FLOAT8(5);
	double		doubt = (1.0 - confidence) / 2.0;
	double		range = highest - lowest;
	/* mean and squared deviations of the observations, scaled to [0, 1] */
	double		place = (mean - lowest) / range;
	double		squares = pow(stderr_of_mean / range, 2.0) * count * (count - 1.0);
	Datum		values[2];
	bool		nulls[2] = {false, false};

	if (!(range > 0.0))
		ArgRaiseOutOfRange("highest", "above lowest", highest);
	if (!(count >= 1.0))
		ArgRaiseOutOfRange("observations", "at least 1", count);
	/* allow small excesses, because users pass rounded values */
	if (!(fabs(place - 0.5) <= 0.5 + 1e-9))
		ArgRaiseOutOfRange("mean", "from lowest to highest", mean);
	if (!(stderr_of_mean >= 0.0))
		ArgRaiseOutOfRange("stderr", "at least 0", stderr_of_mean);
	if (squares > count * (place * (1.0 - place) + 1e-6))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("numbers between %s and %s cannot have this mean and standard error",
						double_to_shortest_decimal(lowest), double_to_shortest_decimal(highest)),
				 errhint("lowest and highest must bound each observation, for example 0 and the largest weight times the largest reward.")));
	if (!(confidence > 0.0 && confidence < 1.0))
		ArgRaiseOutOfRange("confidence", "above 0 and below 1", confidence);
	place = Min(Max(place, 0.0), 1.0);
	values[0] = Float8GetDatum(ResultFinite(
		lowest + range * (place - bounds_distance(count, squares, place, doubt))));
	values[1] = Float8GetDatum(ResultFinite(
		lowest + range * (place + bounds_distance(count, squares, 1.0 - place, doubt))));
	return ResultRow(fcinfo, lengthof(values), values, nulls);
}

/* number of random samples from which _dlints_best estimates probabilities */
#define DRAWS				10000

PG_FUNCTION_INFO_V1(dlints_best);

/*
 * _dlints_best(means, errors): return each normal variable's probability of being the largest, and
 * its mean difference from the largest.
 */
Datum
dlints_best(PG_FUNCTION_ARGS)
{
	ArrayType  *means = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *errors = PG_GETARG_ARRAYTYPE_P(1);
	int			arms = ArrayGetNItems(ARR_NDIM(means), ARR_DIMS(means));
	double	   *drawn = AllocateNumbers(arms);
	double	   *sums = AllocateZeros(sizeof(double), mul_size(2, arms));

	ArgCheckCount(arms, ArrayGetNItems(ARR_NDIM(errors), ARR_DIMS(errors)), "errors");
	if (ARR_HASNULL(means) || ARR_HASNULL(errors))
		PG_RETURN_NULL();
	for (uint64 draw = 0; draw < DRAWS; draw++)
	{
		double		best = -INFINITY;
		int			equals = 0;

		CHECK_FOR_INTERRUPTS();
		random_normals(1, RANDOM_DRAW, 0, draw * arms, arms, drawn);
		for (int i = 0; i < arms; i++)
		{
			drawn[i] = ((float8 *) ARR_DATA_PTR(means))[i] +
				((float8 *) ARR_DATA_PTR(errors))[i] * drawn[i];
			equals = drawn[i] > best ? 1 : equals + (drawn[i] == best);
			best = Max(best, drawn[i]);
		}
		for (int i = 0; i < arms; i++)
		{
			sums[i] += drawn[i] == best ? 1.0 / equals : 0.0;
			sums[arms + i] += best - drawn[i];
		}
	}
	for (int i = 0; i < 2 * arms; i++)
		sums[i] /= DRAWS;
	PG_RETURN_DATUM(ResultMatrix(sums, 2, arms));
}
