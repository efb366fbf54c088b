/*
 * expanded.c
 *		Where the stored and the working form of a model meet.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "expanded.h"
#include "learn.h"

static Size WorkingFlatSize(ExpandedObjectHeader *object);
static void WorkingFlatten(ExpandedObjectHeader *object, void *result,
						   Size allocated_size);

static const ExpandedObjectMethods working_methods = {
	WorkingFlatSize,
	WorkingFlatten
};

static const char pool_name[] = "dlints evidence";

/*
 * The context in which an aggregate's working models live.  It is one for all
 * of its groups: the memory of a hash aggregate is counted context by context,
 * which would be quadratic with one for each group.  It is a child of the
 * aggregate's, by which PostgreSQL knows that states in it need no copy.
 */
static MemoryContext
Pool(MemoryContext aggregate)
{
	MemoryContext child;

	for (child = aggregate->firstchild; child; child = child->nextchild)
		if (child->name == pool_name)
			return child;
	return AllocSetContextCreateInternal(aggregate, pool_name,
										 ALLOCSET_DEFAULT_SIZES);
}

/* A number that no working model of this backend has had. */
uint64
WorkingStamp(void)
{
	static uint64 stamps = 0;

	return ++stamps;
}

static WorkingModel *
Create(MemoryContext context, Dlints *model)
{
	WorkingModel *working = MemoryContextAlloc(context, sizeof(WorkingModel));

	memset(working, 0, offsetof(WorkingModel, rewards));
	EOH_init_header(&working->object, &working_methods, context);
	working->stamp = WorkingStamp();
	working->model = model;
	return working;
}

static WorkingModel *
CreateState(MemoryContext context, Dlints *model)
{
	WorkingModel *working = Create(context, model);

	working->is_state = true;
	return working;
}

/* A model with these parameters that has seen nothing, as an aggregate's state. */
WorkingModel *
WorkingCreate(MemoryContext aggregate, const DlintsHeader *header)
{
	MemoryContext context = Pool(aggregate);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Dlints	   *model = ModelCreate(header);

	MemoryContextSwitchTo(caller);
	return CreateState(context, model);
}

/* A variable's model, which has a context of its own to move about in. */
WorkingModel *
WorkingFromFlat(Datum datum)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dlints working model",
												  ALLOCSET_START_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Dlints	   *model = ModelCopyFromDatum(datum);

	MemoryContextSwitchTo(caller);
	return Create(context, model);
}

/* The working model that a pointer leads to; NULL if it is none. */
WorkingModel *
WorkingFromDatum(Datum datum)
{
	ExpandedObjectHeader *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
		return NULL;
	object = DatumGetEOHP(datum);
	return object->eoh_methods == &working_methods ?
		(WorkingModel *) object : NULL;
}

/* The working model that a pointer to it may change; NULL if it is none. */
WorkingModel *
WorkingInPlace(Datum datum)
{
	return VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)) ?
		WorkingFromDatum(datum) : NULL;
}

/*
 * An aggregate's state so far.  It is a working model from its first row on,
 * but may come flat from elsewhere: another process, or a user's aggregate.
 */
WorkingModel *
WorkingFromState(Datum state, MemoryContext aggregate)
{
	WorkingModel *working = WorkingInPlace(state);
	MemoryContext context;
	MemoryContext caller;
	Dlints	   *model;

	if (likely(working != NULL && working->is_state))
		return working;
	context = Pool(aggregate);
	caller = MemoryContextSwitchTo(context);
	model = ModelCopyFromDatum(state);
	MemoryContextSwitchTo(caller);
	return CreateState(context, model);
}

/*
 * Is this model, in line, known by its header?  That says all that the model's
 * evidence means, and what the model has learned is many times as long.
 */
static bool
HeaderMatches(const ValueKey *key, Datum datum)
{
	const char *bytes = DatumGetPointer(datum);

	return key->size >= sizeof(DlintsHeader) &&
		!VARATT_IS_EXTENDED(bytes) && VARSIZE(bytes) == key->size &&
		memcmp(bytes, key->bytes, sizeof(DlintsHeader)) == 0;
}

/*
 * Rows of one group may bring the model in different states, but it has to
 * mean the same by its evidence; the first row's parameters are used.
 */
void
WorkingCheckModel(WorkingModel *working, Datum datum)
{
	DlintsHeader header;

	if (HeaderMatches(&working->key, datum) ||
		ValueKeyMatches(&working->key, datum))
		return;
	header = ModelHeaderFromDatum(datum);
	ModelCheckSameEvidence(&working->model->header, &header);
	ValueKeyReplace(&working->key, datum, working->object.eoh_context);
}

static double *
Grow(WorkingModel *working, double *numbers, Size count)
{
	return numbers ? repalloc(numbers, sizeof(double) * count) :
		MemoryContextAlloc(working->object.eoh_context, sizeof(double) * count);
}

/* numbers that the block holds of each context */
int
WorkingContextLen(const WorkingModel *working)
{
	const DlintsHeader *model = &working->model->header;

	return working->reduced ? ModelCoordinates(model) : model->context_dim;
}

