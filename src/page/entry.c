/*
 * entry.c
 *		Set the search_path to the schema of a recommender or ranker ("enter" the schema).
 *
 * A schema is identified by the Oid of its table "setting", so that users can rename the schema.
 * Our code uses unqualified table names, and therefore runs only in an entered schema.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "page/tables.h"

static HeapTuple
schema_row(Oid schema)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema of a recommender, a ranker or the extension does not exist")));
	return tuple;
}

/* Return the name of a schema.  Raises an error if another session has dropped the schema. */
const char *
SchemaName(Oid schema)
{
	HeapTuple	tuple = schema_row(schema);
	char	   *name = pstrdup(NameStr(((Form_pg_namespace) GETSTRUCT(tuple))->nspname));

	ReleaseSysCache(tuple);
	return name;
}

static char *
entered_path(Oid schema)
{
	return psprintf("pg_catalog, %s, pg_temp", quote_identifier(SchemaName(schema)));
}

/* Return the type dlints. */
Oid
ModelType(Oid extension_schema)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("dlints"),
						   ObjectIdGetDatum(extension_schema));
}

/* Is a table the table "setting" of a recommender or ranker? */
static bool
is_setting(Oid relation, Oid extension_schema)
{
	AttrNumber	column = get_attnum(relation, "empty_model");

	return column != InvalidAttrNumber &&
		get_atttype(relation, column) == ModelType(extension_schema);
}

static bool
others_may_create(Oid owner, const Acl *acl)
{
	for (int i = 0; i < ACL_NUM(acl); i++)
		if (ACL_DAT(acl)[i].ai_grantee != owner &&
			(ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]) & ACL_CREATE) != 0)
			return true;
	return false;
}

/*
 * Raise an error unless the current user owns the schema, and is the only one who may create
 * objects in it.  Functions of other users would run with the owner's rights.
 */
static void
check_owner(Oid schema)
{
	HeapTuple	tuple = schema_row(schema);
	Form_pg_namespace form = (Form_pg_namespace) GETSTRUCT(tuple);
	const char *name = NameStr(form->nspname);
	Oid			owner = form->nspowner;
	Datum		privileges;
	bool		is_default;

	if (owner != GetUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of schema \"%s\"", name),
				 errdetail("The schema belongs to \"%s\", and the function is run by \"%s\".",
						   GetUserNameFromId(owner, false), GetUserNameFromId(GetUserId(), false)),
				 errhint("ALTER SCHEMA ... OWNER TO does not change the owner of objects in the schema. "
						 "Use REASSIGN OWNED.")));
	privileges = SysCacheGetAttr(NAMESPACEOID, tuple, Anum_pg_namespace_nspacl, &is_default);
	if (!is_default && others_may_create(owner, DatumGetAclP(privileges)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("roles other than the owner may create objects in schema \"%s\"", name),
				 errhint("REVOKE CREATE ON SCHEMA %s FROM them.", quote_identifier(name))));
	ReleaseSysCache(tuple);
}

/*
 * Return the schema of a recommender or ranker, given its table "setting".  Locks the table
 * against a concurrent DROP SCHEMA.
 */
Oid
SchemaOfSetting(Oid setting, Oid extension_schema)
{
	Relation	relation = OidIsValid(setting) ? try_relation_open(setting, AccessShareLock) : NULL;
	Oid			schema = relation == NULL ? InvalidOid : RelationGetNamespace(relation);

	if (relation != NULL)
		relation_close(relation, NoLock);
	if (!OidIsValid(schema) || !is_setting(setting, extension_schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no such recommender or ranker"),
				 errhint("The view dlints_recommenders lists them.")));
	check_owner(schema);
	CheckTemporaryRelations(schema);
	return schema;
}

/* Raise an error if a recommender or ranker has no settings or models. */
void
CheckHasSettings(Oid schema, bool has_settings)
{
	if (!has_settings)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("tables of schema \"%s\" are empty", SchemaName(schema)),
				 errdetail("A row of \"setting\" or \"model\" is missing."),
				 errhint("A dump without data was restored: restore the data, or drop and create the recommender or ranker again.")));
}

static void
set_path(Oid schema, GucAction action)
{
	(void) set_config_option("search_path", entered_path(schema), PGC_USERSET, PGC_S_SESSION, action, true, 0, false);
}

/*
 * Set the search_path to a schema.  Returns the GUC nest level for restoring it.
 *
 * random_page_cost is lowered, because requests look up few rows, which are mostly cached.
 */
int
EnterSchema(Oid schema)
{
	int			nest_level = NewGUCNestLevel();

	set_path(schema, GUC_ACTION_SAVE);
	if (random_page_cost > 1.1)
		(void) set_config_option("random_page_cost", "1.1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return nest_level;
}

PG_FUNCTION_INFO_V1(dlints_enter);

/* _dlints_enter(): set the search_path to a schema until the calling SQL function ends. */
Datum
dlints_enter(PG_FUNCTION_ARGS)
{
	Oid			extension_schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid			schema = SchemaOfSetting(PG_GETARG_OID(0), extension_schema);
	PageRequest page = {.schema = schema};

	CheckNamesakes(extension_schema);
	CheckHasSettings(schema, HasRows(&page, "setting") && HasRows(&page, "model"));
	set_path(schema, GUC_ACTION_LOCAL);
	return DirectFunctionCall1(namein, CStringGetDatum(SchemaName(schema)));
}

/*
 * Return the schema of a recommender or ranker to which the search_path is set.  Raises an error
 * under any other search_path.
 */
Oid
EnteredSchema(Oid extension_schema)
{
	List	   *path = fetch_search_path(false);
	Oid			schema = list_length(path) >= 2 ? list_nth_oid(path, 1) : InvalidOid;
	Oid			setting = OidIsValid(schema) ? get_relname_relid("setting", schema) : InvalidOid;

	list_free(path);
	if (!OidIsValid(setting) || strcmp(namespace_search_path, entered_path(schema)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this function is internal to dlints"),
				 errhint("Call the functions in the schema of a recommender or ranker.")));
	CheckNamesakes(extension_schema);
	return SchemaOfSetting(setting, extension_schema);
}

PG_FUNCTION_INFO_V1(dlints_check_entry);

/* _dlints_check_entry(): like EnteredSchema(), but return the name of the schema. */
Datum
dlints_check_entry(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall1(namein,
		CStringGetDatum(SchemaName(EnteredSchema(get_func_namespace(fcinfo->flinfo->fn_oid)))));
}
