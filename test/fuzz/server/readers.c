/*
 * readers.c
 *		A module for tests: give arbitrary bytes to all readers of models, and
 *		call every function on the resulting models.
 *
 * The first byte chooses the door, see doors.c; the rest goes through it.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "model/model.h"
#include "readers.h"

PG_MODULE_MAGIC;

/* Larger projections would take the time of many inputs. */
#define MOST_PROJECTION_ENTRIES 20000

typedef struct Probe
{
	char	   *name;
	char	   *profile;		/* whether a profile is given, "t" or "f"; NULL: no profile exists */
	SPIPlanPtr	plan;
} Probe;

#define PROBE_ARGUMENTS 3

static Probe *probes;
static uint64 probe_count;
static MemoryContext input_context;

static char *
Keep(const char *text)
{
	return text ? MemoryContextStrdup(TopMemoryContext, text) : NULL;
}

/* Queries in the table "probe", see test/t/probes.sql. */
static void
PrepareProbes(void)
{
	Oid			types[PROBE_ARGUMENTS] = {model_type, FLOAT4ARRAYOID, FLOAT4ARRAYOID};
	SPITupleTable *rows;

	if (SPI_execute("SELECT name, 'SELECT ' || query, profile FROM probe", true, 0) != SPI_OK_SELECT)
		elog(ERROR, "cannot read the table \"probe\"");
	rows = SPI_tuptable;
	probe_count = SPI_processed;
	probes = MemoryContextAlloc(TopMemoryContext, sizeof(Probe) * Max(probe_count, 1));
	for (uint64 i = 0; i < probe_count; i++)
	{
		probes[i].name = Keep(SPI_getvalue(rows->vals[i], rows->tupdesc, 1));
		probes[i].profile = Keep(SPI_getvalue(rows->vals[i], rows->tupdesc, 3));
		probes[i].plan = SPI_prepare(SPI_getvalue(rows->vals[i], rows->tupdesc, 2),
									 PROBE_ARGUMENTS, types);
		if (probes[i].plan == NULL || SPI_keepplan(probes[i].plan) != 0)
			elog(ERROR, "cannot prepare the probe \"%s\"", probes[i].name);
	}
}

void
BeginReading(void)
{
	SPI_connect();
	FindModelType();
	PrepareProbes();
	input_context = AllocSetContextCreate(TopMemoryContext, "fuzzed input", ALLOCSET_DEFAULT_SIZES);
}

/* Switches back to the memory context in which reading began. */
void
EndReading(void)
{
	for (uint64 i = 0; i < probe_count; i++)
		SPI_freeplan(probes[i].plan);
	SPI_finish();
	MemoryContextDelete(input_context);
}

/* Error classes of a reader for invalid input */
static bool
IsRefusal(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		category == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED;
}

/* Is this an error that a query on a valid model must not raise? */
static bool
IsFailure(int sqlerrcode)
{
	return sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE &&
		(IsRefusal(sqlerrcode) || sqlerrcode == ERRCODE_DATA_CORRUPTED);
}

/* Errors of a query with wrong arguments for the model, unless its numbers fail first */
static bool
IsMisfit(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_INVALID_PARAMETER_VALUE ||
		sqlerrcode == ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE ||
		sqlerrcode == ERRCODE_DATA_CORRUPTED;
}

/* Handle the current error.  Returns NULL if it is allowed. */
static char *
TakeError(const char *what, bool (*may_be) (int sqlerrcode))
{
	ErrorData  *error;

	MemoryContextSwitchTo(input_context);
	error = CopyErrorData();
	FlushErrorState();
	return may_be(error->sqlerrcode) ? NULL :
		psprintf("%s: %s: %s", what, unpack_sql_state(error->sqlerrcode), error->message);
}

static bool
NumbersAreFinite(const Dlints *model)
{
	const DlintsHeader *header = &model->header;
	Size		count = (VARSIZE(model) - sizeof(DlintsHeader)) / sizeof(float8);

	for (Size i = 0; i < count; i++)
		if (!isfinite(model->values[i]))
			return false;
	return isfinite(header->discount) && isfinite(header->ridge) &&
		isfinite(header->lambda) && isfinite(header->prior_weight) &&
		isfinite(header->exploration) && isfinite(header->projection_scale) &&
		isfinite(header->half_life) && isfinite(header->noise) &&
		isfinite(header->reference) && isfinite(header->sigma);
}

