/*
 * json.c
 *		Convert a model to JSON and back.
 *
 * Input restores the identical value.  JSON null stands for a value that a model lacks.
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "core/linalg.h"
#include "model/fields.h"
#include "model/model.h"

/* JSON keys of the sums over observations for each discount factor, and of the prior */
#define EVIDENCE_NAME	"evidence"
#define PRIOR_NAME		"prior"

/* Shape of a JSON member: a number, a vector, or the rows of a lower triangle */
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
	double	   *numbers;		/* the member's value; NULL if the model does not store it */
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

/* Write a packed lower triangle as an array of rows. */
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

/* State of the JSON reader.  "problem" describes the first error. */
typedef struct Reader
{
	JsonbContainer *object;		/* object being parsed */
	Problem		problem;
} Reader;

static bool
ReportMalformed(Reader *reader, const char *what)
{
	return ReportProblem(&reader->problem, ERRCODE_INVALID_TEXT_REPRESENTATION, what, NULL, NULL);
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

/* Reject unknown keys, because they may be misspelled fields. */
static bool
CheckNames(Reader *reader, const char *const *names, int count)
{
	JsonbIterator *iterator = JsonbIteratorInit(reader->object);
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !IsKnownName(names, count, &value))
			return ReportMalformed(reader,
								   psprintf("Unknown field \"%s\"",
											pnstrdup(value.val.string.val, value.val.string.len)));
	return true;
}

/* Get the value of a key.  Returns NULL if the key is missing. */
static JsonbValue *
GetField(Reader *reader, const char *name)
{
	JsonbValue *value = getKeyJsonValueFromContainer(reader->object, name, strlen(name), NULL);

	if (value == NULL)
		ReportMalformed(reader, psprintf("Field \"%s\" is missing", name));
	return value;
}

static bool
ReadNumber(Reader *reader, const JsonbValue *value, const char *name, double *number)
{
	if (value->type != jbvNumeric)
		return ReportMalformed(reader, psprintf("Field \"%s\" must contain numbers", name));
	/* a numeric that is too large becomes infinity, which a later check rejects */
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												 NumericGetDatum(value->val.numeric)));
	return true;
}

static int
CompareNumeric(Datum number, int64 integer)
{
	Datum		other = DirectFunctionCall1(int8_numeric, Int64GetDatum(integer));

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, number, other));
}

static bool
ReadInteger(Reader *reader, const JsonbValue *value, const char *name,
			int64 min, int64 max, int64 *integer)
{
	if (value->type == jbvNumeric)
	{
		Datum		number = NumericGetDatum(value->val.numeric);

		if (CompareNumeric(number, min) >= 0 && CompareNumeric(number, max) <= 0)
		{
			*integer = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
			if (CompareNumeric(number, *integer) == 0)
				return true;
		}
	}
	return ReportMalformed(reader,
						   psprintf("Field \"%s\" must be an integer between " INT64_FORMAT " and " INT64_FORMAT,
									name, min, max));
}

static bool
ReadName(Reader *reader, const JsonbValue *value, const Field *field, int64 *number)
{
	char	   *text;

	if (value->type != jbvString)
		return ReportMalformed(reader, psprintf("Field \"%s\" must be a string", field->name));
	text = pnstrdup(value->val.string.val, value->val.string.len);
	*number = FindName(field->names, text);
	return *number >= 0 ||
		ReportMalformed(reader, psprintf("Unknown %s \"%s\"", field->name, text));
}

/* Read a field that is not JSON null.  The number 0 is an error if the header stores null as 0. */
static bool
ReadFieldValue(Reader *reader, const JsonbValue *json, const Field *field, FieldValue *value)
{
	int64		min;
	int64		max;

	if (field->type == FIELD_FLOAT8)
		return ReadNumber(reader, json, field->name, &value->number);
	if (field->meaning == FIELD_NAME)
		return ReadName(reader, json, field, &value->integer);
	if (field->meaning == FIELD_BOOLEAN)
	{
		value->integer = json->type == jbvBool && json->val.boolean;
		return json->type == jbvBool ||
			ReportMalformed(reader, psprintf("Field \"%s\" must be true or false", field->name));
	}
	FieldRange(field, &min, &max);
	if (field->null && *field->null == 0)
		min = 1;
	return ReadInteger(reader, json, field->name, min, max, &value->integer);
}

/* Read a header field.  JSON null is accepted if the field may be null. */
static bool
ReadField(Reader *reader, DlintsHeader *header, const Field *field)
{
	JsonbValue *json = GetField(reader, field->name);
	FieldValue	value = {0, 0.0};

	if (json == NULL)
		return false;
	if (json->type == jbvNull && FieldIsNull(header, field))
		return true;
	if (!ReadFieldValue(reader, json, field, &value))
		return false;
	FieldSet(header, field, value);
	return true;
}

static bool
CheckHeaderNames(Reader *reader)
{
	const char **names = palloc(sizeof(char *) * (field_count + 2));
	int			i;

	for (i = 0; i < field_count; i++)
		names[i] = fields[i].name;
	names[i++] = EVIDENCE_NAME;
	names[i++] = PRIOR_NAME;
	return CheckNames(reader, names, i);
}

/* Read the header.  If the format version is unknown, only the version is read. */
static bool
ReadHeader(Reader *reader, DlintsHeader *header)
{
	memset(header, 0, sizeof(DlintsHeader));
	header->newest = TIME_UNKNOWN;
	if (!ReadField(reader, header, &fields[0]))
		return false;
	if (header->version == DLINTS_FORMAT_VERSION)
	{
		if (!CheckHeaderNames(reader))
			return false;
		for (int i = 1; i < field_count; i++)
			if (!ReadField(reader, header, &fields[i]))
				return false;
	}
	return ModelCheckParameters(header, &reader->problem);
}

