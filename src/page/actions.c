/*
 * actions.c
 *		Contexts and actions of requests to a ranker: checks and features.
 *
 * Every value in a document is a name, such as ".size=large" for {"size": "large"}.
 * A context is equal for all actions and cannot rank them by itself, so that each
 * of its names forms a pair with each name of an action.  The features of an
 * action are the signs of its names and pairs, added up and scaled to length 1,
 * as by dlints_encode().
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "core/random.h"
#include "page/actions.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Features of an action; the table "model" of a ranker has models of this size */
#define ACTION_FEATURES	192

/* Maximum names and pairs of a request: about 30 ms of CPU */
#define MAX_PAIRS		100000
/* Maximum bytes of these names and pairs: about 30 ms of CPU */
#define MAX_PAIR_BYTES	(16 * 1024 * 1024)
/* Maximum numbers of a vector after projection; each forms a pair with each action */
#define MAX_PROJECTED	64

/* Range of a number that a model can be trained on, and of a cost or price */
#define MAX_NUMBER		1e50
#define MIN_NUMBER		1e-50

/* Elements of an array of numbers that is taken for an undeclared vector */
#define MIN_VECTOR_LENGTH	9

/* Bytes of a value that an error message quotes */
#define MAX_QUOTED		200

/* The names of a document */
typedef struct Names
{
	StringInfoData bytes;		/* of all names, one after the other */
	int		   *ends;			/* of each name in "bytes" */
	int			count;
	int			allocated;
} Names;

/* The work of names and pairs so far, for the limits of a request */
typedef struct Workload
{
	double		pairs;
	double		bytes;
} Workload;

/* ---------- JSON ---------- */

/* A document as text, shortened for messages */
static const char *
quote_document(Jsonb *document)
{
	char	   *text = JsonbToCString(NULL, &document->root, VARSIZE(document));

	text[pg_mbcliplen(text, strlen(text), MAX_QUOTED)] = '\0';
	return text;
}

static const char *
quote_value(const JsonbValue *value)
{
	return quote_document(JsonbValueToJsonb(unconstify(JsonbValue *, value)));
}

static JsonbValue *
get_key(JsonbContainer *object, const char *key)
{
	return JsonContainerIsObject(object) ?
		getKeyJsonValueFromContainer(object, key, strlen(key), NULL) : NULL;
}

static JsonbValue *
get_key_of_value(const JsonbValue *value, const char *key)
{
	return value->type == jbvBinary ? get_key(value->val.binary.data, key) : NULL;
}

static double
number_of(Numeric numeric)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(numeric)));
}

/* Is a value 0, or a number whose absolute value is between 1e-50 and 1e50? */
static bool
is_cost(const JsonbValue *value)
{
	double		number;

	if (value->type != jbvNumeric)
		return false;
	number = fabs(number_of(value->val.numeric));
	if (number >= MIN_NUMBER)
		return number <= MAX_NUMBER;
	return DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(value->val.numeric),
											NumericGetDatum(int64_to_numeric(0))));
}

/* The text of a scalar; NULL for null and for what is no scalar */
static char *
scalar_text(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvBool:
			return pstrdup(value->val.boolean ? "true" : "false");
		default:
			return NULL;
	}
}

/* The id of an action: the action itself, or the value of its key "id" */
static char *
action_id(const JsonbValue *action)
{
	JsonbValue *id;

	if (action->type == jbvString || action->type == jbvNumeric)
		return scalar_text(action);
	id = get_key_of_value(action, "id");
	return id != NULL ? scalar_text(id) : NULL;
}

/* ---------- names ---------- */

static void
init_names(Names *names)
{
	initStringInfo(&names->bytes);
	names->count = 0;
	names->allocated = 16;
	names->ends = palloc(sizeof(int) * names->allocated);
}

static void
add_name(Names *names, const StringInfo path, const char *value, int len)
{
	if (names->count == names->allocated)
	{
		names->allocated *= 2;
		names->ends = repalloc_huge(names->ends, sizeof(int) * names->allocated);
	}
	appendBinaryStringInfo(&names->bytes, path->data, path->len);
	appendStringInfoChar(&names->bytes, '=');
	appendBinaryStringInfo(&names->bytes, value, len);
	names->ends[names->count++] = names->bytes.len;
}

