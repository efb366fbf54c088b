/*
 * doors.c
 *		Everything that reads a model or a ranking.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "readers.h"

/* binary, text, jsonb, serialised evidence, serialised ranking */
#define FIRST_DOOR	'0'
#define DOORS		5

Oid			model_type;

void
FindModelType(void)
{
	model_type = TypenameGetTypid("dlints");
	if (!OidIsValid(model_type))
		elog(ERROR, "the extension dlints is not there");
}

/* the number of the door that a byte means */
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
	if (buf.cursor != buf.len)	/* COPY asks this too */
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
	return DatumGetObjectId(DirectFunctionCall1(regprocedurein,
												CStringGetDatum(signature)));
}

#define MOST_ARGUMENTS	4

/*
 * Call a support function as if from within an aggregate.  Zero as the first
 * argument is NULL, and so are all after the second.
 */
static Datum
CallInAggregate(const char *signature, Datum first, Datum second)
{
	LOCAL_FCINFO(fcinfo, MOST_ARGUMENTS);
	FmgrInfo	function;
	int			i;

	fmgr_info(Procedure(signature), &function);
	InitFunctionCallInfoData(*fcinfo, &function, function.fn_nargs, InvalidOid,
							 SomeAggregate(), NULL);
	fcinfo->args[0].value = first;
	fcinfo->args[0].isnull = first == (Datum) 0;
	fcinfo->args[1].value = second;
	fcinfo->args[1].isnull = false;
	for (i = 2; i < MOST_ARGUMENTS; i++)
		fcinfo->args[i].isnull = true;
	return FunctionCallInvoke(fcinfo);
}

/* What another server sends of an aggregate, merged in place. */
static Datum
FromWorker(const char *bytes, size_t size)
{
	Datum		state = Receive(bytes, size);

	CallInAggregate("dlints_concat(dlints, dlints)", Receive(bytes, size), state);
	return state;
}

static Datum
RankingFromWorker(Datum sent)
{
	return CallInAggregate("dlints_top_deserialfn(bytea, internal)", sent, 0);
}

static Datum
SendRanking(Datum state)
{
	return CallInAggregate("dlints_top_serialfn(internal)", state, 0);
}

/* The same for a ranking.  No model comes out. */
static Datum
ReadRanking(const char *bytes, size_t size)
{
	text	   *sender = cstring_to_text_with_len(bytes, (int) size);
	Datum		state = RankingFromWorker(PointerGetDatum(sender));
	Datum		merged = CallInAggregate("dlints_top_combinefn(internal, internal)", 0, state);
	Datum		sent = SendRanking(state);

	if (!datumIsEqual(sent, SendRanking(RankingFromWorker(sent)), false, -1))
		elog(ERROR, "a ranking does not read back");
	CallInAggregate("dlints_top_combinefn(internal, internal)", merged, state);
	CallInAggregate("dlints_top_finalfn(internal, anyelement, double precision, bigint)", merged, 0);
	return (Datum) 0;
}

/* A model or nothing, or an error. */
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
		case 3:
			return FromWorker(bytes, size);
		default:
			return ReadRanking(bytes, size);
	}
}

bool
IsText(int door)
{
	return door == 1 || door == 2;
}
