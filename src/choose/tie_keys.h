/*
 * tie_keys.h
 *		Tie-break keys of items, by which a shortlist and a decision break ties alike.
 */
#ifndef DLINTS_TIE_KEYS_H
#define DLINTS_TIE_KEYS_H

#include "fmgr.h"

/* An item type and a seed */
typedef struct TieKeys
{
	uint64		seed;
	int16		typlen;
	bool		typbyval;
} TieKeys;

extern TieKeys TieKeysCreate(Oid item_type, uint64 seed);
extern uint64 TieKey(const TieKeys *keys, Datum item);

#endif							/* DLINTS_TIE_KEYS_H */
