/*
 * kept_models.c
 *		Cache of models and of results computed from them.
 *
 * Queries often pass the same model with every row, so we read and factor each model once.  Most
 * calls only compare the argument with a key.  The key of a model is its toast pointer, or all
 * bytes of an inline value.
 *
 * A backend has one cache, limited by dlints.model_cache_size.  Models that no running plan uses
 * are evicted at random, because queries often scan models cyclically.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/memutils.h"

#include "core/random.h"
#include "posterior/kept_models.h"

/* ---------- value keys ---------- */

/* Return the key of a datum: the toast pointer, or all bytes of the value. */
static ValueKey
ValueKeyOf(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	ValueKey	key = {0};

	if (VARATT_IS_EXTERNAL(value) && !VARATT_IS_EXTERNAL_ONDISK(value))
		value = PG_DETOAST_DATUM(datum);
	key.size = VARSIZE_ANY(value);
	key.bytes = (char *) value;
	return key;
}

/* Free a copy of the datum that ValueKeyOf() may have made. */
static void
ValueKeyDone(ValueKey key, Datum datum)
{
	if (key.bytes != DatumGetPointer(datum))
		pfree(key.bytes);
}

bool
ValueKeyMatchesBytes(const ValueKey *key, Datum datum)
{
	ValueKey	other = ValueKeyOf(datum);
	bool		same = key->size == other.size &&
		memcmp(key->bytes, other.bytes, other.size) == 0;

	ValueKeyDone(other, datum);
	return same;
}

/* Set "key" to the key of a datum, without freeing the previous key. */
void
ValueKeySet(ValueKey *key, Datum datum, MemoryContext context)
{
	ValueKey	other = ValueKeyOf(datum);

	key->bytes = MemoryContextAlloc(context, other.size);
	memcpy(key->bytes, other.bytes, other.size);
	key->size = other.size;
	ValueKeyDone(other, datum);
}

/* Set "key" to the key of a datum, and free the previous key.  After an error, "key" is empty. */
void
ValueKeyReplace(ValueKey *key, Datum datum, MemoryContext context)
{
	if (key->bytes)
		pfree(key->bytes);
	key->bytes = NULL;
	key->size = 0;
	ValueKeySet(key, datum, context);
}

/*
 * Raise an error unless a model is equal to the previous row's model, stored in "key".
 *
 * Stores the new datum in "key", because the next rows probably contain the same datum.
 */
void
CheckSameModel(ValueKey *key, Datum model, const MismatchMessages *messages, MemoryContext context)
{
	if (!ModelEquals(PointerGetDatum(key->bytes), model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs the same model for all rows of a %s",
						messages->function, messages->rows),
				 errhint("%s", messages->advice)));
	ValueKeyReplace(key, model, context);
}

int			model_cache_size;

typedef struct TableEntry
{
	const ValueKey *key;		/* key of the cached model */
	PreparedModel *model;
	uint32		hash;
	char		status;
} TableEntry;

/* Number of bytes at each end of a model that are hashed, to save time */
#define HASHED_BYTES	512

static uint32
HashKey(const ValueKey *key)
{
	const unsigned char *bytes = (const unsigned char *) key->bytes;
	int			count = (int) Min(key->size, HASHED_BYTES);

	return hash_combine(hash_bytes(bytes, count), hash_bytes(bytes + key->size - count, count));
}

