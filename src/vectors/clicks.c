/*
 * clicks.c
 *		Users and items get numbers as they come.  When all have come they are
 *		numbered by their hashes, and a user's cells are put in the order of
 *		items: what is computed then does not depend on the order in which the
 *		rows came, to the last bit where weights add up exactly.
 *
 * The hash is that of the type's operator class, under the seed.  Values that
 * are equal have the same one, however they are written (1.0 and 1.00, or two
 * spellings under a collation that ignores case), which could not be said of
 * their text; and since hash-partitioned tables are stored by it, PostgreSQL
 * cannot change it.
 *
 * The log takes 16 bytes for each row, in an array that is at most a fifth empty,
 * and is sorted in place.  What is computed besides takes a few words for each
 * user and each item.
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

#include "vectors/clicks.h"
#include "compat.h"
#include "core/random.h"
#include "sql/arrays.h"

#define FIRST_CELLS		1024

/* what numbering all anew takes for each user and item, beside the log */
#define RENUMBERED		(sizeof(KeyEntry *) + sizeof(uint32))

typedef struct KeyEntry
{
	Datum		value;
	uint32		hash;			/* the lower half */
	uint32		upper_hash;
	uint32		number;
	char		status;
} KeyEntry;

/* The users, or the items, that there are. */
typedef struct Keys
{
	MemoryContext context;		/* this struct, the table and the values */
	struct keys_hash *table;
	TypeCacheEntry *type;
	FmgrInfo	hash;
	FmgrInfo	equal;
	Oid			collation;
	uint64		seed;
} Keys;

static uint64 KeyHash(Keys *keys, Datum value);

static inline bool
KeysAreEqual(Keys *keys, Datum a, Datum b)
{
	return DatumGetBool(FunctionCall2Coll(&keys->equal, keys->collation, a, b));
}

#define SH_PREFIX			keys
#define SH_ELEMENT_TYPE		KeyEntry
#define SH_KEY_TYPE			Datum
#define SH_KEY				value
#define SH_HASH_KEY(tb, key)	((uint32) KeyHash((tb)->private_data, key))
#define SH_EQUAL(tb, a, b)	KeysAreEqual((tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct Clicks
{
	Keys	   *users;
	Keys	   *items;
	Size		count;
	Size		capacity;
	KeyEntry  **by_number;		/* of items, when all have come */
	uint64	   *item_hashes;
	SvdMatrix	matrix;
};

/* ---------- users and items ---------- */

static Keys *
CreateKeys(KeyType of, uint64 seed, const char *what)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints keys",
												  ALLOCSET_DEFAULT_SIZES);
	Keys	   *keys = MemoryContextAllocZero(context, sizeof(Keys));
	TypeCacheEntry *type = lookup_type_cache(of.type,
											 TYPECACHE_EQ_OPR_FINFO |
											 TYPECACHE_HASH_PROC_FINFO |
											 TYPECACHE_HASH_EXTENDED_PROC_FINFO);

	if (!OidIsValid(type->eq_opr_finfo.fn_oid) ||
		!OidIsValid(type->hash_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s of type %s have no hash function", what,
						format_type_be(of.type))));
	keys->context = context;
	keys->type = type;
	keys->collation = of.collation;
	keys->seed = seed;
	fmgr_info_copy(&keys->equal, &type->eq_opr_finfo, context);
	fmgr_info_copy(&keys->hash,
				   OidIsValid(type->hash_extended_proc_finfo.fn_oid) ?
				   &type->hash_extended_proc_finfo : &type->hash_proc_finfo,
				   context);
	keys->table = keys_create(context, 256, keys);
	return keys;
}

static uint64
KeyHash(Keys *keys, Datum value)
{
	uint64		words[2];

	if (keys->hash.fn_nargs == 2)
		return DatumGetUInt64(FunctionCall2Coll(&keys->hash, keys->collation,
												value,
												UInt64GetDatum(keys->seed)));

	/* a type that has only the short hash */
	words[0] = DatumGetUInt32(FunctionCall1Coll(&keys->hash, keys->collation,
												value));
	words[1] = keys->seed;
	return hash_name(words, sizeof(words));
}

