/*
 * encode.c
 *		The function dlints_encode, which converts columns or a jsonb document to a vector (feature
 *		hashing).
 *
 * Each value gets a name, whose hash determines a vector of random signs.  The result is the
 * weighted sum of these vectors.
 *
 * Types whose output depends on a setting, the catalog or the time zone are rejected, because the
 * functions are immutable.
 */
#include "postgres.h"

#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "sql/args.h"
#include "sql/arrays.h"
#include "sql/hash.h"

typedef struct Encoding
{
	int			n;
	bool		skips_bad_numbers;	/* skip invalid numbers instead of raising an error? */
	double	   *sum;
	StringInfoData name;		/* name of the value */
} Encoding;

static void
EncodingBegin(FunctionCallInfo fcinfo, Encoding *encoding)
{
	int			n;

	ArgNotNull(fcinfo, 0, "n");
	n = PG_GETARG_INT32(0);
	ArgCheckPositive(n, "n");
	if (n > DLINTS_MAX_FEATURE_DIM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("dlints cannot have more than %d dimensions",
						DLINTS_MAX_FEATURE_DIM),
				 errdetail("n is %d.", n)));
	encoding->n = n;
	encoding->skips_bad_numbers = false;
	encoding->sum = palloc0(sizeof(double) * n);
	initStringInfo(&encoding->name);
}

static void
CutName(Encoding *encoding, int len)
{
	encoding->name.len = len;
	encoding->name.data[len] = '\0';
}

/* ---------- names and weights ---------- */

static void
AddCurrentName(Encoding *encoding, double weight)
{
	AddName(encoding->name.data, encoding->name.len, weight, encoding->n, encoding->sum);
}

/* Add a number as the weight of the current name.  A number without a name is ignored. */
static void
AddWeight(Encoding *encoding, double weight)
{
	if (encoding->name.len == 0)
		return;
	if (encoding->skips_bad_numbers && !(fabs(weight) <= WIDEN_MAX))
		return;
	AddCurrentName(encoding, ArgBounded(weight, encoding->name.data));
}

/* Add the text "name=value" or, without a name, the value alone. */
static void
AddNamedValue(Encoding *encoding, const char *value, int len)
{
	int			name_len = encoding->name.len;

	if (len == 0)
		return;
	if (name_len > 0)
		appendStringInfoChar(&encoding->name, '=');
	appendBinaryStringInfo(&encoding->name, value, len);
	AddCurrentName(encoding, 1.0);
	CutName(encoding, name_len);
}

/* ---------- values of SQL types ---------- */

/* Return the type as which GetTextBytes() reads a value, or InvalidOid if it is not a text type. */
static Oid
TextType(Oid type)
{
	if (type == TEXTOID || type == BPCHAROID || type == NAMEOID || type == UUIDOID)
		return type;
	return IsBinaryCoercible(type, TEXTOID) ? TEXTOID : InvalidOid;
}

static const char *
GetTextBytes(Datum value, Oid text_type, int *len)
{
	const char *bytes;

	switch (text_type)
	{
		case NAMEOID:
			bytes = NameStr(*DatumGetName(value));
			*len = strlen(bytes);
			return bytes;
		case UUIDOID:
			bytes = DatumGetCString(DirectFunctionCall1(uuid_out, value));
			*len = strlen(bytes);
			return bytes;
		default:
			value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
			bytes = VARDATA_ANY(DatumGetPointer(value));
			*len = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
			/* trailing blanks of character(n) are not significant */
			if (text_type == BPCHAROID)
				*len = bpchartruelen(unconstify(char *, bytes), *len);
			return bytes;
	}
}

static void
AddText(Encoding *encoding, Datum value, Oid type)
{
	int			len;
	const char *bytes = GetTextBytes(value, TextType(type), &len);

	AddNamedValue(encoding, bytes, len);
}

static void
AddTextArray(Encoding *encoding, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	Oid			base_type = getBaseType(ARR_ELEMTYPE(array));
	Datum	   *elements;
	bool	   *nulls;
	int			count = ArgElements(array, &elements, &nulls);

	for (int i = 0; i < count; i++)
		if (!nulls[i])
			AddText(encoding, elements[i], base_type);
}

/* ---------- jsonb ---------- */

/* NOLINTBEGIN(misc-no-recursion): documents are nested; we check the stack depth */

