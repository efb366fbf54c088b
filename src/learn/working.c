/*
 * working.c
 *		The aggregate dlints_evidence, and its state, which is an expanded object.
 */
#include "postgres.h"

#include "utils/expandeddatum.h"

#include "core/clones.h"
#include "learn/update.h"
#include "posterior/kept_models.h"
#include "sql/args.h"
#include "sql/observation.h"

/*
 * State of dlints_evidence: a model, and a block of pending observations.  The model is trained on
 * the block when the block is full, and when the state is read.
 */
typedef struct WorkingModel
{
	ExpandedObjectHeader object;	/* must be first */
	ValueKey	key;			/* identifies the model of the previous row */
	Dlints	   *model;			/* model without the pending observations */
	int			pending;		/* number of pending observations */
	int			capacity;		/* number of observations that the arrays can hold */
	double	   *features;
	double	   *profiles;
	double		rewards[EVIDENCE_BLOCK];
	int64		times[EVIDENCE_BLOCK];
	double		weights[EVIDENCE_BLOCK];
} WorkingModel;

static Size WorkingFlatSize(ExpandedObjectHeader *object);
static void WorkingFlatten(ExpandedObjectHeader *object, void *result, Size allocated_size);

static const ExpandedObjectMethods working_methods = {
	WorkingFlatSize,
	WorkingFlatten
};

static const char pool_name[] = "dlints evidence";

/*
 * Return a memory context that all states of an aggregate share.  Its parent is the aggregate's
 * context, so that PostgreSQL does not copy the states.
 */
static MemoryContext
GetPool(MemoryContext aggregate)
{
	MemoryContext child;

	for (child = aggregate->firstchild; child; child = child->nextchild)
		if (child->name == pool_name)
			return child;
	return AllocSetContextCreateInternal(aggregate, pool_name, ALLOCSET_DEFAULT_SIZES);
}

/* Create a state of dlints_evidence: an untrained model, or the model "state" if header is NULL. */
static WorkingModel *
CreateWorking(MemoryContext aggregate, const DlintsHeader *header, Datum state)
{
	MemoryContext context = GetPool(aggregate);
	MemoryContext caller = MemoryContextSwitchTo(context);
	WorkingModel *working = palloc(sizeof(WorkingModel));

	memset(working, 0, offsetof(WorkingModel, rewards));
	EOH_init_header(&working->object, &working_methods, context);
	working->model = header ? ModelCreate(header) : ModelCopyFromDatum(state);
	MemoryContextSwitchTo(caller);
	return working;
}

/* Return the WorkingModel of a read-write pointer, or NULL for any other datum. */
static WorkingModel *
WorkingInPlace(Datum datum)
{
	ExpandedObjectHeader *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		return NULL;
	object = DatumGetEOHP(datum);
	return object->eoh_methods == &working_methods ?
		(WorkingModel *) object : NULL;
}

/* Raise an error unless the current row's model fits the first row's model. */
static void
WorkingCheckModel(WorkingModel *working, Datum datum)
{
	DlintsHeader header;

	if (ValueKeyMatches(&working->key, datum))
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

static void
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

/* Return the place of the next pending observation, after growing the arrays if necessary. */
static Observation
WorkingPlace(WorkingModel *working)
{
	const DlintsHeader *model = &working->model->header;
	Observation place = {0};

	/* train before the new observation is stored, because training can fail */
	if (working->pending == EVIDENCE_BLOCK)
		WorkingLearnPending(working);
	if (working->pending == working->capacity)
	{
		int			capacity = Min(Max(working->capacity * 2, 8), EVIDENCE_BLOCK);

		working->features = Grow(working, working->features, (Size) capacity * model->feature_dim);
		working->profiles = Grow(working, working->profiles, (Size) capacity * model->profile_dim);
		working->capacity = capacity;
	}
	place.features = working->features + (Size) working->pending * model->feature_dim;
	place.profile = working->profiles + (Size) working->pending * model->profile_dim;
	return place;
}

/*
 * Train the model on the pending observations, and choose its discount factor.
 *
 * The work space has a temporary memory context, because a sort of models by PostgreSQL may call
 * this function in a memory context that is never reset.
 */
static void
FinishLearning(WorkingModel *working)
{
	const DlintsHeader *header = &working->model->header;
	MemoryContext work;
	MemoryContext caller;

	if (header->chosen == header->updates + working->pending)
		return;
	work = AllocSetContextCreate(CurrentMemoryContext, "dlints flattening", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	WorkingLearnPending(working);
	ModelFinishSum(working->model);
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

/* argument number of the model in the transition function */
#define MODEL_ARGNO		1

/*
 * Prefetch the array of the next row, which is probably stored just below this row in the heap
 * page.  Saves 20 % of the time of dlints_evidence; a wrong address does no harm.
 */
static void
PrefetchNextArray(Datum array)
{
	const uintptr_t between = 64;	/* estimated distance in bytes between the arrays of two rows */
	const uintptr_t cache_line = 64;
	uintptr_t	end = (uintptr_t) DatumGetPointer(array);
	Size		size = VARSIZE_ANY(DatumGetPointer(array));
	uintptr_t	line = end - Min(size, BLCKSZ) - between;

	for (; line < end; line += cache_line)
		PREFETCH((const void *) line);
}

static Datum
ObserveRow(FunctionCallInfo fcinfo, const ObservationForm *form)
{
	MemoryContext aggregate = AggregateContext(fcinfo);
	WorkingModel *working;
	Observation observation;

	if (PG_ARGISNULL(MODEL_ARGNO) || ObservationIsMissing(fcinfo, form))
		return AggregateSameState(fcinfo);

	working = PG_ARGISNULL(0) ? NULL : WorkingInPlace(PG_GETARG_DATUM(0));
	if (unlikely(working == NULL))
	{
		/* a state that was read from a table or another process is not an expanded object */
		DlintsHeader header = ModelHeaderFromDatum(PG_GETARG_DATUM(MODEL_ARGNO));

		working = CreateWorking(aggregate, PG_ARGISNULL(0) ? &header : NULL, PG_GETARG_DATUM(0));
	}
	WorkingCheckModel(working, PG_GETARG_DATUM(MODEL_ARGNO));
	observation = WorkingPlace(working);
	PrefetchNextArray(PG_GETARG_DATUM(form->features));
	ReadObservation(fcinfo, form, &working->model->header, &observation, NULL);
	working->rewards[working->pending] = observation.reward;
	working->times[working->pending] = observation.time;
	working->weights[working->pending++] = observation.weight;
	PG_RETURN_DATUM(EOHPGetRWDatum(&working->object));
}

/* dlints_evidence(): train an untrained copy of the model on all rows. */
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
