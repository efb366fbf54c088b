/*
 * admin.c
 *		For administrators: the models of a table.
 *
 * A query is made up and run with the rights of the caller, so that privileges
 * and row-level security say what is seen.  All names in it are qualified, and
 * it has no operator: nothing in the search_path is called.
 */
#include "postgres.h"

#include "access/commit_ts.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "args.h"
#include "results.h"

/* What a fetch takes from the query. */
#define FETCH_ROWS 100

/* Where the extension is, and what it is asked about. */
typedef struct Listing
{
	Relation	relation;
	const char *schema;			/* of the extension, quoted */
	Oid			model_type;
} Listing;

static bool
MayRead(const Listing *listing, AttrNumber column)
{
	Oid			relation = RelationGetRelid(listing->relation);

	return pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relation, column, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

static bool
HoldsModels(const Listing *listing, const FormData_pg_attribute *column)
{
	return !column->attisdropped && getBaseType(column->atttypid) == listing->model_type;
}

/* The columns of models, or the one that was asked for, with their names. */
static void
AppendModels(StringInfo query, const Listing *listing, const NameData *wanted)
{
	TupleDesc	desc = RelationGetDescr(listing->relation);
	const char *before = "";
	int			i;

	for (i = 0; i < desc->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(desc, i);
		const char *name = NameStr(column->attname);

		if (!HoldsModels(listing, column) ||
			(wanted != NULL && strcmp(name, NameStr(*wanted)) != 0))
			continue;
		appendStringInfo(query, "%s(%s::pg_catalog.name, t.%s::%s.dlints)", before,
						 quote_literal_cstr(name), quote_identifier(name),
						 listing->schema);
		before = ", ";
	}
	if (*before == '\0')
		appendStringInfo(query, "(NULL::pg_catalog.name, NULL::%s.dlints)",
						 listing->schema);
}

/*
 * The primary key as text, one of several columns as a row's.  Output functions
 * make it, which are superusers' work, and not casts, which may be anybody's.
 */
static void
AppendKey(StringInfo query, const Listing *listing)
{
	TupleDesc	desc = RelationGetDescr(listing->relation);
	Oid			constraint;
	Bitmapset  *key = get_primary_key_attnos(RelationGetRelid(listing->relation),
											 true, &constraint);
	StringInfoData columns;
	int			member = -1;

	initStringInfo(&columns);
	while ((member = bms_next_member(key, member)) >= 0)
	{
		AttrNumber	number = member + FirstLowInvalidHeapAttributeNumber;

		if (!MayRead(listing, number))
		{
			resetStringInfo(&columns);
			break;
		}
		appendStringInfo(&columns, "%st.%s", columns.len > 0 ? ", " : "",
						 quote_identifier(NameStr(TupleDescAttr(desc, number - 1)->attname)));
	}
	if (columns.len == 0)
		appendStringInfoString(query, "NULL::pg_catalog.text");
	else
		appendStringInfo(query,
						 bms_membership(key) == BMS_SINGLETON ?
						 "pg_catalog.format('%%s', %s)" :
						 "pg_catalog.format('%%s', ROW(%s))", columns.data);
}

/* When the row was written, where the server keeps that. */
static void
AppendWritten(StringInfo query, const Listing *listing)
{
	char		kind = listing->relation->rd_rel->relkind;

	if (track_commit_timestamp &&
		(kind == RELKIND_RELATION || kind == RELKIND_MATVIEW) &&
		MayRead(listing, MinTransactionIdAttributeNumber))
		appendStringInfoString(query, "pg_catalog.pg_xact_commit_timestamp(t.xmin)");
	else
		appendStringInfoString(query, "NULL::pg_catalog.timestamptz");
}

/* The query whose rows are those of dlints_models. */
static char *
ListingQuery(const Listing *listing, const NameData *wanted)
{
	Relation	relation = listing->relation;
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT m.attname, ");
	AppendKey(&query, listing);
	appendStringInfoString(&query,
						   ", i.context_dim, i.reduced_dim, i.shared_dim, i.policy,"
						   " i.updates, i.effective_sample_size, i.mean_reward, i.newest, ");
	AppendWritten(&query, listing);
	/* Tables that inherit from one have their rows listed as their own. */
	appendStringInfo(&query, ", i.bytes, i.hint, i.format_version FROM %s%s AS t, LATERAL (VALUES ",
					 relation->rd_rel->relkind == RELKIND_RELATION ? "ONLY " : "",
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
												RelationGetRelationName(relation)));
	AppendModels(&query, listing, wanted);
	appendStringInfo(&query, ") AS m (attname, model), LATERAL %s.dlints_info(m.model) AS i"
					 " WHERE m.model IS NOT NULL", listing->schema);
	return query.data;
}

/* A relation that has rows, locked for as long as the transaction lasts. */
static Relation
OpenRelation(Oid oid)
{
	Relation	relation = try_relation_open(oid, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", oid)));
	switch (relation->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_MATVIEW:
		case RELKIND_VIEW:
		case RELKIND_FOREIGN_TABLE:
			return relation;
	}
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" is not a table or a view", RelationGetRelationName(relation))));
}

/* A column that is asked for by name has to be one of models. */
static void
CheckColumn(const Listing *listing, const NameData *wanted)
{
	Relation	relation = listing->relation;
	AttrNumber	number = get_attnum(RelationGetRelid(relation), NameStr(*wanted));

	if (number == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						NameStr(*wanted), RelationGetRelationName(relation))));
	if (number < 0 ||
		!HoldsModels(listing, TupleDescAttr(RelationGetDescr(relation), number - 1)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of relation \"%s\" is not of type dlints",
						NameStr(*wanted), RelationGetRelationName(relation))));
}

/* Run a query, with the rights and the snapshot of the caller. */
static void
StoreRows(Tuplestorestate *store, const char *query)
{
	Portal		portal;
	uint64		i;

	SPI_connect();
	portal = SPI_cursor_open_with_args(NULL, query, 0, NULL, NULL, NULL, true, 0);
	do
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		for (i = 0; i < SPI_processed; i++)
			tuplestore_puttuple(store, SPI_tuptable->vals[i]);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	SPI_finish();
}

PG_FUNCTION_INFO_V1(dlints_models);

/*
 * dlints_models(relation regclass, attname name = NULL) -> set of records
 *
 * The models of a table or view, those of one column or of all: which row they
 * are in, by its primary key, their sizes, and what they have learned.  written
 * is when the row was, if track_commit_timestamp is on.
 */
Datum
dlints_models(PG_FUNCTION_ARGS)
{
	Tuplestorestate *store;
	TupleDesc	desc;
	const NameData *wanted = PG_ARGISNULL(1) ? NULL : PG_GETARG_NAME(1);
	Oid			namespace = get_func_namespace(fcinfo->flinfo->fn_oid);
	Listing		listing;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	store = ResultRows(fcinfo, desc);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	listing.relation = OpenRelation(PG_GETARG_OID(0));
	listing.schema = quote_identifier(get_namespace_name(namespace));
	listing.model_type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
										 CStringGetDatum("dlints"),
										 ObjectIdGetDatum(namespace));
	if (wanted != NULL)
		CheckColumn(&listing, wanted);
	StoreRows(store, ListingQuery(&listing, wanted));
	relation_close(listing.relation, NoLock);
	return (Datum) 0;
}
