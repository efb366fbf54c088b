/*
 * tables.c
 *		Scan a recommender's tables without SPI.
 *
 * Requests read most tables without SPI, because planning would take most of the time of the first
 * request of a session.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "compat.h"
#include "page/tables.h"

struct TableLookup
{
	Relation	relation;
	const PageTable *table;
	AttrNumber	columns[MAX_TABLE_COLUMNS];
	/* number of first columns by which the index must sort the rows; 0: scan without a key */
	int			n_ordered;
	ScanKeyData key;			/* scan key on the first column */
	Oid			index;			/* index on the sort columns, or InvalidOid */
	/* index scan that all lookups share; NULL before the first lookup */
	SysScanDesc scan;
	MemoryContext row;			/* memory context that is reset after each row */
};

/* ---------- tables and columns ---------- */

/* Open a table.  Raises an error unless the current user may read all rows of the table. */
static Relation
open_table(const PageRequest *page, const char *name)
{
	Oid			table = get_relname_relid(name, page->schema);
	Relation	relation;

	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s\" does not exist in schema \"%s\"", name, get_namespace_name(page->schema))));
	relation = table_open(table, AccessShareLock);
	if (relation->rd_rel->relkind != RELKIND_RELATION &&
		relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a table", name)));
	if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, name);
	if (check_enable_rls(table, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" has row-level security that applies to its owner", name),
				 errhint("Requests read the table without policies. Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.")));
	return relation;
}

/* Find a column of a table.  Raises an error unless the column has the expected type. */
static AttrNumber
find_column(const PageRequest *page, Relation relation, const TableColumn *column)
{
	TupleDesc	row = RelationGetDescr(relation);
	Oid			type = KeyTypeOf(page, column->type & ~MAY_BE_NULL);

	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row, i);

		if (attribute->attisdropped || strcmp(NameStr(attribute->attname), column->name) != 0)
			continue;
		if (attribute->atttypid != type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of table \"%s\" has type %s, expected %s", column->name,
							RelationGetRelationName(relation), format_type_be(attribute->atttypid),
							format_type_be(type))));
		return attribute->attnum;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of table \"%s\" does not exist", column->name, RelationGetRelationName(relation))));
}

/* ---------- keys ---------- */

/* Return the equality function of an index column, or InvalidOid. */
static RegProcedure
index_equality(Relation index, int column)
{
	Oid			type = index->rd_opcintype[column];
	Oid			equal = get_opfamily_member(index->rd_opfamily[column], type, type,
											BTEqualStrategyNumber);

	return OidIsValid(equal) ? get_opcode(equal) : InvalidOid;
}

/* May this transaction read an index?  See indcheckxmin in PostgreSQL's README.HOT. */
static bool
is_usable(Relation index)
{
	return index->rd_index->indisvalid &&
		!(index->rd_index->indcheckxmin &&
		  !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
								 TransactionXmin));
}

/* Does an index contain all rows, sorted by the first n_ordered columns of the lookup? */
static bool
is_on_keys(Relation index, const TableLookup *lookup)
{
	Form_pg_index definition = index->rd_index;

	if (index->rd_rel->relam != BTREE_AM_OID || !is_usable(index) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		definition->indnkeyatts < lookup->n_ordered)
		return false;
	for (int i = 0; i < lookup->n_ordered; i++)
		if (definition->indkey.values[i] != lookup->columns[i] ||
			!OidIsValid(index_equality(index, i)) || (index->rd_indoption[i] & INDOPTION_DESC) != 0)
			return false;
	return true;
}

/* Set the scan key on the first column, for an index scan or a sequential scan. */
static void
init_key(TableLookup *lookup)
{
	List	   *indexes = RelationGetIndexList(lookup->relation);
	Form_pg_attribute column = TupleDescAttr(RelationGetDescr(lookup->relation),
											 lookup->columns[0] - 1);
	ListCell   *cell;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if (!OidIsValid(lookup->index) && is_on_keys(index, lookup))
		{
			lookup->index = RelationGetRelid(index);
			ScanKeyEntryInitialize(&lookup->key, 0, lookup->columns[0], BTEqualStrategyNumber,
								   InvalidOid, index->rd_indcollation[0],
								   index_equality(index, 0), (Datum) 0);
		}
		index_close(index, NoLock);
		if (OidIsValid(lookup->index))
			break;
	}
	list_free(indexes);
	if (!OidIsValid(lookup->index))
	{
		TypeCacheEntry *type = lookup_type_cache(column->atttypid, TYPECACHE_EQ_OPR_FINFO);

		ScanKeyEntryInitialize(&lookup->key, 0, lookup->columns[0], InvalidStrategy, InvalidOid,
							   column->attcollation, type->eq_opr_finfo.fn_oid, (Datum) 0);
	}
}

