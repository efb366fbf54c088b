/*
 * json.c
 *		Convert a model to JSON and back, without loss.
 *
 * A value that a model does not have is null in JSON.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "model/fields.h"

/* JSON keys of a model's sums over observations, and of its prior */
#define EVIDENCE_NAME	"evidence"
#define PRIOR_NAME		"prior"

/* Shape of a JSON value: a number, a vector, or the rows of a lower triangle */
typedef enum Shape
{
	SHAPE_NUMBER,
	SHAPE_VECTOR,
	SHAPE_TRIANGLE
} Shape;

typedef struct Member
{
	const char *name;
	Shape		shape;
	/* numbers of the JSON member, or NULL if the model does not store them */
	double	   *numbers;
} Member;

typedef struct Object
{
	int			dim;
	int			count;
	Member		members[7];
} Object;

static Object
MemoryObject(const Evidence *evidence)
{
	return (Object) {evidence->dim, 7, {
		{"weight_sum", SHAPE_NUMBER, evidence->N},
		{"weight_square_sum", SHAPE_NUMBER, evidence->N2},
		{"reward_sum", SHAPE_NUMBER, evidence->R},
		{"reward_square_sum", SHAPE_NUMBER, evidence->S},
		{"b", SHAPE_VECTOR, evidence->b},
		{"G", SHAPE_TRIANGLE, evidence->G},
		{"H", SHAPE_TRIANGLE, evidence->H}
	}};
}

static Object
PriorObject(Dlints *model)
{
	double	   *numbers = ModelPriorNumbers(model);
	int			dim = ModelCoefficientCount(&model->header);

	return (Object) {dim, 4, {
		{"weight_sum", SHAPE_NUMBER, numbers},
		{"sigma", SHAPE_NUMBER, numbers + 1},
		{"b", SHAPE_VECTOR, numbers + 2},
		{"G", SHAPE_TRIANGLE, numbers + 2 + dim}
	}};
}

static void
WriteNumber(StringInfo buf, double value)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(value, digits);
	appendStringInfoString(buf, digits);
}

static void
WriteVector(StringInfo buf, const double *values, int count)
{
	appendStringInfoChar(buf, '[');
	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoString(buf, ", ");
		WriteNumber(buf, values[i]);
	}
	appendStringInfoChar(buf, ']');
}

/* Write a packed lower triangle as a JSON array of rows. */
static void
WriteTriangle(StringInfo buf, const double *packed, int dim)
{
	double	   *row = palloc(sizeof(double) * dim);

	for (int i = 0; i < dim; i++)
	{
		for (int j = 0; j <= i; j++)
			row[j] = packed[linalg_packed_index(dim, i, j)];
		appendStringInfoString(buf, i == 0 ? "[" : ", ");
		WriteVector(buf, row, i + 1);
	}
	appendStringInfoChar(buf, ']');
	pfree(row);
}

static void
WriteMember(StringInfo buf, const Member *member, int dim)
{
	if (member->numbers == NULL)
		appendStringInfoString(buf, "null");
	else if (member->shape == SHAPE_NUMBER)
		WriteNumber(buf, *member->numbers);
	else if (member->shape == SHAPE_VECTOR)
		WriteVector(buf, member->numbers, dim);
	else
		WriteTriangle(buf, member->numbers, dim);
}

static void
WriteObject(StringInfo buf, Object object)
{
	for (int i = 0; i < object.count; i++)
	{
		appendStringInfo(buf, "%s\"%s\": ", i == 0 ? "{" : ", ", object.members[i].name);
		WriteMember(buf, &object.members[i], object.dim);
	}
	appendStringInfoChar(buf, '}');
}

static void
WriteEvidence(StringInfo buf, Dlints *model)
{
	Memories	memories = ModelMemories(model);

	appendStringInfoString(buf, ", \"" EVIDENCE_NAME "\": ");
	if (model->header.updates == 0)
	{
		appendStringInfoString(buf, "null");
		return;
	}
	for (int i = 0; i < memories.count; i++)
	{
		appendStringInfoString(buf, i == 0 ? "[" : ", ");
		WriteObject(buf, MemoryObject(&memories.memory[i]));
	}
	appendStringInfoChar(buf, ']');
}

static void
WritePrior(StringInfo buf, Dlints *model)
{
	appendStringInfoString(buf, ", \"" PRIOR_NAME "\": ");
	if (ModelPriorCount(&model->header) == 0)
		appendStringInfoString(buf, "null");
	else
		WriteObject(buf, PriorObject(model));
}

