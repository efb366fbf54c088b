/*
 * recognize.h
 *		Values that come again with every row: how one is known to be the one
 *		before.
 */
#ifndef DLINTS_RECOGNIZE_H
#define DLINTS_RECOGNIZE_H

#include "access/detoast.h"

#include "compat.h"

/*
 * What an argument looked like.  A value stored out of line is known by its
 * toast pointer, another one by all its bytes.
 */
typedef struct ValueKey
{
	Size		size;			/* 0: nothing remembered */
	char	   *bytes;
} ValueKey;

extern ValueKey ValueKeyOf(Datum datum);
extern void ValueKeyDone(ValueKey key, Datum datum);
extern bool ValueKeyMatchesBytes(const ValueKey *key, Datum datum);
extern void ValueKeySet(ValueKey *key, Datum datum, MemoryContext context);
extern void ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context);

/*
 * Is this the value that is remembered?  Asked with every row, and nearly
 * always of a toast pointer, which is compared at a fixed length.
 */
static inline bool
ValueKeyMatches(const ValueKey *key, Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) &&
		key->size == TOAST_POINTER_SIZE)
		return memcmp(DatumGetPointer(datum), key->bytes,
					  TOAST_POINTER_SIZE) == 0;
	return ValueKeyMatchesBytes(key, datum);
}

/* What is said where rows that belong together bring several models. */
typedef struct MismatchMessages
{
	const char *function;
	const char *rows;			/* "group" or "partition" */
	const char *advice;			/* for several models */
	const char *profile_advice;	/* for several profiles */
} MismatchMessages;

extern void CheckSameModel(ValueKey *key, Datum model,
						   const MismatchMessages *messages,
						   MemoryContext context);

#endif							/* DLINTS_RECOGNIZE_H */
