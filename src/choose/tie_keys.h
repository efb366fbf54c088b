/*
 * tie_keys.h
 *		Tie-break keys of items, which shortlists and decisions share
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
