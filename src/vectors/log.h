/*
 * log.h
 *		Reading a click log, and other queries, for functions that take the text
 *		of a query.  A click log in memory has users, items and weights; users and
 *		items are values of any type with a hash operator class.
 *
 * A query runs read-only with the caller's privileges and snapshot, and is fetched
 * in batches.  Memory is limited by dlints.factors_memory.  If the planner's row
 * estimate exceeds the limit, we raise the error before reading the log.
 */
#ifndef DLINTS_LOG_H
#define DLINTS_LOG_H

#include "access/tupdesc.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

#include "core/svd.h"

/* ---------- clicks in memory (clicks.c) ---------- */

extern int	factors_memory;		/* dlints.factors_memory, in kilobytes */

typedef struct Clicks Clicks;

/* type and collation of users or items */
typedef struct KeyType
{
	Oid			type;
	Oid			collation;
} KeyType;

/* Users or items, numbered from 0 in the order of their first use */
typedef struct Keys KeyNumbers;

extern KeyNumbers *KeyNumbersCreate(KeyType of, const char *what);
extern uint32 KeyNumbersGet(KeyNumbers *keys, Datum value);
extern Datum *KeyNumbersValues(KeyNumbers *keys);
extern Oid	KeyNumbersType(const KeyNumbers *keys);

extern Clicks *ClicksCreate(KeyType users, KeyType items, uint64 seed);
extern void ClicksAdd(Clicks *clicks, Datum user, Datum item, double weight);
extern uint32 ClicksUsers(const Clicks *clicks);
extern uint32 ClicksItems(const Clicks *clicks);
extern Size ClicksRows(const Clicks *clicks);
extern Size ClicksMemory(const Clicks *clicks);
extern SvdMatrix *ClicksMatrix(Clicks *clicks);
extern const uint64 *ClicksItemHashes(const Clicks *clicks);
extern Datum ClicksItem(const Clicks *clicks, uint32 item);
extern bool ClicksFindItem(Clicks *clicks, Datum value, uint32 *item);
extern bool ClicksHasItemsOf(const Clicks *clicks, Oid type);

/* ---------- queries (log.c) ---------- */

#define MAX_LOG_COLUMNS		4

/* A query, with callbacks for its columns and its rows. */
typedef struct QueryReader QueryReader;
struct QueryReader
{
	const char *function;		/* name of the SQL function that progress notices show */
	void		(*begin) (QueryReader *reader, TupleDesc desc);
	void		(*row) (QueryReader *reader, const Datum *values);
	int			columns;		/* number of columns, at most MAX_LOG_COLUMNS */
	int			first_required; /* rows with a NULL in this or a later column are skipped */
	bool		nulls[MAX_LOG_COLUMNS]; /* columns of the present row that are NULL */
	double		expected;		/* number of rows that the planner expects */
	uint64		rows;			/* number of rows read so far */
	MemoryContext context;		/* memory context that outlives the query */
};

/* Type of the items in a function's result */
typedef struct ItemType
{
	Oid			type;
	int32		typmod;
	const char *columns;		/* column definition list for a hint, with %s for the item type */
} ItemType;

/* Reader of a click log */
typedef struct LogReader LogReader;
struct LogReader
{
	QueryReader query;			/* must be first */
	Clicks	   *clicks;
	Oid			weight_type;	/* base type of the weights of clicks */
	ItemType	item;
	uint64		seed;
	Size		(*work) (const LogReader *reader);	/* computes the size of the work space */
};

extern void ReadQuery(const char *query, QueryReader *reader);
extern SvdMatrix *ReadLog(const char *query, LogReader *reader);
extern KeyType ColumnKey(TupleDesc desc, int column);
extern void RaiseWrongColumns(const char *message, const char *hint);
extern void ReleaseFreedMemory(void);
extern void CheckColumnsExpected(FunctionCallInfo fcinfo, const char *hint);

/* ---------- fits to a click log (fit.c, factors.c, neighbours.c) ---------- */

/* Maximum length of an embedding: LAPACK factors such matrices without interrupt checks. */
#define MAX_FACTORS		512

/* Maximum neighbours of a regression, which takes time in proportion to their cube. */
#define MAX_NEIGHBOURS	200

#define FIT_COLUMNS		4		/* maximum columns of a result: see dlints_fit_items() */

/* A request for embeddings or neighbours of the items of a click log, or for both */
typedef struct ItemFit
{
	LogReader	log;			/* must be first */
	int			factors;		/* length of an embedding; 0: none are computed */
	const char *previous_query; /* query of previous embeddings; NULL: none */
	int			neighbours;		/* maximum neighbours of a regression; 0: none are computed */
} ItemFit;

extern ReturnSetInfo *BeginFit(FunctionCallInfo fcinfo, ItemFit *fit, const char *function,
							   const char *columns);
extern Datum FitItems(FunctionCallInfo fcinfo, ReturnSetInfo *rows, ItemFit *fit);
extern Size FactorsMemory(const LogReader *log);
extern void PutFactors(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix);
extern Size NeighboursMemory(const LogReader *log);
extern void PutNeighbours(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix);

#endif							/* DLINTS_LOG_H */
