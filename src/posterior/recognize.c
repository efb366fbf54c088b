/*
 * recognize.c
 *		Remember values, and compare them with those that come.
 */
#include "postgres.h"

#include "model/model.h"
#include "posterior/recognize.h"

/*
 * The bytes that stand for a datum.  A value on disk cannot change under its
 * toast pointer while a statement runs.  Other pointers (to memory) say
 * nothing about what they point to, so such a value is flattened first.
 */
ValueKey
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
void
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
