/*
 * clicks.c
 *		A click log in memory, as a sparse matrix of users and items.
 *
 * Users and items are sorted by hash, and each user's matrix cells by item.  Results therefore do
 * not depend on the order of the log's rows.  Equal values have equal hashes, because we use the
 * hash operator class of the type.
 *
 * The log takes 16 bytes per row, and is sorted in place.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "vectors/log.h"
#include "compat.h"
#include "core/random.h"
#include "sql/arrays.h"

#define INITIAL_CELLS		1024

/* bytes of memory that renumbering allocates for each user and each item */
#define RENUMBERING_BYTES		(sizeof(KeyEntry *) + sizeof(uint32))

typedef struct KeyEntry
{
	Datum		value;
	uint32		hash;			/* lower half of the key's 64-bit hash */
	uint32		upper_hash;
	uint32		number;
	char		status;
} KeyEntry;

typedef struct Keys
{
	MemoryContext context;		/* memory context of this struct and of all values */
	struct keys_hash *table;
	TypeCacheEntry *type;
	FmgrInfo	hash;
	FmgrInfo	equal;
	Oid			collation;
	uint64		seed;
} Keys;

static uint64 HashKey(Keys *keys, Datum value);

static inline bool
KeysAreEqual(Keys *keys, Datum a, Datum b)
{
	return DatumGetBool(FunctionCall2Coll(&keys->equal, keys->collation, a, b));
}

#define SH_PREFIX			keys
#define SH_ELEMENT_TYPE		KeyEntry
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

/* ---------- numbering of users and items ---------- */

static Keys *
CreateKeys(KeyType of, uint64 seed, const char *what)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints keys", ALLOCSET_DEFAULT_SIZES);
	Keys	   *keys = MemoryContextAllocZero(context, sizeof(Keys));
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
HashKey(Keys *keys, Datum value)
{
	uint64		words[2];

	if (keys->hash.fn_nargs == 2)
		return DatumGetUInt64(FunctionCall2Coll(&keys->hash, keys->collation, value,
												UInt64GetDatum(keys->seed)));

	/* the hash functions of some types take no seed */
	words[0] = DatumGetUInt32(FunctionCall1Coll(&keys->hash, keys->collation, value));
	words[1] = keys->seed;
	return hash_name(words, sizeof(words));
}

KeyNumbers *
KeyNumbersCreate(KeyType of, const char *what)
{
	return CreateKeys(of, 0, what);
}

Oid
KeyNumbersType(const KeyNumbers *keys)
{
	return keys->type->type_id;
}

/* Detoast the key of a user or item, because it outlives its row. */
static Datum
DetoastKey(const Keys *keys, Datum value)
{
	if (keys->type->typlen != -1)
		return value;
	return PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
}

/* Return the number of a user or item.  A new one gets the next number. */
uint32
KeyNumbersGet(KeyNumbers *keys, Datum value)
{
	KeyEntry   *entry;
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
	KeyEntry   *entry;

	keys_start_iterate(keys->table, &iterator);
	while ((entry = keys_iterate(keys->table, &iterator)) != NULL)
		values[entry->number] = entry->value;
	return values;
}

static int
CompareEntries(const void *a, const void *b)
{
	const KeyEntry *left = *(KeyEntry *const *) a;
	const KeyEntry *right = *(KeyEntry *const *) b;

	CHECK_FOR_INTERRUPTS();
	if (left->upper_hash != right->upper_hash)
		return left->upper_hash < right->upper_hash ? -1 : 1;
	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	/* hashes collide, so keep the order of arrival */
	return left->number < right->number ? -1 : 1;
}

/* Return the users or items of a set, sorted by hash. */
static KeyEntry **
SortKeys(Keys *keys)
{
	KeyEntry  **entries = AllocateMany(sizeof(KeyEntry *), keys->table->members);
	keys_iterator iterator;
	KeyEntry   *entry;
	uint32		count = 0;

	keys_start_iterate(keys->table, &iterator);
	while ((entry = keys_iterate(keys->table, &iterator)) != NULL)
		entries[count++] = entry;
	qsort(entries, count, sizeof(KeyEntry *), CompareEntries);
	return entries;
}

