/*
 * profile.c
 *		The aggregate dlints_profile, which computes a user's profile from items in the user's
 *		history.
 *
 * The state is checked, because users may call the support functions with any array.
 */
#include "postgres.h"

#include "sql/args.h"
#include "sql/arrays.h"

static double *
Numbers(ArrayType *sum)
{
	return (double *) ARR_DATA_PTR(sum);
}

/* Return the aggregate's state, or a copy of it if the caller is not an aggregate. */
static ArrayType *
GetWritableSum(FunctionCallInfo fcinfo)
{
	return AggCheckCallContext(fcinfo, NULL) ? PG_GETARG_ARRAYTYPE_P(0) :
		PG_GETARG_ARRAYTYPE_P_COPY(0);
}

/* Return the length of the aggregate's state.  Raises an error if the array is empty. */
static int
SumLength(ArrayType *sum)
{
	static const ArgSpec spec = {"state", 1, NULL};
	int			length = ArgVectorLength(sum, &spec);

	if (length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the state of dlints_profile must not be empty")));
	return length;
}

PG_FUNCTION_INFO_V1(dlints_profile_transfn);

/* dlints_profile(): sum weighted feature vectors, and scale the sum to length 1. */
Datum
dlints_profile_transfn(PG_FUNCTION_ARGS)
{
	ArgSpec		spec = {"feature array", 0, NULL};
	double		weight = 1.0;
	ArrayType  *features;
	ArrayType  *sum;
	double	   *numbers;

	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		return AggregateSameState(fcinfo);
	if (PG_NARGS() > 2)
		weight = ArgBounded(PG_GETARG_FLOAT8(2), "weight");
	features = ArgArray(fcinfo, 1);
	spec.len = ArgVectorLength(features, &spec);
	if (spec.len == 0)
		return AggregateSameState(fcinfo);

	sum = PG_ARGISNULL(0) ? ResultDoubles(spec.len) : GetWritableSum(fcinfo);
	spec.len = SumLength(sum);
	numbers = palloc(sizeof(double) * spec.len);
	ArgVector(features, &spec, numbers);
	unit_add(spec.len, weight, numbers, Numbers(sum));
	PG_RETURN_ARRAYTYPE_P(sum);
}

PG_FUNCTION_INFO_V1(dlints_profile_combinefn);

Datum
dlints_profile_combinefn(PG_FUNCTION_ARGS)
{
	ArgSpec		spec = {"state", 0, NULL};
	ArrayType  *sum;
	ArrayType  *other;

	if (PG_ARGISNULL(1))
		return AggregateSameState(fcinfo);
	other = PG_GETARG_ARRAYTYPE_P(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_ARRAYTYPE_P(other);

	sum = GetWritableSum(fcinfo);
	spec.len = SumLength(sum);
	ArgCheckLength(other, &spec);
	unit_add(spec.len, 1.0, Numbers(other), Numbers(sum));
	PG_RETURN_ARRAYTYPE_P(sum);
}

PG_FUNCTION_INFO_V1(dlints_profile_finalfn);

Datum
dlints_profile_finalfn(PG_FUNCTION_ARGS)
{
	ArrayType  *sum;

	if (PG_ARGISNULL(0))
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(FLOAT4OID));
	sum = PG_GETARG_ARRAYTYPE_P(0);
	return ResultUnitVector(Numbers(sum), SumLength(sum));
}
