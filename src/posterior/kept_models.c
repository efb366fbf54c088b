/*
 * kept_models.c
 *		Queries pass the same model with every row, or a few thousand of them
 *		in turns.  Reading and factoring each once is what makes them fast;
 *		recognising it must therefore cost next to nothing.
 *
 * Each call site (a function in a plan) keeps what it needs of the models that
 * it has seen: the one seen last is looked at first, then a hash table.  All
 * call sites of a backend together stay within dlints.model_cache_size, but
 * for the one that each saw last.  Who goes when there is no room is left to
 * chance, because models often come in cycles, of which the least recently
 * used is the one to be needed next; and it may be another call site's, since
 * those of a PL/pgSQL function stay until the transaction ends.
 *
 * A model in line is kept with all its bytes, as what it is known by.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/random.h"
#include "posterior/kept_models.h"

int			model_cache_size;

typedef struct TableEntry
{
	const ValueKey *key;		/* in the model */
	PreparedModel *model;
	uint32		hash;
	char		status;
} TableEntry;

/*
 * A toast pointer is hashed as a whole.  Of a model in line both ends suffice:
 * the header with the first sums, and the end of the last matrix.  All its
 * bytes are compared in any case, which costs less than a hash of them.
 */
#define HASHED_BYTES	512

static uint32
HashKey(const ValueKey *key)
{
	const unsigned char *bytes = (const unsigned char *) key->bytes;
	int			count = (int) Min(key->size, HASHED_BYTES);

	return hash_combine(hash_bytes(bytes, count),
						hash_bytes(bytes + key->size - count, count));
}

static inline bool
SameKey(const ValueKey *a, const ValueKey *b)
{
	return a->size == b->size &&
		memcmp(a->bytes, b->bytes, a->size) == 0;
}

#define SH_PREFIX			models
#define SH_ELEMENT_TYPE		TableEntry
#define SH_KEY_TYPE			const ValueKey *
#define SH_KEY				key
#define SH_HASH_KEY(tb, key)	HashKey(key)
#define SH_EQUAL(tb, a, b)	SameKey(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct CallSite
{
	dlist_node	node;
	MemoryContext context;		/* this struct and all that is kept */
	models_hash *table;
	PreparedModel **models;		/* those in the table, in no order */
	int			capacity;
	PreparedModel *last;		/* seen last; NULL if there is none */
	Size		bytes;
	MemoryContextCallback at_end;
};

/* all call sites of this backend, and what they keep together */
static dlist_head sites = DLIST_STATIC_INIT(sites);
static Size kept_bytes = 0;

static Size
BoundInBytes(void)
{
	return (Size) model_cache_size * 1024;
}

static void
ForgetSite(void *arg)
{
	CallSite   *site = arg;

	dlist_delete(&site->node);
	kept_bytes -= site->bytes;
}

/* The call site's memory, from its first call on. */
static CallSite *
GetSite(FmgrInfo *flinfo)
{
	CallSite   *site = flinfo->fn_extra;
	MemoryContext context;

	if (site)
		return site;
	context = AllocSetContextCreate(flinfo->fn_mcxt, "dlints models",
									ALLOCSET_SMALL_SIZES);
	site = MemoryContextAllocZero(context, sizeof(CallSite));
	site->context = context;
	site->table = models_create(context, 4, NULL);
	site->at_end.func = ForgetSite;
	site->at_end.arg = site;
	MemoryContextRegisterResetCallback(context, &site->at_end);
	dlist_push_head(&sites, &site->node);
	flinfo->fn_extra = site;
	return site;
}

/* Count what a call site keeps; nothing is counted without one. */
static void
Count(CallSite *site, Size added, Size removed)
{
	if (site == NULL)
		return;
	site->bytes = site->bytes + added - removed;
	kept_bytes = kept_bytes + added - removed;
}

/* Memory for what is made of a model. */
void *
PreparedAlloc(PreparedModel *model, Size size)
{
	void	   *part = MemoryContextAlloc(model->context, size);

	Count(model->site, GetMemoryChunkSpace(part), 0);
	return part;
}

/* Another value's key, in the same memory. */
void
PreparedReplaceKey(PreparedModel *model, ValueKey *key, Datum datum)
{
	Count(model->site, 0, key->bytes ? GetMemoryChunkSpace(key->bytes) : 0);
	ValueKeyReplace(key, datum, model->context);
	Count(model->site, GetMemoryChunkSpace(key->bytes), 0);
}

static void
Free(CallSite *site, void *part)
{
	if (part == NULL)
		return;
	Count(site, 0, GetMemoryChunkSpace(part));
	pfree(part);
}

/* Free a model with all that was made of it. */
static void
FreeModel(PreparedModel *model)
{
	CallSite   *site = model->site;

	Free(site, model->mean);
	Free(site, model->root);
	Free(site, model->b);
	Free(site, model->factors);
	Free(site, model->weights);
	Free(site, model->profile_key.bytes);
	Free(site, model->key.bytes);
	Free(site, model);
}