/* Renumber users or items.  Returns the new numbers, indexed by old number. */
static uint32 *
Renumber(const Keys *keys, KeyEntry **entries)
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

/* ---------- the log ---------- */

Clicks *
ClicksCreate(KeyType users, KeyType items, uint64 seed)
{
	Clicks	   *clicks = palloc0(sizeof(Clicks));

	clicks->users = CreateKeys(users, seed, "users");
	clicks->items = CreateKeys(items, seed, "items");
	clicks->capacity = INITIAL_CELLS;
	clicks->matrix.cells = palloc(sizeof(SvdCell) * clicks->capacity);
	return clicks;
}

/* Return a capacity larger by a quarter, since doubling would waste memory. */
static Size
GrowCapacity(Size capacity)
{
	return capacity + capacity / 4;
}

/* Compute the peak memory of a set of users or items, in bytes. */
static Size
KeysMemory(const Keys *keys)
{
	const keys_hash *table = keys->table;
	Size		bytes = MemoryContextMemAllocated(keys->context, true) +
		RENUMBERING_BYTES * table->members;

	if (table->members >= table->grow_threshold)
		bytes += 2 * table->size * sizeof(KeyEntry);
	return bytes;
}

static Size
CellsMemory(const Clicks *clicks)
{
	return sizeof(SvdCell) * (clicks->count < clicks->capacity ?
							  clicks->capacity : GrowCapacity(clicks->capacity));
}

/* Compute the peak memory of the log after one more row, in bytes. */
Size
ClicksMemory(const Clicks *clicks)
{
	return CellsMemory(clicks) + KeysMemory(clicks->users) +
		KeysMemory(clicks->items) +
		(sizeof(Datum) + sizeof(uint64)) * KeyNumbersCount(clicks->items);
}

void
ClicksAdd(Clicks *clicks, Datum user, Datum item, double weight)
{
	SvdCell    *cell;

	if (clicks->count == clicks->capacity)
	{
		clicks->capacity = GrowCapacity(clicks->capacity);
		clicks->matrix.cells = repalloc_huge(clicks->matrix.cells,
											 mul_size(sizeof(SvdCell), clicks->capacity));
	}
	cell = &clicks->matrix.cells[clicks->count++];
	cell->user = KeyNumbersGet(clicks->users, user);
	cell->item = KeyNumbersGet(clicks->items, item);
	cell->weight = weight;
}

static void
CheckInterrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Renumber users and items by hash, so that the order of rows has no effect. */
static void
RenumberAll(Clicks *clicks)
{
	KeyEntry  **users = SortKeys(clicks->users);
	KeyEntry  **items = SortKeys(clicks->items);
	uint32	   *user_numbers = Renumber(clicks->users, users);
	uint32	   *item_numbers = Renumber(clicks->items, items);
	uint32		item_count = clicks->items->table->members;

	clicks->matrix.users = clicks->users->table->members;
	clicks->matrix.items = item_count;
	clicks->item_values = AllocateMany(sizeof(Datum), item_count);
	clicks->item_hashes = AllocateMany(sizeof(uint64), item_count);
	for (Size i = 0; i < item_count; i++)
	{
		clicks->item_values[i] = items[i]->value;
		clicks->item_hashes[i] = (uint64) items[i]->upper_hash << 32 | items[i]->hash;
	}
	for (Size i = 0; i < clicks->count; i++)
	{
		SvdCell    *cell = &clicks->matrix.cells[i];

		cell->user = user_numbers[cell->user];
		cell->item = item_numbers[cell->item];
		CHECK_FOR_INTERRUPTS();
	}
	pfree(users);
	pfree(items);
	pfree(user_numbers);
	pfree(item_numbers);

	/* only the values of items are needed after renumbering */
	MemoryContextDelete(clicks->users->context);
	clicks->users = NULL;
}