static TableLookup *
begin_lookup(const PageRequest *page, Relation relation, const PageTable *table, int n_ordered)
{
	TableLookup *lookup = palloc0(sizeof(TableLookup));

	lookup->relation = relation;
	lookup->table = table;
	for (int i = 0; i < table->n_columns; i++)
		lookup->columns[i] = find_column(page, relation, &table->columns[i]);
	lookup->n_ordered = n_ordered;
	lookup->row = AllocSetContextCreate(CurrentMemoryContext, "dlints row", ALLOCSET_SMALL_SIZES);
	if (n_ordered > 0)
		init_key(lookup);
	return lookup;
}

/* Prepare to look up rows by the first of table->columns.  Callers end with EndLookup(). */
TableLookup *
BeginLookup(const PageRequest *page, const PageTable *table)
{
	return begin_lookup(page, open_table(page, table->name), table, 1);
}

void
EndLookup(TableLookup *lookup)
{
	if (lookup->scan != NULL)
		systable_endscan(lookup->scan);
	MemoryContextDelete(lookup->row);
	table_close(lookup->relation, NoLock);
	pfree(lookup);
}

/* ---------- rows ---------- */

/* Raise an error for a NULL in a column whose constraint NOT NULL was dropped. */
static void
raise_null(const TableLookup *lookup, const TableColumn *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("column \"%s\" of table \"%s\" must not be null", column->name,
					RelationGetRelationName(lookup->relation))));
}

/* Call the function "read" for the columns of a row, and free the memory that it allocates. */
static void
read_row(const TableLookup *lookup, TupleTableSlot *row, RowReader read, void *reader)
{
	Datum		values[MAX_TABLE_COLUMNS];
	bool		nulls[MAX_TABLE_COLUMNS];
	MemoryContext caller = MemoryContextSwitchTo(lookup->row);

	for (int i = 0; i < lookup->table->n_columns; i++)
	{
		values[i] = slot_getattr(row, lookup->columns[i], &nulls[i]);
		if (nulls[i] && (lookup->table->columns[i].type & MAY_BE_NULL) == 0)
			raise_null(lookup, &lookup->table->columns[i]);
	}
	read(reader, values, nulls);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(lookup->row);
}

