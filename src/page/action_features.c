/*
 * action_features.c
 *		Compute the features of a ranker's actions.
 *
 * All actions of a request have the same context.  Pairs of a value in the context and a value in
 * the action let the context change the ranking.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "page/action_names.h"
#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/hash.h"

/* number of features of an action in the models of a ranker */
#define ACTION_FEATURES	192

/* Hash the names of an action, and pairs with names of the context, and add the hashes to "sum". */
static void
add_pairs(const ActionNames *action, const ActionNames *context, double *sum)
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
		AddName(name.data, name.len, 1.0, ACTION_FEATURES, sum);
		appendStringInfoChar(&name, ' ');
		len = name.len;
		for (int j = 0; j < context->count; j++)
		{
			int			first = j > 0 ? context->ends[j - 1] : 0;

			name.len = len;
			appendBinaryStringInfo(&name, context->bytes.data + first, context->ends[j] - first);
			AddName(name.data, name.len, 1.0, ACTION_FEATURES, sum);
		}
	}
	pfree(name.data);
}

/* Hash the action's id with each number of the context's vectors, and add features to "sum". */
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
			AddName(name.data, name.len, JsonNumber(value.val.numeric), ACTION_FEATURES, sum);
	}
	pfree(name.data);
}

static double
action_price(const JsonbValue *action)
{
	JsonbValue *price = GetValueKey(action, "price");

	return price != NULL && IsCost(price) ? JsonNumber(price->val.numeric) : 0.0;
}

PG_FUNCTION_INFO_V1(dlints_encode_actions);

/* _dlints_encode_actions(): return the features of each action of a request. */
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
	JsonbContainer *actions = &request.actions->root;
	Jsonb	   *reserved = ReadReservedKeys(&request);
	ActionNames context = ReadContextNames(&request);

	for (uint32 i = 0; JsonContainerIsArray(actions) && i < JsonContainerSize(actions); i++)
	{
		JsonbValue *action = getIthJsonbValueFromContainer(actions, i);
		char	   *id = ActionId(action);
		ActionNames names = ReadActionNames(action, reserved);
		double		sum[ACTION_FEATURES] = {0.0};
		Datum		values[4];
		bool		nulls[4] = {false, id == NULL};

		add_pairs(&names, &context, sum);
		if (id != NULL)
			add_numbers(id, numbers, sum);
		values[0] = Int32GetDatum((int32) i + 1);
		values[1] = id != NULL ? CStringGetTextDatum(id) : (Datum) 0;
		values[2] = Float8GetDatum(action_price(action));
		values[3] = ResultUnitVector(sum, ACTION_FEATURES);
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
		NamesFree(&names);
		pfree(DatumGetPointer(values[3]));
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(dlints_announced_cost);

/*
 * _dlints_announced_cost(): return an action's cost for a constraint.  Returns NULL for an action
 * without a valid cost, such as an action from before the constraint.
 */
Datum
dlints_announced_cost(PG_FUNCTION_ARGS)
{
	JsonbValue *value = GetObjectKey(&PG_GETARG_JSONB_P(0)->root,
									 text_to_cstring(PG_GETARG_TEXT_PP(1)));

	if (value == NULL || !IsCost(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(JsonNumber(value->val.numeric));
}

PG_FUNCTION_INFO_V1(dlints_read_vector);

/* _dlints_read_vector(): return a JSON array of "length" numbers as an SQL array, else NULL. */
Datum
dlints_read_vector(PG_FUNCTION_ARGS)
{
	Jsonb	   *document = PG_GETARG_JSONB_P(0);
	int			length = PG_GETARG_INT32(1);
	JsonbValue	value = {.type = jbvBinary};
	double	   *numbers;

	value.val.binary.data = &document->root;
	numbers = JB_ROOT_IS_SCALAR(document) ? NULL : ReadNumberArray(&value, length);
	if (numbers == NULL)
		PG_RETURN_NULL();
	return ResultVector(numbers, length);
}
