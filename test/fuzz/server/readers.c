/*
 * readers.c
 *		A module for tests: give arbitrary bytes to everything that reads a
 *		model, and ask every function about the models that come out.
 *
 * The first byte chooses the door, the rest goes through it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "dlints.h"
#include "readers.h"

PG_MODULE_MAGIC;

#define DOORS	4				/* binary, text, jsonb, serialised evidence */

/* Larger projections would take the time that many inputs need. */
#define MOST_PROJECTION_ENTRIES 20000

typedef struct Probe
{
	char	   *name;
	SPIPlanPtr	plan;
} Probe;

static Oid	model_type;
static Probe *probes;
static uint64 probe_count;
static MemoryContext input_context;

/* The questions in the table "probe", of a model and a context of its length. */
static void
PrepareProbes(void)
{
	Oid			types[2] = {model_type, FLOAT4ARRAYOID};
	SPITupleTable *rows;
	uint64		i;

	if (SPI_execute("SELECT name, 'SELECT ' || query FROM probe", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "cannot read the table \"probe\"");
	rows = SPI_tuptable;
	probe_count = SPI_processed;
	probes = MemoryContextAlloc(TopMemoryContext, sizeof(Probe) * Max(probe_count, 1));
	for (i = 0; i < probe_count; i++)
	{
		probes[i].name = MemoryContextStrdup(TopMemoryContext,
											 SPI_getvalue(rows->vals[i], rows->tupdesc, 1));
		probes[i].plan = SPI_prepare(SPI_getvalue(rows->vals[i], rows->tupdesc, 2), 2, types);
		if (probes[i].plan == NULL || SPI_keepplan(probes[i].plan) != 0)
			elog(ERROR, "cannot prepare the probe \"%s\"", probes[i].name);
	}
}

void
BeginReading(void)
{
	SPI_connect();
	model_type = TypenameGetTypid("dlints");
	if (!OidIsValid(model_type))
		elog(ERROR, "the extension dlints is not there");
	PrepareProbes();
	input_context = AllocSetContextCreate(TopMemoryContext, "fuzzed input",
										  ALLOCSET_DEFAULT_SIZES);
}

void
EndReading(void)
{
	uint64		i;

	for (i = 0; i < probe_count; i++)
		SPI_freeplan(probes[i].plan);
	MemoryContextDelete(input_context);
	SPI_finish();
}

static Datum
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

static Datum
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

/* Call a support function as if from within an aggregate. */
static Datum
CallInAggregate(const char *signature, Datum first, Datum second)
{
	LOCAL_FCINFO(fcinfo, 2);
	FmgrInfo	function;

	fmgr_info(Procedure(signature), &function);
	InitFunctionCallInfoData(*fcinfo, &function, function.fn_nargs, InvalidOid,
							 SomeAggregate(), NULL);
	fcinfo->args[0].value = first;
	fcinfo->args[0].isnull = first == (Datum) 0;
	fcinfo->args[1].value = second;
	fcinfo->args[1].isnull = false;
	return FunctionCallInvoke(fcinfo);
}

/* What a parallel worker sends, taken apart and merged. */
static Datum
FromWorker(const char *bytes, size_t size)
{
	Datum		sent = PointerGetDatum(cstring_to_text_with_len(bytes, (int) size));
	Datum		state = CallInAggregate("dlints_evidence_deserialfn(bytea, internal)", sent, 0);
	Datum		merged = CallInAggregate("dlints_evidence_combinefn(internal, internal)", 0, state);

	merged = CallInAggregate("dlints_evidence_combinefn(internal, internal)", merged, state);
	CallInAggregate("dlints_evidence_serialfn(internal)", merged, 0);
	return CallInAggregate("dlints_evidence_finalfn(internal)", state, 0);
}

/* A model, or an error. */
static Datum
Read(int door, char *bytes, size_t size)
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

static bool
IsText(int door)
{
	return door == 1 || door == 2;
}

/* May a reader or a function refuse with this error? */
static bool
IsCleanError(int sqlerrcode, bool read_before)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED ||
		(read_before && sqlerrcode == ERRCODE_DATA_CORRUPTED);
}

/* The error that is being handled, which is over then: NULL if it is clean. */
static char *
TakeError(const char *what, bool read_before)
{
	ErrorData  *error;

	MemoryContextSwitchTo(input_context);
	error = CopyErrorData();
	FlushErrorState();
	return IsCleanError(error->sqlerrcode, read_before) ? NULL :
		psprintf("%s: %s: %s", what, unpack_sql_state(error->sqlerrcode), error->message);
}

static bool
NumbersAreFinite(const Dlints *model)
{
	Size		count = (VARSIZE(model) - DLINTS_HEADER_SIZE) / sizeof(float8);
	Size		i;

	for (i = 0; i < count; i++)
		if (!isfinite(model->values[i]))
			return false;
	return isfinite(model->discount) && isfinite(model->ridge) &&
		isfinite(model->exploration) && isfinite(model->projection_scale) &&
		isfinite(model->weight_sum) && isfinite(model->reward_sum) &&
		isfinite(model->reward_square_sum);
}

