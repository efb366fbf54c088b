/*
 * type.c
 *		Input, output, casts, equality and type modifiers of the type dlints.
 *
 * The binary form has the header fields and the sums of the model and of the prior, in network
 * byte order.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "model/fields.h"

/* ---------- type modifiers ---------- */

/*
 * Bits of a type modifier: dimensions, and flags for interactions and intercept.  A column without
 * the intercept flag also accepts models with an intercept.
 */
#define REDUCED_BITS			11
#define FEATURE_BITS		17
#define MATCHED_BIT			(1 << 28)
#define INTERCEPT_BIT		(1 << 29)

#define MASK(bits)			((1 << (bits)) - 1)

StaticAssertDecl(DLINTS_MAX_DIM <= MASK(REDUCED_BITS), "typmod cannot hold d");
StaticAssertDecl(DLINTS_MAX_FEATURE_DIM <= MASK(FEATURE_BITS), "typmod cannot hold n");
StaticAssertDecl(REDUCED_BITS + FEATURE_BITS <= 28, "sizes overlap the bits above them");

/* Convert the shape of a model (dimensions, interactions, intercept) to a type modifier. */
static int32
TypmodFromShape(const DlintsHeader *shape)
{
	bool		matched = shape->interactions == INTERACTIONS_MATCHED;

	return shape->feature_dim << REDUCED_BITS | shape->reduced_dim |
		(matched ? MATCHED_BIT : 0) |
		(shape->intercept ? INTERCEPT_BIT : 0);
}

static DlintsHeader
ShapeFromTypmod(int32 typmod)
{
	DlintsHeader shape;

	memset(&shape, 0, sizeof(shape));
	shape.intercept = (typmod & INTERCEPT_BIT) != 0;
	shape.feature_dim = (typmod >> REDUCED_BITS) & MASK(FEATURE_BITS);
	shape.reduced_dim = typmod & MASK(REDUCED_BITS);
	if ((typmod & MATCHED_BIT) != 0)
	{
		shape.interactions = INTERACTIONS_MATCHED;
		shape.profile_dim = shape.feature_dim;
	}
	return shape;
}

/* Check that a model fits the type modifier of a column; -1 accepts all models. */
static bool
ModelCheckTypmod(const DlintsHeader *header, int32 typmod, Problem *problem)
{
	DlintsHeader shape;

	if (typmod == -1)
		return true;
	shape = ShapeFromTypmod(typmod);
	if (shape.interactions == header->interactions &&
		shape.feature_dim == header->feature_dim &&
		shape.reduced_dim == header->reduced_dim &&
		shape.intercept <= header->intercept)
		return true;
	return ReportProblem(problem, ERRCODE_DATA_EXCEPTION,
						 psprintf("expected dlints%s, not dlints%s",
								  ModelShape(&shape), ModelShape(header)), NULL, NULL);
}

/* Raise an error unless the dimensions in a type modifier are possible. */
static void
CheckShape(DlintsHeader shape, bool reduced)
{
	Problem		problem;

	shape.version = DLINTS_FORMAT_VERSION;
	shape.memories = 1;
	shape.discount = 1.0;
	shape.projection_scale = ModelHasProjection(&shape) ? 1.0 : 0.0;
	if ((!reduced || ModelCheckReducedDim(shape.reduced_dim, &problem)) &&
		ModelCheckParameters(&shape, &problem))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("dimensions for type dlints out of range"),
			 errdetail("%s.", problem.message)));
}

/* If the last element of an array is "word", remove the element and return true. */
static bool
TakeLastWord(Datum *words, int *count, const char *word)
{
	if (*count == 0 || strcmp(DatumGetCString(words[*count - 1]), word) != 0)
		return false;
	(*count)--;
	return true;
}

static void
ReadSizes(const Datum *words, int count, int *sizes)
{
	for (int i = 0; i < count; i++)
	{
		char	   *word = DatumGetCString(words[i]);

		if (strspn(word, "+-0123456789") != strlen(word))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid type modifier"),
					 errdetail("Expected a size instead of \"%s\".",
							   word)));
		sizes[i] = pg_strtoint32(word);
	}
}

PG_FUNCTION_INFO_V1(dlints_typmod_in);

Datum
dlints_typmod_in(PG_FUNCTION_ARGS)
{
	Datum	   *words;
	int			count;
	int			sizes[2] = {0, 0};
	DlintsHeader shape;

	memset(&shape, 0, sizeof(shape));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &words, NULL, &count);
	shape.intercept = TakeLastWord(words, &count, "intercept");
	if (TakeLastWord(words, &count, "matched"))
		shape.interactions = INTERACTIONS_MATCHED;
	if (count < 1 || count > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier"),
				 errhint("Write dlints(dim), dlints(dim, reduced_dim), dlints(dim, matched) or dlints(dim, reduced_dim, matched), each with \", intercept\" for models that must have one.")));

	ReadSizes(words, count, sizes);
	shape.feature_dim = sizes[0];
	shape.reduced_dim = sizes[1];
	if (shape.interactions == INTERACTIONS_MATCHED)
		shape.profile_dim = shape.feature_dim;
	CheckShape(shape, count > 1);
	PG_RETURN_INT32(TypmodFromShape(&shape));
}

PG_FUNCTION_INFO_V1(dlints_typmod_out);

Datum
dlints_typmod_out(PG_FUNCTION_ARGS)
{
	DlintsHeader shape = ShapeFromTypmod(PG_GETARG_INT32(0));

	PG_RETURN_CSTRING(ModelShape(&shape));
}