char *
ModelToJson(Dlints *model)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (int i = 0; i < field_count; i++)
	{
		appendStringInfo(&buf, "%s\"%s\": ", i == 0 ? "{" : ", ", fields[i].name);
		FieldWrite(&buf, &model->header, &fields[i]);
	}
	WriteEvidence(&buf, model);
	WritePrior(&buf, model);
	appendStringInfoChar(&buf, '}');
	return buf.data;
}

static void
RaiseInvalidText(const Problem *problem)
{
	RaiseInvalidInput(problem, ERRCODE_INVALID_TEXT_REPRESENTATION,
					  "invalid input syntax for type dlints");
}

static void
RaiseMalformed(const char *what)
{
	RaiseInvalidText(&(Problem) {.message = what});
}

static bool
IsKnownName(const char *const *names, int count, const JsonbValue *key)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == key->val.string.len &&
			memcmp(names[i], key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

/* Raise an error for unknown keys, which may be misspelled. */
static void
CheckNames(JsonbContainer *object, const char *const *names, int count)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !IsKnownName(names, count, &value))
			RaiseMalformed(psprintf("Unknown field \"%s\"",
									pnstrdup(value.val.string.val, value.val.string.len)));
}

/* Return the value of a key in a JSON object.  Raises an error if the key is missing. */
static JsonbValue *
GetField(JsonbContainer *object, const char *name)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, name, strlen(name), NULL);

	if (value == NULL)
		RaiseMalformed(psprintf("Field \"%s\" is missing", name));
	return value;
}

static double
ReadNumber(const JsonbValue *value, const char *name)
{
	if (value->type != jbvNumeric)
		RaiseMalformed(psprintf("Field \"%s\" must contain numbers", name));
	/* a number that is too large becomes infinity, which a later check rejects */
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(value->val.numeric)));
}

static int64
ReadInteger(const JsonbValue *value, const char *name, int64 min, int64 max)
{
	char	   *end = "not a number";
	int64		integer = 0;

	if (value->type == jbvNumeric)
	{
		char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out,
			DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(value->val.numeric))));

		errno = 0;
		integer = strtoll(text, &end, 10);
	}
	if (*end != '\0' || errno != 0 || integer < min || integer > max)
		RaiseMalformed(psprintf("Field \"%s\" must be an integer between " INT64_FORMAT " and " INT64_FORMAT,
								name, min, max));
	return integer;
}

static int
ReadName(const JsonbValue *value, const Field *field)
{
	char	   *text;
	int			number;

	if (value->type != jbvString)
		RaiseMalformed(psprintf("Field \"%s\" must be a string", field->name));
	text = pnstrdup(value->val.string.val, value->val.string.len);
	number = FindName(field->names, text);
	if (number < 0)
		RaiseMalformed(psprintf("Unknown %s \"%s\"", field->name, text));
	return number;
}

static bool
ReadBoolean(const JsonbValue *value, const char *name)
{
	if (value->type != jbvBool)
		RaiseMalformed(psprintf("Field \"%s\" must be true or false", name));
	return value->val.boolean;
}

/*
 * Read a header field from JSON.
 *
 * null is valid only if the field can be NULL.  If the header stores NULL as 0 in an integer field,
 * the number 0 is not valid.
 */
static void
ReadField(JsonbContainer *object, DlintsHeader *header, const Field *field)
{
	JsonbValue *json = GetField(object, field->name);
	FieldValue	value = {0, 0.0};
	int64		min;
	int64		max;

	if (json->type == jbvNull && FieldIsNull(header, field))
		return;
	FieldRange(field, &min, &max);
	if (field->type == FIELD_FLOAT8)
		value.number = ReadNumber(json, field->name);
	else if (field->meaning == FIELD_NAME)
		value.integer = ReadName(json, field);
	else if (field->meaning == FIELD_BOOLEAN)
		value.integer = ReadBoolean(json, field->name);
	else
		value.integer = ReadInteger(json, field->name,
									field->null && *field->null == 0 ? 1 : min, max);
	FieldSet(header, field, value);
}

static void
CheckHeaderNames(JsonbContainer *object)
{
	const char **names = palloc(sizeof(char *) * (field_count + 2));

	for (int i = 0; i < field_count; i++)
		names[i] = fields[i].name;
	names[field_count] = EVIDENCE_NAME;
	names[field_count + 1] = PRIOR_NAME;
	CheckNames(object, names, field_count + 2);
}

/*
 * Read the header of a model from JSON.  If the format version is unknown, only the version is
 * read.
 */