static bool
SameBytes(Dlints *model, Datum other)
{
	return VARSIZE(model) == VARSIZE(DatumGetPointer(other)) &&
		memcmp(model, DatumGetPointer(other), VARSIZE(model)) == 0;
}

/* Both external forms read back to the identical value. */
static char *
CheckForms(Datum datum)
{
	Dlints	   *model = (Dlints *) DatumGetPointer(datum);
	Oid			out;
	Oid			send;
	bool		is_varlena;
	bytea	   *sent;

	getTypeOutputInfo(model_type, &out, &is_varlena);
	getTypeBinaryOutputInfo(model_type, &send, &is_varlena);
	sent = OidSendFunctionCall(send, datum);
	if (!NumbersAreFinite(model))
		return "a number that is not finite was accepted";
	if (!SameBytes(model, Receive(VARDATA(sent), VARSIZE(sent) - VARHDRSZ)))
		return "the binary form does not read back";
	if (!SameBytes(model, FromText(model_type, OidOutputFunctionCall(out, datum))))
		return "the text form does not read back";
	return NULL;
}

/* A context of ones and halves */
static Datum
SomeContext(int length)
{
	Datum	   *elements = palloc(sizeof(Datum) * length);
	int			i;

	for (i = 0; i < length; i++)
		elements[i] = Float4GetDatum(i % 3 == 0 ? 1.0f : 0.5f);
	return PointerGetDatum(construct_array(elements, length, FLOAT4OID,
										   sizeof(float4), true, TYPALIGN_INT));
}

/* Ask one question.  The answer is true, or a clean error. */
static char *
Ask(const Probe *probe, Datum *arguments)
{
	ResourceOwner owner = CurrentResourceOwner;
	char	   *volatile problem = NULL;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		bool		isnull = true;
		Datum		answer = 0;

		if (SPI_execute_plan(probe->plan, arguments, NULL, true, 1) == SPI_OK_SELECT &&
			SPI_processed == 1)
			answer = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
		if (isnull || !DatumGetBool(answer))
			problem = MemoryContextStrdup(input_context,
										  psprintf("%s: not true", probe->name));
		SPI_freetuptable(SPI_tuptable);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		problem = TakeError(probe->name, true);
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(input_context);
	CurrentResourceOwner = owner;
	return problem;
}

static char *
AskAll(Datum datum)
{
	Dlints	   *model = (Dlints *) DatumGetPointer(datum);
	Datum		arguments[2];
	uint64		i;

	if ((int64) model->context_dim * model->dim > MOST_PROJECTION_ENTRIES)
		return NULL;
	arguments[0] = datum;
	arguments[1] = SomeContext(model->context_dim);
	for (i = 0; i < probe_count; i++)
	{
		char	   *problem = Ask(&probes[i], arguments);

		if (problem)
			return problem;
	}
	return NULL;
}

/*
 * What is wrong with how one input was treated, or NULL.  *accepted tells
 * whether a model came out.
 */
char *
ReadInput(const char *data, size_t size, bool *accepted)
{
	int			door = (size > 0 ? (unsigned char) data[0] : 0) % DOORS;
	volatile Datum model = (Datum) 0;
	char	   *volatile problem = NULL;
	char	   *bytes;

	MemoryContextReset(input_context);
	MemoryContextSwitchTo(input_context);
	*accepted = false;
	bytes = palloc0(size + 1);
	if (size > 1)
		memcpy(bytes, data + 1, size - 1);
	/* no other text gets as far as an input function */
	if (IsText(door) && !pg_verify_mbstr(GetDatabaseEncoding(), bytes, strlen(bytes), true))
		return NULL;

	PG_TRY();
	{
		model = Read(door, bytes, size > 0 ? size - 1 : 0);
	}
	PG_CATCH();
	{
		problem = TakeError("reading", false);
	}
	PG_END_TRY();
	if (problem || model == (Datum) 0)
		return problem;

	*accepted = true;
	problem = CheckForms(model);
	return problem ? problem : AskAll(model);
}

PG_FUNCTION_INFO_V1(dlints_read_inputs);

/*
 * dlints_read_inputs(inputs bytea[]) -> boolean[]
 *
 * Which of the inputs made a model; an error for one that was treated badly.
 */
Datum
dlints_read_inputs(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum	   *inputs;
	bool	   *nulls;
	int			count;
	int			i;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), BYTEAOID, -1, false, TYPALIGN_INT,
					  &inputs, &nulls, &count);
	BeginReading();
	for (i = 0; i < count; i++)
	{
		bytea	   *input = DatumGetByteaPP(inputs[i]);
		bool		accepted;
		char	   *problem = ReadInput(VARDATA_ANY(input), VARSIZE_ANY_EXHDR(input), &accepted);

		if (problem)
			ereport(ERROR,
					(errmsg("input %d: %s", i + 1, problem)));
		inputs[i] = BoolGetDatum(accepted);
	}
	EndReading();
	MemoryContextSwitchTo(caller);
	PG_RETURN_ARRAYTYPE_P(construct_array(inputs, count, BOOLOID, 1, true, TYPALIGN_CHAR));
}
