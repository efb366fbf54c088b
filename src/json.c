/*
 * json.c
 *		The text form of a model: JSON that reads back to the identical value.
 *
 * Numbers are written with the fewest digits that round-trip.  G and H are
 * written as the rows of their lower triangles, whatever the stored order is.
 */
#include "dlints.h"

#include "common/shortest_dec.h"
#include "core/linalg.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#define GENERATOR_NAME	"philox4x32-10"
#define INVALID_TEXT	"invalid input syntax for type dlints"

/* indexed by DLINTS_POLICY_... */
static const char *const policy_names[DLINTS_POLICY_COUNT] = {
	"thompson", "ucb", "greedy"
};

const char *
PolicyName(uint8 policy)
{
	Assert(policy < DLINTS_POLICY_COUNT);
	return policy_names[policy];
}

bool
PolicyFromName(const char *name, uint8 *policy)
{
	uint8		i;

	for (i = 0; i < DLINTS_POLICY_COUNT; i++)
		if (strcmp(name, policy_names[i]) == 0)
		{
			*policy = i;
			return true;
		}
	return false;
}

static void
WriteNumber(StringInfo buf, double value)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(value, digits);
	appendStringInfoString(buf, digits);
}

static void
WriteNumberField(StringInfo buf, const char *name, double value)
{
	appendStringInfo(buf, ", \"%s\": ", name);
	WriteNumber(buf, value);
}

static void
WriteVector(StringInfo buf, const char *name, const double *values, int count)
{
	int			i;

	appendStringInfo(buf, ", \"%s\": [", name);
	for (i = 0; i < count; i++)
	{
		if (i > 0)
			appendStringInfoString(buf, ", ");
		WriteNumber(buf, values[i]);
	}
	appendStringInfoChar(buf, ']');
}

static void
WriteTriangle(StringInfo buf, const char *name, const double *packed, int dim)
{
	int			i;
	int			j;

	appendStringInfo(buf, ", \"%s\": [", name);
	for (i = 0; i < dim; i++)
	{
		appendStringInfoString(buf, i > 0 ? ", [" : "[");
		for (j = 0; j <= i; j++)
		{
			if (j > 0)
				appendStringInfoString(buf, ", ");
			WriteNumber(buf, packed[linalg_packed_index(dim, i, j)]);
		}
		appendStringInfoChar(buf, ']');
	}
	appendStringInfoChar(buf, ']');
}

char *
ModelToJson(Dlints *model)
{
	StringInfoData buf;
	Evidence	evidence;

	ModelGetEvidence(model, &evidence);
	initStringInfo(&buf);

	appendStringInfo(&buf, "{\"format\": %d, \"policy\": \"%s\"",
					 model->version, PolicyName(model->policy));
	appendStringInfo(&buf, ", \"context_dim\": %d", model->context_dim);
	if (ModelHasProjection(model))
		appendStringInfo(&buf, ", \"reduced_dim\": %d", model->reduced_dim);
	else
		appendStringInfoString(&buf, ", \"reduced_dim\": null");
	appendStringInfo(&buf, ", \"shared_dim\": %d, \"intercept\": %s",
					 model->shared_dim,
					 ModelHasIntercept(model) ? "true" : "false");
	WriteNumberField(&buf, "discount", model->discount);
	WriteNumberField(&buf, "ridge", model->ridge);
	WriteNumberField(&buf, "exploration", model->exploration);
	appendStringInfo(&buf, ", \"seed\": " INT64_FORMAT, model->seed);
	if (ModelHasProjection(model))
		WriteNumberField(&buf, "projection_scale", model->projection_scale);
	else
		appendStringInfoString(&buf, ", \"projection_scale\": null");
	appendStringInfoString(&buf, ", \"generator\": \"" GENERATOR_NAME "\"");

	appendStringInfo(&buf, ", \"updates\": " INT64_FORMAT, model->updates);
	WriteNumberField(&buf, "weight_sum", model->weight_sum);
	WriteNumberField(&buf, "reward_sum", model->reward_sum);
	WriteNumberField(&buf, "reward_square_sum", model->reward_square_sum);
	WriteVector(&buf, "b", evidence.b, evidence.dim);
	WriteTriangle(&buf, "G", evidence.G, evidence.dim);
	if (evidence.H)
		WriteTriangle(&buf, "H", evidence.H, evidence.dim);
	else
		appendStringInfoString(&buf, ", \"H\": null");
	appendStringInfoChar(&buf, '}');
	return buf.data;
}