static void AddJsonbContainer(Encoding *encoding, JsonbContainer *container);

static void
AddJsonbValue(Encoding *encoding, const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			AddNamedValue(encoding, value->val.string.val, value->val.string.len);
			break;
		case jbvBool:
			AddWeight(encoding, ArgNumber(BOOLOID, BoolGetDatum(value->val.boolean)));
			break;
		case jbvNumeric:
			AddWeight(encoding, ArgNumber(NUMERICOID, NumericGetDatum(value->val.numeric)));
			break;
		case jbvBinary:
			AddJsonbContainer(encoding, value->val.binary.data);
			break;
		default:
			Assert(value->type == jbvNull);
	}
}

/* Add an element of a jsonb array.  Numbers in arrays are categories. */
static void
AddJsonbElement(Encoding *encoding, const JsonbValue *element)
{
	char	   *number;

	if (element->type != jbvNumeric)
	{
		AddJsonbValue(encoding, element);
		return;
	}
	number = numeric_normalize(element->val.numeric);
	AddNamedValue(encoding, number, strlen(number));
	pfree(number);
}

static void
AppendKey(Encoding *encoding, const JsonbValue *key)
{
	if (encoding->name.len > 0)
		appendStringInfoChar(&encoding->name, '.');
	appendBinaryStringInfo(&encoding->name, key->val.string.val, key->val.string.len);
}

static void
AddJsonbContainer(Encoding *encoding, JsonbContainer *container)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	bool		is_scalar = JsonContainerIsScalar(container);
	int			name_len = encoding->name.len;
	JsonbIteratorToken token;
	JsonbValue	value;

	check_stack_depth();
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
		{
			CutName(encoding, name_len);
			AppendKey(encoding, &value);
		}
		else if (token == WJB_VALUE || (token == WJB_ELEM && is_scalar))
			AddJsonbValue(encoding, &value);
		else if (token == WJB_ELEM)
			AddJsonbElement(encoding, &value);
	}
	CutName(encoding, name_len);
}

/* NOLINTEND(misc-no-recursion) */

/* ---------- types ---------- */

/* Return the error hint for a type that is not supported. */
static const char *
GetTypeHint(Oid type)
{
	switch (type)
	{
		case BYTEAOID:
			return "Write it as text: encode(%s, 'hex').";
		case CASHOID:
			return "Keep it as a number: %s::numeric.";
		case JSONOID:
			return "Write it as jsonb: %s::jsonb.";
		case TSVECTOROID:
			return "Write it as an array: tsvector_to_array(%s).";
		case TIMEOID:
		case TIMETZOID:
			return "Write a part of it as text, such as extract(hour FROM %s)::text.";
		case TIMESTAMPTZOID:
			return "Write a part of it as text, such as extract(isodow FROM %s AT TIME ZONE 'UTC')::text.";
	}
	switch (get_element_type(type) ? TYPCATEGORY_ARRAY : TypeCategory(type))
	{
		case TYPCATEGORY_ARRAY:
			return "Write it as text: %s::text[]. Concatenate measurements, scaled to [0, 1], with the encoding.";
		case TYPCATEGORY_DATETIME:
			return "Write a part of it as text, such as extract(isodow FROM %s)::text.";
		case TYPCATEGORY_TIMESPAN:
			return "Write it as a number: extract(epoch FROM %s).";
		case TYPCATEGORY_ENUM:
			return "Write it as text: %s::text. In a generated column, which must be immutable, use CASE or a function declared IMMUTABLE.";
		case TYPCATEGORY_RANGE:
			return "Write its bounds: lower(%s) and upper(%s).";
		case TYPCATEGORY_COMPOSITE:
			return "Pass each of its columns with a name.";
		default:
			return type == RECORDOID ? "Pass each of its columns with a name." :
				"Write it as text: %s::text.";
	}
}

/* Raise an error for a type that is not supported, with the name of the value in the hint. */
static void
RaiseUnsupportedType(const char *name, Oid type)
{
	StringInfoData hint;
	const char *rest = GetTypeHint(type);
	const char *place;

	initStringInfo(&hint);
	for (; (place = strstr(rest, "%s")) != NULL; rest = place + 2)
	{
		appendBinaryStringInfo(&hint, rest, place - rest);
		appendStringInfoString(&hint, name);
	}
	appendStringInfoString(&hint, rest);
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("dlints_encode does not take values of type %s",
					format_type_be(type)),
			 errdetail("This is the type of \"%s\".", name),
			 errhint("%s", hint.data)));
}

