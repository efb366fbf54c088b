/*
 * candidates.c
 *		Read the items that are eligible for a list.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "page/candidates.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* maximum number of items that we exclude one by one if SQL expressions fail; takes about 0.1 s */
#define MAX_FAILING		1000
/* maximum size of the groups in which we exclude items after MAX_FAILING failures */
#define FAILING_PART	64

#define MAX_BONUS	1e50

/* Evaluate the recommender's SQL expressions for all items, to raise their errors. */
static const PageQuery check_expressions = {
	"SELECT @extschema@._dlints_check_expressions($1, $2)", {ARG_USER, JSONBOID}};

/* Read all eligible items, or the eligible items in the array $3 with VARIANT_SHORTLIST. */
static const PageQuery read_allowed = {
	"SELECT a.item, {bonus}, {cap_group}\n"
	"FROM   allowed($1, $2) a{bonus_of}{cap_group_of}\n"
	"WHERE  a.item IS NOT NULL{shortlist}",
	{ARG_USER, JSONBOID, ARG_ITEMS}};

/* Read the eligible items in the array $3 without evaluating expressions for other items. */
static const PageQuery read_each_allowed = {
	"SELECT a.item, {bonus}, {cap_group}\n"
	"FROM   unnest($3) o (item),\n"
	"       LATERAL (SELECT e.item FROM allowed($1, $2) e WHERE same_item(e.item, o.item) OFFSET 0) a{bonus_of}{cap_group_of}\n"
	"WHERE  a.item IS NOT NULL",
	{ARG_USER, JSONBOID, ARG_ITEMS}};

static const PageQuery all_items = {
	"SELECT i.item, NULL::float8, NULL::text FROM item i WHERE i.item IS NOT NULL", {0}};

/* types of the columns of the queries for items: key, bonus and group */
static const Oid item_types[] = {ARG_ITEM, FLOAT8OID, TEXTOID, InvalidOid};

void
CheckExpressions(PageRequest *page, void *unused)
{
	NullableDatum args[] = {page->user, Given(page->context)};

	RunSelect(page, &check_expressions, args);
}

/* ---------- sets of candidates ---------- */

/* Return the number that the setting "bonus" adds to a score, or 0 if it is NaN or too large. */
double
LimitBonus(double bonus)
{
	return bonus >= -MAX_BONUS && bonus <= MAX_BONUS ? bonus : 0.0;
}

CandidateSet *
CreateCandidates(int size)
{
	CandidateSet *set = palloc0(sizeof(CandidateSet));

	set->size = Max(size, 16);
	set->items = AllocateMany(sizeof(Datum), set->size);
	set->addends = AllocateMany(sizeof(double), set->size);
	set->groups = AllocateMany(sizeof(int), set->size);
	set->numbers = AllocateMany(sizeof(uint64), set->size);
	set->share = 1.0;
	return set;
}

void
AddCandidate(CandidateSet *set, Datum item, double addend, int group, uint64 number)
{
	if (set->count == set->size)
	{
		set->size *= 2;
		set->items = repalloc_huge(set->items, sizeof(Datum) * set->size);
		set->addends = repalloc_huge(set->addends, sizeof(double) * set->size);
		set->groups = repalloc_huge(set->groups, sizeof(int) * set->size);
		set->numbers = repalloc_huge(set->numbers, sizeof(uint64) * set->size);
	}
	set->items[set->count] = item;
	set->addends[set->count] = addend;
	set->groups[set->count] = group;
	set->numbers[set->count++] = number;
}

/* ---------- items of a query ---------- */

typedef struct ItemReader
{
	PageRequest *page;
	CandidateSet *set;
	KeyTable   *excluded;		/* items excluded from the list, or NULL */
	KeyTable   *numbers;
} ItemReader;

/* Get the index of a group of items by its name. */
static int
group_index(PageRequest *page, Datum name)
{
	if (page->groups == NULL)
		page->groups = KeyNumbersCreate(TextKey(), 0, "groups");
	return (int) KeyNumbersGet(page->groups, name);
}

/* Add a candidate from a query's row: its key, the number added to its score, and its group. */
static void
read_item_row(void *arg, const Datum *values, const bool *nulls)
{
	ItemReader *reader = arg;
	CandidateSet *set = reader->set;
	double		bonus = nulls[1] ? 0.0 : DatumGetFloat8(values[1]);
	MemoryContext caller;
	Datum		item;
	bool		is_new;

	if (nulls[0] || FindKey(reader->excluded, values[0]) >= 0)
		return;
	caller = MemoryContextSwitchTo(reader->page->memory);
	item = CopyKey(reader->page, values[0]);
	AddKey(reader->numbers, item, set->count, &is_new);
	if (is_new)
		AddCandidate(set, item, LimitBonus(bonus),
					 nulls[2] ? -1 : group_index(reader->page, values[2]),
					 FIRST_EXTRA_NUMBER + set->count);
	MemoryContextSwitchTo(caller);
}

