/*
 * keys.c
 *		Hash tables of items by their keys, which may have any type.
 *
 * The default operator class of the type defines equality.  Keys of types without a hash function
 * are hashed as text.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "page/keys.h"

/* Limits of the array that replaces the hash table for small integer keys, for speed */
#define LENGTH_PER_KEY		32
#define MIN_MAX_LENGTH		4096
#define MAX_MAX_LENGTH		1048576

/* length of a bitmap of keys, in words, that avoids most searches for missing keys */
#define FILTER_WORDS		128

/* odd factor for mixing the high bits of a key into its hash */
#define HIGH_BITS_FACTOR	0x9E3779B1U

/* Is a key short enough for an index with additional columns? */
bool
FitsIndex(Oid type, Datum key)
{
	return get_typlen(type) != -1 || toast_raw_datum_size(key) <= MAX_KEY_BYTES + VARHDRSZ;
}

/* Raise an error if an argument is a key that does not fit into an index. */
void
CheckKeyFits(Oid type, NullableDatum key, const char *argument)
{
	if (!key.isnull && !FitsIndex(type, key.value))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("argument \"%s\" must have at most %d bytes", argument, MAX_KEY_BYTES)));
}

PG_FUNCTION_INFO_V1(dlints_fits_index);

Datum
dlints_fits_index(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(FitsIndex(get_fn_expr_argtype(fcinfo->flinfo, 0), PG_GETARG_DATUM(0)));
}

/* ---------- hash tables of keys ---------- */

typedef struct KeyEntry
{
	Datum		key;
	int			number;
	uint32		hash;
	char		status;
} KeyEntry;

/* Functions that hash and compare keys of one type */
typedef struct KeyFunctions
{
	bool		is_integer;		/* are keys equal only if their bits are equal? */
	Oid			collation;
	FmgrInfo   *hash;			/* hash function of the type; NULL: keys are hashed as text */
	FmgrInfo   *equal;
	Oid			output;
} KeyFunctions;

static uint32
hash_key(const KeyFunctions *type, Datum key)
{
	char	   *text;
	uint32		hash;

	if (type->is_integer)
		return murmurhash32((uint32) key + (uint32) ((uint64) key >> 32) * HIGH_BITS_FACTOR);
	if (type->hash != NULL)
		return DatumGetUInt32(FunctionCall1Coll(type->hash, type->collation, key));
	text = OidOutputFunctionCall(type->output, key);
	hash = hash_bytes((unsigned char *) text, strlen(text));
	pfree(text);
	return hash;
}

static bool
are_keys_equal(const KeyFunctions *type, Datum a, Datum b)
{
	return type->is_integer ? a == b :
		DatumGetBool(FunctionCall2Coll(type->equal, type->collation, a, b));
}

#define SH_PREFIX			keys
#define SH_ELEMENT_TYPE		KeyEntry
#define SH_KEY_TYPE			Datum
#define SH_KEY				key
#define SH_HASH_KEY(tb, key)	hash_key((tb)->private_data, key)
#define SH_EQUAL(tb, a, b)	are_keys_equal((tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct KeyTable
{
	keys_hash  *hash;
	KeyFunctions type;
	int			unused_bits;	/* number of high bits that an integer key does not use */
	uint64		max_length;		/* maximum length of the array "numbers" */
	uint64		length;			/* allocated length of the array "numbers" */
	/* for each small integer key, the number added with the key, plus 1; 0: no key */
	int		   *numbers;
	uint64		filter[FILTER_WORDS];	/* bitmap of the integer keys in the hash table */
};

static bool
is_integer(const PageRequest *page, Oid equal)
{
	return page->item_by_value &&
		(equal == F_INT2EQ || equal == F_INT4EQ || equal == F_INT8EQ || equal == F_OIDEQ);
}

