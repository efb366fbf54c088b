/*
 * kept_models.c
 *		Queries pass the same model with every row, or a few thousand of them
 *		in turns, and a session asks for the same few again and again.  Reading
 *		and factoring each once is what makes them fast; recognising it must
 *		therefore cost next to nothing.
 *
 * A backend keeps what it needs of the models that it has seen in one hash
 * table, within dlints.model_cache_size.  Each call site (a function in a plan)
 * remembers the one that it saw last, which is looked at first and stays for as
 * long.  Who goes when there is no room is left to chance, because models often
 * come in cycles, of which the least recently used is the one to be needed next.
 *
 * A model out of line is known by its toast pointer.  That cannot mean another
 * value while a transaction runs, but an Oid may come again some day: the first
 * time that a transaction meets a model, its first chunk is read and compared.
 * A model in line is known by all its bytes, and kept with them until the
 * transaction ends.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/memutils.h"

#include "core/random.h"
#include "model/model.h"
#include "posterior/kept_models.h"

/* ---------- values that come again ---------- */

/*
 * The bytes that stand for a datum.  A value on disk cannot change under its
 * toast pointer while a statement runs.  Other pointers (to memory) say
 * nothing about what they point to, so such a value is flattened first.
 */
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

/* Free what ValueKeyOf had to make. */
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

/* Remember a datum.  An earlier one's memory is the context's to free. */
void
ValueKeySet(ValueKey *key, Datum datum, MemoryContext context)
{
	ValueKey	other = ValueKeyOf(datum);

	key->bytes = MemoryContextAlloc(context, other.size);
	memcpy(key->bytes, other.bytes, other.size);
	key->size = other.size;
	ValueKeyDone(other, datum);
}

/* The same, freeing the earlier one.  An error leaves nothing remembered. */
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
 * Rows that belong together bring the same model.  Another stored copy of it
 * will do (GROUP BY on the model itself brings such together), and is the one
 * to be expected next.  Called where the key does not match.
 */
void
CheckSameModel(ValueKey *key, Datum model,
			   const MismatchMessages *messages, MemoryContext context)
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

/* A model that leaves the table is looked up by its own key. */
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

/* A function in a plan, from its first call on */
typedef struct CallSite
{
	PreparedModel *last;		/* seen last; NULL if there is none */
	MemoryContextCallback at_end;
} CallSite;

/* all that this backend keeps */
static MemoryContext all_context = NULL;
static models_hash *table = NULL;
static Size kept_bytes = 0;
static dlist_head in_line = DLIST_STATIC_INIT(in_line);	/* known by bytes */

static Size
BoundInBytes(void)
{
	return (Size) model_cache_size * 1024;
}

/* ---------- memory ---------- */

/* Count what has become of a model's memory. */
static void
UpdateKeptBytes(PreparedModel *model)
{
	Size		before = model->bytes;

	if (!model->kept)
		return;
	model->bytes = MemoryContextMemAllocated(model->context, false);
	kept_bytes = kept_bytes + model->bytes - before;
}

/* Memory for what is made of a model. */
void *
PreparedAlloc(PreparedModel *model, Size size)
{
	void	   *part = MemoryContextAlloc(model->context, size);

	UpdateKeptBytes(model);
	return part;
}

/* Another value's key, in the same memory. */
void
PreparedReplaceKey(PreparedModel *model, ValueKey *key, Datum datum)
{
	ValueKeyReplace(key, datum, model->context);
	UpdateKeptBytes(model);
}

/* ---------- who stays ---------- */

/* Take a model out of the table.  It is gone when nobody uses it any more. */
static void
EvictModel(PreparedModel *model)
{
	if (!VARATT_IS_EXTERNAL(model->key.bytes))
		dlist_delete(&model->in_line);
	models_delete_item(table, models_lookup_hash(table, &model->key, model->hash));
	kept_bytes -= model->bytes;
	model->kept = false;
	if (model->users == 0)
		MemoryContextDelete(model->context);
}

/* A model that may go, the next one from any place on; NULL if there is none. */
static PreparedModel *
AnySpare(void)
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

/* Evict models until all that is kept is within a bound. */
static void
MakeRoom(Size bound)
{
	PreparedModel *model;

	while (kept_bytes > bound && (model = AnySpare()) != NULL)
		EvictModel(model);
}

/* Idle connections are many: what outlives a transaction is a part of the bound. */
#define OUTLIVING	4

/*
 * The transaction ends.  Models that are known by their bytes are variables, or
 * too small to be worth their room.  Of the others there may be former versions
 * that nobody will ask for again.
 */
