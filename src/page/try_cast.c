/*
 * try_cast.c
 *		Conversion of keys in a click log to the types of the recommender's keys.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"

/* Input function of a type, cached for the statement */
typedef struct TypeInput
{
	FmgrInfo	function;
	Oid			parameter;
} TypeInput;

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
		getTypeInputInfo(type, &function, &input->parameter);
		fmgr_info_cxt(function, &input->function, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = input;
	}
	return input;
}

/*
 * Does an error mean that the value is invalid?  Input functions use several error
 * classes: that of ltree raises a syntax error.  Server errors and cancellation do not
 * count.
 */
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
 * Call the input function.  Returns false if it reports an invalid value as a soft
 * error (PostgreSQL 16 and later).
 */
static bool
call_input(TypeInput *input, char *text, Datum *value)
{
#if PG_VERSION_NUM >= 160000
	ErrorSaveContext escontext = {.type = T_ErrorSaveContext};

	return InputFunctionCallSafe(&input->function, text, input->parameter, -1,
								 (Node *) &escontext, value);
#else
	*value = InputFunctionCall(&input->function, text, input->parameter, -1);
	return true;
#endif
}

/*
 * Convert a text to a value.  Returns false if the text is invalid for the type.  No
 * subtransaction is needed, since input functions of base types hold no resources.
 */
static bool
try_input(TypeInput *input, char *text, Datum *value)
{
	MemoryContext caller = CurrentMemoryContext;
	volatile bool is_valid = false;

	PG_TRY();
	{
		is_valid = call_input(input, text, value);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		if (!is_value_error(geterrcode()))
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return is_valid;
}

PG_FUNCTION_INFO_V1(dlints_try_cast);

/*
 * _dlints_try_cast(value text, type anyelement) -> anyelement
 *		Convert a text to the type of the second argument.  NULL if the text is invalid
 *		for that type.
 */
Datum
dlints_try_cast(PG_FUNCTION_ARGS)
{
	Datum		value = (Datum) 0;

	if (PG_ARGISNULL(0) ||
		!try_input(type_input(fcinfo), text_to_cstring(PG_GETARG_TEXT_PP(0)), &value))
		PG_RETURN_NULL();
	return value;
}