/* Are two keys equal?  The hash table may also compare the key of an entry with itself. */
static inline bool
SameKey(const ValueKey *a, const ValueKey *b)
{
	return a == b ||
		(a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
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

/* State of a function call in a plan, stored in fn_extra */
typedef struct CallSite
{
	PreparedModel *last;
	MemoryContextCallback at_end;
} CallSite;

/* memory context and hash table of the cached models */
static MemoryContext all_context = NULL;
static models_hash *table = NULL;
static Size kept_bytes = 0;

static Size
CacheLimit(void)
{
	return (Size) model_cache_size * 1024;
}

/* ---------- memory ---------- */

/* Add a change in the memory of a model to the size of the cache. */
static void
UpdateKeptBytes(PreparedModel *model)
{
	Size		before = model->bytes;

	if (!model->kept)
		return;
	model->bytes = MemoryContextMemAllocated(model->context, false);
	kept_bytes = kept_bytes + model->bytes - before;
}

void *
PreparedAlloc(PreparedModel *model, Size size)
{
	void	   *part = MemoryContextAlloc(model->context, size);

	UpdateKeptBytes(model);
	return part;
}

void
PreparedReplaceKey(PreparedModel *model, ValueKey *key, Datum datum)
{
	ValueKeyReplace(key, datum, model->context);
	UpdateKeptBytes(model);
}

/* ---------- eviction ---------- */

/* Remove a model from the cache.  Its memory is freed when no function call uses the model. */
static void
EvictModel(PreparedModel *model)
{
	models_delete_item(table, models_lookup_hash(table, &model->key, model->hash));
	kept_bytes -= model->bytes;
	model->kept = false;
	if (model->users == 0)
		MemoryContextDelete(model->context);
}

/* Return a random model that no function call uses, or NULL if there is none. */
static PreparedModel *
FindEvictable(void)
{
	static uint64 evictions = 0;
	models_iterator iterator;
	TableEntry *entry;

	models_start_iterate_at(table, &iterator, (uint32) random_bits(0, evictions++));
	while ((entry = models_iterate(table, &iterator)) != NULL)
		if (entry->model->users == 0)
			return entry->model;
	return NULL;
}

/* Evict models until the cache has at most "bound" bytes. */
static void
MakeRoom(Size bound)
{
	PreparedModel *model;

	while (kept_bytes > bound && (model = FindEvictable()) != NULL)
		EvictModel(model);
}

/* Divisor of dlints.model_cache_size for the maximum size of the cache between transactions */
#define IDLE_CACHE_DIVISOR	4

/* Evict models at the end of a transaction, because they may be old versions of a row. */
static void
EndTransaction(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT ||
		event == XACT_EVENT_PARALLEL_COMMIT || event == XACT_EVENT_PARALLEL_ABORT ||
		event == XACT_EVENT_PREPARE)
		MakeRoom(CacheLimit() / IDLE_CACHE_DIVISOR);
}

/* ---------- reading ---------- */

/* Maximum size in bytes of an out-of-line value that is read as a whole, for speed */
#define MAX_SHORT_VALUE		16384

static Datum
DetoastShort(Datum datum)
{
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)) &&
		toast_raw_datum_size(datum) <= MAX_SHORT_VALUE)
		return PointerGetDatum(PG_DETOAST_DATUM(datum));
	return datum;
}

static void
ReadModel(PreparedModel *model, Datum datum)
{
	model->datum = datum;
	model->header = ModelHeaderFromDatum(datum);
	model->dim = ModelCoefficientCount(&model->header);
}

/*
 * Hash the first chunk of an out-of-line model, to detect that a toast pointer refers to another
 * model.  The header does not suffice, because different models may have equal headers.
 */
static uint64
HashFirstChunk(Datum datum)
{
	struct varlena *chunk = PG_DETOAST_DATUM_SLICE(datum, 0, TOAST_MAX_CHUNK_SIZE);
	uint64		hash = hash_bytes_extended((unsigned char *) VARDATA_ANY(chunk),
										   (int) VARSIZE_ANY_EXHDR(chunk), 0);

	pfree(chunk);
	return hash;
}

static PreparedModel *
CreateModel(Datum datum)
{
	PreparedModel read = {.seen_in = MyTransaction()};
	PreparedModel *model;

	ReadModel(&read, DetoastShort(datum));
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
		read.first_chunk = HashFirstChunk(read.datum);
	read.context = AllocSetContextCreate(CurrentMemoryContext, "dlints model",
										 ALLOCSET_SMALL_SIZES);
	ValueKeySet(&read.key, datum, read.context);
	model = MemoryContextAlloc(read.context, sizeof(PreparedModel));
	*model = read;
	return model;
}