static DlintsHeader
ReadHeader(JsonbContainer *object)
{
	DlintsHeader header;
	Problem		problem;

	memset(&header, 0, sizeof(DlintsHeader));
	header.newest = TIME_UNKNOWN;
	ReadField(object, &header, &fields[0]);
	if (header.version == DLINTS_FORMAT_VERSION)
	{
		CheckHeaderNames(object);
		for (int i = 1; i < field_count; i++)
			ReadField(object, &header, &fields[i]);
	}
	if (!ModelCheckParameters(&header, &problem))
		RaiseInvalidText(&problem);
	return header;
}

/* Return a JSON array after checking that it has "count" elements. */
static JsonbContainer *
GetArray(const JsonbValue *value, const char *name, int count)
{
	if (value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != count)
		RaiseMalformed(psprintf("Field \"%s\" must be an array of %d elements", name, count));
	return value->val.binary.data;
}

static void
ReadNumbers(const JsonbValue *value, const char *name, int count, double *values)
{
	JsonbContainer *array = GetArray(value, name, count);

	for (int i = 0; i < count; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		values[i] = ReadNumber(element, name);
		pfree(element);
	}
}

static void
ReadTriangle(const JsonbValue *value, const char *name, int dim, double *packed)
{
	JsonbContainer *rows = GetArray(value, name, dim);
	double	   *row = palloc(sizeof(double) * dim);

	for (int i = 0; i < dim; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ReadNumbers(getIthJsonbValueFromContainer(rows, i), name, i + 1, row);
		for (int j = 0; j <= i; j++)
			packed[linalg_packed_index(dim, i, j)] = row[j];
	}
	pfree(row);
}

static void
ReadMember(const JsonbValue *value, const Member *member, int dim)
{
	if (member->numbers == NULL && value->type != jbvNull)
		RaiseMalformed(psprintf("Field \"%s\" must be null in this memory", member->name));
	if (member->numbers == NULL)
		return;
	if (member->shape == SHAPE_NUMBER)
		*member->numbers = ReadNumber(value, member->name);
	else if (member->shape == SHAPE_VECTOR)
		ReadNumbers(value, member->name, dim, member->numbers);
	else
		ReadTriangle(value, member->name, dim, member->numbers);
}

/* Read a JSON object that must have exactly the given members. */
static void
ReadObject(const JsonbValue *value, const char *what, Object object)
{
	const char *names[lengthof(object.members)] = {NULL};

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		RaiseMalformed(psprintf("%s must be an object", what));
	for (int i = 0; i < object.count; i++)
		names[i] = object.members[i].name;
	CheckNames(value->val.binary.data, names, object.count);
	for (int i = 0; i < object.count; i++)
		ReadMember(GetField(value->val.binary.data, names[i]), &object.members[i], object.dim);
}

static void
ReadEvidence(const JsonbValue *value, Dlints *model)
{
	Memories	memories = ModelMemories(model);
	JsonbContainer *array;

	if (model->header.updates <= 0)
	{
		if (value->type != jbvNull)
			RaiseMalformed("Field \"" EVIDENCE_NAME "\" must be null without observations");
		return;
	}
	array = GetArray(value, EVIDENCE_NAME, memories.count);
	for (int j = 0; j < memories.count; j++)
		ReadObject(getIthJsonbValueFromContainer(array, j), "A memory",
				   MemoryObject(&memories.memory[j]));
}

static void
ReadPrior(const JsonbValue *value, Dlints *model)
{
	if (ModelPriorCount(&model->header) > 0)
		ReadObject(value, "A prior", PriorObject(model));
	else if (value->type != jbvNull)
		RaiseMalformed("Field \"" PRIOR_NAME "\" must be null without a prior_weight");
}

/* Convert jsonb to a model.  Raises an error (22P02) if the jsonb is invalid. */
Dlints *
ModelFromJson(Datum jsonb)
{
	Jsonb	   *document = DatumGetJsonbP(jsonb);
	DlintsHeader header;
	Dlints	   *model;
	Problem		problem;

	if (!JB_ROOT_IS_OBJECT(document))
		RaiseMalformed("A model must be a JSON object");
	header = ReadHeader(&document->root);
	model = ModelAllocate(&header);
	ReadEvidence(GetField(&document->root, EVIDENCE_NAME), model);
	ReadPrior(GetField(&document->root, PRIOR_NAME), model);
	if (!ModelNormalizeExternal(model, &problem))
		RaiseInvalidText(&problem);
	return model;
}
