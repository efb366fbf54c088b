/*
 * action_names.c
 *		Convert the values in a ranker's contexts and actions to names: {"size": "large"} to
 *		".size=large".
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/numeric.h"

#include "page/action_names.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Limits of the absolute values of numbers in a request; 0 is valid, too */
#define MAX_NUMBER		1e50
#define MIN_NUMBER		1e-50

/* maximum length of a quoted value in an error message */
#define MAX_QUOTED		200

/* Integers below this limit are not rounded; other numbers are rounded to powers of sqrt(2) */
#define MIN_BAND_NUMBER	32.0

/* ---------- JSON ---------- */

/* Convert a JSON document to text for an error message, of at most MAX_QUOTED bytes. */
static const char *
quote_document(Jsonb *document)
{
	char	   *text = JsonbToCString(NULL, &document->root, VARSIZE(document));

	text[pg_mbcliplen(text, strlen(text), MAX_QUOTED)] = '\0';
	return text;
}

const char *
QuoteValue(const JsonbValue *value)
{
	return quote_document(JsonbValueToJsonb(unconstify(JsonbValue *, value)));
}

JsonbValue *
GetObjectKey(JsonbContainer *object, const char *key)
{
	return JsonContainerIsObject(object) ?
		getKeyJsonValueFromContainer(object, key, strlen(key), NULL) : NULL;
}

JsonbValue *
GetValueKey(const JsonbValue *value, const char *key)
{
	return value->type == jbvBinary ? GetObjectKey(value->val.binary.data, key) : NULL;
}

/* Convert a numeric to double precision, or to infinity if the number is too large. */
double
JsonNumber(Numeric numeric)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(numeric)));
}

/* Is a JSON value 0, or a number with an absolute value from 1e-50 to 1e50? */
bool
IsCost(const JsonbValue *value)
{
	double		number;

	if (value->type != jbvNumeric)
		return false;
	number = fabs(JsonNumber(value->val.numeric));
	if (number >= MIN_NUMBER)
		return number <= MAX_NUMBER;
	return DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(value->val.numeric),
											NumericGetDatum(int64_to_numeric(0))));
}

/* Read a JSON array of "length" numbers of at most 1e50.  Returns NULL for any other value. */
double *
ReadNumberArray(const JsonbValue *value, int length)
{
	double	   *numbers;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != (uint32) length)
		return NULL;
	numbers = AllocateNumbers(length);
	for (int i = 0; i < length; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(value->val.binary.data, i);

		if (element->type != jbvNumeric ||
			!(fabs(numbers[i] = JsonNumber(element->val.numeric)) <= MAX_NUMBER))
			return NULL;
		pfree(element);
	}
	return numbers;
}

/* Return the text of a JSON scalar, or NULL for null, arrays and objects. */
static char *
scalar_text(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			/* remove trailing zeros, so that 1 and 1.0 give the same text */
			return DatumGetCString(DirectFunctionCall1(numeric_out,
								   DirectFunctionCall1(numeric_trim_scale,
													   NumericGetDatum(value->val.numeric))));
		case jbvBool:
			return pstrdup(value->val.boolean ? "true" : "false");
		default:
			return NULL;
	}
}

/* Return the id of an action, or NULL if the action has no id. */
char *
ActionId(const JsonbValue *action)
{
	JsonbValue *id;

	if (action->type == jbvString || action->type == jbvNumeric)
		return scalar_text(action);
	id = GetValueKey(action, "id");
	return id != NULL ? scalar_text(id) : NULL;
}

/* Read the argument "context".  NULL becomes an empty object. */
Jsonb *
ReadContextArgument(NullableDatum context)
{
	Jsonb	   *document = context.isnull ? NULL : DatumGetJsonbP(context.value);
	JsonbValue	value;

	if (document == NULL || (JB_ROOT_IS_SCALAR(document) &&
							 JsonbExtractScalar(&document->root, &value) && value.type == jbvNull))
		return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	if (!JB_ROOT_IS_OBJECT(document))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"context\" must be a JSON object"),
				 errdetail("The value is %s.", quote_document(document))));
	return document;
}

/* ---------- names of values ---------- */

void
NamesFree(ActionNames *names)
{
	pfree(names->bytes.data);
	if (names->ends != NULL)
		pfree(names->ends);
}