static void
SetName(Encoding *encoding, Datum name, bool isnull, Oid type, int argument)
{
	Oid			text_type = TextType(getBaseType(type));
	const char *bytes;
	int			len;

	if (!OidIsValid(text_type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a name must be text, not %s", format_type_be(type)),
				 errdetail("This is argument %d.", argument),
				 errhint("Pass alternating names and values, as in dlints_encode(64, 'category', category, 'tags', tags).")));
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a name must not be null"),
				 errdetail("This is argument %d.", argument)));
	bytes = GetTextBytes(name, text_type, &len);
	resetStringInfo(&encoding->name);
	appendBinaryStringInfo(&encoding->name, bytes, len);
}

/* Add an SQL value under the current name.  NULL of an unsupported type raises an error, too. */
static void
AddArgument(Encoding *encoding, Datum value, bool isnull, Oid declared_type)
{
	Oid			type = getBaseType(declared_type);
	bool		is_number = TypeIsNumber(type) || type == BOOLOID;
	bool		is_text = !is_number && OidIsValid(TextType(type));
	Oid			element_type = is_number || is_text ? InvalidOid : get_element_type(type);
	bool		is_text_array = OidIsValid(element_type) &&
		OidIsValid(TextType(getBaseType(element_type)));

	if (!is_number && !is_text && !is_text_array && type != JSONBOID)
		RaiseUnsupportedType(encoding->name.data, declared_type);
	if (isnull)
		return;
	if (is_number)
		AddWeight(encoding, ArgNumber(type, value));
	else if (is_text)
		AddText(encoding, value, type);
	else if (is_text_array)
		AddTextArray(encoding, value);
	else
		AddJsonbContainer(encoding, &DatumGetJsonbP(value)->root);
}

PG_FUNCTION_INFO_V1(dlints_encode);

/* dlints_encode(n, VARIADIC "any"): hash pairs of a name and a value to a vector of n numbers. */
Datum
dlints_encode(PG_FUNCTION_ARGS)
{
	Encoding	encoding;
	Datum	   *args;
	Oid		   *types;
	bool	   *nulls;
	int			count;

	EncodingBegin(fcinfo, &encoding);
	/* extract_variadic_args() returns -1 for VARIADIC NULL */
	count = extract_variadic_args(fcinfo, 1, true, &args, &types, &nulls);
	if (count > 0 && count % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dlints_encode requires alternating names and values"),
				 errdetail_plural("%d argument follows argument \"n\".",
							  "%d arguments follow argument \"n\".", count, count),
				 errhint("A single document must be of type jsonb.")));
	for (int i = 0; i + 1 < count; i += 2)
	{
		SetName(&encoding, args[i], nulls[i], types[i], i + 2);
		AddArgument(&encoding, args[i + 1], nulls[i + 1], types[i + 1]);
	}
	return ResultUnitVector(encoding.sum, encoding.n);
}

PG_FUNCTION_INFO_V1(dlints_encode_jsonb);

/* dlints_encode(n, document): hash a jsonb document to a vector of n numbers. */
Datum
dlints_encode_jsonb(PG_FUNCTION_ARGS)
{
	Encoding	encoding;

	EncodingBegin(fcinfo, &encoding);
	if (!PG_ARGISNULL(1))
		AddJsonbContainer(&encoding, &PG_GETARG_JSONB_P(1)->root);
	return ResultUnitVector(encoding.sum, encoding.n);
}

PG_FUNCTION_INFO_V1(dlints_encode_column);

/* _dlints_encode_column(): hash a value like dlints_encode(), but skip invalid numbers. */
Datum
dlints_encode_column(PG_FUNCTION_ARGS)
{
	Encoding	encoding;

	EncodingBegin(fcinfo, &encoding);
	encoding.skips_bad_numbers = true;
	SetName(&encoding, PG_GETARG_DATUM(1), PG_ARGISNULL(1), TEXTOID, 2);
	AddArgument(&encoding, PG_GETARG_DATUM(2), PG_ARGISNULL(2),
				get_fn_expr_argtype(fcinfo->flinfo, 2));
	return ResultUnitVector(encoding.sum, encoding.n);
}
