/*
 * kept_rows.c
 *		Rows of a recommender's tables that pages of one statement share.
 *
 * A statement may call recommend() for many users.  Its pages read the same blocks, item
 * vectors and neighbours, which are therefore kept in memory from page to page, as long as
 * reading them again would give the same rows:
 *
 *	- Snapshots contain the same transactions: no other one has ended in between.
 *	- The transaction has executed no command that writes between pages, and within a page
 *	  no other than the one that writes the log.  Both show in the number of the command.
 *	- No subtransaction has been rolled back that had written.
 *	- The client's statement is the same.  TRUNCATE of a table that the transaction created
 *	  would not show otherwise.
 *
 * Memory belongs to the transaction.  The first pages keep nothing, so that a statement
 * with few pages copies nothing.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "page/kept_rows.h"
#include "page/keys.h"
#include "sql/arrays.h"

/* Maximum size of the rows that a transaction keeps, in bytes */
#define MAX_KEPT_BYTES	(64 * 1024 * 1024)

/*
 * Pages of a statement before rows are kept.  Copying blocks costs statements with fewer than
 * some 200 pages up to 5 % at 20,000 items.
 */
#define MIN_PAGES		25

/* Tables whose rows are kept: those that most of a page is read from */
static const char *const kept_tables[] = {"block", "centroid", "item_vector", "neighbour"};

struct KeptTable
{
	KeptRows   *owner;
	Oid			schema;
	const PageTable *table;
	int			n_keys;
	KeyTable   *numbers;		/* of rows, by the first column; NULL: without keys */
	int			count;
	int			size;
	KeptRow    *rows;
	bool		is_complete;	/* without keys: contains all rows */
	bool		is_usable;		/* by further pages */
	bool		keeps_at_once;	/* false: rows with keys are kept when they are read again */
	KeptTable  *next;
};

struct KeptRows
{
	MemoryContext memory;
	MemoryContextCallback at_end;
	int			pages;			/* that use these rows now */
	bool		is_valid;
	int			n_pages;		/* that have begun */
	TimestampTz statement;		/* start of the client's statement */
	CommandId	command;		/* of the next page */
	SnapshotData snapshot;		/* which transactions are visible */
	Size		bytes;
	KeptTable  *tables;
};

/* Rows of the last page; NULL: none in this transaction */
static KeptRows *last_rows = NULL;

/* ---------- validity ---------- */

/* The memory of the transaction is freed. */
static void
forget_rows(void *rows)
{
	if (last_rows == rows)
		last_rows = NULL;
}

/* What a subtransaction wrote is not there any more after it was rolled back. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId id, SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB && last_rows != NULL &&
		TransactionIdIsValid(GetCurrentTransactionIdIfAny()))
		last_rows->is_valid = false;
}

static TransactionId *
copy_ids(const TransactionId *ids, uint32 count)
{
	TransactionId *copy = palloc(sizeof(TransactionId) * Max(count, 1));

	if (count > 0)
		memcpy(copy, ids, sizeof(TransactionId) * count);
	return copy;
}

static bool
are_ids_equal(const TransactionId *a, const TransactionId *b, uint32 count)
{
	return count == 0 || memcmp(a, b, sizeof(TransactionId) * count) == 0;
}

/* Do snapshots see the same transactions?  Subtransactions are those of these. */
static bool
see_same_transactions(const SnapshotData *a, const SnapshotData *b)
{
	return a->snapshot_type == b->snapshot_type && a->xmin == b->xmin && a->xmax == b->xmax &&
		a->takenDuringRecovery == b->takenDuringRecovery &&
		a->suboverflowed == b->suboverflowed && a->xcnt == b->xcnt && a->subxcnt == b->subxcnt &&
		are_ids_equal(a->xip, b->xip, a->xcnt) &&
		are_ids_equal(a->subxip, b->subxip, (uint32) Max(a->subxcnt, 0));
}

static bool
are_rows_valid(const KeptRows *rows, const SnapshotData *snapshot)
{
	return rows != NULL && rows->is_valid && rows->command == snapshot->curcid &&
		rows->statement == GetCurrentStatementStartTimestamp() &&
		see_same_transactions(&rows->snapshot, snapshot);
}

