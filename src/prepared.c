/*
 * prepared.c
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
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/random.h"
#include "expanded.h"
#include "prepared.h"

int			model_cache_size;

typedef struct TableEntry
{
	const ModelKey *key;		/* in the model */
	PreparedModel *model;
	uint32		hash;
	char		status;
} TableEntry;

static uint32
HashKey(const ModelKey *key)
{
	return hash_bytes((const unsigned char *) &key->digest, sizeof(Digest));
}

static inline bool
SameKey(const ModelKey *a, const ModelKey *b)
{
	return a->size == b->size &&
		memcmp(&a->digest, &b->digest, sizeof(Digest)) == 0;
}

#define SH_PREFIX			models
#define SH_ELEMENT_TYPE		TableEntry
#define SH_KEY_TYPE			const ModelKey *
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
	ValueKey	seen;			/* its bytes, if it came twice and in line */
	Size		bytes;
	MemoryContextCallback at_end;
};

/* all call sites of this backend, and what they keep together */
static dlist_head sites = DLIST_STATIC_INIT(sites);
static Size kept_bytes = 0;

/*
 * The bytes that stand for a datum.  A value on disk cannot change under its
 * toast pointer while a statement runs.  Other pointers (to memory) say
 * nothing about what they point to, so such a value is flattened first.
 */
static ValueKey
KeyOf(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	ValueKey	key = {0};

	if (VARATT_IS_EXTERNAL(value) && !VARATT_IS_EXTERNAL_ONDISK(value))
		value = PG_DETOAST_DATUM(datum);
	key.size = VARSIZE_ANY(value);
	key.bytes = (char *) value;
	return key;
}

/* Free what KeyOf had to make. */
static void
KeyDone(ValueKey key, Datum datum)
{
	if (key.bytes != DatumGetPointer(datum))
		pfree(key.bytes);
}

/* The stamp of a working model, 0 for another value. */
static uint64
StampOf(Datum datum)
{
	WorkingModel *working = WorkingFromDatum(datum);

	return working ? working->stamp : 0;
}

bool
ValueKeyMatchesBytes(const ValueKey *key, Datum datum)
{
	uint64		stamp = StampOf(datum);
	ValueKey	other;
	bool		same;

	if (stamp != 0 && stamp == key->stamp && key->size > 0)
		return true;
	other = KeyOf(datum);
	same = key->size == other.size &&
		memcmp(key->bytes, other.bytes, other.size) == 0;
	KeyDone(other, datum);
	return same;
}

/* Remember a datum.  An earlier one's memory is the context's to free. */
void
ValueKeySet(ValueKey *key, Datum datum, MemoryContext context)
{
	ValueKey	other = KeyOf(datum);

	key->bytes = MemoryContextAlloc(context, other.size);
	memcpy(key->bytes, other.bytes, other.size);
	key->size = other.size;
	key->stamp = StampOf(datum);
	KeyDone(other, datum);
}

/* The same, freeing the earlier one.  An error leaves nothing remembered. */
void
ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context)
{
	if (key->bytes)
		pfree(key->bytes);
	key->bytes = NULL;
	key->size = 0;
	key->stamp = 0;
	ValueKeySet(key, datum, context);
}

/*
 * Numbers that nobody knows: a model has the digest of another one by a chance
 * of less than 1 in 2^125 (see digest.c), whoever made the two.
 */
static const DigestKey *
SecretKey(void)
{
	static DigestKey *secret = NULL;
	DigestKey  *made;

	if (secret)
		return secret;
	made = MemoryContextAlloc(TopMemoryContext, sizeof(DigestKey));
	if (!pg_strong_random(made, sizeof(DigestKey)))
	{
		pfree(made);
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not obtain random numbers")));
	}
	return secret = made;
}

static ModelKey
ModelKeyOf(Datum datum)
{
	ValueKey	value = KeyOf(datum);
	ModelKey	key = {.size = value.size};

	StaticAssertStmt(TOAST_POINTER_SIZE <= sizeof(Digest),
					 "toast pointer is too long");
	if (VARATT_IS_EXTERNAL_ONDISK(value.bytes))
		memcpy(&key.digest, value.bytes, TOAST_POINTER_SIZE);
	else
		key.digest = digest_bytes(SecretKey(), value.bytes, value.size);
	KeyDone(value, datum);
	return key;
}

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
void
CallSiteCount(CallSite *site, Size added, Size removed)
{
	if (site == NULL)
		return;
	site->bytes = site->bytes + added - removed;
	kept_bytes = kept_bytes + added - removed;
}