/* All fields of the object, in the order in which they are written. */
static const char *const field_names[] = {
	"format", "policy", "context_dim", "reduced_dim", "shared_dim", "intercept",
	"discount", "ridge", "exploration", "seed", "projection_scale", "generator",
	"updates", "weight_sum", "reward_sum", "reward_square_sum", "b", "G", "H"
};

static void
Malformed(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg(INVALID_TEXT),
			 errdetail("%s", detail)));
}

/* A misspelt field would otherwise be one that is silently ignored. */
static void
CheckFieldNames(JsonbContainer *object)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		int			i;

		if (token != WJB_KEY)
			continue;
		for (i = 0; i < lengthof(field_names); i++)
			if (strlen(field_names[i]) == value.val.string.len &&
				memcmp(field_names[i], value.val.string.val,
					   value.val.string.len) == 0)
				break;
		if (i == lengthof(field_names))
			Malformed(psprintf("Unknown field \"%s\".",
							   pnstrdup(value.val.string.val,
										value.val.string.len)));
	}
}

static JsonbValue *
Field(JsonbContainer *object, const char *name)
{
	JsonbValue	key;
	JsonbValue *value;

	key.type = jbvString;
	key.val.string.val = unconstify(char *, name);
	key.val.string.len = strlen(name);
	value = findJsonbValueFromContainer(object, JB_FOBJECT, &key);
	if (value == NULL)
		Malformed(psprintf("Field \"%s\" is missing.", name));
	return value;
}

static bool
FieldIsNull(JsonbContainer *object, const char *name)
{
	return Field(object, name)->type == jbvNull;
}

static char *
StringField(JsonbContainer *object, const char *name)
{
	JsonbValue *value = Field(object, name);

	if (value->type != jbvString)
		Malformed(psprintf("Field \"%s\" must be a string.", name));
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static bool
BooleanField(JsonbContainer *object, const char *name)
{
	JsonbValue *value = Field(object, name);

	if (value->type != jbvBool)
		Malformed(psprintf("Field \"%s\" must be true or false.", name));
	return value->val.boolean;
}

static double
NumberValue(const JsonbValue *value, const char *name)
{
	if (value == NULL || value->type != jbvNumeric)
		Malformed(psprintf("Field \"%s\" must hold numbers.", name));
	/* too large a number becomes infinity, which the validator refuses */
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(value->val.numeric)));
}

static double
NumberField(JsonbContainer *object, const char *name)
{
	return NumberValue(Field(object, name), name);
}

static int
CompareNumeric(Datum number, int64 integer)
{
	Datum		other = DirectFunctionCall1(int8_numeric,
											Int64GetDatum(integer));

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, number, other));
}

static int64
IntegerField(JsonbContainer *object, const char *name, int64 min, int64 max)
{
	JsonbValue *value = Field(object, name);
	Datum		number = NumericGetDatum(value->val.numeric);

	if (value->type != jbvNumeric ||
		CompareNumeric(number, min) < 0 || CompareNumeric(number, max) > 0 ||
		CompareNumeric(number, DatumGetInt64(DirectFunctionCall1(numeric_int8,
																 number))) != 0)
		Malformed(psprintf("Field \"%s\" must be an integer of its range.",
						   name));
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
}

/* An array of exactly count elements. */
static JsonbContainer *
ArrayOf(const JsonbValue *value, const char *name, int count)
{
	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != count)
		Malformed(psprintf("Field \"%s\" must hold an array of %d elements here.",
						   name, count));
	return value->val.binary.data;
}

static double
Element(JsonbContainer *array, int i, const char *name)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, i);
	double		number = NumberValue(value, name);

	pfree(value);
	return number;
}

