/*
 * action_checks.c
 *		Check the requests to a ranker, and limit the time for hashing their values.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "page/action_names.h"
#include "sql/arrays.h"

/* Maximum number of names that a request may hash; hashing them takes about 30 ms */
#define MAX_PAIRS		100000
/* Maximum number of bytes in the names that a request may hash; hashing them takes about 30 ms */
#define MAX_PAIR_BYTES	(16 * 1024 * 1024)
/* Maximum length of a vector in the context after random projection */
#define MAX_PROJECTED	64

/* Minimum length of an array for a notice that advises to list the array's key in "vectors" */
#define MIN_VECTOR_LENGTH	9

/* Number and total bytes of the names that a request hashes */
typedef struct Workload
{
	double		pairs;
	double		bytes;
} Workload;

/* Raise an error if a request has too many names to hash. */
static void
check_workload(const Workload *load, const ActionNames *context, int n_numbers)
{
	if (load->pairs <= MAX_PAIRS && load->bytes <= MAX_PAIR_BYTES)
		return;
	if (context->count + n_numbers <= 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"actions\" is too large"),
				 errdetail("Actions can have at most %d values of %d bytes in total, with their keys.",
						   MAX_PAIRS, MAX_PAIR_BYTES)));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("arguments \"context\" and \"actions\" are too large together"),
			 errdetail("A request can have at most %d pairs of %d bytes in total: %d values of the context "
					   "with each value of an action, and %d numbers of vectors with each action.",
					   MAX_PAIRS, MAX_PAIR_BYTES, context->count, n_numbers),
			 errhint("Pass only values on which the choice depends, and declare arrays of numbers as vectors.")));
}

/*
 * Add an action's names: one per value, one per pair of a value and a context value, and one per
 * number in the context's vectors.
 */
static void
add_workload(Workload *load, const ActionNames *action, const ActionNames *context, int n_numbers)
{
	double		factor = 1.0 + context->count;

	load->pairs += action->count * factor + n_numbers;
	load->bytes += action->bytes.len * factor + (double) action->count * context->bytes.len;
}

static void
check_context_size(const ActionNames *context)
{
	if (context->count > MAX_PAIRS || context->bytes.len > MAX_PAIR_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"context\" is too large"),
				 errdetail("A context can have at most %d values of %d bytes in total, with their keys.",
						   MAX_PAIRS, MAX_PAIR_BYTES),
				 errhint("Pass only values on which the choice depends, and declare arrays of numbers as vectors.")));
}

/* Raise an error if the value of an action's key, such as its price, is an invalid number. */
static void
check_number(const JsonbValue *action, const char *key)
{
	JsonbValue *value = GetValueKey(action, key);

	if (value != NULL && value->type != jbvNull && !IsCost(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" of an action must be 0 or a number from 1e-50 to 1e50", key),
				 errdetail("The action is %s.", QuoteValue(action))));
}

static void
check_action(const JsonbValue *action, const char *id, Datum *constraints, int n_constraints)
{
	if (id == NULL || *id == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an action must be an id, or an object with an \"id\""),
				 errdetail("The action is %s.", QuoteValue(action))));
	if (strlen(id) > MAX_ID_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("\"id\" of an action must have at most %d bytes", MAX_ID_BYTES),
				 errdetail("The action is %s.", QuoteValue(action))));
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

static void
check_actions(const RankRequest *request, const ActionNames *context, int n_numbers)
{
	JsonbContainer *actions = &request->actions->root;
	int			count = JsonContainerSize(actions);
	Datum	   *constraints;
	int			n_constraints = ArgElements(request->constraints, &constraints, NULL);
	Jsonb	   *reserved = ReadReservedKeys(request);
	Workload	load = {0};
	char	  **ids;

	if (!JsonContainerIsArray(actions) || JsonContainerIsScalar(actions) || count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"actions\" must be an array of at least one action"),
				 errhint("For example [{\"id\": \"a\", \"features\": {\"size\": \"large\"}}, {\"id\": \"b\"}].")));
	ids = AllocateMany(sizeof(char *), count);
	for (int i = 0; i < count; i++)
	{
		JsonbValue *action = getIthJsonbValueFromContainer(actions, i);
		ActionNames		names;

		CHECK_FOR_INTERRUPTS();
		ids[i] = ActionId(action);
		check_action(action, ids[i], constraints, n_constraints);
		names = ReadActionNames(action, reserved);
		add_workload(&load, &names, context, n_numbers);
		check_workload(&load, context, n_numbers);
		NamesFree(&names);
	}
	check_unique(ids, count);
}

/* Raise an error if a vector in the context does not have the declared length. */
static void
check_vector(const JsonbValue *value, const char *key, int length)
{
	if (value == NULL || value->type == jbvNull ||
		ReadNumberArray(value, length) != NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" of a context must be an array of %d numbers up to 1e50", key, length),
			 value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ?
			 errdetail("The array has %d elements: %s.", (int) JsonContainerSize(value->val.binary.data),
					   QuoteValue(value)) :
			 errdetail("The value is %s.", QuoteValue(value)),
			 errhint("The argument \"vectors\" of the ranker declares its length.")));
}

/* Check the vectors in the context.  Returns the sum of their lengths after projection. */
static int
check_context(const RankRequest *request)
{
	JsonbContainer *context = &request->context->root;
	JsonbIterator *iterator = JsonbIteratorInit(&request->vectors->root);
	JsonbIteratorToken token;
	JsonbValue	value;
	char	   *key = NULL;
	int			n_numbers = 0;
	bool		is_valid = JB_ROOT_IS_OBJECT(request->vectors);

	while (is_valid && (token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			key = pnstrdup(value.val.string.val, value.val.string.len);
		else if (token == WJB_VALUE && value.type != jbvNumeric)
			is_valid = false;
		else if (token == WJB_VALUE)
		{
			JsonbValue *vector = GetObjectKey(context, key);
			int			length = (int) JsonNumber(value.val.numeric);

			check_vector(vector, key, length);
			if (vector != NULL && vector->type != jbvNull)
				n_numbers += Min(length, MAX_PROJECTED);
		}
	}
	if (!is_valid)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("table \"setting\" has an invalid value in column \"vectors\"")));
	return n_numbers;
}

void
CheckRankRequest(const RankRequest *request)
{
	ActionNames context;
	int			n_numbers = check_context(request);

	context = ReadContextNames(request);
	check_context_size(&context);
	check_actions(request, &context, n_numbers);
}

/* Find an array of numbers in the context that is not declared as a vector. */
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
		else if (token == WJB_VALUE && value.type == jbvBinary &&
				 JsonContainerIsArray(value.val.binary.data))
		{
			*length = JsonContainerSize(value.val.binary.data);
			if (*length >= MIN_VECTOR_LENGTH && ReadNumberArray(&value, *length) != NULL &&
				GetObjectKey(&request->vectors->root, *key) == NULL)
				return true;
		}
	}
	return false;
}

/* Does any action have a cost for this constraint? */
bool
IsCostAnnounced(Jsonb *actions, const char *constraint)
{
	for (uint32 i = 0; i < JsonContainerSize(&actions->root); i++)
		if (GetValueKey(getIthJsonbValueFromContainer(&actions->root, i), constraint) != NULL)
			return true;
	return false;
}
