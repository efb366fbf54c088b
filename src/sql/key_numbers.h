/*
 * key_numbers.h
 *		Sets of SQL values, such as users or items, with a number for each value.
 */
#ifndef DLINTS_KEY_NUMBERS_H
#define DLINTS_KEY_NUMBERS_H

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"

typedef struct KeyType
{
	Oid			type;
	Oid			collation;
} KeyType;

/* The key type for names: texts that are equal if their bytes are equal */
static inline KeyType
TextKey(void)
{
	return (KeyType) {TEXTOID, C_COLLATION_OID};
}

/* A set of values, numbered from 0 in the order of arrival */
typedef struct KeyNumbers KeyNumbers;

typedef struct NumberedKey
{
	Datum		value;
	uint32		hash;			/* lower half of the value's 64-bit hash */
	uint32		upper_hash;
	uint32		number;
	char		status;			/* status field of the hash table (simplehash.h) */
} NumberedKey;

extern KeyNumbers *KeyNumbersCreate(KeyType of, uint64 seed, const char *what);
extern uint32 KeyNumbersGet(KeyNumbers *keys, Datum value);
extern bool KeyNumbersFind(KeyNumbers *keys, Datum value, uint32 *number);
extern uint32 KeyNumbersCount(const KeyNumbers *keys);
extern Datum *KeyNumbersValues(KeyNumbers *keys);
extern Oid	KeyNumbersType(const KeyNumbers *keys);
extern NumberedKey **KeyNumbersSort(KeyNumbers *keys);
extern uint32 *KeyNumbersRenumber(KeyNumbers *keys, NumberedKey **entries);
extern Size KeyNumbersMemory(const KeyNumbers *keys);
extern void KeyNumbersFree(KeyNumbers *keys);

#endif							/* DLINTS_KEY_NUMBERS_H */