/*
 * A number as a word.  Integers below 32, such as hours, weekdays and counts, stand
 * for themselves; other numbers fall into bands, two per doubling.
 */
static char *
number_word(Numeric numeric)
{
	double		number = number_of(numeric);
	double		size = Max(Min(fabs(number), 1e300), 1e-300);

	if (fabs(number) < 32.0 &&
		DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(numeric),
										 NumericGetDatum(int64_to_numeric((int64) number)))))
		return psprintf("%d", (int) number);
	return psprintf("%s%g", number < 0.0 ? "-2^" : "2^", rint(2.0 * log(size) / log(2.0)) / 2.0);
}

/* NOLINTBEGIN(misc-no-recursion): documents nest; the stack depth is checked */

static void read_container(Names *names, StringInfo path, JsonbContainer *container);

static void
read_value(Names *names, StringInfo path, const JsonbValue *value)
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
			read_container(names, path, value->val.binary.data);
			break;
		default:
			break;
	}
}

/* Add the names in an object or array. */
static void
read_container(Names *names, StringInfo path, JsonbContainer *container)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	int			path_len = path->len;
	JsonbIteratorToken token;
	JsonbValue	value;

	check_stack_depth();
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
		{
			path->len = path_len;
			appendStringInfoChar(path, '.');
			appendBinaryStringInfo(path, value.val.string.val, value.val.string.len);
		}
		else if (token == WJB_VALUE || token == WJB_ELEM)
			read_value(names, path, &value);
	}
	path->len = path_len;
	path->data[path_len] = '\0';
}

/* NOLINTEND(misc-no-recursion) */

/* Is a key one of a text[]? */
static bool
is_among(const JsonbValue *key, Datum *keys, int count)
{
	for (int i = 0; i < count; i++)
		if (VARSIZE_ANY_EXHDR(DatumGetPointer(keys[i])) == key->val.string.len &&
			memcmp(VARDATA_ANY(DatumGetPointer(keys[i])), key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

static bool
is_key(const JsonbValue *key, const char *name)
{
	return key->val.string.len == (int) strlen(name) && memcmp(key->val.string.val, name, key->val.string.len) == 0;
}

/* The names of a context, without its vectors */
static void
read_context(Names *names, const RankRequest *request)
{
	JsonbContainer *context = &request->context->root;
	JsonbIterator *iterator = JsonbIteratorInit(context);
	bool		is_object = JsonContainerIsObject(context);
	StringInfoData path;
	JsonbIteratorToken token;
	JsonbValue	value;
	bool		is_vector = false;

	init_names(names);
	initStringInfo(&path);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			is_vector = is_object && getKeyJsonValueFromContainer(&request->vectors->root, value.val.string.val,
																  value.val.string.len, NULL) != NULL;
			resetStringInfo(&path);
			appendStringInfoChar(&path, '.');
			appendBinaryStringInfo(&path, value.val.string.val, value.val.string.len);
		}
		else if ((token == WJB_VALUE || token == WJB_ELEM) && !is_vector)
			read_value(names, &path, &value);
	}
}

/* The names of an action: its id is a text, and its price and costs are no features. */
static void
read_action(Names *names, const JsonbValue *action, Datum *constraints, int n_constraints)
{
	StringInfoData path;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;
	char	   *id = action_id(action);
	bool		is_skipped = false;

	initStringInfo(&path);
	if (action->type == jbvBinary && JsonContainerIsObject(action->val.binary.data))
	{
		iterator = JsonbIteratorInit(action->val.binary.data);
		while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		{
			if (token == WJB_KEY)
			{
				is_skipped = is_key(&value, "id") || is_key(&value, "price") ||
					is_among(&value, constraints, n_constraints);
				resetStringInfo(&path);
				appendStringInfoChar(&path, '.');
				appendBinaryStringInfo(&path, value.val.string.val, value.val.string.len);
			}
			else if (token == WJB_VALUE && !is_skipped)
				read_value(names, &path, &value);
		}
		resetStringInfo(&path);
		appendStringInfoString(&path, ".id");
	}
	if (id != NULL)
		add_name(names, &path, id, strlen(id));
	pfree(path.data);
}

/* ---------- checks ---------- */

static void
check_workload(const Workload *load, const Names *context)
{
	if (load->pairs <= MAX_PAIRS && load->bytes <= MAX_PAIR_BYTES)
		return;
	if (context->count <= 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"actions\" is too large"),
				 errdetail("Actions can have at most %d values of %d bytes in total, with their keys.",
						   MAX_PAIRS, MAX_PAIR_BYTES)));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("arguments \"context\" and \"actions\" are too large together"),
			 errdetail("Each of the %d values of the context forms a pair with each value of an action; "
					   "a request can have at most %d pairs of %d bytes in total.",
					   context->count, MAX_PAIRS, MAX_PAIR_BYTES),
			 errhint("Pass what the choice depends on; arrays of numbers can be declared as vectors.")));
}