/* Create an empty hash table for about "expected" keys. */
KeyTable *
CreateKeyTable(const PageRequest *page, uint32 expected)
{
	TypeCacheEntry *cache = lookup_type_cache(page->item_type,
											  TYPECACHE_HASH_PROC_FINFO | TYPECACHE_EQ_OPR_FINFO);
	KeyTable   *table = palloc0(sizeof(KeyTable));
	uint64		max_length = Min(Max((uint64) expected * LENGTH_PER_KEY, MIN_MAX_LENGTH),
								 MAX_MAX_LENGTH);
	bool		is_varlena;

	table->type.is_integer = is_integer(page, cache->eq_opr_finfo.fn_oid);
	table->unused_bits = table->type.is_integer ? 64 - 8 * page->item_length : 0;
	table->type.collation = page->item_collation;
	table->type.hash = OidIsValid(cache->hash_proc_finfo.fn_oid) ? &cache->hash_proc_finfo : NULL;
	table->type.equal = &cache->eq_opr_finfo;
	getTypeOutputInfo(page->item_type, &table->type.output, &is_varlena);
	table->hash = keys_create(CurrentMemoryContext, Max(expected, 16), &table->type);
	if (table->type.is_integer && page->settings.block_items <= max_length)
		table->max_length = max_length;
	return table;
}

/*
 * Set the unused high bits of an integer key to copies of its sign bit, because we compare keys by
 * their bits.  Functions such as hashtext() set these bits of a negative integer to 0.
 */
static inline Datum
extend_sign(const KeyTable *table, Datum key)
{
	return (Datum) ((int64) ((uint64) key << table->unused_bits) >> table->unused_bits);
}

static void
extend_array(KeyTable *table, Datum key)
{
	uint64		length = Max(2 * table->length, 256);
	int		   *numbers;

	while (length <= key)
		length *= 2;
	numbers = MemoryContextAllocZero(table->hash->ctx, sizeof(int) * length);
	if (table->length > 0)
	{
		memcpy(numbers, table->numbers, sizeof(int) * table->length);
		pfree(table->numbers);
	}
	table->numbers = numbers;
	table->length = length;
}

/* Add a key with a number, unless the table contains the key.  Returns the number in the table. */
int
AddKey(KeyTable *table, Datum key, int number, bool *is_new)
{
	bool		found;
	int			result;

	key = extend_sign(table, key);
	if (key < table->max_length)
	{
		if (key >= table->length)
			extend_array(table, key);
		found = table->numbers[key] > 0;
		if (!found)
			table->numbers[key] = number + 1;
		result = table->numbers[key] - 1;
	}
	else
	{
		KeyEntry   *entry = keys_insert(table->hash, key, &found);

		if (!found)
			entry->number = number;
		result = entry->number;
		table->filter[key / 64 % FILTER_WORDS] |= UINT64CONST(1) << (key % 64);
	}
	if (is_new != NULL)
		*is_new = !found;
	return result;
}

/* Return the number that was added with a key, or -1 if the table lacks the key. */
int
FindKey(KeyTable *table, Datum key)
{
	KeyEntry   *entry;

	if (table == NULL)
		return -1;
	key = extend_sign(table, key);
	if (key < table->max_length)
		return key < table->length ? table->numbers[key] - 1 : -1;
	if (table->type.is_integer &&
		(table->filter[key / 64 % FILTER_WORDS] & UINT64CONST(1) << (key % 64)) == 0)
		return -1;
	entry = keys_lookup(table->hash, key);
	return entry == NULL ? -1 : entry->number;
}

Datum
CopyKey(const PageRequest *page, Datum key)
{
	if (page->item_length == -1)
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(key));
	return datumCopy(key, page->item_by_value, page->item_length);
}

/* Read the keys in an array of items, except NULL. Returns the number of keys. */
int
ArrayKeys(const PageRequest *page, Datum array, Datum **keys)
{
	bool	   *nulls;
	int			count;
	int			kept = 0;

	deconstruct_array(DatumGetArrayTypeP(array), page->item_type, page->item_length,
					  page->item_by_value, page->item_align, keys, &nulls, &count);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			(*keys)[kept++] = (*keys)[i];
	return kept;
}

Datum
KeyArray(const PageRequest *page, Datum *keys, int count)
{
	return PointerGetDatum(construct_array(keys, count, page->item_type, page->item_length,
										   page->item_by_value, page->item_align));
}

/* Create a hash table of the items in an array, with their positions in the array. */
KeyTable *
TableOfKeys(const PageRequest *page, Datum array)
{
	Datum	   *keys;
	int			count = ArrayKeys(page, array, &keys);
	KeyTable   *table = CreateKeyTable(page, count);

	for (int i = 0; i < count; i++)
		AddKey(table, keys[i], i, NULL);
	return table;
}

/* Create a hash table of the items that are excluded from a list, or return NULL. */
KeyTable *
ExcludedKeys(const PageRequest *page)
{
	return page->excluded.isnull ? NULL : TableOfKeys(page, page->excluded.value);
}