/* Compute the index of each user's first matrix cell, and last the number of all cells. */
static Size *
CountCells(const SvdMatrix *matrix, Size count)
{
	Size	   *starts = AllocateZeros(sizeof(Size), (Size) matrix->users + 1);

	for (Size i = 0; i < count; i++)
	{
		starts[matrix->cells[i].user + 1]++;
		CHECK_FOR_INTERRUPTS();
	}
	for (Size i = 0; i < matrix->users; i++)
		starts[i + 1] += starts[i];
	return starts;
}

/* Sort the matrix cells by user, in place.  Each swap moves one cell to its final user. */
static void
GroupByUser(SvdMatrix *matrix)
{
	Size	   *next = AllocateMany(sizeof(Size), matrix->users);
	uint32		user;

	memcpy(next, matrix->starts, sizeof(Size) * matrix->users);
	for (user = 0; user < matrix->users; user++)
		while (next[user] < matrix->starts[user + 1])
		{
			SvdCell    *cell = &matrix->cells[next[user]];
			SvdCell		moved = *cell;

			CHECK_FOR_INTERRUPTS();
			if (moved.user == user)
			{
				next[user]++;
				continue;
			}
			*cell = matrix->cells[next[moved.user]];
			matrix->cells[next[moved.user]++] = moved;
		}
	pfree(next);
}

/*
 * Compare matrix cells by item, then by weight.
 *
 * The weights of a user and item are added in this order, so that rounding is always the same.
 */
static inline int
CompareCells(const SvdCell *left, const SvdCell *right)
{
	if (left->item != right->item)
		return left->item < right->item ? -1 : 1;
	return (left->weight > right->weight) - (left->weight < right->weight);
}

#define ST_SORT				sort_cells
#define ST_ELEMENT_TYPE		SvdCell
#define ST_COMPARE(a, b)	CompareCells(a, b)
#define ST_SCOPE			static
#define ST_CHECK_FOR_INTERRUPTS
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* Sort each user's cells by item, and merge the cells of the same item. */
static void
MergeCells(SvdMatrix *matrix, Size *starts)
{
	Size		start = 0;
	Size		used = 0;

	for (uint32 user = 0; user < matrix->users; user++)
	{
		Size		end = starts[user + 1];
		Size		i;

		sort_cells(matrix->cells + start, end - start);
		starts[user] = used;
		for (i = start; i < end; i++)
		{
			const SvdCell *cell = &matrix->cells[i];

			if (used > starts[user] && matrix->cells[used - 1].item == cell->item)
				matrix->cells[used - 1].weight += cell->weight;
			else
				matrix->cells[used++] = *cell;
		}
		start = end;
		CHECK_FOR_INTERRUPTS();
	}
	starts[matrix->users] = used;
}

SvdMatrix *
ClicksMatrix(Clicks *clicks)
{
	SvdMatrix  *matrix = &clicks->matrix;
	Size	   *starts;

	RenumberAll(clicks);
	starts = CountCells(matrix, clicks->count);
	matrix->starts = starts;
	matrix->pause = CheckInterrupts;
	GroupByUser(matrix);
	MergeCells(matrix, starts);
	return matrix;
}

/* Find the number of an item, after ClicksMatrix(). */
bool
ClicksFindItem(Clicks *clicks, Datum value, uint32 *item)
{
	Keys	   *keys = clicks->items;
	KeyEntry   *entry;

	value = DetoastKey(keys, value);
	entry = keys_lookup_hash(keys->table, value, (uint32) HashKey(keys, value));
	if (entry == NULL)
		return false;
	*item = entry->number;
	return true;
}

/*
 * Can ClicksFindItem() search for values of this type?
 *
 * All array types share one equality operator, so we do not compare the operators.
 */
bool
ClicksHasItemsOf(const Clicks *clicks, Oid type)
{
	Oid			own = clicks->items->type->type_id;

	return IsBinaryCoercible(type, own) || IsBinaryCoercible(own, type);
}