/* Not toasted: it outlives the row. */
static Datum
KeyValue(const Keys *keys, Datum value)
{
	if (keys->type->typlen != -1)
		return value;
	return PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
}

/* The number of a value, a new one if it is new. */
static uint32
KeyNumber(Keys *keys, Datum value)
{
	KeyEntry   *entry;
	uint64		hash;
	bool		found;

	value = KeyValue(keys, value);
	hash = KeyHash(keys, value);
	entry = keys_insert_hash(keys->table, value, (uint32) hash, &found);
	if (!found)
	{
		MemoryContext old = MemoryContextSwitchTo(keys->context);

		entry->upper_hash = (uint32) (hash >> 32);
		entry->number = keys->table->members - 1;
		entry->value = datumCopy(value, keys->type->typbyval,
								 keys->type->typlen);
		MemoryContextSwitchTo(old);
	}
	return entry->number;
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
	/* as good as never */
	return left->number < right->number ? -1 : 1;
}

/* The entries in the order of their hashes. */
static KeyEntry **
SortedKeys(Keys *keys)
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

/* Number them in this order, and say which new number each old one has. */
static uint32 *
Renumber(const Keys *keys, KeyEntry **entries)
{
	uint32	   *numbers = AllocateMany(sizeof(uint32), keys->table->members);
	uint32		i;

	for (i = 0; i < keys->table->members; i++)
	{
		numbers[entries[i]->number] = i;
		entries[i]->number = i;
		CHECK_FOR_INTERRUPTS();
	}
	return numbers;
}

/* ---------- the log ---------- */

/* Everything in the current memory context */
Clicks *
ClicksCreate(KeyType users, KeyType items, uint64 seed)
{
	Clicks	   *clicks = palloc0(sizeof(Clicks));

	clicks->users = CreateKeys(users, seed, "users");
	clicks->items = CreateKeys(items, seed, "items");
	clicks->capacity = FIRST_CELLS;
	clicks->matrix.cells = palloc(sizeof(SvdCell) * clicks->capacity);
	return clicks;
}

/* By a quarter: what is empty counts where memory is not overcommitted. */
static Size
Grown(Size capacity)
{
	return capacity + capacity / 4;
}

/* A table has the old entries and the new ones while it grows. */
static Size
KeysMemory(const Keys *keys)
{
	const keys_hash *table = keys->table;
	Size		bytes = MemoryContextMemAllocated(keys->context, true) +
		RENUMBERED * table->members;

	if (table->members >= table->grow_threshold)
		bytes += 2 * table->size * sizeof(KeyEntry);
	return bytes;
}

static Size
CellsMemory(const Clicks *clicks)
{
	return sizeof(SvdCell) * (clicks->count < clicks->capacity ?
							  clicks->capacity : Grown(clicks->capacity));
}

/* What the log takes at its peak, if one more row comes */
Size
ClicksMemory(const Clicks *clicks)
{
	return CellsMemory(clicks) + KeysMemory(clicks->users) +
		KeysMemory(clicks->items) +
		sizeof(uint64) * ClicksItems(clicks);
}

uint32
ClicksItems(const Clicks *clicks)
{
	return clicks->items->table->members;
}

void
ClicksAdd(Clicks *clicks, Datum user, Datum item, double weight)
{
	SvdCell    *cell;

	if (clicks->count == clicks->capacity)
	{
		clicks->capacity = Grown(clicks->capacity);
		clicks->matrix.cells = repalloc_huge(clicks->matrix.cells,
											 mul_size(sizeof(SvdCell),
													  clicks->capacity));
	}
	cell = &clicks->matrix.cells[clicks->count++];
	cell->user = KeyNumber(clicks->users, user);
	cell->item = KeyNumber(clicks->items, item);
	cell->weight = weight;
}

