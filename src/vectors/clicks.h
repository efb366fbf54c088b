/*
 * clicks.h
 *		A click log in memory: users, items and weights.  Users and items are
 *		values of any type with a hash operator class.
 */
#ifndef DLINTS_CLICKS_H
#define DLINTS_CLICKS_H

#include "core/svd.h"

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

#endif							/* DLINTS_CLICKS_H */