PG_FUNCTION_INFO_V1(dlints_enforce_typmod);

Datum
dlints_enforce_typmod(PG_FUNCTION_ARGS)
{
	DlintsHeader header = ModelHeaderFromDatum(PG_GETARG_DATUM(0));

	ModelCheckTypmod(&header, PG_GETARG_INT32(1), NULL);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* ---------- text, casts and equality ---------- */

/*
 * Convert text to a model.  Returns NULL and describes the problem if the text is invalid.
 *
 * We catch errors without a subtransaction, because the parser of jsonb and ModelFromJson() acquire
 * only memory.
 */
static Dlints *
TryParse(char *text, Problem *problem)
{
	MemoryContext caller = CurrentMemoryContext;
	Dlints	   *volatile model = NULL;

	PG_TRY();
	{
		model = ModelFromJson(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	}
	PG_CATCH();
	{
		ErrorData  *error;

		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION &&
			geterrcode() != ERRCODE_FEATURE_NOT_SUPPORTED)
			PG_RE_THROW();
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		problem->sqlerrcode = error->sqlerrcode;
		problem->message = error->detail ? error->detail : error->message;
	}
	PG_END_TRY();
	return model;
}

PG_FUNCTION_INFO_V1(dlints_in);

Datum
dlints_in(PG_FUNCTION_ARGS)
{
	Problem		problem = {0};
	Dlints	   *model = TryParse(PG_GETARG_CSTRING(0), &problem);

	if (problem.sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(problem.sqlerrcode),
				 errmsg("%s", problem.message)));
	if (model == NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "dlints"),
				 errdetail("%s", problem.message)));
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
	PG_RETURN_DLINTS_P(ModelFromJson(PG_GETARG_DATUM(0)));
}

/* Equality of models, for IS DISTINCT FROM, DISTINCT, hash joins and REPLICA IDENTITY FULL */
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
	PG_RETURN_UINT32(ModelHash(PG_GETARG_DATUM(0)));
}

/* ---------- the binary form ---------- */

static void
SendField(StringInfo buf, const DlintsHeader *header, const Field *field)
{
	FieldValue	value = FieldGet(header, field);

	if (field->type == FIELD_FLOAT8)
		pq_sendfloat8(buf, value.number);
	else if (field->type == FIELD_INT64)
		pq_sendint64(buf, (uint64) value.integer);
	else
		pq_sendint(buf, (uint32) value.integer, field->type);
}

static void
ReceiveField(StringInfo buf, DlintsHeader *header, const Field *field)
{
	FieldValue	value = {0, 0.0};

	if (field->type == FIELD_FLOAT8)
		value.number = pq_getmsgfloat8(buf);
	else if (field->type == FIELD_INT64)
		value.integer = pq_getmsgint64(buf);
	else
		value.integer = (int32) pq_getmsgint(buf, field->type);
	FieldSet(header, field, value);
}

static void
RaiseInvalidBinary(const Problem *problem)
{
	RaiseInvalidInput(problem, ERRCODE_INVALID_BINARY_REPRESENTATION,
					  "invalid dlints in external value");
}

static void
CheckLength(bool good)
{
	if (!good)
		RaiseInvalidBinary(&(Problem) {
			.message = "The length of the value does not match its header"});
}

/* Size in bytes of the header in the binary form, without length word and unused fields */
#define EXTERNAL_HEADER_SIZE \
	((int) (offsetof(DlintsHeader, unused2) - sizeof(int32) - sizeof(uint8)))

/* Read the binary form of a model, which is untrusted.  Checks sizes before allocations. */
static Dlints *
ModelReceive(StringInfo buf)
{
	DlintsHeader header;
	Problem		problem;
	Dlints	   *model;
	double	   *numbers;
	Size		count;

	CheckLength(buf->len - buf->cursor >= EXTERNAL_HEADER_SIZE);
	memset(&header, 0, sizeof(header));
	for (Size i = 0; i < field_count; i++)
		ReceiveField(buf, &header, &fields[i]);
	if (!ModelCheckParameters(&header, &problem))
		RaiseInvalidBinary(&problem);

	count = ModelStoredCount(&header);
	CheckLength(buf->len - buf->cursor == count * sizeof(float8));
	model = ModelAllocate(&header);
	numbers = ModelStoredNumbers(model);
	for (Size i = 0; i < count; i++)
		numbers[i] = pq_getmsgfloat8(buf);
	if (!ModelNormalizeExternal(model, &problem))
		RaiseInvalidBinary(&problem);
	return model;
}

PG_FUNCTION_INFO_V1(dlints_recv);

Datum
dlints_recv(PG_FUNCTION_ARGS)
{
	Dlints	   *model = ModelReceive((StringInfo) PG_GETARG_POINTER(0));

	ModelCheckTypmod(&model->header, PG_GETARG_INT32(2), NULL);
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_send);

Datum
dlints_send(PG_FUNCTION_ARGS)
{
	Dlints	   *model = PG_GETARG_DLINTS_P(0);
	Size		count = ModelStoredCount(&model->header);
	const double *numbers = ModelStoredNumbers(model);
	StringInfoData buf;

	pq_begintypsend(&buf);
	for (Size i = 0; i < field_count; i++)
		SendField(&buf, &model->header, &fields[i]);
	for (Size i = 0; i < count; i++)
		pq_sendfloat8(&buf, numbers[i]);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}
