/*
 * tie_keys.h
 *		Tie-break keys that dlints_shortlist and dlints_decide share, computed from
 *		the bytes of an item.  Pages number their items instead (page/shortlist.c).
 */
#ifndef DLINTS_TIE_KEYS_H
#define DLINTS_TIE_KEYS_H

#include "fmgr.h"

/* Key generator for an item type and a seed */
typedef struct TieKeys
{
	uint64		seed;
	int16		typlen;
	bool		typbyval;
} TieKeys;

extern TieKeys TieKeysCreate(Oid item_type, uint64 seed);
extern uint64 TieKey(const TieKeys *keys, Datum item);

#endif							/* DLINTS_TIE_KEYS_H */
