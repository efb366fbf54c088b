/*
 * working.c
 *		Where the stored and the working form of a model meet; and
 *		dlints_evidence, the aggregate whose state that is: what many rows say.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "core/clones.h"
#include "learn/update.h"
#include "learn/working.h"
#include "sql/args.h"

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

static WorkingModel *
Create(MemoryContext context, Dlints *model)
{
	WorkingModel *working = MemoryContextAlloc(context, sizeof(WorkingModel));

	memset(working, 0, offsetof(WorkingModel, rewards));
	EOH_init_header(&working->object, &working_methods, context);
	working->model = model;
	return working;
}

/* One with the parameters of a model that has seen nothing, and no prior. */
static WorkingModel *
WorkingCreate(MemoryContext aggregate, Datum model)
{
	DlintsHeader header = ModelHeaderFromDatum(model);
	MemoryContext context = Pool(aggregate);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Dlints	   *empty = ModelCreate(&header);

	MemoryContextSwitchTo(caller);
	return Create(context, empty);
}

/* The working model that a pointer to it may change; NULL if it is none. */
WorkingModel *
WorkingInPlace(Datum datum)
{
	ExpandedObjectHeader *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		return NULL;
	object = DatumGetEOHP(datum);
	return object->eoh_methods == &working_methods ?
		(WorkingModel *) object : NULL;
}

/*
 * An aggregate's state so far.  It is a working model from its first row on,
 * but may come flat from elsewhere: another process, or a user's aggregate.
 */
static WorkingModel *
WorkingFromState(Datum state, MemoryContext aggregate)
{
	WorkingModel *working = WorkingInPlace(state);
	MemoryContext context;
	MemoryContext caller;
	Dlints	   *model;

	if (likely(working != NULL))
		return working;
	context = Pool(aggregate);
	caller = MemoryContextSwitchTo(context);
	model = ModelCopyFromDatum(state);
	MemoryContextSwitchTo(caller);
	return Create(context, model);
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
static void
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

/*
 * Where in the block the next observation goes.  Groups can be many and small:
 * there is room for a few at first, and for twice as many each time.
 */
static Observation
WorkingPlace(WorkingModel *working)
{
	const DlintsHeader *model = &working->model->header;
	Observation place = {0};

	/* a full block waits for the next one, as learning may end in an error */
	if (working->pending == EVIDENCE_BLOCK)
		WorkingLearnPending(working);
	if (working->pending == working->capacity)
	{
		int			capacity = Min(Max(working->capacity * 2, 8), EVIDENCE_BLOCK);

		working->features = Grow(working, working->features,
								 (Size) capacity * model->feature_dim);
		working->profiles = Grow(working, working->profiles,
								(Size) capacity * model->profile_dim);
		working->capacity = capacity;
	}
	place.features = working->features + (Size) working->pending * model->feature_dim;
	place.profile = working->profiles + (Size) working->pending * model->profile_dim;
	return place;
}

/* The observation, whose vectors are in their places, is complete. */
static void
WorkingAdd(WorkingModel *working, const Observation *observation)
{
	working->rewards[working->pending] = observation->reward;
	working->times[working->pending] = observation->time;
	working->weights[working->pending] = observation->weight;
	working->pending++;
}

/* Learn what waits. */
void
WorkingLearnPending(WorkingModel *working)
{
	Block		block = {
		working->pending, working->rewards, working->times, working->weights
	};

	if (working->pending == 0)
		return;
	LearnBlock(working->model, &block, working->features, working->profiles);
	working->pending = 0;
}

/*
 * Learn all that waits, and find the memory in use.  Whether the sums are
 * finite is asked here, once: what has overflowed stays so.  The object changes
 * inside, and is still the same model, so a read-only pointer suffices.  The
 * work has a memory context of its own, since a caller such as a sort may run
 * in one from which nothing can be freed.
 */
static void
FinishLearning(WorkingModel *working)
{
	const DlintsHeader *header = &working->model->header;
	MemoryContext work;
	MemoryContext caller;

	if (header->chosen == header->updates + working->pending)
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints flattening",
								 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	WorkingLearnPending(working);
	ModelSummed(working->model);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

static Size
WorkingFlatSize(ExpandedObjectHeader *object)
{
	WorkingModel *working = (WorkingModel *) object;

	FinishLearning(working);
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

/* ---------- dlints_evidence ---------- */

/* The first argument is the state, the second the model. */
#define MODEL_ARGNO		1

/*
 * A scan over many rows waits for memory more than for arithmetic.  Rows fill a
 * heap page from its end, so the array of the next row most likely lies right
 * below this one's, with a tuple header between: ask for it now.  A wrong guess
 * costs nothing, not even a fault.  Without it dlints_evidence takes a fifth
 * longer with three memories, a quarter with one.
 */
static void
PrefetchNextArray(Datum array)
{
	const uintptr_t between = 64;	/* header and the other columns */
	const uintptr_t cache_line = 64;
	uintptr_t	end = (uintptr_t) DatumGetPointer(array);
	Size		size = VARSIZE_ANY(DatumGetPointer(array));
	uintptr_t	line = end - Min(size, BLCKSZ) - between;

	for (; line < end; line += cache_line)
		PREFETCH((const void *) line);
}

/* One more row. */
static Datum
ObserveRow(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	MemoryContext aggregate = AggregateContext(fcinfo);
	WorkingModel *working;
	Observation observation;

	if (PG_ARGISNULL(MODEL_ARGNO) || ObservationIsMissing(fcinfo, form))
		return AggregateSameState(fcinfo);

	working = PG_ARGISNULL(0) ?
		WorkingCreate(aggregate, PG_GETARG_DATUM(MODEL_ARGNO)) :
		WorkingFromState(PG_GETARG_DATUM(0), aggregate);
	WorkingCheckModel(working, PG_GETARG_DATUM(MODEL_ARGNO));
	observation = WorkingPlace(working);
	PrefetchNextArray(PG_GETARG_DATUM(form->features));
	ReadObservation(fcinfo, form, &working->model->header, &observation, NULL);
	WorkingAdd(working, &observation);
	PG_RETURN_DATUM(EOHPGetRWDatum(&working->object));
}

/*
 * dlints_evidence(model, features, reward [, profile [, at [, weight]]]): what the
 * group's rows say under the model's parameters, the model's own evidence left
 * out
 */
PG_FUNCTION_INFO_V1(dlints_evidence_transfn);

Datum
dlints_evidence_transfn(PG_FUNCTION_ARGS)
{
	static const ObservationForm forms[] = {
		{.features = 2, .reward = 3},
		{.features = 2, .reward = 3, .profile = 4},
		{.features = 2, .reward = 3, .profile = 4, .at = 5},
		{.features = 2, .reward = 3, .profile = 4, .at = 5, .weight = 6},
	};

	return ObserveRow(fcinfo, &forms[PG_NARGS() - 4]);
}
