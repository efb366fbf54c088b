/*
 * key_numbers.c
 *		Sets of SQL values that number the values in the order of arrival.
 *
 * Types need a hash operator class, which defines equality.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/typcache.h"

#include "core/random.h"
#include "sql/arrays.h"
#include "sql/key_numbers.h"

/* bytes per value that KeyNumbersSort() and KeyNumbersRenumber() allocate */
#define RENUMBERING_BYTES		(sizeof(NumberedKey *) + sizeof(uint32))

struct KeyNumbers
{
	MemoryContext context;		/* memory context of the set and its values */
	struct keys_hash *table;
	TypeCacheEntry *type;
	FmgrInfo	hash;
	FmgrInfo	equal;
	Oid			collation;
	uint64		seed;
};

static uint64 HashKey(KeyNumbers *keys, Datum value);

static inline bool
KeysAreEqual(KeyNumbers *keys, Datum a, Datum b)
{
	return DatumGetBool(FunctionCall2Coll(&keys->equal, keys->collation, a, b));
}

#define SH_PREFIX			keys
#define SH_ELEMENT_TYPE		NumberedKey
#define SH_KEY_TYPE			Datum
#define SH_KEY				value
#define SH_HASH_KEY(tb, key)	((uint32) HashKey((tb)->private_data, key))
#define SH_EQUAL(tb, a, b)	KeysAreEqual((tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Create an empty set.  Error messages call its values "what", such as "users". */
KeyNumbers *
KeyNumbersCreate(KeyType of, uint64 seed, const char *what)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints keys", ALLOCSET_DEFAULT_SIZES);
	KeyNumbers *keys = MemoryContextAllocZero(context, sizeof(KeyNumbers));
	TypeCacheEntry *type = lookup_type_cache(of.type, TYPECACHE_EQ_OPR_FINFO |
											 TYPECACHE_HASH_PROC_FINFO |
											 TYPECACHE_HASH_EXTENDED_PROC_FINFO);

	if (!OidIsValid(type->eq_opr_finfo.fn_oid) || !OidIsValid(type->hash_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("could not identify a hash function for %s of type %s", what,
						format_type_be(of.type))));
	keys->context = context;
	keys->type = type;
	keys->collation = of.collation;
	keys->seed = seed;
	fmgr_info_copy(&keys->equal, &type->eq_opr_finfo, context);
	fmgr_info_copy(&keys->hash, OidIsValid(type->hash_extended_proc_finfo.fn_oid) ?
				   &type->hash_extended_proc_finfo : &type->hash_proc_finfo, context);
	keys->table = keys_create(context, 256, keys);
	return keys;
}

static uint64
HashKey(KeyNumbers *keys, Datum value)
{
	uint64		words[2];

	if (keys->hash.fn_nargs == 2)
		return DatumGetUInt64(FunctionCall2Coll(&keys->hash, keys->collation, value,
												UInt64GetDatum(keys->seed)));

	/* hash functions of some types do not take a seed */
	words[0] = DatumGetUInt32(FunctionCall1Coll(&keys->hash, keys->collation, value));
	words[1] = keys->seed;
	return hash_name(words, sizeof(words));
}

Oid
KeyNumbersType(const KeyNumbers *keys)
{
	return keys->type->type_id;
}

/* Detoast a value, because the set outlives the row of the value. */
static Datum
DetoastKey(const KeyNumbers *keys, Datum value)
{
	if (keys->type->typlen != -1)
		return value;
	return PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
}

/* Return the number assigned to a value.  Adds a new value to the set, with the next number. */
uint32
KeyNumbersGet(KeyNumbers *keys, Datum value)
{
	NumberedKey *entry;
	uint64		hash;
	bool		found;

	value = DetoastKey(keys, value);
	hash = HashKey(keys, value);
	entry = keys_insert_hash(keys->table, value, (uint32) hash, &found);
	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(keys->context);

		entry->upper_hash = (uint32) (hash >> 32);
		entry->number = keys->table->members - 1;
		entry->value = datumCopy(value, keys->type->typbyval, keys->type->typlen);
		MemoryContextSwitchTo(old);
	}
	return entry->number;
}

/* Look up the number assigned to a value.  Returns false if the set does not contain the value. */
bool
KeyNumbersFind(KeyNumbers *keys, Datum value, uint32 *number)
{
	NumberedKey *entry;

	value = DetoastKey(keys, value);
	entry = keys_lookup_hash(keys->table, value, (uint32) HashKey(keys, value));
	if (entry == NULL)
		return false;
	*number = entry->number;
	return true;
}

uint32
KeyNumbersCount(const KeyNumbers *keys)
{
	return keys->table->members;
}

Datum *
KeyNumbersValues(KeyNumbers *keys)
{
	Datum	   *values = AllocateMany(sizeof(Datum), keys->table->members);
	keys_iterator iterator;
	NumberedKey *entry;

	keys_start_iterate(keys->table, &iterator);
	while ((entry = keys_iterate(keys->table, &iterator)) != NULL)
		values[entry->number] = entry->value;
	return values;
}

static int
CompareEntries(const void *a, const void *b)
{
	const NumberedKey *left = *(NumberedKey *const *) a;
	const NumberedKey *right = *(NumberedKey *const *) b;

	CHECK_FOR_INTERRUPTS();
	if (left->upper_hash != right->upper_hash)
		return left->upper_hash < right->upper_hash ? -1 : 1;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	/* values with equal hashes keep the order of arrival */
	return left->number < right->number ? -1 : 1;
}

/* Return the entries of a set, sorted by hash. */
NumberedKey **
KeyNumbersSort(KeyNumbers *keys)
{
	NumberedKey **entries = AllocateMany(sizeof(NumberedKey *), keys->table->members);
	keys_iterator iterator;
	NumberedKey *entry;
	uint32		count = 0;

	keys_start_iterate(keys->table, &iterator);
	while ((entry = keys_iterate(keys->table, &iterator)) != NULL)
		entries[count++] = entry;
	qsort(entries, count, sizeof(NumberedKey *), CompareEntries);
	return entries;
}

/* Renumber the values of a set in the order of "entries".  Returns new numbers by old number. */
uint32 *
KeyNumbersRenumber(KeyNumbers *keys, NumberedKey **entries)
{
	uint32	   *numbers = AllocateMany(sizeof(uint32), keys->table->members);

	for (uint32 i = 0; i < keys->table->members; i++)
	{
		numbers[entries[i]->number] = i;
		entries[i]->number = i;
		CHECK_FOR_INTERRUPTS();
	}
	return numbers;
}

/* Return the peak memory of a set in bytes, including work space to renumber the values. */
Size
KeyNumbersMemory(const KeyNumbers *keys)
{
	const keys_hash *table = keys->table;
	Size		bytes = MemoryContextMemAllocated(keys->context, true) +
		RENUMBERING_BYTES * table->members;

	if (table->members >= table->grow_threshold)
		bytes += 2 * table->size * sizeof(NumberedKey);
	return bytes;
}

void
KeyNumbersFree(KeyNumbers *keys)
{
	MemoryContextDelete(keys->context);
}
