/*
 * keys.h
 *		Hash tables of items by their keys, which may have any type.
 */
#ifndef DLINTS_PAGE_KEYS_H
#define DLINTS_PAGE_KEYS_H

#include "page/page.h"

/* Maximum length of a key in bytes, so that the key fits into an index with other columns */
#define MAX_KEY_BYTES	1000

typedef struct KeyTable KeyTable;

extern bool FitsIndex(Oid type, Datum key);
extern void CheckKeyFits(Oid type, NullableDatum key, const char *argument);

extern KeyTable *CreateKeyTable(const PageRequest *page, uint32 expected);
extern int	AddKey(KeyTable *table, Datum key, int number, bool *is_new);
extern int	FindKey(KeyTable *table, Datum key);
extern Datum CopyKey(const PageRequest *page, Datum key);
extern int	ArrayKeys(const PageRequest *page, Datum array, Datum **keys);
extern KeyTable *TableOfKeys(const PageRequest *page, Datum array);
extern KeyTable *ExcludedKeys(const PageRequest *page);
extern Datum KeyArray(const PageRequest *page, Datum *keys, int count);

#endif							/* DLINTS_PAGE_KEYS_H */
