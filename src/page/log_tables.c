/*
 * log_tables.c
 *		Reads of the log's partitioned tables without statements.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/bufmgr.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "compat.h"
#include "page/tables.h"

struct LogTable
{
	const PageRequest *page;
	const PageTable *table;
	int			n_keys;
	int			n_ordered;
	Relation	parent;
	PartitionDesc partitions;
	TableLookup **lookups;		/* by partition; NULL: not opened yet */
	bool	   *is_skipped;
};

/*
 * Open a partitioned table of the log for lookups by the first columns.  LookUpNewest()
 * reads rows in the order of the first "n_ordered" columns.
 */
LogTable *
OpenLog(const PageRequest *page, const PageTable *table, int n_keys, int n_ordered)
{
	LogTable   *log = palloc0(sizeof(LogTable));

	log->page = page;
	log->table = table;
	log->n_keys = n_keys;
	log->n_ordered = n_ordered;
	log->parent = OpenPageTable(page, table->name);
	if (log->parent->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not partitioned", table->name)));
	log->partitions = RelationGetPartitionDesc(log->parent, true);
	log->lookups = palloc0(sizeof(TableLookup *) * Max(log->partitions->nparts, 1));
	log->is_skipped = palloc0(sizeof(bool) * Max(log->partitions->nparts, 1));
	return log;
}

/* Lookups in a partition; NULL if it is empty, or no ordinary table */
static TableLookup *
partition_lookup(LogTable *log, int partition)
{
	Relation	relation;

	if (log->lookups[partition] != NULL || log->is_skipped[partition])
		return log->lookups[partition];
	relation = table_open(log->partitions->oids[partition], AccessShareLock);
	if (relation->rd_rel->relkind == RELKIND_RELATION && RelationGetNumberOfBlocks(relation) > 0)
		return log->lookups[partition] =
			BeginLookupIn(log->page, relation, log->table, log->n_keys, log->n_ordered);
	table_close(relation, NoLock);
	log->is_skipped[partition] = true;
	return NULL;
}

/*
 * Call a function for the last rows with these keys: of the default partition, which
 * contains rows until their month has a partition, and then from the newest month on.
 */
void
LookUpNewest(LogTable *log, const Datum *keys, int limit, RowReader read, void *reader)
{
	int			default_partition = log->partitions->nparts > 0 ?
		log->partitions->boundinfo->default_index : -1;
	TableLookup *lookup = default_partition < 0 ? NULL : partition_lookup(log, default_partition);

	if (lookup != NULL)
		limit -= LookUpLast(lookup, keys, limit, read, reader);
	for (int i = log->partitions->nparts - 1; i >= 0 && limit > 0; i--)
		if (i != default_partition && (lookup = partition_lookup(log, i)) != NULL)
			limit -= LookUpLast(lookup, keys, limit, read, reader);
}

/* The partition of a decision's number */
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

/* Call a function for the rows of a decision, whose number is the only key. */
void
LookUpDecision(LogTable *log, int64 decision, RowReader read, void *reader)
{
	Datum		key = Int64GetDatum(decision);
	int			partition = partition_of(log, key);
	TableLookup *lookup = partition < 0 ? NULL : partition_lookup(log, partition);

	if (lookup != NULL)
		LookUp(lookup, &key, INT_MAX, read, reader);
}

void
CloseLog(LogTable *log)
{
	for (int i = 0; i < log->partitions->nparts; i++)
		if (log->lookups[i] != NULL)
			EndLookup(log->lookups[i]);
	table_close(log->parent, NoLock);
}
