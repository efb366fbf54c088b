/*
 * clicks.h
 *		A click log in memory: who did what with which item how much, users and
 *		items being values of any type that has a hash.
 */
#ifndef DLINTS_CLICKS_H
#define DLINTS_CLICKS_H

#include "core/svd.h"

extern int	factors_memory;		/* the setting dlints.factors_memory, in kilobytes */

typedef struct Clicks Clicks;

/* the type of users, or of items, and what it is compared by */
typedef struct KeyType
{
	Oid			type;
	Oid			collation;
} KeyType;

extern Clicks *ClicksCreate(KeyType users, KeyType items, uint64 seed);
extern void ClicksAdd(Clicks *clicks, Datum user, Datum item, double weight);
extern uint32 ClicksItems(const Clicks *clicks);
extern Size ClicksMemory(const Clicks *clicks);
extern SvdMatrix *ClicksMatrix(Clicks *clicks);
extern const uint64 *ClicksItemHashes(const Clicks *clicks);
extern Datum ClicksItem(const Clicks *clicks, uint32 item);
extern bool ClicksFindItem(Clicks *clicks, Datum value, uint32 *item);
extern bool ClicksHasItemsOf(const Clicks *clicks, Oid type);

#endif							/* DLINTS_CLICKS_H */