static void
ReadVector(JsonbContainer *object, const char *name, int count,
		   double *values)
{
	JsonbContainer *array = ArrayOf(Field(object, name), name, count);
	int			i;

	for (i = 0; i < count; i++)
		values[i] = Element(array, i, name);
}

static void
ReadTriangle(JsonbContainer *object, const char *name, int dim,
			 double *packed)
{
	JsonbContainer *rows = ArrayOf(Field(object, name), name, dim);
	int			i;
	int			j;

	for (i = 0; i < dim; i++)
	{
		JsonbContainer *row;

		CHECK_FOR_INTERRUPTS();
		row = ArrayOf(getIthJsonbValueFromContainer(rows, i), name, i + 1);

		for (j = 0; j <= i; j++)
			packed[linalg_packed_index(dim, i, j)] = Element(row, j, name);
	}
}

static void
ReadParameters(JsonbContainer *object, Dlints *header)
{
	memset(header, 0, DLINTS_HEADER_SIZE);
	header->version = IntegerField(object, "format", 0, PG_UINT16_MAX);
	if (header->version != DLINTS_FORMAT_VERSION)
		return;					/* the validator names it */
	CheckFieldNames(object);

	if (!PolicyFromName(StringField(object, "policy"), &header->policy))
		Malformed(psprintf("Unknown policy \"%s\".",
						   StringField(object, "policy")));
	if (strcmp(StringField(object, "generator"), GENERATOR_NAME) != 0)
		Malformed(psprintf("Unknown generator \"%s\".",
						   StringField(object, "generator")));
	header->generator = DLINTS_GENERATOR_PHILOX;

	header->context_dim = IntegerField(object, "context_dim",
									   PG_INT32_MIN, PG_INT32_MAX);
	if (FieldIsNull(object, "reduced_dim"))
	{
		header->projection = DLINTS_PROJECTION_NONE;
		header->reduced_dim = header->context_dim;
		if (!FieldIsNull(object, "projection_scale"))
			Malformed("Field \"projection_scale\" must be null without reduced_dim.");
	}
	else
	{
		header->projection = DLINTS_PROJECTION_GAUSSIAN;
		header->reduced_dim = IntegerField(object, "reduced_dim",
										   PG_INT32_MIN, PG_INT32_MAX);
		header->projection_scale = NumberField(object, "projection_scale");
	}
	header->shared_dim = IntegerField(object, "shared_dim",
									  PG_INT32_MIN, PG_INT32_MAX);
	if (BooleanField(object, "intercept"))
		header->flags |= DLINTS_FLAG_INTERCEPT;
	header->discount = NumberField(object, "discount");
	header->ridge = NumberField(object, "ridge");
	header->exploration = NumberField(object, "exploration");
	header->seed = IntegerField(object, "seed", PG_INT64_MIN, PG_INT64_MAX);
}

Dlints *
ModelFromJson(Datum jsonb)
{
	Jsonb	   *document = DatumGetJsonbP(jsonb);
	JsonbContainer *object = &document->root;
	Dlints		header;
	ModelProblem problem;
	Dlints	   *model;
	Evidence	evidence;

	if (!JB_ROOT_IS_OBJECT(document))
		Malformed("A model is a JSON object.");
	ReadParameters(object, &header);
	if (!ModelParametersAreValid(&header, &problem))
		ModelReject(&problem, ERRCODE_INVALID_TEXT_REPRESENTATION, INVALID_TEXT);

	model = ModelCreate(&header);
	ModelGetEvidence(model, &evidence);
	model->updates = IntegerField(object, "updates", 0, PG_INT64_MAX);
	model->weight_sum = NumberField(object, "weight_sum");
	model->reward_sum = NumberField(object, "reward_sum");
	model->reward_square_sum = NumberField(object, "reward_square_sum");
	ReadVector(object, "b", evidence.dim, evidence.b);
	ReadTriangle(object, "G", evidence.dim, evidence.G);
	if (evidence.H)
		ReadTriangle(object, "H", evidence.dim, evidence.H);
	else if (!FieldIsNull(object, "H"))
		Malformed("Field \"H\" must be null for a discount of 1.");

	ModelAccept(model, ERRCODE_INVALID_TEXT_REPRESENTATION, INVALID_TEXT);
	return model;
}