/* Count the pairs of an action's names with those of the context and with its vectors. */
static void
add_workload(Workload *load, const Names *action, const Names *context, int n_vectors)
{
	double		factor = 1.0 + context->count;

	load->pairs += action->count * factor + (double) n_vectors * MAX_PROJECTED;
	load->bytes += action->bytes.len * factor + (double) action->count * context->bytes.len;
}

static void
check_context_size(const Names *context)
{
	if (context->count > MAX_PAIRS || context->bytes.len > MAX_PAIR_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"context\" is too large"),
				 errdetail("A context can have at most %d values of %d bytes in total, with their keys.",
						   MAX_PAIRS, MAX_PAIR_BYTES),
				 errhint("Pass what the choice depends on; arrays of numbers can be declared as vectors.")));
}

static void
check_number(const JsonbValue *action, const char *key)
{
	JsonbValue *value = get_key_of_value(action, key);

	if (value != NULL && value->type != jbvNull && !is_cost(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of an action must be 0 or a number from 1e-50 to 1e50", key),
				 errdetail("The action is %s.", quote_value(action))));
}

static void
check_action(const JsonbValue *action, const char *id, Datum *constraints, int n_constraints)
{
	if (id == NULL || *id == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an action must be an id, or an object with an \"id\""),
				 errdetail("The action is %s.", quote_value(action))));
	check_number(action, "price");
	for (int i = 0; i < n_constraints; i++)
		check_number(action, text_to_cstring(DatumGetTextPP(constraints[i])));
}

static int
compare_ids(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static void
check_unique(char **ids, int count)
{
	qsort(ids, count, sizeof(char *), compare_ids);
	for (int i = 1; i < count; i++)
		if (strcmp(ids[i - 1], ids[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("two actions have the id \"%s\"", ids[i])));
}

static int
constraint_names(const RankRequest *request, Datum **names)
{
	bool	   *nulls;

	return ArgElements(request->constraints, names, &nulls);
}

/* Actions are a non-empty array of ids and objects with ids.  Their size is checked before anything is computed. */
static void
check_actions(const RankRequest *request, const Names *context)
{
	JsonbContainer *actions = &request->actions->root;
	int			n_vectors = JsonContainerSize(&request->vectors->root);
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	action;
	Datum	   *constraints;
	int			n_constraints = constraint_names(request, &constraints);
	Workload	load = {0};
	char	  **ids;
	int			count = 0;

	if (!JsonContainerIsArray(actions) || JsonContainerIsScalar(actions) || JsonContainerSize(actions) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"actions\" must be an array of at least one action"),
				 errhint("For example [{\"id\": \"a\", \"features\": {\"size\": \"large\"}}, {\"id\": \"b\"}].")));
	ids = AllocateMany(sizeof(char *), JsonContainerSize(actions));
	iterator = JsonbIteratorInit(actions);
	while ((token = JsonbIteratorNext(&iterator, &action, true)) != WJB_DONE)
	{
		Names		names;

		CHECK_FOR_INTERRUPTS();
		if (token != WJB_ELEM)
			continue;
		ids[count] = action_id(&action);
		check_action(&action, ids[count++], constraints, n_constraints);
		init_names(&names);
		read_action(&names, &action, constraints, n_constraints);
		add_workload(&load, &names, context, n_vectors);
		check_workload(&load, context);
		pfree(names.bytes.data);
		pfree(names.ends);
	}
	check_unique(ids, count);
}

