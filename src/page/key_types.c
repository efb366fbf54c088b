/*
 * key_types.c
 *		Convert values to the types of a recommender's user and item keys.
 *
 * SQL functions take bigint if keys have any integer type, so that callers can pass any integer.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"

/* ---------- arguments of wrappers ---------- */

/* Convert a bigint to int2 or int4.  Raises an error if the value is out of range. */
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

/* _dlints_key_argument(): convert a key, or an array of keys, to the type of the third argument. */
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

/* ---------- keys in a log ---------- */

typedef struct TypeInput
{
	FmgrInfo	function;
	Oid			parameter;
	/* may the input function run SQL, such as constraints of a domain? */
	bool		may_run_sql;
} TypeInput;

/* Can the input function of a type run SQL?  An array calls the input function of its elements. */
static bool
may_run_sql(Oid type)
{
	Oid			element = get_base_element_type(type);
	char		kind = get_typtype(OidIsValid(element) ? element : type);

	return get_typtype(type) == TYPTYPE_DOMAIN || (kind != TYPTYPE_BASE && kind != TYPTYPE_ENUM);
}

static TypeInput *
type_input(FunctionCallInfo fcinfo)
{
	TypeInput  *input = fcinfo->flinfo->fn_extra;

	if (input == NULL)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);
		Oid			function;

		if (!OidIsValid(type))
			elog(ERROR, "could not determine the type to convert to");
		input = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(TypeInput));
		input->may_run_sql = may_run_sql(type);
		getTypeInputInfo(type, &function, &input->parameter);
		fmgr_info_cxt(function, &input->function, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = input;
	}
	return input;
}

/* Is this SQLSTATE an error of input functions for invalid values? */
static bool
is_value_error(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION ||
		category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		category == ERRCODE_PROGRAM_LIMIT_EXCEEDED || sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED;
}

/*
 * Convert a text to a value.  Returns false if the text is invalid.
 *
 * We catch errors without a subtransaction, because most input functions hold no resources.  Errors
 * of input functions that may run SQL are not caught.
 */
static bool
try_input(TypeInput *input, char *text, Datum *value)
{
	MemoryContext caller = CurrentMemoryContext;
	volatile bool is_valid = false;

	PG_TRY();
	{
		*value = InputFunctionCall(&input->function, text, input->parameter, -1);
		is_valid = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		if (input->may_run_sql || !is_value_error(geterrcode()))
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return is_valid;
}

PG_FUNCTION_INFO_V1(dlints_try_cast);

/* _dlints_try_cast(): convert a text to the type of the second argument, or to NULL. */
Datum
dlints_try_cast(PG_FUNCTION_ARGS)
{
	Datum		value = (Datum) 0;

	if (PG_ARGISNULL(0) ||
		!try_input(type_input(fcinfo), text_to_cstring(PG_GETARG_TEXT_PP(0)), &value))
		PG_RETURN_NULL();
	return value;
}
