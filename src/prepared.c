/*
 * prepared.c
 *		Queries pass the same model with every row.  Detoasting and factoring
 *		it once is what makes them fast; recognising it must therefore cost
 *		next to nothing.
 */
#include "prepared.h"

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
ModelKeyMatchesValue(const ModelKey *key, Datum datum)
{
	Size		size;
	struct varlena *value = KeyBytes(datum, &size);

	return size == key->size && memcmp(value, key->bytes, size) == 0;
}

/*
 * The same value though it looks different, because it is stored twice or in
 * line here and out of line there?
 */
bool
ModelKeyIsEqual(const ModelKey *key, Datum datum)
{
	Dlints	   *ours = ModelFromDatum(PointerGetDatum(key->bytes));
	Dlints	   *theirs = ModelFromDatum(datum);

	return VARSIZE(ours) == VARSIZE(theirs) &&
		memcmp(ours, theirs, VARSIZE(ours)) == 0;
}

/* Remember a datum.  An earlier one's memory is the context's to free. */
void
ModelKeySet(ModelKey *key, Datum datum, MemoryContext context)
{
	Size		size;
	struct varlena *value = KeyBytes(datum, &size);

	key->bytes = MemoryContextAlloc(context, size);
	memcpy(key->bytes, value, size);
	key->size = size;
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
		if (ModelKeyMatches(&site->entries[i]->key, datum))
		{
			entry = site->entries[i];
			if (i > 0)
				MoveToFront(site, entry);
			return entry;
		}

	/* the key comes last: an error must not leave one without its model */
	entry = FreeEntry(site, fcinfo->flinfo->fn_mcxt);
	Prepare(entry, datum);
	ModelKeySet(&entry->key, datum, entry->context);
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
		double	   *mean = Numbers(prepared, prepared->model->dim);

		posterior_mean(&prepared->evidence, factor, mean);
		prepared->mean = mean;
	}
	return prepared->mean;
}

/* P' psi-hat */
const double *
PreparedWeights(PreparedModel *prepared)
{
	if (!prepared->weights)
	{
		const double *mean = PreparedMean(prepared);
		double	   *weights = Numbers(prepared, prepared->model->context_dim);

		LiftParameters(prepared->model, 1, mean, weights);
		prepared->weights = weights;
	}
	return prepared->weights;
}

/* R with R R' = Z^-1 Z~ Z^-1 */
const double *
PreparedRoot(PreparedModel *prepared)
{
	if (!prepared->root)
	{
		const Factor *factor = PreparedFactor(prepared);
		Size		dim = prepared->model->dim;
		double	   *root = Numbers(prepared, dim * dim);

		posterior_root(factor, root);
		prepared->root = root;
	}
	return prepared->root;
}

/*
 * P'R: its dot products with a context x are those of R with z = P x, so that
 * the width at a candidate costs dim dot products of context_dim numbers.
 */
const double *
PreparedLiftedRoot(PreparedModel *prepared)
{
	if (!prepared->lifted_root)
	{
		const double *root = PreparedRoot(prepared);
		Size		dim = prepared->model->dim;
		double	   *lifted = Numbers(prepared,
									 dim * prepared->model->context_dim);

		LiftParameters(prepared->model, prepared->model->dim, root, lifted);
		prepared->lifted_root = lifted;
	}
	return prepared->lifted_root;
}