/* Add a model to the cache.  An error leaves the cache unchanged. */
static PreparedModel *
InsertModel(Datum datum, uint32 hash)
{
	PreparedModel *model = CreateModel(datum);
	TableEntry *entry;
	bool		found;

	model->hash = hash;
	entry = models_insert_hash(table, &model->key, hash, &found);
	Assert(!found);
	entry->model = model;
	MemoryContextSetParent(model->context, all_context);
	model->kept = true;
	UpdateKeptBytes(model);
	return model;
}

/*
 * Check once per transaction that toast pointers still refer to the cached model and profile.  A
 * later transaction may reuse the OID of a toasted value.
 */
static bool
ConfirmModel(PreparedModel *model, Datum datum)
{
	if (model->seen_in == MyTransaction())
		return true;
	if (VARATT_IS_EXTERNAL(model->key.bytes) && HashFirstChunk(datum) != model->first_chunk)
		return false;
	model->seen_in = MyTransaction();
	/* the toast pointer of the cached profile may now refer to another profile */
	if (model->lifted && VARATT_IS_EXTERNAL(model->profile_key.bytes))
		model->lifted = false;
	return true;
}

static PreparedModel *
LookupModel(Datum datum)
{
	ValueKey	key = ValueKeyOf(datum);
	uint32		hash = HashKey(&key);
	TableEntry *entry;

	if (table == NULL)
	{
		if (!all_context)
			all_context = AllocSetContextCreate(CacheMemoryContext, "dlints models",
												ALLOCSET_DEFAULT_SIZES);
		table = models_create(all_context, 16, NULL);
		RegisterXactCallback(EndTransaction, NULL);
	}
	MakeRoom(CacheLimit());
	entry = models_lookup_hash(table, &key, hash);
	ValueKeyDone(key, datum);
	if (entry && ConfirmModel(entry->model, datum))
	{
		entry->model->datum = PointerGetDatum(entry->model->key.bytes);
		return entry->model;
	}
	if (entry)
		EvictModel(entry->model);
	return InsertModel(datum, hash);
}

/* ---------- call sites ---------- */

/* Release the model that a function call in a plan uses, at the end of the plan or before. */
static void
ReleaseModel(void *arg)
{
	CallSite   *site = arg;
	PreparedModel *model = site->last;

	site->last = NULL;
	if (model && --model->users == 0 && !model->kept)
		MemoryContextDelete(model->context);
}

static CallSite *
GetSite(FmgrInfo *flinfo)
{
	CallSite   *site = flinfo->fn_extra;

	if (site)
		return site;
	site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(CallSite));
	site->at_end.func = ReleaseModel;
	site->at_end.arg = site;
	MemoryContextRegisterResetCallback(flinfo->fn_mcxt, &site->at_end);
	flinfo->fn_extra = site;
	return site;
}

/*
 * Return the cached model for an argument, which must not be NULL.  The result is valid until the
 * function call in the plan uses another model.
 */
PreparedModel *
PrepareModel(FunctionCallInfo fcinfo, int argno)
{
	Datum		datum = PG_GETARG_DATUM(argno);
	CallSite   *site;

	if (fcinfo->flinfo == NULL)
	{
		PreparedModel *model = palloc0(sizeof(PreparedModel));

		model->context = CurrentMemoryContext;
		ReadModel(model, DetoastShort(datum));
		return model;
	}

	site = GetSite(fcinfo->flinfo);
	/* fast path if the model is that of the previous call */
	if (!site->last || !ValueKeyMatches(&site->last->key, datum))
	{
		ReleaseModel(site);
		site->last = LookupModel(datum);
		site->last->users++;
	}
	else
		site->last->datum = PointerGetDatum(site->last->key.bytes);
	return site->last;
}
