/*
 * prepared.c
 *		Queries pass the same model with every row.  Detoasting and factoring
 *		it once is what makes them fast; recognising it must therefore cost
 *		next to nothing.
 */
#include "prepared.h"

#include "args.h"
#include "projcache.h"
#include "utils/memutils.h"

/*
 * How many models a call site keeps: rows of several models may come
 * interleaved, as from a hash aggregate over a join.
 */
#define CALL_SITE_MODELS	8

typedef struct CallSite
{
	int			used;
	PreparedModel *entries[CALL_SITE_MODELS];	/* last used first */
} CallSite;

/*
 * The bytes that stand for a datum.  A value on disk cannot change under its
 * toast pointer while a statement runs.  Other pointers (to memory) say
 * nothing about what they point to, so such a value is flattened first.
 */
static struct varlena *
KeyBytes(Datum datum, Size *size)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL(value) && !VARATT_IS_EXTERNAL_ONDISK(value))
		value = PG_DETOAST_DATUM(datum);
	*size = VARSIZE_ANY(value);
	return value;
}

bool
ValueKeyMatchesBytes(const ValueKey *key, Datum datum)
{
	Size		size;
	struct varlena *value = KeyBytes(datum, &size);
	bool		same = size == key->size &&
		memcmp(value, key->bytes, size) == 0;

	if ((Pointer) value != DatumGetPointer(datum))
		pfree(value);
	return same;
}

/* Remember a datum.  An earlier one's memory is the context's to free. */
void
ValueKeySet(ValueKey *key, Datum datum, MemoryContext context)
{
	Size		size;
	struct varlena *value = KeyBytes(datum, &size);

	key->bytes = MemoryContextAlloc(context, size);
	memcpy(key->bytes, value, size);
	key->size = size;
	if ((Pointer) value != DatumGetPointer(datum))
		pfree(value);
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
 * The same model though it looks different, because it is stored twice or in
 * line here and out of line there?
 */
bool
IsSameModel(const ValueKey *key, Datum datum)
{
	Dlints	   *ours = ModelFromDatum(PointerGetDatum(key->bytes));
	Dlints	   *theirs = ModelFromDatum(datum);

	return VARSIZE(ours) == VARSIZE(theirs) &&
		memcmp(ours, theirs, VARSIZE(ours)) == 0;
}

/* Fill a cleared struct from a datum. */
static void
Prepare(PreparedModel *prepared, Datum datum)
{
	MemoryContext caller = MemoryContextSwitchTo(prepared->context);

	prepared->model = ModelCopyFromDatum(datum);
	ModelGetEvidence(prepared->model, &prepared->evidence);
	MemoryContextSwitchTo(caller);
}

/* For a caller that sees its model once: in the current memory context. */
PreparedModel *
PrepareModelOnce(Datum datum)
{
	PreparedModel *prepared = palloc0(sizeof(PreparedModel));

	prepared->context = CurrentMemoryContext;
	Prepare(prepared, datum);
	return prepared;
}

/* Forget what an entry held; its memory context stays for the next model. */
static void
ClearEntry(PreparedModel *entry)
{
	MemoryContext context = entry->context;

	MemoryContextReset(context);
	memset(entry, 0, sizeof(PreparedModel));
	entry->context = context;
}

/* An entry for another model: a new one, or the one not used for longest. */
static PreparedModel *
FreeEntry(CallSite *site, MemoryContext parent)
{
	PreparedModel *entry;

	if (site->used == CALL_SITE_MODELS)
	{
		entry = site->entries[CALL_SITE_MODELS - 1];
		ClearEntry(entry);
		return entry;
	}
	entry = MemoryContextAllocZero(parent, sizeof(PreparedModel));
	entry->context = AllocSetContextCreate(parent, "dlints model",
										   ALLOCSET_DEFAULT_SIZES);
	site->entries[site->used++] = entry;
	return entry;
}

/* Make an entry the first to be looked at. */
static void
MoveToFront(CallSite *site, PreparedModel *entry)
{
	PreparedModel *next = entry;
	int			i;

	for (i = 0; i < site->used; i++)
	{
		PreparedModel *here = site->entries[i];

		site->entries[i] = next;
		if (here == entry)
			break;
		next = here;
	}
}

/*
 * The model in an argument, which must not be NULL.  Valid until the same
 * call site has seen CALL_SITE_MODELS others.  A call without FmgrInfo has no
 * place to keep anything.
 */
PreparedModel *
PrepareModel(FunctionCallInfo fcinfo, int argno)
{
	Datum		datum = PG_GETARG_DATUM(argno);
	PreparedModel *entry;
	CallSite   *site;
	int			i;

	if (fcinfo->flinfo == NULL)
		return PrepareModelOnce(datum);

	site = fcinfo->flinfo->fn_extra;
	if (site == NULL)
		site = fcinfo->flinfo->fn_extra =
			MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));

	for (i = 0; i < site->used; i++)
		if (ValueKeyMatches(&site->entries[i]->key, datum))
		{
			entry = site->entries[i];
			if (i > 0)
				MoveToFront(site, entry);
			return entry;
		}

	/* the key comes last: an error must not leave one without its model */
	entry = FreeEntry(site, fcinfo->flinfo->fn_mcxt);
	Prepare(entry, datum);
	ValueKeySet(&entry->key, datum, entry->context);
	MoveToFront(site, entry);
	return entry;
}