/* Call a function for at most "limit" rows of a scan.  Returns the number of rows. */
static int
read_rows(TableLookup *lookup, SysScanDesc scan, HeapTuple (*next) (SysScanDesc), int limit,
		  RowReader read, void *reader)
{
	int			count = 0;

	while (count < limit && HeapTupleIsValid(next(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		read_row(lookup, scan->slot, read, reader);
		count++;
	}
	return count;
}

static HeapTuple
last_row(SysScanDesc scan)
{
	return systable_getnext_ordered(scan, BackwardScanDirection);
}

/* Begin a scan for a lookup.  Index scans stay open, and later lookups change their key. */
static SysScanDesc
begin_scan(TableLookup *lookup)
{
	ScanKeyData key = lookup->key;	/* a copy, because the scan modifies its key */

	if (lookup->scan == NULL)
		return lookup->scan =
			systable_beginscan(lookup->relation, lookup->index, OidIsValid(lookup->index),
							   GetActiveSnapshot(), lookup->n_ordered > 0, &key);
	key.sk_attno = 1;
	index_rescan(lookup->scan->iscan, &key, 1, NULL, 0);
	return lookup->scan;
}

/* Call a function for at most "limit" rows with the given key.  Returns the number of rows. */
int
LookUp(TableLookup *lookup, Datum key, int limit, RowReader read, void *reader)
{
	SysScanDesc scan;
	int			count;

	CHECK_FOR_INTERRUPTS();
	lookup->key.sk_argument = key;
	scan = begin_scan(lookup);
	count = read_rows(lookup, scan, systable_getnext, limit, read, reader);
	if (scan->iscan == NULL)
	{
		systable_endscan(scan);
		lookup->scan = NULL;
	}
	return count;
}

/* Call a function for rows in descending index order, with a given key if n_keys is not 0. */
static int
read_last(TableLookup *lookup, int n_keys, int limit, RowReader read, void *reader)
{
	ScanKeyData key = lookup->key;
	Relation	index = index_open(lookup->index, AccessShareLock);
	SysScanDesc scan;
	int			count;

	scan = systable_beginscan_ordered(lookup->relation, index, GetActiveSnapshot(), n_keys, &key);
	count = read_rows(lookup, scan, last_row, limit, read, reader);
	systable_endscan_ordered(scan);
	index_close(index, NoLock);
	return count;
}

/* Call a function for rows in descending index order.  Without an index, all rows are read. */
static int
look_up_last(TableLookup *lookup, Datum key, int limit, RowReader read, void *reader)
{
	if (!OidIsValid(lookup->index))
		return LookUp(lookup, key, INT_MAX, read, reader);
	lookup->key.sk_argument = key;
	return read_last(lookup, 1, limit, read, reader);
}

/* Call a function for the row with the largest first column; without an index, for each row. */
void
ReadLastRow(const PageRequest *page, const PageTable *table, RowReader read, void *reader)
{
	TableLookup *lookup = BeginLookup(page, table);

	if (OidIsValid(lookup->index))
		read_last(lookup, 0, 1, read, reader);
	else
		ReadTable(page, table, read, reader);
	EndLookup(lookup);
}

void
ReadTable(const PageRequest *page, const PageTable *table, RowReader read, void *reader)
{
	TableLookup *lookup = begin_lookup(page, open_table(page, table->name), table, 0);

	LookUp(lookup, (Datum) 0, INT_MAX, read, reader);
	EndLookup(lookup);
}

static void
ignore_row(void *reader, const Datum *values, const bool *nulls)
{
}

bool
HasRows(const PageRequest *page, const char *name)
{
	PageTable	table = {.name = name};
	TableLookup *lookup = begin_lookup(page, open_table(page, name), &table, 0);
	bool		has_rows = LookUp(lookup, (Datum) 0, 1, ignore_row, NULL) > 0;

	EndLookup(lookup);
	return has_rows;
}

/* ---------- partitioned tables ---------- */

struct LogTable
{
	const PageRequest *page;
	const PageTable *table;
	int			n_ordered;
	Relation	parent;
	PartitionDesc partitions;
	TableLookup **lookups;		/* lookups in each partition; NULL until opened */
	bool	   *is_skipped;
};

/*
 * Open a partitioned table, such as "decision", to look up rows by the first of table->columns.
 * LookUpNewest() needs rows that are sorted by the first "n_ordered" of these columns.
 */
LogTable *
OpenLog(const PageRequest *page, const PageTable *table, int n_ordered)
{
	LogTable   *log = palloc0(sizeof(LogTable));
	PartitionKey key;

	log->page = page;
	log->table = table;
	log->n_ordered = n_ordered;
	log->parent = open_table(page, table->name);
	key = RelationGetPartitionKey(log->parent);	/* NULL if the table is not partitioned */
	if (key == NULL || key->strategy != PARTITION_STRATEGY_RANGE || key->parttypid[0] != INT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not partitioned by ranges of bigint", table->name)));
	log->partitions = RelationGetPartitionDesc(log->parent, true);
	log->lookups = palloc0(sizeof(TableLookup *) * Max(log->partitions->nparts, 1));
	log->is_skipped = palloc0(sizeof(bool) * Max(log->partitions->nparts, 1));
	return log;
}

/* Prepare lookups in a partition.  Returns NULL if it is empty or not an ordinary table. */
static TableLookup *
partition_lookup(LogTable *log, int partition)
{
	Relation	relation;

	if (log->lookups[partition] != NULL || log->is_skipped[partition])
		return log->lookups[partition];
	relation = table_open(log->partitions->oids[partition], AccessShareLock);
	if (relation->rd_rel->relkind == RELKIND_RELATION && RelationGetNumberOfBlocks(relation) > 0)
		return log->lookups[partition] = begin_lookup(log->page, relation, log->table,
													  log->n_ordered);
	table_close(relation, NoLock);
	log->is_skipped[partition] = true;
	return NULL;
}

/*
 * Call a function for the newest rows with the given key, such as the newest lists of a user.
 *
 * The default partition, which may have the newest rows, is read first.
 */
void
LookUpNewest(LogTable *log, Datum key, int limit, RowReader read, void *reader)
{
	int			default_partition = log->partitions->nparts > 0 ?
		log->partitions->boundinfo->default_index : -1;
	TableLookup *lookup = default_partition < 0 ? NULL : partition_lookup(log, default_partition);

	if (lookup != NULL)
		limit -= look_up_last(lookup, key, limit, read, reader);
	for (int i = log->partitions->nparts - 1; i >= 0 && limit > 0; i--)
		if (i != default_partition && (lookup = partition_lookup(log, i)) != NULL)
			limit -= look_up_last(lookup, key, limit, read, reader);
}

/* Return the index of the partition that contains a decision, or -1. */
static int
partition_of(const LogTable *log, Datum decision)
{
	PartitionKey key = RelationGetPartitionKey(log->parent);
	PartitionBoundInfo bounds = log->partitions->boundinfo;
	bool		is_equal;
	int			bound;
	int			partition;

	if (log->partitions->nparts == 0)
		return -1;
	bound = partition_range_datum_bsearch(key->partsupfunc, key->partcollation, bounds, 1,
										  &decision, &is_equal);
	partition = bounds->indexes[bound + 1];
	return partition >= 0 ? partition : bounds->default_index;
}

/* Call a function for all rows of a decision in a table of the log. */
void
LookUpDecision(LogTable *log, int64 decision, RowReader read, void *reader)
{
	Datum		key = Int64GetDatum(decision);
	int			partition = partition_of(log, key);
	TableLookup *lookup = partition < 0 ? NULL : partition_lookup(log, partition);

	if (lookup != NULL)
		LookUp(lookup, key, INT_MAX, read, reader);
}

void
CloseLog(LogTable *log)
{
	for (int i = 0; i < log->partitions->nparts; i++)
		if (log->lookups[i] != NULL)
			EndLookup(log->lookups[i]);
	table_close(log->parent, NoLock);
}