static KeptRows *
create_rows(const SnapshotData *snapshot)
{
	MemoryContext memory = AllocSetContextCreate(TopTransactionContext, "dlints kept rows",
												 ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	KeptRows   *rows = palloc0(sizeof(KeptRows));

	rows->memory = memory;
	rows->is_valid = true;
	rows->statement = GetCurrentStatementStartTimestamp();
	rows->command = snapshot->curcid;
	rows->snapshot = *snapshot;
	rows->snapshot.xip = copy_ids(snapshot->xip, snapshot->xcnt);
	rows->snapshot.subxip = copy_ids(snapshot->subxip, (uint32) Max(snapshot->subxcnt, 0));
	rows->at_end.func = forget_rows;
	rows->at_end.arg = rows;
	MemoryContextRegisterResetCallback(memory, &rows->at_end);
	MemoryContextSwitchTo(caller);
	return rows;
}

/* Free rows that no later page will use, and that no page within another one does. */
static void
free_unused(KeptRows *rows)
{
	if (rows != NULL && rows->pages == 0 && rows != last_rows)
		MemoryContextDelete(rows->memory);
}

/* Begin to use the rows of the statement's previous page, or to keep others. */
void
UseKeptRows(PageRequest *page)
{
	static bool is_registered = false;
	Snapshot	snapshot = GetActiveSnapshot();
	KeptRows   *previous = last_rows;

	if (!is_registered)
	{
		RegisterSubXactCallback(end_subtransaction, NULL);
		is_registered = true;
	}
	if (are_rows_valid(previous, snapshot))
		previous->n_pages++;
	else
	{
		last_rows = create_rows(snapshot);
		free_unused(previous);
	}
	page->kept = last_rows;
	page->kept->pages++;
}

/*
 * End the use.  A page that fails does not come here, so that the end of the transaction
 * frees its rows.
 */
void
ReleaseKeptRows(PageRequest *page)
{
	KeptRows   *rows = page->kept;

	page->kept = NULL;
	if (rows == NULL)
		return;
	rows->pages--;
	free_unused(rows);
}

/* The page begins to write the log.  Its rows are invalid if something was written before. */
void
BeginLog(PageRequest *page)
{
	if (page->kept != NULL && page->kept->command != GetCurrentCommandId(false))
		page->kept->is_valid = false;
}

/*
 * The page has written the log, by one command.  Triggers that execute further ones may
 * have written to any table.
 */
void
EndLog(PageRequest *page)
{
	if (page->kept != NULL && ++page->kept->command != GetCurrentCommandId(false))
		page->kept->is_valid = false;
}

/* ---------- tables ---------- */

static bool
is_kept(const PageTable *table)
{
	for (int i = 0; i < lengthof(kept_tables); i++)
		if (strcmp(table->name, kept_tables[i]) == 0)
			return true;
	return false;
}

/* The rows of a table, of which "n_keys" columns are keys; NULL: none yet */
static KeptTable *
find_table(const PageRequest *page, const PageTable *table, int n_keys)
{
	KeptTable  *result;

	for (result = page->kept->tables; result != NULL; result = result->next)
		if (result->schema == page->schema && result->table == table && result->n_keys == n_keys)
			return result;
	return NULL;
}

static KeptTable *
create_table(const PageRequest *page, const PageTable *table, int n_keys, bool is_usable)
{
	KeptRows   *owner = page->kept;
	KeptTable  *result;

	result = MemoryContextAllocZero(owner->memory, sizeof(KeptTable));
	result->owner = owner;
	result->schema = page->schema;
	result->table = table;
	result->n_keys = n_keys;
	result->is_usable = is_usable;
	if (n_keys > 0)
	{
		MemoryContext caller = MemoryContextSwitchTo(owner->memory);

		result->numbers = CreateTypedKeyTable(KeyTypeOf(page, table->columns[0].type),
											  page->item_collation, 256);
		MemoryContextSwitchTo(caller);
	}
	result->next = owner->tables;
	owner->tables = result;
	return result;
}

/* Has the statement had enough pages to keep rows? */
static bool
shares_rows(const PageRequest *page)
{
	return page->kept != NULL && page->kept->n_pages >= MIN_PAGES;
}

/* The kept rows of a table, of which "n_keys" columns are keys; NULL: nothing is kept */
KeptTable *
FindKeptTable(const PageRequest *page, const PageTable *table, int n_keys)
{
	KeptTable  *result;

	if (!shares_rows(page) || n_keys > 1 || !is_kept(table))
		return NULL;
	result = find_table(page, table, n_keys);
	return result != NULL ? result : create_table(page, table, n_keys, true);
}

/*
 * Rows that a query answers, by key; NULL if a function says that further pages cannot
 * use them.  It is called once.
 */
KeptTable *
FindKeptAnswers(const PageRequest *page, const PageTable *table,
				bool (*is_usable) (const PageRequest *page))
{
	KeptTable  *result;

	if (!shares_rows(page))
		return NULL;
	result = find_table(page, table, 1);
	if (result == NULL)
	{
		result = create_table(page, table, 1, is_usable(page));
		result->keeps_at_once = true;
	}
	return result->is_usable ? result : NULL;
}

/* The row of a key, or that there is none; NULL: not kept */
const KeptRow *
FindKeptRow(KeptTable *table, Datum key)
{
	int			number = FindKey(table->numbers, key);

	return number < 0 || !table->rows[number].is_kept ? NULL : &table->rows[number];
}

/* All rows of a complete table */
int
ReadKeptRows(const KeptTable *table, const KeptRow **rows)
{
	*rows = table->rows;
	return table->count;
}

bool
IsComplete(const KeptTable *table)
{
	return table->is_complete;
}

/* All rows of a table without keys have been handed over: it is complete if there was room. */
void
CompleteTable(KeptTable *table)
{
	table->is_complete = table->owner->bytes < MAX_KEPT_BYTES;
}

/* ---------- keeping ---------- */

static Datum
copy_value(KeptRows *owner, Form_pg_attribute column, Datum value)
{
	if (column->attlen != -1)
	{
		owner->bytes += sizeof(Datum);
		return datumCopy(value, column->attbyval, column->attlen);
	}
	value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	owner->bytes += VARSIZE_ANY(DatumGetPointer(value));
	return value;
}

/* Make room for a row. */
static KeptRow *
add_row(KeptTable *table)
{
	if (table->count == table->size)
	{
		int			size = Max(2 * table->size, 64);

		table->rows = table->rows == NULL ? palloc(sizeof(KeptRow) * size) :
			repalloc_huge(table->rows, sizeof(KeptRow) * size);
		table->size = size;
	}
	table->owner->bytes += sizeof(KeptRow);
	return &table->rows[table->count];
}

/* A copy of a row's values */
static Datum *
copy_row(KeptTable *table, TupleDesc columns, const AttrNumber *numbers, const Datum *values,
		 const bool *nulls, bool **nulls_copy)
{
	int			n_columns = table->table->n_columns;
	Datum	   *copies = palloc0((sizeof(Datum) + sizeof(bool)) * n_columns);

	*nulls_copy = memcpy(copies + n_columns, nulls, sizeof(bool) * n_columns);
	for (int i = 0; i < n_columns; i++)
		if (!nulls[i])
			copies[i] = copy_value(table->owner, TupleDescAttr(columns, numbers[i] - 1), values[i]);
	return copies;
}

/*
 * Keep a row if there is room, with a key when it is read the second time: most item
 * vectors are read once.  The columns of the table that is read have these numbers.
 * "key" is NULL for tables without keys, "values" is NULL if no row has the key.  The key
 * is added last, so that an error leaves no key without a row.
 */
void
KeepRow(KeptTable *table, const Datum *key, TupleDesc columns, const AttrNumber *numbers,
		const Datum *values, const bool *nulls)
{
	MemoryContext caller;
	KeptRow    *row;
	int			number;
	bool		is_kept;

	if (table->is_complete || table->owner->bytes >= MAX_KEPT_BYTES)
		return;
	number = key == NULL ? -1 : FindKey(table->numbers, *key);
	caller = MemoryContextSwitchTo(table->owner->memory);
	row = number >= 0 ? &table->rows[number] : add_row(table);
	row->is_kept = false;
	is_kept = number >= 0 || key == NULL || values == NULL || table->keeps_at_once;
	row->values = values == NULL || !is_kept ? NULL :
		copy_row(table, columns, numbers, values, nulls, &row->nulls);
	row->is_kept = is_kept;		/* an error before leaves it unknown */
	if (number < 0 && key != NULL)
		AddKey(table->numbers, copy_value(table->owner, TupleDescAttr(columns, numbers[0] - 1), *key),
			   table->count, NULL);
	if (number < 0)
		table->count++;
	MemoryContextSwitchTo(caller);
}