static double *
Numbers(PreparedModel *prepared, Size count)
{
	return MemoryContextAlloc(prepared->context, count * sizeof(double));
}

/* Z = L L' and Z~ = M M' */
const Factor *
PreparedFactor(PreparedModel *prepared)
{
	const Evidence *evidence = &prepared->evidence;
	Factor		factor;

	if (prepared->factor.L)
		return &prepared->factor;

	factor_bind(&factor, evidence->dim, evidence->discount,
				Numbers(prepared, factor_value_count(evidence->dim,
													 evidence->discount)));
	if (!posterior_factor(evidence, prepared->model->ridge, &factor))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("posterior of dlints model does not exist"),
				 errdetail("Its evidence is not positive semidefinite or, with the ridge, out of range.")));
	prepared->factor = factor;
	return &prepared->factor;
}

/* psi-hat */
const double *
PreparedMean(PreparedModel *prepared)
{
	if (!prepared->mean)
	{
		const Factor *factor = PreparedFactor(prepared);
		double	   *mean = Numbers(prepared, prepared->evidence.dim);

		posterior_mean(&prepared->evidence, factor, mean);
		prepared->mean = mean;
	}
	return prepared->mean;
}

/* Lift the mean under a shared context. */
static void
LiftMean(PreparedModel *prepared, const Datum *shared)
{
	const Dlints *model = prepared->model;
	double	   *numbers = ArgSharedNumbers(shared, model->shared_dim);
	const double *mean = PreparedMean(prepared);
	double	   *weights = prepared->weights;

	if (!weights)
		weights = Numbers(prepared, ModelLiftedLen(model));
	prepared->weights = NULL;	/* until they are complete */
	LiftParameters(model, 1, mean, numbers, weights);
	if (shared)
		ValueKeyReplace(&prepared->shared_key, *shared, prepared->context);
	prepared->weights = weights;
	pfree(numbers);
}

/*
 * The weights of the posterior mean under a shared context (NULL where the
 * call has none).  Those of the last one are kept, since the rows of one user
 * tend to come together.
 */
const double *
PreparedWeights(PreparedModel *prepared, const Datum *shared)
{
	if (!prepared->weights ||
		!(shared ? ValueKeyMatches(&prepared->shared_key, *shared) :
		  prepared->model->shared_dim == 0))
		LiftMean(prepared, shared);
	return prepared->weights;
}

/* R with R R' = Z^-1 Z~ Z^-1 */
const double *
PreparedRoot(PreparedModel *prepared)
{
	if (!prepared->root)
	{
		const Factor *factor = PreparedFactor(prepared);
		Size		dim = prepared->evidence.dim;
		double	   *root = Numbers(prepared, dim * dim);

		posterior_root(factor, root);
		prepared->root = root;
	}
	return prepared->root;
}

/*
 * The root's columns carried back to context space, each followed by its entry
 * for the intercept if there is one: dot products with a context (and 1) are
 * those of the root with the reduced context, so that the width at a candidate
 * costs no projection.  For models without a shared context, under which the
 * columns would have to be lifted again and again.
 */
const double *
PreparedLiftedRoot(PreparedModel *prepared)
{
	if (!prepared->lifted_root)
	{
		const double *root = PreparedRoot(prepared);
		Size		dim = prepared->evidence.dim;
		double	   *lifted = Numbers(prepared,
									 dim * ModelLiftedLen(prepared->model));

		LiftParameters(prepared->model, dim, root, NULL, lifted);
		prepared->lifted_root = lifted;
	}
	return prepared->lifted_root;
}