/* Get a JSON array of "count" elements.  Returns NULL for any other value. */
static JsonbContainer *
GetArray(Reader *reader, const JsonbValue *value, const char *name, int count)
{
	if (value->type == jbvBinary &&
		JsonContainerIsArray(value->val.binary.data) &&
		!JsonContainerIsScalar(value->val.binary.data) &&
		JsonContainerSize(value->val.binary.data) == count)
		return value->val.binary.data;
	ReportMalformed(reader, psprintf("Field \"%s\" must be an array of %d elements", name, count));
	return NULL;
}

static bool
ReadNumbers(Reader *reader, const JsonbValue *value, const char *name, int count, double *values)
{
	JsonbContainer *array = GetArray(reader, value, name, count);

	for (int i = 0; array && i < count; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (!ReadNumber(reader, element, name, &values[i]))
			return false;
		pfree(element);
	}
	return array != NULL;
}

static bool
ReadTriangle(Reader *reader, const JsonbValue *value, const char *name, int dim, double *packed)
{
	JsonbContainer *rows = GetArray(reader, value, name, dim);
	double	   *row = palloc(sizeof(double) * dim);

	for (int i = 0; rows && i < dim; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!ReadNumbers(reader, getIthJsonbValueFromContainer(rows, i), name, i + 1, row))
			return false;
		for (int j = 0; j <= i; j++)
			packed[linalg_packed_index(dim, i, j)] = row[j];
	}
	pfree(row);
	return rows != NULL;
}

static bool
ReadMember(Reader *reader, const Member *member, int dim)
{
	JsonbValue *value = GetField(reader, member->name);

	if (value == NULL)
		return false;
	if (member->numbers == NULL)
		return value->type == jbvNull ||
			ReportMalformed(reader, psprintf("Field \"%s\" must be null in this memory",
											 member->name));
	if (member->shape == SHAPE_NUMBER)
		return ReadNumber(reader, value, member->name, member->numbers);
	if (member->shape == SHAPE_VECTOR)
		return ReadNumbers(reader, value, member->name, dim, member->numbers);
	return ReadTriangle(reader, value, member->name, dim, member->numbers);
}

/* Read a JSON object with exactly the given members. */
static bool
ReadObject(Reader *reader, const JsonbValue *value, const char *what, Object object)
{
	JsonbContainer *model = reader->object;
	const char *names[lengthof(object.members)] = {NULL};
	bool		good;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		return ReportMalformed(reader, psprintf("%s must be an object", what));
	reader->object = value->val.binary.data;
	for (int i = 0; i < object.count; i++)
		names[i] = object.members[i].name;
	good = CheckNames(reader, names, object.count);
	for (int i = 0; good && i < object.count; i++)
		good = ReadMember(reader, &object.members[i], object.dim);
	reader->object = model;
	return good;
}

static bool
ReadEvidence(Reader *reader, const Memories *memories, bool expected)
{
	JsonbValue *value = GetField(reader, EVIDENCE_NAME);
	JsonbContainer *array;

	if (value == NULL)
		return false;
	if (!expected)
		return value->type == jbvNull ||
			ReportMalformed(reader, "Field \"" EVIDENCE_NAME "\" must be null without observations");
	array = GetArray(reader, value, EVIDENCE_NAME, memories->count);
	for (int j = 0; array && j < memories->count; j++)
		if (!ReadObject(reader, getIthJsonbValueFromContainer(array, j), "A memory",
						MemoryObject(&memories->memory[j])))
			return false;
	return array != NULL;
}

static bool
ReadPrior(Reader *reader, Dlints *model)
{
	JsonbValue *value = GetField(reader, PRIOR_NAME);

	if (value == NULL)
		return false;
	if (ModelPriorCount(&model->header) == 0)
		return value->type == jbvNull ||
			ReportMalformed(reader, "Field \"" PRIOR_NAME "\" must be null without a prior_weight");
	return ReadObject(reader, value, "A prior", PriorObject(model));
}

static Dlints *
ReadModel(Reader *reader)
{
	DlintsHeader header;
	Dlints	   *model;
	Memories	memories;

	if (!ReadHeader(reader, &header))
		return NULL;
	model = ModelAllocate(&header);
	memories = ModelMemories(model);
	if (!ReadEvidence(reader, &memories, header.updates > 0) ||
		!ReadPrior(reader, model) ||
		!ModelNormalizeExternal(model, &reader->problem))
		return NULL;
	return model;
}

/*
 * Convert jsonb to a model.  Returns NULL if "escontext" saves an error.  An unknown format version
 * has a separate error, because another version of dlints may accept the value.
 */
Dlints *
ModelFromJson(Datum jsonb, Node *escontext)
{
	Jsonb	   *document = DatumGetJsonbP(jsonb);
	Reader		reader = {.object = &document->root};
	Problem    *problem = &reader.problem;
	Dlints	   *model = NULL;

	if (JB_ROOT_IS_OBJECT(document))
		model = ReadModel(&reader);
	else
		ReportMalformed(&reader, "A model must be a JSON object");
	if (model)
		return model;

	if (problem->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED)
		ereturn(escontext, NULL,
				(errcode(problem->sqlerrcode),
				 errmsg("%s", problem->message)));
	ereturn(escontext, NULL,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", "dlints"),
			 errdetail("%s.%s%s", problem->message,
					   problem->detail ? " " : "",
					   problem->detail ? problem->detail : "")));
}