static void
EndTransaction(XactEvent event, void *arg)
{
	dlist_mutable_iter next;

	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT &&
		event != XACT_EVENT_PARALLEL_COMMIT &&
		event != XACT_EVENT_PARALLEL_ABORT &&
		event != XACT_EVENT_PREPARE)
		return;
	dlist_foreach_modify(next, &in_line)
	{
		PreparedModel *model = dlist_container(PreparedModel, in_line, next.cur);

		if (model->users == 0)
			EvictModel(model);
	}
	MakeRoom(BoundInBytes() / OUTLIVING);
}

static void
MakeTable(void)
{
	if (table)
		return;
	if (!all_context)
		all_context = AllocSetContextCreate(CacheMemoryContext, "dlints models",
											ALLOCSET_DEFAULT_SIZES);
	table = models_create(all_context, 16, NULL);
	RegisterXactCallback(EndTransaction, NULL);
}

/* ---------- reading ---------- */

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

/*
 * What the first chunk of a value out of line says.  The header alone may be
 * that of another model: with a given ridge and noise, all that have seen the
 * same rewards share it.
 */
static uint64
HashFirstChunk(Datum datum)
{
	struct varlena *chunk = PG_DETOAST_DATUM_SLICE(datum, 0,
												   TOAST_MAX_CHUNK_SIZE);
	uint64		hash = hash_bytes_extended((unsigned char *) VARDATA_ANY(chunk),
										   (int) VARSIZE_ANY_EXHDR(chunk), 0);

	pfree(chunk);
	return hash;
}

/* A model, with all that is made of it in a context of its own. */
static PreparedModel *
MakeModel(Datum datum)
{
	PreparedModel read = {.seen_in = MyTransaction()};
	PreparedModel *model;

	ReadModel(&read, ReadShort(datum));
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
		read.first_chunk = HashFirstChunk(read.datum);
	read.context = AllocSetContextCreate(CurrentMemoryContext, "dlints model",
										 ALLOCSET_SMALL_SIZES);
	ValueKeySet(&read.key, datum, read.context);
	model = MemoryContextAlloc(read.context, sizeof(PreparedModel));
	*model = read;
	return model;
}

/* A model that this backend does not know; an error leaves nothing behind. */
static PreparedModel *
InsertModel(Datum datum, uint32 hash)
{
	PreparedModel *model = MakeModel(datum);
	TableEntry *entry;
	bool		found;

	model->hash = hash;
	entry = models_insert_hash(table, &model->key, hash, &found);
	Assert(!found);
	entry->model = model;
	MemoryContextSetParent(model->context, all_context);
	model->kept = true;
	if (!VARATT_IS_EXTERNAL(model->key.bytes))
		dlist_push_tail(&in_line, &model->in_line);
	UpdateKeptBytes(model);
	return model;
}

/* Is a kept model the value that its key stands for in this transaction? */
static bool
IsStill(PreparedModel *model, Datum datum)
{
	if (model->seen_in == MyTransaction() || !VARATT_IS_EXTERNAL(model->key.bytes))
		return true;
	if (HashFirstChunk(datum) != model->first_chunk)
		return false;
	model->seen_in = MyTransaction();
	/* a profile's toast pointer may have come again, too */
	if (model->lifted && VARATT_IS_EXTERNAL(model->profile_key.bytes))
		model->lifted = false;
	return true;
}

/* The model of a value, as this backend keeps it. */
static PreparedModel *
LookupModel(Datum datum)
{
	ValueKey	key = ValueKeyOf(datum);
	uint32		hash = HashKey(&key);
	TableEntry *entry;

	MakeTable();
	MakeRoom(BoundInBytes());
	entry = models_lookup_hash(table, &key, hash);
	ValueKeyDone(key, datum);
	if (entry && IsStill(entry->model, datum))
	{
		entry->model->datum = PointerGetDatum(entry->model->key.bytes);
		return entry->model;
	}
	if (entry)
		EvictModel(entry->model);
	return InsertModel(datum, hash);
}

/* ---------- call sites ---------- */

/* A call site has seen its last. */
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

/* For a caller that sees its model once: in the current memory context. */
static PreparedModel *
PrepareModelOnce(Datum datum)
{
	PreparedModel *model = palloc0(sizeof(PreparedModel));

	model->context = CurrentMemoryContext;
	ReadModel(model, ReadShort(datum));
	return model;
}

/*
 * Return the model in an argument, which must not be NULL, with all parts that this
 * backend keeps of it.  Valid until the call site asks for another model.
 */
PreparedModel *
PrepareModel(FunctionCallInfo fcinfo, int argno)
{
	Datum		datum = PG_GETARG_DATUM(argno);
	CallSite   *site;

	/* a call without FmgrInfo has no place to remember anything */
	if (fcinfo->flinfo == NULL)
		return PrepareModelOnce(datum);

	site = GetSite(fcinfo->flinfo);
	/* it is nearly always the one seen last */
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