static void
Free(CallSite *site, void *part)
{
	if (part == NULL)
		return;
	CallSiteCount(site, 0, GetMemoryChunkSpace(part));
	pfree(part);
}

/* Free a model with all that was made of it. */
void
PreparedFree(PreparedModel *model)
{
	CallSite   *site = model->site;

	Free(site, model->mean);
	Free(site, model->root);
	Free(site, model->b);
	Free(site, model->factors);
	Free(site, model->weights);
	Free(site, model->shared_key.bytes);
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
	PreparedFree(model);
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
 * A value out of line as a whole if that is short: reading it once costs less
 * than its header and then the memory in use.
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

/* Replace a key, which counts if it is kept at a call site. */
void
CallSiteReplaceKey(CallSite *site, ValueKey *key, Datum datum,
				   MemoryContext context)
{
	Size		removed = key->bytes ? GetMemoryChunkSpace(key->bytes) : 0;

	CallSiteCount(site, 0, removed);
	ValueKeyReplace(key, datum, context);
	CallSiteCount(site, GetMemoryChunkSpace(key->bytes), 0);
}

/*
 * An entry for a model that the call site does not know.  An error leaves no
 * more than memory that is counted, and freed with the call site.
 */
static PreparedModel *
Enter(CallSite *site, const ModelKey *key, Datum datum)
{
	Datum		value = ReadShort(datum);
	DlintsHeader header = ModelHeaderFromDatum(value);
	PreparedModel *model;
	TableEntry *entry;
	bool		found;

	MakeRoom();
	GrowList(site);
	model = MemoryContextAllocZero(site->context, sizeof(PreparedModel));
	model->site = site;
	model->context = site->context;
	model->key = *key;
	model->datum = value;
	model->header = header;
	model->dim = ModelCoordinates(&header);
	CallSiteCount(site, GetMemoryChunkSpace(model), 0);

	entry = models_insert(site->table, &model->key, &found);
	Assert(!found);
	entry->model = model;
	model->place = (int) site->table->members - 1;
	site->models[model->place] = model;
	return model;
}

/*
 * Is it the one seen last?  That is nearly always so.  A value in line is then
 * compared with its bytes, which takes less than a digest.
 */
static inline bool
IsLast(const CallSite *site, Datum datum)
{
	if (site->last == NULL)
		return false;
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
		return site->last->key.size == TOAST_POINTER_SIZE &&
			memcmp(&site->last->key.digest, DatumGetPointer(datum),
				   TOAST_POINTER_SIZE) == 0;
	return ValueKeyMatchesBytes(&site->seen, datum);
}

/*
 * Another model than the one seen last, or that one for the second time: the
 * third may be, too.
 */
static PreparedModel *
Meet(CallSite *site, Datum datum)
{
	ModelKey	key = ModelKeyOf(datum);
	TableEntry *entry = models_lookup(site->table, &key);
	PreparedModel *last = site->last;

	site->last = entry ? entry->model : NULL;
	if (site->last && site->last == last)
		CallSiteReplaceKey(site, &site->seen, datum, site->context);
	else
	{
		Free(site, site->seen.bytes);
		memset(&site->seen, 0, sizeof(site->seen));
	}
	if (site->last)
		site->last->datum = datum;
	else
		site->last = Enter(site, &key, datum);
	return site->last;
}

/*
 * A model, which must not be NULL, as a call site keeps it: its header, and
 * what was made of it.  Valid until the same call site is asked for another one.
 */
PreparedModel *
PrepareModelAt(FmgrInfo *flinfo, Datum datum)
{
	WorkingModel *working = WorkingFromDatum(datum);
	CallSite   *site;

	/* a state is one of many: what is made of those has to stay within bounds */
	if (working && !working->is_state)
		return WorkingPrepare(working);
	/* a call without FmgrInfo has no place to keep anything */
	if (flinfo == NULL)
		return PrepareModelOnce(datum);

	site = GetSite(flinfo);
	if (!IsLast(site, datum))
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
	model->datum = ReadShort(datum);
	model->header = ModelHeaderFromDatum(model->datum);
	model->dim = ModelCoordinates(&model->header);
	return model;
}

/* For a model in memory that stays as it is meanwhile, until PreparedFree. */
PreparedModel *
PrepareModelIn(MemoryContext context, Dlints *model)
{
	PreparedModel *prepared = MemoryContextAllocZero(context,
													 sizeof(PreparedModel));

	prepared->context = context;
	prepared->datum = ModelGetDatum(model);
	prepared->header = model->header;
	prepared->dim = ModelCoordinates(&model->header);
	return prepared;
}