/* Is a value an array of a given number of numbers? */
static bool
is_vector(const JsonbValue *value, int length)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	element;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != (uint32) length)
		return false;
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &element, true)) != WJB_DONE)
		if (token == WJB_ELEM &&
			(element.type != jbvNumeric || fabs(number_of(element.val.numeric)) > MAX_NUMBER))
			return false;
	return true;
}

static void
check_vector(const JsonbValue *value, const char *key, int length)
{
	if (value == NULL || value->type == jbvNull || is_vector(value, length))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" of a context must be an array of %d numbers up to 1e50", key, length),
			 value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ?
			 errdetail("The array has %d elements: %s.", (int) JsonContainerSize(value->val.binary.data),
					   quote_value(value)) :
			 errdetail("The value is %s.", quote_value(value)),
			 errhint("The argument \"vectors\" of the ranker declares its length.")));
}

static void
check_context(const RankRequest *request)
{
	JsonbContainer *context = &request->context->root;
	JsonbIterator *iterator = JsonbIteratorInit(&request->vectors->root);
	JsonbIteratorToken token;
	JsonbValue	value;
	char	   *key = NULL;

	if (!JsonContainerIsObject(context))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"context\" must be a JSON object"),
				 errdetail("The value is %s.", quote_document(request->context))));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			key = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE)
			check_vector(get_key(context, key), key, (int) number_of(value.val.numeric));
	}
}

/*
 * Raise an error unless a request is valid: 22023, or 54000 if it has more values
 * than a ranking may take.
 */
void
CheckRankRequest(const RankRequest *request)
{
	Names		context;

	check_context(request);
	read_context(&context, request);
	check_context_size(&context);
	check_actions(request, &context);
}

/* Find an array of numbers in a context that is not declared as a vector. */
bool
FindUndeclaredVector(const RankRequest *request, char **key, int *length)
{
	JsonbIterator *iterator = JsonbIteratorInit(&request->context->root);
	JsonbIteratorToken token;
	JsonbValue	value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			*key = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE && value.type == jbvBinary && JsonContainerIsArray(value.val.binary.data))
		{
			*length = JsonContainerSize(value.val.binary.data);
			if (*length >= MIN_VECTOR_LENGTH && is_vector(&value, *length) &&
				get_key(&request->vectors->root, *key) == NULL)
				return true;
		}
	}
	return false;
}

/* Does an action have a number for a constraint? */
bool
IsCostAnnounced(Jsonb *actions, const char *constraint)
{
	JsonbIterator *iterator = JsonbIteratorInit(&actions->root);
	JsonbIteratorToken token;
	JsonbValue	action;

	while ((token = JsonbIteratorNext(&iterator, &action, true)) != WJB_DONE)
		if (token == WJB_ELEM && get_key_of_value(&action, constraint) != NULL)
			return true;
	return false;
}

/* ---------- features ---------- */

static void
add_signs(const char *name, int len, double weight, double *sum)
{
	char	   *utf8 = pg_server_to_any(name, len, PG_UTF8);

	hash_add_signs(hash_name(utf8, utf8 == name ? len : (int) strlen(utf8)), weight, ACTION_FEATURES, sum);
	if (utf8 != name)
		pfree(utf8);
}

/* Add the names of an action, and their pairs with the names of the context. */
static void
add_pairs(const Names *action, const Names *context, double *sum)
{
	StringInfoData name;

	initStringInfo(&name);
	for (int i = 0; i < action->count; i++)
	{
		int			start = i > 0 ? action->ends[i - 1] : 0;
		int			len;

		CHECK_FOR_INTERRUPTS();
		resetStringInfo(&name);
		appendBinaryStringInfo(&name, action->bytes.data + start, action->ends[i] - start);
		add_signs(name.data, name.len, 1.0, sum);
		appendStringInfoChar(&name, ' ');
		len = name.len;
		for (int j = 0; j < context->count; j++)
		{
			int			first = j > 0 ? context->ends[j - 1] : 0;

			name.len = len;
			appendBinaryStringInfo(&name, context->bytes.data + first, context->ends[j] - first);
			add_signs(name.data, name.len, 1.0, sum);
		}
	}
	pfree(name.data);
}

