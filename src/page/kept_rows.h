/*
 * kept_rows.h
 *		Rows of a recommender's tables that pages of one statement share.
 */
#ifndef DLINTS_PAGE_KEPT_ROWS_H
#define DLINTS_PAGE_KEPT_ROWS_H

#include "access/tupdesc.h"
#include "page/tables.h"

/* A kept row; "values" is NULL if there is no row with the key */
typedef struct KeptRow
{
	Datum	   *values;
	bool	   *nulls;
	bool		is_kept;		/* false: the key was looked up once */
} KeptRow;

typedef struct KeptTable KeptTable;

extern void UseKeptRows(PageRequest *page);
extern void ReleaseKeptRows(PageRequest *page);
extern void BeginLog(PageRequest *page);
extern void EndLog(PageRequest *page);

extern KeptTable *FindKeptTable(const PageRequest *page, const PageTable *table, int n_keys);
extern KeptTable *FindKeptAnswers(const PageRequest *page, const PageTable *table,
								  bool (*is_usable) (const PageRequest *page));
extern const KeptRow *FindKeptRow(KeptTable *table, Datum key);
extern int	ReadKeptRows(const KeptTable *table, const KeptRow **rows);
extern bool IsComplete(const KeptTable *table);
extern void CompleteTable(KeptTable *table);
extern void KeepRow(KeptTable *table, const Datum *key, TupleDesc columns,
					const AttrNumber *numbers, const Datum *values, const bool *nulls);

#endif							/* DLINTS_PAGE_KEPT_ROWS_H */
