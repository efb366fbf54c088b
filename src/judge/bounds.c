/*
 * bounds.c
 *		dlints_bounds: between which bounds a mean lies, also of rare rewards.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "funcapi.h"

#include "core/value.h"
#include "sql/args.h"
#include "sql/results.h"

/* A mean and its standard error, of numbers that can only be so large. */
typedef struct Sample
{
	double		mean;
	double		stderr_of_mean;
	double		count;
	double		lowest;
	double		highest;
} Sample;

/* Numbers as given are rounded, and may be a little more than they can be. */
static bool
IsWithin(double value, double lowest, double most)
{
	double		slack = 1e-9 * (most - lowest);

	return value >= lowest - slack && value <= most + slack;
}

/* The most that the squared distances of such numbers from their mean can be. */
static double
MostSquares(const Sample *sample)
{
	return sample->count * (sample->mean - sample->lowest) *
		(sample->highest - sample->mean);
}

static double
Squares(const Sample *sample)
{
	return sample->stderr_of_mean * sample->stderr_of_mean *
		sample->count * (sample->count - 1.0);
}

static void
CheckSample(const Sample *sample)
{
	double		range = ArgFinite(sample->highest - sample->lowest, "range");

	if (!(range > 0.0))
		ArgRefuse("highest", "above lowest", sample->highest);
	if (!(sample->count >= 1.0))
		ArgRefuse("observations", "at least 1", sample->count);
	if (!IsWithin(sample->mean, sample->lowest, sample->highest))
		ArgRefuse("mean", "from lowest to highest", sample->mean);
	if (!(sample->stderr_of_mean >= 0.0))
		ArgRefuse("stderr", "at least 0", sample->stderr_of_mean);
	if (Squares(sample) > MostSquares(sample) + 1e-6 * sample->count * range * range)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("numbers between %s and %s cannot have this mean and standard error",
						double_to_shortest_decimal(sample->lowest),
						double_to_shortest_decimal(sample->highest)),
				 errhint("lowest and highest are what one of them can be, such as 0 and the largest weight times the largest reward.")));
}

PG_FUNCTION_INFO_V1(dlints_bounds);

/*
 * Bounds of an expectation, from the mean of so many numbers and its standard
 * error (core/bounds.h)
 */
Datum
dlints_bounds(PG_FUNCTION_ARGS)
{
	Sample		sample = {
		.mean = ArgFinite(PG_GETARG_FLOAT8(0), "mean"),
		.stderr_of_mean = ArgFinite(PG_GETARG_FLOAT8(1), "stderr"),
		.count = (double) PG_GETARG_INT64(2),
		.lowest = ArgFinite(PG_GETARG_FLOAT8(3), "lowest"),
		.highest = ArgFinite(PG_GETARG_FLOAT8(4), "highest"),
	};
	double		confidence = PG_GETARG_FLOAT8(5);
	double		doubt = (1.0 - confidence) / 2.0;
	double		range = sample.highest - sample.lowest;
	double		place = (sample.mean - sample.lowest) / range;
	double		squares = Squares(&sample) / range / range;
	double		low;
	double		high;
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	CheckSample(&sample);
	if (!(confidence > 0.0 && confidence < 1.0))
		ArgRefuse("confidence", "between 0 and 1", confidence);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	place = Min(Max(place, 0.0), 1.0);
	low = place - bounds_distance(sample.count, squares, place, doubt);
	high = place + bounds_distance(sample.count, squares, 1.0 - place, doubt);
	values[0] = Float8GetDatum(ResultFinite(sample.lowest + range * low));
	values[1] = Float8GetDatum(ResultFinite(sample.lowest + range * high));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
