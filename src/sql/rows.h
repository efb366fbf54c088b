/*
 * rows.h
 *		Pass the rows of a query to a function.
 */
#ifndef DLINTS_ROWS_H
#define DLINTS_ROWS_H

#include "tcop/dest.h"

typedef void (*RowReader) (void *reader, const Datum *values, const bool *nulls);

#define MAX_ROW_TYPES	9

/* A DestReceiver that passes each row of a query to a function */
typedef struct RowReceiver
{
	DestReceiver pub;
	RowReader	read;
	void	   *reader;
	MemoryContext row;			/* memory context that is reset after each row */
	/* required types of the first columns; InvalidOid ends the list */
	Oid			types[MAX_ROW_TYPES];
} RowReceiver;

extern RowReceiver RowReceiverCreate(RowReader read, void *reader, MemoryContext parent);

#endif							/* DLINTS_ROWS_H */