/* Add the numbers of the context's vectors, which form pairs with the id alone. */
static void
add_numbers(const char *id, Jsonb *numbers, double *sum)
{
	JsonbIterator *iterator = JsonbIteratorInit(&numbers->root);
	JsonbIteratorToken token;
	JsonbValue	value;
	StringInfoData name;
	int			len;

	initStringInfo(&name);
	appendStringInfo(&name, "%s.", id);
	len = name.len;
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			name.len = len;
			appendBinaryStringInfo(&name, value.val.string.val, value.val.string.len);
		}
		else if (token == WJB_VALUE && value.type == jbvNumeric)
			add_signs(name.data, name.len, number_of(value.val.numeric), sum);
	}
	pfree(name.data);
}

static double
action_price(const JsonbValue *action)
{
	JsonbValue *price = get_key_of_value(action, "price");

	return price != NULL && is_cost(price) ? number_of(price->val.numeric) : 0.0;
}

PG_FUNCTION_INFO_V1(dlints_encode_actions);

/*
 * _dlints_encode_actions(context, actions, vectors, numbers, constraint_names)
 *		-> n, id, price, features: an action a row.  "numbers" are those of the
 *		context's vectors by name.  Logged requests are not checked again.
 */
Datum
dlints_encode_actions(PG_FUNCTION_ARGS)
{
	RankRequest request = {
		.context = PG_GETARG_JSONB_P(0),
		.actions = PG_GETARG_JSONB_P(1),
		.vectors = PG_GETARG_JSONB_P(2),
		.constraints = PG_GETARG_ARRAYTYPE_P(4),
	};
	Jsonb	   *numbers = PG_GETARG_JSONB_P(3);
	ReturnSetInfo *rows = ResultRows(fcinfo);
	JsonbIterator *iterator = JsonbIteratorInit(&request.actions->root);
	JsonbIteratorToken token;
	JsonbValue	action;
	Datum	   *constraints;
	int			n_constraints = constraint_names(&request, &constraints);
	int			n = 0;
	Names		context;

	read_context(&context, &request);
	while ((token = JsonbIteratorNext(&iterator, &action, true)) != WJB_DONE)
	{
		double		sum[ACTION_FEATURES] = {0.0};
		Datum		values[4];
		bool		nulls[4] = {false};
		char	   *id;
		Names		names;

		if (token != WJB_ELEM)
			continue;
		id = action_id(&action);
		init_names(&names);
		read_action(&names, &action, constraints, n_constraints);
		add_pairs(&names, &context, sum);
		if (id != NULL)
			add_numbers(id, numbers, sum);
		values[0] = Int32GetDatum(++n);
		nulls[1] = id == NULL;
		values[1] = id != NULL ? CStringGetTextDatum(id) : (Datum) 0;
		values[2] = Float8GetDatum(action_price(&action));
		values[3] = ResultUnitVector(sum, ACTION_FEATURES);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		pfree(names.bytes.data);
		pfree(names.ends);
		pfree(DatumGetPointer(values[3]));
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(dlints_announced_cost);

/*
 * _dlints_announced_cost(action, constraint_name) -> float8
 *		The number that an action has for a constraint; NULL if it has none.  Logged
 *		actions may have another value under that key, from before the constraint.
 */
Datum
dlints_announced_cost(PG_FUNCTION_ARGS)
{
	JsonbValue *value = get_key(&PG_GETARG_JSONB_P(0)->root, text_to_cstring(PG_GETARG_TEXT_PP(1)));

	if (value == NULL || !is_cost(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(number_of(value->val.numeric));
}

PG_FUNCTION_INFO_V1(dlints_read_vector);

/* _dlints_read_vector(value, length) -> float8[]: NULL unless it is an array of that many numbers */
Datum
dlints_read_vector(PG_FUNCTION_ARGS)
{
	Jsonb	   *document = PG_GETARG_JSONB_P(0);
	int			length = PG_GETARG_INT32(1);
	JsonbValue	value = {.type = jbvBinary};
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	double	   *numbers;
	int			count = 0;

	value.val.binary.data = &document->root;
	value.val.binary.len = VARSIZE(document) - VARHDRSZ;
	if (JB_ROOT_IS_SCALAR(document) || !is_vector(&value, length))
		PG_RETURN_NULL();
	numbers = AllocateNumbers(length);
	iterator = JsonbIteratorInit(&document->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_ELEM)
			numbers[count++] = number_of(value.val.numeric);
	return ResultVector(numbers, count);
}
