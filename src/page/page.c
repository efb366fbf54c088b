/*
 * page.c
 *		Begin and end a request for a list, and run its SQL statements and subtransactions.
 */
#include "postgres.h"

#include "access/xact.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "compat.h"
#include "page/page.h"

const char *const policy_names[] = {"personal", "unknown", "control", "random", "trending"};

/* ---------- requests ---------- */

/*
 * Raise a serialization failure unless an argument has the expected key type.
 * dlints_alter_recommender() may have changed the type, and a retry then succeeds.
 */
void
CheckKeyType(FunctionCallInfo fcinfo, int argno, Oid type, const char *name)
{
	Oid			found = get_fn_expr_argtype(fcinfo->flinfo, argno);

	if (found == type || (found == UNKNOWNOID && PG_ARGISNULL(argno)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("argument \"%s\" has type %s, expected %s", name,
					OidIsValid(found) ? format_type_be(found) : "unknown", format_type_be(type)),
			 errhint("If dlints_alter_recommender() has just changed the type, repeat the call.")));
}

/* Read the types of user and item keys from the table "decision". */
static void
find_types(PageRequest *page)
{
	Oid			log = get_relname_relid("decision", page->schema);
	int32		modifier;

	if (OidIsValid(log) && get_attnum(log, "user_id") != InvalidAttrNumber)
		get_atttypetypmodcoll(log, get_attnum(log, "user_id"), &page->user_type, &modifier, &page->user_collation);
	page->items_type = OidIsValid(log) ? get_atttype(log, get_attnum(log, "items")) : InvalidOid;
	page->item_type = OidIsValid(page->items_type) ?
		get_element_type(page->items_type) : InvalidOid;
	if (!OidIsValid(page->user_type) || !OidIsValid(page->item_type))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("schema \"%s\" does not contain a recommender", get_namespace_name(page->schema))));
	get_atttypetypmodcoll(log, get_attnum(log, "items"), &page->items_type, &modifier, &page->item_collation);
	get_typlenbyvalalign(page->item_type, &page->item_length, &page->item_by_value,
						 &page->item_align);
}

static void
begin_page(PageRequest *page, FunctionCallInfo fcinfo, Oid schema)
{
	memset(page, 0, sizeof(*page));
	page->schema = schema;
	page->extension_schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	page->user = page->session = page->excluded = NotGiven();
	SPI_connect();
	page->memory = CurrentMemoryContext;
}

/* Begin a request in the schema of the table "setting", the SQL function's first argument. */
void
OpenSchema(PageRequest *page, FunctionCallInfo fcinfo)
{
	Oid			schema = SchemaOfSetting(PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0),
										 get_func_namespace(fcinfo->flinfo->fn_oid));
	int			nest_level = EnterSchema(schema);

	begin_page(page, fcinfo, schema);
	page->nest_level = nest_level;
}

void
OpenPage(PageRequest *page, FunctionCallInfo fcinfo)
{
	OpenSchema(page, fcinfo);
	find_types(page);
}

/* Begin a request in the schema to which the search_path is set, and read the settings. */
void
EnterPage(PageRequest *page, FunctionCallInfo fcinfo)
{
	begin_page(page, fcinfo, EnteredSchema(get_func_namespace(fcinfo->flinfo->fn_oid)));
	find_types(page);
	ReadPageSettings(page);
}

/* End a request, and free the results of all its statements. */
void
ClosePage(PageRequest *page)
{
	SPI_finish();
	if (page->nest_level > 0)
		AtEOXact_GUC(true, page->nest_level);
}

/* ---------- statements ---------- */

/* Return the type for a placeholder such as ARG_USER, or the type itself. */
Oid
KeyTypeOf(const PageRequest *page, Oid type)
{
	switch (type)
	{
		case ARG_USER:
			return page->user_type;
		case ARG_ITEM:
			return page->item_type;
		case ARG_ITEMS:
			return page->items_type;
		case ARG_MODEL:
			return ModelType(page->extension_schema);
		default:
			return type;
	}
}

static void
run(const PageRequest *page, const PageQuery *query, const NullableDatum *args, bool is_read_only)
{
	SPIPlanPtr	plan = PagePlan(page, query, 0);
	Datum		values[MAX_ARGS];
	char		nulls[MAX_ARGS + 1];
	int			result;

	for (int i = 0; args != NULL && i < SPI_getargcount(plan); i++)
	{
		values[i] = args[i].value;
		nulls[i] = args[i].isnull ? 'n' : ' ';
	}
	result = SPI_execute_plan(plan, values, nulls, is_read_only, 0);
	if (result < 0)
		elog(ERROR, "could not execute a statement: %s", SPI_result_code_string(result));
}

/* Run a query.  SPI_tuptable has the rows until ClosePage(). */
void
RunSelect(const PageRequest *page, const PageQuery *query, const NullableDatum *args)
{
	run(page, query, args, true);
}

/*
 * Run a query, and call a function for each row of the result.  "types" lists the types of the
 * columns, and ends with InvalidOid.
 */
void
ReadRows(const PageRequest *page, const PageQuery *query, uint32 variant, const NullableDatum *args,
		 const Oid *types, RowReader read, void *reader)
{
	SPIPlanPtr	plan = PagePlan(page, query, variant);
	ParamListInfo params = makeParamList(SPI_getargcount(plan));
	RowReceiver receiver = RowReceiverCreate(read, reader, CurTransactionContext);
	SPIExecuteOptions options = {.params = params, .read_only = true, .dest = &receiver.pub};
	int			result;

	for (int i = 0; i < MAX_ROW_TYPES && OidIsValid(types[i]); i++)
		receiver.types[i] = KeyTypeOf(page, types[i]);
	for (int i = 0; i < params->numParams; i++)
	{
		ParamExternData *param = &params->params[i];

		param->value = args[i].value;
		param->isnull = args[i].isnull;
		param->pflags = PARAM_FLAG_CONST;
		param->ptype = SPI_getargtypeid(plan, i);
	}
	result = SPI_execute_plan_extended(plan, &options);
	MemoryContextDelete(receiver.row);
	if (result < 0)
		elog(ERROR, "could not execute a statement: %s", SPI_result_code_string(result));
}

