/*
 * log.h
 *		Run SQL queries of users, and read click logs.
 *
 * Queries run with the caller's privileges and snapshot.
 */
#ifndef DLINTS_LOG_H
#define DLINTS_LOG_H

#include "access/tupdesc.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

#include "core/svd.h"
#include "sql/key_numbers.h"

/* ---------- clicks in memory (clicks.c) ---------- */

extern int	factors_memory;		/* the setting dlints.factors_memory, in kilobytes */

typedef struct Clicks
{
	KeyNumbers *users;			/* users of the click log; NULL when all rows have been read */
	KeyNumbers *items;
	Size		count;			/* number of rows of the click log */
	Size		capacity;
	SvdMatrix	matrix;

	/* fields that are set when all rows have been read */
	Datum	   *item_values;
	uint64	   *item_hashes;
} Clicks;

extern Clicks *ClicksCreate(KeyType users, KeyType items, uint64 seed);
extern void ClicksAdd(Clicks *clicks, Datum user, Datum item, double weight);
extern Size ClicksMemory(const Clicks *clicks);
extern SvdMatrix *ClicksMatrix(Clicks *clicks);
extern bool ClicksFindItem(Clicks *clicks, Datum value, uint32 *item);
extern bool ClicksHasItemsOf(const Clicks *clicks, Oid type);

/* ---------- queries (log.c) ---------- */

typedef struct QueryReader QueryReader;
struct QueryReader
{
	const char *function;		/* name of the SQL function, for progress notices */
	void		(*begin) (QueryReader *reader, TupleDesc desc);
	void		(*row) (QueryReader *reader, const Datum *values, const bool *nulls);
	int			columns;		/* number of columns */
	int			first_required; /* columns from this index on must not be NULL */
	double		expected;		/* number of rows that the planner expects */
	uint64		rows;			/* number of rows read so far */
	MemoryContext context;		/* memory context that outlives the query */
};

typedef struct ItemType
{
	Oid			type;
	int32		typmod;
	/* format of the error hint for a wrong column definition list, with the type of items */
	const char *columns;
} ItemType;

typedef struct LogReader LogReader;
struct LogReader
{
	QueryReader query;			/* must be first */
	Clicks	   *clicks;
	Oid			weight_type;	/* type of the weights of clicks; of a domain, the base type */
	ItemType	item;
	uint64		seed;
	/* function that returns the size of the work space in bytes */
	Size		(*work) (const LogReader *reader);
};

extern void ReadQuery(const char *query, QueryReader *reader);
extern SvdMatrix *ReadLog(const char *query, LogReader *reader);
extern KeyType ColumnKey(TupleDesc desc, int column);
extern void RaiseWrongColumns(const char *message, const char *hint);
extern void ReleaseFreedMemory(void);
extern void CheckColumnsExpected(FunctionCallInfo fcinfo, const char *hint);

/* ---------- fit.c, factors.c, neighbours.c ---------- */

/* Maximum length of an embedding, because LAPACK cannot be interrupted */
#define MAX_FACTORS		512

/* Maximum number of neighbours of an item; time and memory grow with its square */
#define MAX_NEIGHBOURS	200

#define FIT_COLUMNS		4		/* maximum number of columns of a result */

/* A call of an SQL function that computes embeddings, neighbours, or both */
typedef struct ItemFit
{
	LogReader	log;			/* must be first */
	int			factors;		/* length of an embedding; 0: no embeddings */
	const char *previous_query; /* SQL query that returns previous embeddings, or NULL */
	int			neighbours;		/* number of neighbours per item; 0: no neighbours */
	bool		may_adapt;		/* may neighbours_adapt() change "neighbours"? */
} ItemFit;

extern ReturnSetInfo *BeginFit(FunctionCallInfo fcinfo, ItemFit *fit, const char *function,
							   const char *columns);
extern Datum FitItems(FunctionCallInfo fcinfo, ReturnSetInfo *rows, ItemFit *fit);
extern Size FactorsMemory(const LogReader *log);
extern void PutFactors(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix);
extern Size NeighboursMemory(const LogReader *log);
extern void PutNeighbours(ReturnSetInfo *rows, const ItemFit *fit, SvdMatrix *matrix);

#endif							/* DLINTS_LOG_H */