/* Have the block hold contexts as they are, or such as are reduced already. */
void
WorkingHold(WorkingModel *working, bool reduced)
{
	if (working->reduced == reduced)
		return;
	WorkingLearnPending(working);
	if (working->contexts)
		pfree(working->contexts);
	working->contexts = NULL;
	working->capacity = 0;
	working->reduced = reduced;
}

/*
 * Where in the block the next observations go, at most as many as fill it.
 * Groups can be many and small: there is room for a few at first, and for
 * twice as many each time.
 */
int
WorkingPlaces(WorkingModel *working, int count)
{
	int			capacity;

	/* a full block waits for the next one, as learning may end in an error */
	if (working->pending + count > EVIDENCE_BLOCK)
		WorkingLearnPending(working);
	if (working->pending + count > working->capacity)
	{
		capacity = Max(working->capacity * 2, Max(working->pending + count, 8));
		capacity = Min(capacity, EVIDENCE_BLOCK);
		working->contexts = Grow(working, working->contexts,
								 (Size) capacity * WorkingContextLen(working));
		working->shareds = Grow(working, working->shareds,
								(Size) capacity * working->model->header.shared_dim);
		working->capacity = capacity;
	}
	return working->pending;
}

static void
DropFirst(void *array, Size size, int count, int all)
{
	memmove(array, (char *) array + size * count, size * (all - count));
}

/* Learn the first few of what waits. */
static void
LearnFirst(WorkingModel *working, int count)
{
	Block		block = {
		count, working->rewards, working->times, working->weights
	};
	int			all = working->pending;

	if (count == 0)
		return;
	if (working->reduced)
		LearnReduced(working->model, &block, working->contexts);
	else
		LearnBlock(working->model, &block, working->contexts, working->shareds);
	working->pending -= count;

	DropFirst(working->contexts, sizeof(double) * WorkingContextLen(working), count, all);
	DropFirst(working->shareds,
			  sizeof(double) * working->model->header.shared_dim, count, all);
	DropFirst(working->rewards, sizeof(double), count, all);
	DropFirst(working->times, sizeof(int64), count, all);
	DropFirst(working->weights, sizeof(double), count, all);
}

/*
 * Learn what waits.  A variable's model finds its memory and noise after the
 * same observations as if they had been learned one by one, whenever somebody
 * looks; a state finds them at its end.
 */
void
WorkingLearnPending(WorkingModel *working)
{
	int			chosen = working->is_state ? -1 :
		ModelLastChoice(&working->model->header, working->pending);

	if (chosen >= 0)
	{
		LearnFirst(working, chosen);
		ModelLearned(working->model);
	}
	LearnFirst(working, working->pending);
}

/*
 * All that waits is learned and all that is due is found.  Whether a state's
 * sums are finite is asked here, once: what has overflowed stays so.  This
 * changes what the object looks like inside, not the model that it is: a
 * read-only pointer allows it.  It is asked for anywhere, in a sort's memory,
 * too, of which nothing can be given back.
 */
static void
Settle(WorkingModel *working)
{
	const DlintsHeader *header = &working->model->header;
	bool		chooses = working->is_state ?
		header->chosen != header->updates + working->pending :
		ModelLastChoice(header, 0) == 0;
	MemoryContext work;
	MemoryContext caller;

	if (working->pending == 0 && !chooses)
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints flattening",
								 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	WorkingLearnPending(working);
	if (working->is_state && chooses)
		ModelRevised(working->model);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* The model ready for use, for as long as it does not change. */
PreparedModel *
WorkingPrepare(WorkingModel *working)
{
	if (!working->prepared)
	{
		Settle(working);
		working->prepared = PrepareModelIn(working->object.eoh_context,
										   working->model);
	}
	return working->prepared;
}

/* What learning does not change of a model, in whichever form. */
DlintsHeader
WorkingHeader(Datum datum)
{
	WorkingModel *working = WorkingFromDatum(datum);

	return working ? working->model->header : ModelHeaderFromDatum(datum);
}

/* The same of the model in an argument, which a call site keeps. */
const DlintsHeader *
WorkingParameters(FunctionCallInfo fcinfo, int argno)
{
	WorkingModel *working = WorkingFromDatum(PG_GETARG_DATUM(argno));

	return working ? &working->model->header :
		&PrepareModel(fcinfo, argno)->header;
}

void
WorkingForget(WorkingModel *working)
{
	PreparedModel *prepared = working->prepared;

	working->prepared = NULL;
	PreparedFree(prepared);
}

static Size
WorkingFlatSize(ExpandedObjectHeader *object)
{
	WorkingModel *working = (WorkingModel *) object;

	Settle(working);
	return ModelStoredSize(&working->model->header);
}

static void
WorkingFlatten(ExpandedObjectHeader *object, void *result, Size allocated_size)
{
	WorkingModel *working = (WorkingModel *) object;

	Assert(allocated_size == ModelStoredSize(&working->model->header));
	memcpy(result, working->model, allocated_size);
	SET_VARSIZE(result, allocated_size);
}
