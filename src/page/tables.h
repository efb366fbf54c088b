/*
 * tables.h
 *		Scan a recommender's tables without SPI.
 */
#ifndef DLINTS_PAGE_TABLES_H
#define DLINTS_PAGE_TABLES_H

#include "page/page.h"

#define MAX_TABLE_COLUMNS	26

/* Flag in TableColumn.type.  Without the flag, a NULL in the column raises an error. */
#define MAY_BE_NULL			((Oid) 1 << 31)

/* A column of a table, with its type or a placeholder such as ARG_USER */
typedef struct TableColumn
{
	const char *name;
	Oid			type;
} TableColumn;

/* A table of a recommender, and the columns to read, of which the first is the key of lookups */
typedef struct PageTable
{
	const char *name;
	int			n_columns;
	TableColumn columns[MAX_TABLE_COLUMNS];
} PageTable;

/* Lookups of a table's rows by the first column in PageTable.columns */
typedef struct TableLookup TableLookup;

extern void ReadTable(const PageRequest *page, const PageTable *table, RowReader read,
					  void *reader);
extern void ReadLastRow(const PageRequest *page, const PageTable *table, RowReader read,
						void *reader);
extern bool HasRows(const PageRequest *page, const char *name);
extern TableLookup *BeginLookup(const PageRequest *page, const PageTable *table);
extern int	LookUp(TableLookup *lookup, Datum key, int limit, RowReader read, void *reader);
extern void EndLookup(TableLookup *lookup);

/* Lookups of rows in all partitions of a partitioned table, such as the log's table "decision" */
typedef struct LogTable LogTable;

extern LogTable *OpenLog(const PageRequest *page, const PageTable *table, int n_ordered);
extern void LookUpNewest(LogTable *log, Datum key, int limit, RowReader read, void *reader);
extern void LookUpDecision(LogTable *log, int64 decision, RowReader read, void *reader);
extern void CloseLog(LogTable *log);

#endif							/* DLINTS_PAGE_TABLES_H */