static void
Pause(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Number users and items anew, and the cells with them. */
static void
RenumberAll(Clicks *clicks)
{
	KeyEntry  **users = SortedKeys(clicks->users);
	KeyEntry  **items = SortedKeys(clicks->items);
	uint32	   *user_numbers = Renumber(clicks->users, users);
	uint32	   *item_numbers = Renumber(clicks->items, items);
	uint32		item_count = clicks->items->table->members;
	Size		i;

	clicks->matrix.users = clicks->users->table->members;
	clicks->matrix.items = item_count;
	clicks->by_number = items;
	clicks->item_hashes = AllocateMany(sizeof(uint64), item_count);
	for (i = 0; i < item_count; i++)
		clicks->item_hashes[i] = (uint64) items[i]->upper_hash << 32 |
			items[i]->hash;
	for (i = 0; i < clicks->count; i++)
	{
		SvdCell    *cell = &clicks->matrix.cells[i];

		cell->user = user_numbers[cell->user];
		cell->item = item_numbers[cell->item];
		CHECK_FOR_INTERRUPTS();
	}
	pfree(users);
	pfree(user_numbers);
	pfree(item_numbers);

	/* nobody asks for a user any more */
	MemoryContextDelete(clicks->users->context);
	clicks->users = NULL;
}

/* Where each user's cells begin, and the last user's end. */
static Size *
CountCells(const SvdMatrix *matrix, Size count)
{
	Size	   *starts = AllocateZeros(sizeof(Size), (Size) matrix->users + 1);
	Size		i;

	for (i = 0; i < count; i++)
	{
		starts[matrix->cells[i].user + 1]++;
		CHECK_FOR_INTERRUPTS();
	}
	for (i = 0; i < matrix->users; i++)
		starts[i + 1] += starts[i];
	return starts;
}

/* Put each user's cells side by side; every swap brings one to its place. */
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

/* By item; the weights of one in an order of their own, as they round */
static int
CompareCells(const void *a, const void *b)
{
	const SvdCell *left = a;
	const SvdCell *right = b;

	CHECK_FOR_INTERRUPTS();
	if (left->item != right->item)
		return left->item < right->item ? -1 : 1;
	if (left->weight != right->weight)
		return left->weight < right->weight ? -1 : 1;
	return 0;
}

/* Sort each user's cells, and make one of those of the same item. */
static void
MergeCells(SvdMatrix *matrix, Size *starts)
{
	Size		start = 0;
	Size		used = 0;
	uint32		user;

	for (user = 0; user < matrix->users; user++)
	{
		Size		end = starts[user + 1];
		Size		i;

		qsort(matrix->cells + start, end - start, sizeof(SvdCell),
			  CompareCells);
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

/* The matrix when all have come; no more may be added. */
SvdMatrix *
ClicksMatrix(Clicks *clicks)
{
	SvdMatrix  *matrix = &clicks->matrix;
	Size	   *starts;

	RenumberAll(clicks);
	starts = CountCells(matrix, clicks->count);
	matrix->starts = starts;
	matrix->pause = Pause;
	GroupByUser(matrix);
	MergeCells(matrix, starts);
	return matrix;
}

/* These three once there is a matrix, by the numbers of items in it */
const uint64 *
ClicksItemHashes(const Clicks *clicks)
{
	return clicks->item_hashes;
}

Datum
ClicksItem(const Clicks *clicks, uint32 item)
{
	return clicks->by_number[item]->value;
}

bool
ClicksFindItem(Clicks *clicks, Datum value, uint32 *item)
{
	Keys	   *keys = clicks->items;
	KeyEntry   *entry;

	value = KeyValue(keys, value);
	entry = keys_lookup_hash(keys->table, value,
							 (uint32) KeyHash(keys, value));
	if (entry == NULL)
		return false;
	*item = entry->number;
	return true;
}

/*
 * Can a value of this type be looked for?  That both have one operator = does
 * not suffice: all arrays have.
 */
bool
ClicksHasItemsOf(const Clicks *clicks, Oid type)
{
	Oid			own = clicks->items->type->type_id;

	return IsBinaryCoercible(type, own) || IsBinaryCoercible(own, type);
}