static bool
SameBytes(Dlints *model, Datum other)
{
	return VARSIZE(model) == VARSIZE(DatumGetPointer(other)) &&
		memcmp(model, DatumGetPointer(other), VARSIZE(model)) == 0;
}

/* Check that both external forms read back to the identical value. */
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

/* Features or a profile of ones and halves */
static Datum
SomeArray(int length)
{
	Datum	   *elements = palloc(sizeof(Datum) * length);

	for (int i = 0; i < length; i++)
		elements[i] = Float4GetDatum(i % 3 == 0 ? 1.0f : 0.5f);
	return PointerGetDatum(construct_array(elements, length, FLOAT4OID,
										   sizeof(float4), true, TYPALIGN_INT));
}

static bool
Fits(const Probe *probe, const Dlints *model)
{
	return probe->profile == NULL ||
		model->header.interactions == INTERACTIONS_MATCHED ||
		*probe->profile != 't';
}

/* The result must be true or an error; an error if the query does not fit the model. */
static char *
Answer(const Probe *probe, bool fits, Datum *arguments)
{
	bool		isnull = true;
	Datum		answer = 0;

	if (SPI_execute_plan(probe->plan, arguments, NULL, true, 1) == SPI_OK_SELECT &&
		SPI_processed == 1)
		answer = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	SPI_freetuptable(SPI_tuptable);
	if (fits && !isnull && DatumGetBool(answer))
		return NULL;
	return MemoryContextStrdup(input_context,
							   psprintf("%s: %s", probe->name, fits ? "not true" : "not refused"));
}

/* Run one query, and return a description of its fault, or NULL. */
static char *
Ask(const Probe *probe, Datum *arguments)
{
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool fits = Fits(probe, (Dlints *) DatumGetPointer(arguments[0]));
	char	   *volatile problem = NULL;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		problem = Answer(probe, fits, arguments);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		problem = TakeError(probe->name, fits ? IsFailure : IsMisfit);
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
	Datum		arguments[PROBE_ARGUMENTS];

	if ((int64) model->header.feature_dim * model->header.reduced_dim > MOST_PROJECTION_ENTRIES)
		return NULL;
	arguments[0] = datum;
	arguments[1] = SomeArray(model->header.feature_dim);
	arguments[2] = SomeArray(Max(model->header.profile_dim, 1));
	for (uint64 i = 0; i < probe_count; i++)
	{
		char	   *problem = Ask(&probes[i], arguments);

		if (problem)
			return problem;
	}
	return NULL;
}

/* Description of a fault in the handling of an input, or NULL */
char *
ReadInput(const char *data, size_t size, bool *accepted)
{
	int			door = Door(size > 0 ? data[0] : 0);
	volatile Datum model = (Datum) 0;
	char	   *volatile problem = NULL;
	char	   *bytes;

	MemoryContextReset(input_context);
	MemoryContextSwitchTo(input_context);
	*accepted = false;
	bytes = palloc0(size + 1);
	if (size > 1)
		memcpy(bytes, data + 1, size - 1);
	/* the server calls input functions only with text that is valid in its encoding */
	if (IsText(door) && !pg_verify_mbstr(GetDatabaseEncoding(), bytes, strlen(bytes), true))
		return NULL;

	PG_TRY();
	{
		model = ReadThrough(door, bytes, size > 0 ? size - 1 : 0);
		*accepted = true;
	}
	PG_CATCH();
	{
		problem = TakeError("reading", IsRefusal);
	}
	PG_END_TRY();
	if (problem || model == (Datum) 0)
		return problem;

	problem = CheckForms(model);
	return problem ? problem : AskAll(model);
}

PG_FUNCTION_INFO_V1(dlints_read_inputs);

/*
 * dlints_read_inputs(inputs bytea[]) -> boolean[]
 *
 * Which of the inputs were accepted; an error for one that was treated badly.
 */
Datum
dlints_read_inputs(PG_FUNCTION_ARGS)
{
	Datum	   *inputs;
	bool	   *nulls;
	int			count;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), BYTEAOID, -1, false, TYPALIGN_INT,
					  &inputs, &nulls, &count);
	BeginReading();
	for (int i = 0; i < count; i++)
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
	PG_RETURN_ARRAYTYPE_P(construct_array(inputs, count, BOOLOID, 1, true, TYPALIGN_CHAR));
}
