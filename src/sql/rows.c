/*
 * rows.c
 *		Pass the rows of a query to a function.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "sql/rows.h"

static bool
ReceiveRow(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext caller;

	slot_getallattrs(slot);
	caller = MemoryContextSwitchTo(receiver->row);
	receiver->read(receiver->reader, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(receiver->row);
	return true;
}

/* Raise an error unless the columns of a query have the required types. */
static void
StartRows(DestReceiver *self, int operation, TupleDesc desc)
{
	const Oid  *types = ((RowReceiver *) self)->types;

	for (int i = 0; i < MAX_ROW_TYPES && OidIsValid(types[i]); i++)
		if (i >= desc->natts || TupleDescAttr(desc, i)->atttypid != types[i])
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of a query does not have the type %s", i + 1,
							format_type_be(types[i]))));
}

static void
EndRows(DestReceiver *self)
{
}

/* Create a DestReceiver that calls the function "read" for each row of a query. */
RowReceiver
RowReceiverCreate(RowReader read, void *reader, MemoryContext parent)
{
	return (RowReceiver) {{ReceiveRow, StartRows, EndRows, EndRows, DestNone}, read, reader,
		AllocSetContextCreate(parent, "dlints row", ALLOCSET_DEFAULT_SIZES), {0}};
}
