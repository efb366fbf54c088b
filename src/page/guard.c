/*
 * guard.c
 *		Protect against functions and tables of other roles with the names of our own.
 *
 * Another role might create a function that PostgreSQL prefers because of its argument types, or a
 * temporary relation with the name of a dropped view.  Our code would run such objects with the
 * rights of the recommender's owner.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "compat.h"
#include "page/page.h"

/* number of changes to pg_proc since the first call of CheckNamesakes() */
static uint64 n_changes = 0;

static void
count_change(Datum arg, int cache, uint32 hash)
{
	n_changes++;
}

/* Return the owner of the extension, who also owns the type dlints. */
static Oid
extension_owner(Oid extension_schema)
{
	HeapTuple	type = SearchSysCache2(TYPENAMENSP, CStringGetDatum("dlints"), ObjectIdGetDatum(extension_schema));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(type))
	{
		owner = ((Form_pg_type) GETSTRUCT(type))->typowner;
		ReleaseSysCache(type);
	}
	return owner;
}

static bool
is_name_of_ours(NameData *name, Oid extension_schema, Oid owner)
{
	CatCList   *functions = SearchSysCacheList1(PROCNAMEARGSNSP, NameGetDatum(name));
	bool		found = false;

	for (int i = 0; !found && i < functions->n_members; i++)
	{
		Form_pg_proc function = (Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		found = function->pronamespace == extension_schema && function->proowner == owner;
	}
	ReleaseCatCacheList(functions);
	return found;
}

/* Check functions whose names begin with "prefix", except those of superusers. */
static void
check_names(Relation functions, const char *prefix, Oid extension_schema, Oid owner)
{
	NameData	low;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	namestrcpy(&low, prefix);
	ScanKeyInit(&key, Anum_pg_proc_proname, BTGreaterEqualStrategyNumber, F_NAMEGE,
				NameGetDatum(&low));
	scan = systable_beginscan(functions, ProcedureNameArgsNspIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_proc function = (Form_pg_proc) GETSTRUCT(tuple);

		if (function->pronamespace == extension_schema && function->proowner != owner &&
			strncmp(NameStr(function->proname), prefix, strlen(prefix)) == 0 &&
			!superuser_arg(function->proowner) &&
			is_name_of_ours(&function->proname, extension_schema, owner))
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_FUNCTION),
					 errmsg("function %s does not belong to dlints", format_procedure(function->oid)),
					 errhint("It could be called in place of a function of dlints. Drop or rename it.")));
	}
	systable_endscan(scan);
}

/*
 * Raise an error if the extension's schema has a function of another role with the name of a
 * function of the extension.  Checks again only after a change to pg_proc.
 */
void
CheckNamesakes(Oid extension_schema)
{
	static bool is_registered = false;
	static Oid	checked_schema = InvalidOid;
	static uint64 checked_changes;
	uint64		changes;
	Oid			owner;
	Relation	functions;

	if (!is_registered)
	{
		CacheRegisterSyscacheCallback(PROCOID, (SyscacheCallbackFunction) count_change, (Datum) 0);
		is_registered = true;
	}
	if (checked_schema == extension_schema && checked_changes == n_changes)
		return;
	changes = n_changes;
	owner = extension_owner(extension_schema);
	functions = table_open(ProcedureRelationId, AccessShareLock);
	check_names(functions, "_dlints_", extension_schema, owner);
	check_names(functions, "dlints_", extension_schema, owner);
	table_close(functions, AccessShareLock);
	checked_schema = extension_schema;
	checked_changes = changes;
}

PG_FUNCTION_INFO_V1(dlints_check_namesakes);

/* _dlints_check_namesakes(): call CheckNamesakes() for the schema of the extension. */
Datum
dlints_check_namesakes(PG_FUNCTION_ARGS)
{
	CheckNamesakes(get_func_namespace(fcinfo->flinfo->fn_oid));
	PG_RETURN_VOID();
}

/* views that depend on the user's tables, so that DROP TABLE ... CASCADE drops them, too */
static const char *const bound_views[] = {"item", "encoded_item", "item_column", "click", "cost_text"};

/* Raise an error if a temporary relation has the name of a dropped view of the recommender. */
void
CheckTemporaryRelations(Oid schema)
{
	Oid			temporary;
	Oid			toast;

	GetTempNamespaceState(&temporary, &toast);
	if (!OidIsValid(temporary) || !OidIsValid(get_relname_relid("item_vector", schema)))
		return;
	for (int i = 0; i < lengthof(bound_views); i++)
		if (OidIsValid(get_relname_relid(bound_views[i], temporary)) &&
			!OidIsValid(get_relname_relid(bound_views[i], schema)))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("temporary relation \"%s\" would be read in place of a view of schema \"%s\"",
							bound_views[i], get_namespace_name(schema)),
					 errhint("Drop or rename the temporary relation.")));
}