/* Create candidates from the result of an SQL query, unless they are excluded from the list. */
CandidateSet *
ReadItems(PageRequest *page, const PageQuery *query, const NullableDatum *args)
{
	ItemReader	reader = {page, CreateCandidates(0), ExcludedKeys(page), CreateKeyTable(page, 0)};

	ReadRows(page, query, page->settings.cap > 0 ? VARIANT_CAP : 0, args, item_types, read_item_row,
			 &reader);
	reader.set->group_count = page->groups == NULL ? 0 : (int) KeyNumbersCount(page->groups);
	return reader.set;
}

/* ---------- failing expressions ---------- */

/* Items for which the SQL expressions of the settings are evaluated in one subtransaction */
typedef struct AllowedPart
{
	ItemReader *reader;
	uint32		variant;
	Datum	   *items;
	int			count;
} AllowedPart;

static void
read_part(PageRequest *page, void *arg)
{
	AllowedPart *part = arg;
	MemoryContext caller =
		MemoryContextSwitchTo(CurTransactionContext);	/* an error frees CurTransactionContext */
	NullableDatum args[] = {page->user, Given(page->context),
							Given(KeyArray(page, part->items, part->count))};

	MemoryContextSwitchTo(caller);
	ReadRows(page, &read_each_allowed, part->variant, args, item_types, read_item_row,
			 part->reader);
	pfree(DatumGetPointer(args[2].value));
}

/* Read the eligible items of "part".  If an SQL expression fails, read each half of the part. */
static void
read_without_failing(PageRequest *page, AllowedPart part) /* NOLINT(misc-no-recursion) */
{
	CandidateSet *set = part.reader->set;
	ErrorData  *error = TryStep(page, read_part, &part);
	AllowedPart half = part;

	CHECK_FOR_INTERRUPTS();
	page->has_passed |= error == NULL;
	if (error == NULL)
		return;
	if (!IsRowError(error->sqlerrcode))
		ReThrowError(error);
	set->has_object_error |= IsObjectError(error->sqlerrcode);
	FreeErrorData(error);
	if (part.count <= (set->n_failing < MAX_FAILING ? 1 : FAILING_PART))
	{
		if (set->n_failing == 0)
			set->failing = part.items[0];
		set->n_failing += part.count;
		return;
	}
	half.count = part.count / 2;
	read_without_failing(page, half);
	half.items += half.count;
	half.count = part.count - half.count;
	read_without_failing(page, half);
}

/*
 * Read the eligible items among some items, or all eligible items.
 *
 * Sequential scans are disabled, so that the setting "candidates" is not evaluated for other
 * items.
 */
static void
read_allowed_part(PageRequest *page, AllowedPart part)
{
	bool		is_all = part.items == NULL;
	int			nest_level = NewGUCNestLevel();

	if (is_all)
	{
		CandidateSet *all = ReadItems(page, &all_items, NULL);

		part.items = all->items;
		part.count = all->count;
	}
	(void) set_config_option("enable_seqscan", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	if (part.count > 0)
		read_without_failing(page, part);
	AtEOXact_GUC(true, nest_level);
	if (is_all && part.reader->set->n_failing > 0 && !page->has_passed)
		CheckExpressions(page, NULL);
}

/* Read the eligible items of "part".  Raises an error if SQL expressions fail for all items. */
static void
read_allowed_items(PageRequest *page, AllowedPart part)
{
	ItemReader others = {page, CreateCandidates(0), NULL, CreateKeyTable(page, 0)};

	read_allowed_part(page, part);
	if (part.items != NULL && part.reader->set->has_object_error && !page->has_passed)
	{
		part.reader = &others;
		part.items = NULL;
		read_allowed_part(page, part);
	}
}

/* Read the eligible items in the array "shortlist", or all eligible items if it is NULL. */
CandidateSet *
ReadAllowed(PageRequest *page, ListPolicy policy, KeyTable *numbers, Datum *shortlist, int count)
{
	uint32		variant = (page->settings.has_bonus && IsPredicted(policy) ? VARIANT_BONUS : 0) |
		(page->settings.cap > 0 && policy != POLICY_RANDOM ? VARIANT_CAP : 0) |
		(shortlist != NULL ? VARIANT_SHORTLIST : 0);
	NullableDatum args[] = {page->user, Given(page->context),
	shortlist == NULL ? NotGiven() : Given(KeyArray(page, shortlist, count))};
	ItemReader reader = {page, CreateCandidates(count), ExcludedKeys(page), numbers};

	if (page->skips_failing)
		read_allowed_items(page, (AllowedPart) {&reader, variant, shortlist, count});
	else
		ReadRows(page, &read_allowed, variant, args, item_types, read_item_row, &reader);
	reader.set->group_count = page->groups == NULL ? 0 : (int) KeyNumbersCount(page->groups);
	if (IsPredicted(policy))
		AddHistory(page, numbers, reader.set);
	return reader.set;
}
