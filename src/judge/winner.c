/*
 * winner.c
 *		The function _dlints_best, which compares actions by draws of their mean rewards.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "core/random.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define DRAWS				10000

PG_FUNCTION_INFO_V1(dlints_best);

/*
 * _dlints_best(means, errors): the probability that each normal variable is the largest.
 *
 * The second row of the result is the mean difference of each variable from the largest.  The seed
 * is fixed.  The result is NULL if an array contains a NULL.
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
		random_normals_from(1, RANDOM_DRAW, 0, draw * arms, arms, drawn);
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