/* Append the name "path=value" to a list of names. */
static void
add_name(ActionNames *names, const StringInfoData *path, const char *value, int len)
{
	names->ends = GrowArray(names->ends, names->count, &names->allocated, sizeof(int));
	appendBinaryStringInfo(&names->bytes, path->data, path->len);
	appendStringInfoChar(&names->bytes, '=');
	appendBinaryStringInfo(&names->bytes, value, len);
	names->ends[names->count++] = names->bytes.len;
}

/* Round a number to a category, so that similar numbers share features. */
static char *
number_word(Numeric numeric)
{
	double		number = JsonNumber(numeric);
	double		size = Max(Min(fabs(number), 1e300), 1e-300);

	if (fabs(number) < MIN_BAND_NUMBER &&
		DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(numeric),
										 NumericGetDatum(int64_to_numeric((int64) number)))))
		return psprintf("%d", (int) number);
	return psprintf("%s%g", number < 0.0 ? "-2^" : "2^", rint(2.0 * log(size) / log(2.0)) / 2.0);
}

/* NOLINTBEGIN(misc-no-recursion): documents are nested; we check the stack depth */

static void read_container(ActionNames *names, StringInfo path, JsonbContainer *container,
						   JsonbContainer *skipped);

static void
read_value(ActionNames *names, StringInfo path, const JsonbValue *value)
{
	char	   *word;

	switch (value->type)
	{
		case jbvString:
			add_name(names, path, value->val.string.val, value->val.string.len);
			break;
		case jbvBool:
			word = value->val.boolean ? "true" : "false";
			add_name(names, path, word, strlen(word));
			break;
		case jbvNumeric:
			word = number_word(value->val.numeric);
			add_name(names, path, word, strlen(word));
			pfree(word);
			break;
		case jbvBinary:
			read_container(names, path, value->val.binary.data, NULL);
			break;
		default:
			break;
	}
}

/* Append a name for each value in a JSON container, except for keys of the object "skipped". */
static void
read_container(ActionNames *names, StringInfo path, JsonbContainer *container,
			   JsonbContainer *skipped)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	int			path_len = path->len;
	bool		is_skipped = false;
	JsonbIteratorToken token;
	JsonbValue	value;

	check_stack_depth();
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
		{
			is_skipped = skipped != NULL &&
				getKeyJsonValueFromContainer(skipped, value.val.string.val, value.val.string.len,
											 NULL) != NULL;
			path->len = path_len;
			appendStringInfoChar(path, '.');
			appendBinaryStringInfo(path, value.val.string.val, value.val.string.len);
		}
		else if ((token == WJB_VALUE || token == WJB_ELEM) && !is_skipped)
			read_value(names, path, &value);
	}
	path->len = path_len;
	path->data[path_len] = '\0';
}

/* NOLINTEND(misc-no-recursion) */

/* Create a name, such as ".size=large", for each value of a context, except for its vectors. */
ActionNames
ReadContextNames(const RankRequest *request)
{
	StringInfoData path;
	ActionNames names = {0};

	initStringInfo(&names.bytes);
	initStringInfo(&path);
	read_container(&names, &path, &request->context->root,
				   JB_ROOT_IS_OBJECT(request->vectors) ? &request->vectors->root : NULL);
	pfree(path.data);
	return names;
}

/* Return an object with the keys of actions that ReadActionNames() skips: id, price and costs. */
Jsonb *
ReadReservedKeys(const RankRequest *request)
{
	StringInfoData json;
	Datum	   *constraints;
	int			count = ArgElements(request->constraints, &constraints, NULL);

	initStringInfo(&json);
	appendStringInfoString(&json, "{\"id\": 0, \"price\": 0");
	for (int i = 0; i < count; i++)
	{
		appendStringInfoString(&json, ", ");
		escape_json(&json, TextDatumGetCString(constraints[i]));
		appendStringInfoString(&json, ": 0");
	}
	appendStringInfoChar(&json, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}

/* Create a name, such as ".size=large", for an action's id and each value, except reserved keys. */
ActionNames
ReadActionNames(const JsonbValue *action, Jsonb *reserved)
{
	StringInfoData path;
	char	   *id = ActionId(action);
	ActionNames names = {0};

	initStringInfo(&names.bytes);
	initStringInfo(&path);
	if (action->type == jbvBinary && JsonContainerIsObject(action->val.binary.data))
	{
		read_container(&names, &path, action->val.binary.data, &reserved->root);
		appendStringInfoString(&path, ".id");
	}
	if (id != NULL)
		add_name(&names, &path, id, strlen(id));
	pfree(path.data);
	return names;
}
