/*
 * clicks.c
 *		A click log in memory, as a sparse matrix of users and items, with 16 bytes per click.
 *
 * Users and items are sorted by hash, so that results do not depend on the order of the log's
 * rows.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "parser/parse_coerce.h"

#include "sql/args.h"
#include "sql/arrays.h"
#include "vectors/log.h"

#define INITIAL_CELLS		1024

/* ---------- the log ---------- */

Clicks *
ClicksCreate(KeyType users, KeyType items, uint64 seed)
{
	Clicks	   *clicks = palloc0(sizeof(Clicks));

	clicks->users = KeyNumbersCreate(users, seed, "users");
	clicks->items = KeyNumbersCreate(items, seed, "items");
	clicks->capacity = INITIAL_CELLS;
	clicks->matrix.cells = palloc(sizeof(SvdCell) * clicks->capacity);
	return clicks;
}

/* Return a capacity that is larger by a quarter; doubling would waste memory. */
static Size
GrowCapacity(Size capacity)
{
	return capacity + capacity / 4;
}

static Size
CellsMemory(const Clicks *clicks)
{
	return sizeof(SvdCell) * (clicks->count < clicks->capacity ?
							  clicks->capacity : GrowCapacity(clicks->capacity));
}

/* Return the peak memory in bytes of a click log while another row is added. */
Size
ClicksMemory(const Clicks *clicks)
{
	return CellsMemory(clicks) + KeyNumbersMemory(clicks->users) +
		KeyNumbersMemory(clicks->items) +
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

/* Renumber users and items by hash, so that the order of the log's rows has no effect. */
static void
RenumberAll(Clicks *clicks)
{
	NumberedKey **users = KeyNumbersSort(clicks->users);
	NumberedKey **items = KeyNumbersSort(clicks->items);
	uint32	   *user_numbers = KeyNumbersRenumber(clicks->users, users);
	uint32	   *item_numbers = KeyNumbersRenumber(clicks->items, items);
	uint32		item_count = KeyNumbersCount(clicks->items);

	clicks->matrix.users = KeyNumbersCount(clicks->users);
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

	/* free the users, because only the values of items are still needed */
	KeyNumbersFree(clicks->users);
	clicks->users = NULL;
}

/*
 * Compare matrix cells by user, item and weight.  Weights are added in this order, so that
 * rounding errors are always equal.
 */
static inline int
CompareCells(const SvdCell *left, const SvdCell *right)
{
	if (left->user != right->user)
		return left->user < right->user ? -1 : 1;
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

/* Merge sorted matrix cells of the same user and item.  Each user has at least one cell. */
static void
MergeCells(SvdMatrix *matrix, Size count)
{
	Size	   *starts = AllocateMany(sizeof(Size), (Size) matrix->users + 1);
	uint32		users = 0;
	Size		used = 0;

	for (Size i = 0; i < count; i++)
	{
		SvdCell		cell = matrix->cells[i];

		CHECK_FOR_INTERRUPTS();
		if (cell.user == users)
			starts[users++] = used;
		if (used > starts[cell.user] && matrix->cells[used - 1].item == cell.item)
			matrix->cells[used - 1].weight += cell.weight;
		else
			matrix->cells[used++] = cell;
	}
	starts[users] = used;
	matrix->starts = starts;
}

SvdMatrix *
ClicksMatrix(Clicks *clicks)
{
	SvdMatrix  *matrix = &clicks->matrix;

	RenumberAll(clicks);
	sort_cells(matrix->cells, clicks->count);
	MergeCells(matrix, clicks->count);
	matrix->pause = CheckInterrupts;
	return matrix;
}

/* Find the matrix column of an item.  Returns false if the click log lacks the item. */
bool
ClicksFindItem(Clicks *clicks, Datum value, uint32 *item)
{
	return KeyNumbersFind(clicks->items, value, item);
}

/*
 * Can ClicksFindItem() look up values of this type?  All array types have the same equality
 * operator, so we compare the types.
 */
bool
ClicksHasItemsOf(const Clicks *clicks, Oid type)
{
	Oid			own = KeyNumbersType(clicks->items);

	return IsBinaryCoercible(type, own) || IsBinaryCoercible(own, type);
}