static void
Forget(PreparedModel *model)
{
	CallSite   *site = model->site;
	PreparedModel *end;

	models_delete(site->table, &model->key);
	end = site->models[site->table->members];
	site->models[model->place] = end;
	end->place = model->place;
	FreeModel(model);
}

/* How many of a call site's models may go: all but the one that it saw last. */
static uint32
Spare(const CallSite *site)
{
	return site->table->members - (site->last ? 1 : 0);
}

/* One of all models that may go, each as likely; NULL if there is none. */
static PreparedModel *
AnySpare(void)
{
	static uint32_t evictions = 0;
	const uint32_t counter[4] = {evictions++, 0, 0, 0};
	const uint32_t key[2] = {0, 0};
	uint32_t	bits[4];
	uint32		spare = 0;
	uint32		choice;
	CallSite   *site = NULL;
	dlist_iter	iter;

	dlist_foreach(iter, &sites)
		spare += Spare(dlist_container(CallSite, node, iter.cur));
	if (spare == 0)
		return NULL;
	random_philox(counter, key, bits);
	choice = bits[0] % spare;
	dlist_foreach(iter, &sites)
	{
		site = dlist_container(CallSite, node, iter.cur);
		if (choice < Spare(site))
			break;
		choice -= Spare(site);
	}
	if (site->last && choice >= (uint32) site->last->place)
		choice++;
	return site->models[choice];
}

/* Forget models until all that is kept is within the bound. */
static void
MakeRoom(void)
{
	PreparedModel *model;

	while (kept_bytes > BoundInBytes() && (model = AnySpare()) != NULL)
		Forget(model);
}

/* Room in the call site's list for one more. */
static void
GrowList(CallSite *site)
{
	int			capacity = Max(site->capacity * 2, 8);

	if (site->table->members < site->capacity)
		return;
	site->models = site->models ?
		repalloc(site->models, sizeof(PreparedModel *) * capacity) :
		MemoryContextAlloc(site->context, sizeof(PreparedModel *) * capacity);
	site->capacity = capacity;
}

/*
 * A value out of line as a whole if that is short: one scan of its chunks, nine
 * at most, in place of one for the header and one for the memory in use.  The
 * default model of 24 coordinates has 8.7 kB, one of 34 has 16.
 */
#define SHORT_VALUE		16384

static Datum
ReadShort(Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) &&
		toast_raw_datum_size(datum) <= SHORT_VALUE)
		return PointerGetDatum(PG_DETOAST_DATUM(datum));
	return datum;
}

/* The header of a model, and the argument that it is in. */
static void
ReadModel(PreparedModel *model, Datum datum)
{
	model->datum = datum;
	model->header = ModelHeaderFromDatum(datum);
	model->dim = ModelCoordinates(&model->header);
}

/* A model that the call site does not know. */
static PreparedModel *
Enter(CallSite *site, Datum datum)
{
	PreparedModel read = {.site = site, .context = site->context};
	PreparedModel *model;
	TableEntry *entry;
	bool		found;

	/* an error here leaves nothing behind */
	ReadModel(&read, ReadShort(datum));
	MakeRoom();
	GrowList(site);
	model = PreparedAlloc(&read, sizeof(PreparedModel));
	*model = read;
	PreparedReplaceKey(model, &model->key, datum);

	entry = models_insert(site->table, &model->key, &found);
	Assert(!found);
	entry->model = model;
	model->place = (int) site->table->members - 1;
	site->models[model->place] = model;
	return model;
}

/* Another model than the one seen last. */
static PreparedModel *
Meet(CallSite *site, Datum datum)
{
	ValueKey	key = ValueKeyOf(datum);
	TableEntry *entry = models_lookup(site->table, &key);

	ValueKeyDone(key, datum);
	/* none is while one is made, which may end in an error */
	site->last = entry ? entry->model : NULL;
	if (site->last)
		site->last->datum = datum;
	else
		site->last = Enter(site, datum);
	return site->last;
}

/*
 * A model, which must not be NULL, as a call site keeps it: its header, and
 * what was made of it.  Valid until the same call site is asked for another one.
 */
PreparedModel *
PrepareModelAt(FmgrInfo *flinfo, Datum datum)
{
	CallSite   *site;

	/* a call without FmgrInfo has no place to keep anything */
	if (flinfo == NULL)
		return PrepareModelOnce(datum);

	site = GetSite(flinfo);
	/* it is nearly always the one seen last */
	if (!site->last || !ValueKeyMatches(&site->last->key, datum))
		return Meet(site, datum);
	site->last->datum = datum;
	return site->last;
}

/* The model in an argument. */
PreparedModel *
PrepareModel(FunctionCallInfo fcinfo, int argno)
{
	return PrepareModelAt(fcinfo->flinfo, PG_GETARG_DATUM(argno));
}

/* For a caller that sees its model once: in the current memory context. */
PreparedModel *
PrepareModelOnce(Datum datum)
{
	PreparedModel *model = palloc0(sizeof(PreparedModel));

	model->context = CurrentMemoryContext;
	ReadModel(model, ReadShort(datum));
	return model;
}
