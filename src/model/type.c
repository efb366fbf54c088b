/*
 * type.c
 *		The type dlints: text input and output, casts, equality.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "model/model.h"

/*
 * Text to jsonb.  What is wrong with the text is reported as this type's
 * error, with what the JSON parser found in the detail: returns it, or NULL.
 *
 * Before it could be asked to, the parser raised what it found.  No
 * subtransaction is needed to catch that: nothing but memory is taken before.
 */
#if PG_VERSION_NUM >= 160000
static const char *
ParseJson(char *text, Datum *jsonb)
{
	ErrorSaveContext errors = {.type = T_ErrorSaveContext};

	errors.details_wanted = true;
	if (DirectInputFunctionCallSafe(jsonb_in, text, InvalidOid, -1,
									(Node *) &errors, jsonb))
		return NULL;
	return errors.error_data->detail ? errors.error_data->detail :
		errors.error_data->message;
}
#else
static const char *
ParseJson(char *text, Datum *jsonb)
{
	MemoryContext caller = CurrentMemoryContext;
	ErrorData  *volatile error = NULL;

	PG_TRY();
	{
		*jsonb = DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
	}
	PG_CATCH();
	{
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error == NULL)
		return NULL;
	return error->detail ? error->detail : error->message;
}
#endif

PG_FUNCTION_INFO_V1(dlints_in);

Datum
dlints_in(PG_FUNCTION_ARGS)
{
	Datum		jsonb = (Datum) 0;
	const char *wrong = ParseJson(PG_GETARG_CSTRING(0), &jsonb);
	Dlints	   *model;
	Problem		problem;

	if (wrong)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "dlints"),
				 errdetail("%s", wrong)));
	model = ModelFromJson(jsonb, fcinfo->context);
	if (model == NULL)
		PG_RETURN_NULL();
	if (!ModelCheckTypmod(&model->header, PG_GETARG_INT32(2), &problem))
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(problem.sqlerrcode),
				 errmsg("%s", problem.message)));
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_out);

Datum
dlints_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(ModelToJson(PG_GETARG_DLINTS_P(0)));
}

PG_FUNCTION_INFO_V1(dlints_to_jsonb);

Datum
dlints_to_jsonb(PG_FUNCTION_ARGS)
{
	char	   *text = ModelToJson(PG_GETARG_DLINTS_P(0));

	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

PG_FUNCTION_INFO_V1(dlints_from_jsonb);

Datum
dlints_from_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_DLINTS_P(ModelFromJson(PG_GETARG_DATUM(0), NULL));
}

/*
 * Equality makes rows that hold a model comparable (IS DISTINCT FROM,
 * DISTINCT, replica identity full); there is no order.
 */
PG_FUNCTION_INFO_V1(dlints_eq);

Datum
dlints_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ModelEquals(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(dlints_ne);

Datum
dlints_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!ModelEquals(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(dlints_hash);

Datum
dlints_hash(PG_FUNCTION_ARGS)
{
	/* with salt 0 the low half has to be the hash without */
	PG_RETURN_UINT32((uint32) ModelHash(PG_GETARG_DATUM(0), 0));
}

PG_FUNCTION_INFO_V1(dlints_hash_extended);

Datum
dlints_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(ModelHash(PG_GETARG_DATUM(0),
							   (uint64) PG_GETARG_INT64(1)));
}
