/*
 * finite.c
 *		Check that stored numbers are finite.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "compat.h"

static bool
are_finite(const float4 *numbers, int count)
{
	for (int i = 0; i < count; i++)
		if (!isfinite(numbers[i]))
			return false;
	return true;
}

PG_FUNCTION_INFO_V1(dlints_are_finite);

/*
 * _dlints_are_finite(numbers real[], length integer) -> boolean
 *		Is this a one-dimensional array of finite numbers?  It must have the given
 *		length unless that is NULL.  NULL if the array is NULL.
 */
Datum
dlints_are_finite(PG_FUNCTION_ARGS)
{
	ArrayType  *array;
	int			count;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array = PG_GETARG_ARRAYTYPE_P(0);
	count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	PG_RETURN_BOOL(ARR_NDIM(array) <= 1 && !ARR_HASNULL(array) &&
				   (PG_ARGISNULL(1) || count == PG_GETARG_INT32(1)) &&
				   are_finite((float4 *) ARR_DATA_PTR(array), count));
}