void
RunWrite(const PageRequest *page, const PageQuery *query, const NullableDatum *args)
{
	run(page, query, args, false);
}

/* Return a column of the last query's first row, counted from 1, or NULL without rows. */
NullableDatum
ResultColumn(int column)
{
	NullableDatum result = NotGiven();

	if (SPI_processed > 0)
		result.value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column,
									 &result.isnull);
	return result;
}

/* Like ResultColumn(), but raise an error for NULL, which constraints of tables exclude. */
Datum
ResultValue(int column)
{
	NullableDatum result = ResultColumn(column);

	if (result.isnull)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a row of the table \"setting\" is incomplete")));
	return result.value;
}

/* Copy a value into page->memory, which outlives the row, without detoasting the value. */
NullableDatum
KeepValue(const PageRequest *page, Datum value, bool isnull, bool by_value, int16 length)
{
	MemoryContext caller = MemoryContextSwitchTo(page->memory);
	NullableDatum copy = isnull ? NotGiven() : Given(datumCopy(value, by_value, length));

	MemoryContextSwitchTo(caller);
	return copy;
}

/* ---------- subtransactions ---------- */

static bool
is_in_class(int sqlerrcode, const int *classes, int count)
{
	for (int i = 0; i < count; i++)
		if (ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_TO_CATEGORY(classes[i]))
			return true;
	return false;
}

/* Is an error, such as a missing table or privilege, independent of the data of single rows? */
bool
IsObjectError(int sqlerrcode)
{
	static const int classes[] = {
		ERRCODE_INVALID_TRANSACTION_STATE, ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
		ERRCODE_INVALID_CATALOG_NAME, ERRCODE_INVALID_SCHEMA_NAME,
		ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		ERRCODE_FDW_ERROR, ERRCODE_INTERNAL_ERROR
	};

	/* exclude two errors that input functions raise for an invalid value in one row */
	return sqlerrcode != ERRCODE_SYNTAX_ERROR && sqlerrcode != ERRCODE_UNDEFINED_OBJECT &&
		is_in_class(sqlerrcode, classes, lengthof(classes));
}

/* Can the data of one row have caused an error?  Errors in "other_classes" have other causes. */
bool
IsRowError(int sqlerrcode)
{
	static const int other_classes[] = {
		ERRCODE_CONNECTION_EXCEPTION, ERRCODE_INVALID_TRANSACTION_TERMINATION,
		ERRCODE_SAVEPOINT_EXCEPTION, ERRCODE_TRANSACTION_ROLLBACK,
		ERRCODE_INSUFFICIENT_RESOURCES, ERRCODE_OPERATOR_INTERVENTION, ERRCODE_SYSTEM_ERROR,
		MAKE_SQLSTATE('7', '2', '0', '0', '0'), ERRCODE_CONFIG_FILE_ERROR
	};

	/* a large value of a single row can exceed a memory limit */
	if (sqlerrcode == ERRCODE_OUT_OF_MEMORY || sqlerrcode == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED)
		return true;
	return sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE && sqlerrcode != ERRCODE_DATA_CORRUPTED &&
		sqlerrcode != ERRCODE_INDEX_CORRUPTED &&
		!is_in_class(sqlerrcode, other_classes, lengthof(other_classes));
}

static int
sqlstate_argument(FunctionCallInfo fcinfo)
{
	char	   *code = text_to_cstring(PG_GETARG_TEXT_PP(0));

	if (strlen(code) != 5)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid SQLSTATE \"%s\"", code)));
	return MAKE_SQLSTATE(code[0], code[1], code[2], code[3], code[4]);
}

PG_FUNCTION_INFO_V1(dlints_is_row_error);

Datum
dlints_is_row_error(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(IsRowError(sqlstate_argument(fcinfo)));
}

PG_FUNCTION_INFO_V1(dlints_is_object_error);

Datum
dlints_is_object_error(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(IsObjectError(sqlstate_argument(fcinfo)));
}

static const PageQuery check_objects = {
	"SELECT @extschema@._dlints_check_objects()", {0}};

/* Raise an error that names dropped objects, if they may have caused the given error. */
void
CheckObjects(PageRequest *page, const ErrorData *error)
{
	if (error != NULL &&
		(error->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION ||
		 error->sqlerrcode == ERRCODE_UNDEFINED_TABLE ||
		 error->sqlerrcode == ERRCODE_INTERNAL_ERROR))
		RunSelect(page, &check_objects, NULL);
}

/* Call a function in a subtransaction.  Returns its error, or NULL. */
ErrorData *
TryStep(PageRequest *page, PageStep step, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(caller);
	PG_TRY();
	{
		step(page, arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	return error;
}

/*
 * Call a function.  If the data of a row may have caused an error, call the function again without
 * the items for which SQL expressions fail.
 */
void
DoStep(PageRequest *page, PageStep step, void *arg)
{
	ErrorData  *error = TryStep(page, step, arg);

	CheckObjects(page, error);
	if (error != NULL && IsRowError(error->sqlerrcode))
	{
		page->skips_failing = true;
		error = TryStep(page, step, arg);
	}
	if (error == NULL)
		return;
	/* raise an error that names the failing expression */
	if (IsRowError(error->sqlerrcode))
		CheckExpressions(page, NULL);
	ReThrowError(error);
}
