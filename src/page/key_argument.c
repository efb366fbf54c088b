/*
 * key_argument.c
 *		Conversion of key arguments of wrappers.
 *
 * Wrappers take bigint for keys of all integer types, so that calls resolve with
 * arguments of any integer type.  A key out of range for the recommender's type raises
 * an error that names the argument.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"

/* Convert a key of type bigint to int2 or int4. */
static Datum
narrow_key(int64 key, Oid type, FunctionCallInfo fcinfo)
{
	char	   *name;

	if (type == INT4OID && key >= INT_MIN && key <= INT_MAX)
		return Int32GetDatum((int32) key);
	if (type == INT2OID && key >= SHRT_MIN && key <= SHRT_MAX)
		return Int16GetDatum((int16) key);
	name = TextDatumGetCString(PG_GETARG_DATUM(1));
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("argument \"%s\" is out of range for keys of type %s", name, format_type_be(type)),
			 errdetail("It is %lld.", (long long) key),
			 errhint("dlints_alter_recommender(..., '{\"%s\": \"bigint\"}') makes the keys wider.",
					 strcmp(name, "user_id") == 0 ? "user_type" : "item_type")));
}

static Datum
narrow_keys(ArrayType *keys, Oid type, FunctionCallInfo fcinfo)
{
	int16		length = type == INT2OID ? sizeof(int16) : sizeof(int32);
	char		align = type == INT2OID ? TYPALIGN_SHORT : TYPALIGN_INT;
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	deconstruct_array(keys, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements,
					  &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			elements[i] = narrow_key(DatumGetInt64(elements[i]), type, fcinfo);
	return PointerGetDatum(construct_md_array(elements, nulls, ARR_NDIM(keys), ARR_DIMS(keys),
											  ARR_LBOUND(keys), type, length, true, align));
}

PG_FUNCTION_INFO_V1(dlints_key_argument);

/*
 * _dlints_key_argument(value "any", name text, type anyelement) -> anyelement
 *		Convert a key or an array of keys to the type of the third argument.  "name"
 *		is the argument's name in errors.
 */
Datum
dlints_key_argument(PG_FUNCTION_ARGS)
{
	Oid			source = get_fn_expr_argtype(fcinfo->flinfo, 0);
	Oid			target = get_fn_expr_argtype(fcinfo->flinfo, 2);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (source == target)
		return PG_GETARG_DATUM(0);
	if (!PG_ARGISNULL(1) && source == INT8OID && (target == INT2OID || target == INT4OID))
		return narrow_key(PG_GETARG_INT64(0), target, fcinfo);
	if (!PG_ARGISNULL(1) && source == INT8ARRAYOID &&
		(target == INT2ARRAYOID || target == INT4ARRAYOID))
		return narrow_keys(PG_GETARG_ARRAYTYPE_P(0),
						   target == INT2ARRAYOID ? INT2OID : INT4OID, fcinfo);
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("keys of type %s cannot be converted to %s",
					OidIsValid(source) ? format_type_be(source) : "unknown",
					OidIsValid(target) ? format_type_be(target) : "unknown")));
}
