/*
 * doors.c
 *		All readers of models.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "readers.h"

/* binary, text, jsonb, serialised evidence */
#define FIRST_DOOR	'0'
#define DOORS		4

Oid			model_type;

void
FindModelType(void)
{
	model_type = TypenameGetTypid("dlints");
	if (!OidIsValid(model_type))
		elog(ERROR, "the extension dlints is not there");
}

/* Return the number of the reader that a byte selects. */
int
Door(char byte)
{
	return (unsigned char) (byte - FIRST_DOOR) % DOORS;
}

Datum
Receive(const char *bytes, size_t size)
{
	StringInfoData buf;
	Oid			function;
	Oid			param;
	Datum		model;

	initStringInfo(&buf);
	appendBinaryStringInfo(&buf, bytes, (int) size);
	getTypeBinaryInputInfo(model_type, &function, &param);
	model = OidReceiveFunctionCall(function, &buf, param, -1);
	if (buf.cursor != buf.len)	/* COPY checks this, too */
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("incorrect binary data format")));
	return model;
}

Datum
FromText(Oid type, char *text)
{
	Oid			function;
	Oid			param;

	getTypeInputInfo(type, &function, &param);
	return OidInputFunctionCall(function, text, param, -1);
}

static Oid
Procedure(const char *signature)
{
	return DatumGetObjectId(DirectFunctionCall1(regprocedurein, CStringGetDatum(signature)));
}

/* Call a support function of two arguments as if from within an aggregate. */
static Datum
CallInAggregate(const char *signature, Datum first, Datum second)
{
	LOCAL_FCINFO(fcinfo, 2);
	FmgrInfo	function;

	fmgr_info(Procedure(signature), &function);
	InitFunctionCallInfoData(*fcinfo, &function, function.fn_nargs, InvalidOid,
							 SomeAggregate(), NULL);
	fcinfo->args[0].value = first;
	fcinfo->args[0].isnull = false;
	fcinfo->args[1].value = second;
	fcinfo->args[1].isnull = false;
	return FunctionCallInvoke(fcinfo);
}

/* Combine the serialized state of an aggregate from another server. */
static Datum
FromWorker(const char *bytes, size_t size)
{
	Datum		state = Receive(bytes, size);

	CallInAggregate("dlints_concat(dlints, dlints)", Receive(bytes, size), state);
	return state;
}

/* Read a model. Raises an error for invalid input. */
Datum
ReadThrough(int door, char *bytes, size_t size)
{
	switch (door)
	{
		case 0:
			return Receive(bytes, size);
		case 1:
			return FromText(model_type, bytes);
		case 2:
			return OidFunctionCall1(Procedure("dlints_from_jsonb(jsonb)"),
									FromText(JSONBOID, bytes));
		default:
			return FromWorker(bytes, size);
	}
}

bool
IsText(int door)
{
	return door == 1 || door == 2;
}
