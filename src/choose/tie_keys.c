/*
 * tie_keys.c
 *		Tie-break keys of dlints_shortlist: pseudorandom numbers from a seed and an
 *		item.
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "choose/tie_keys.h"
#include "core/random.h"
#include "sql/args.h"
#include "sql/arrays.h"

/* Bits of a key.  52 bits and the added half fit into a double. */
#define KEY_BITS	52

TieKeys
TieKeysCreate(Oid item_type, uint64 seed)
{
	TieKeys		keys = {.seed = seed};

	get_typlenbyval(item_type, &keys.typlen, &keys.typbyval);
	return keys;
}

/* Compute the key of an item, below 2^52.  Equal items must have equal bytes. */
uint64
TieKey(const TieKeys *keys, Datum item)
{
	uint64		hash;

	if (keys->typbyval)
		hash = hash_bytes_extended((unsigned char *) &item, sizeof(Datum), 0);
	else if (keys->typlen == -1)
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(item);

		hash = hash_bytes_extended((unsigned char *) VARDATA_ANY(bytes),
								   VARSIZE_ANY_EXHDR(bytes), 0);
		if (PointerGetDatum(bytes) != item)
			pfree(bytes);
	}
	else
	{
		int			len = keys->typlen == -2 ? (int) strlen(DatumGetCString(item)) : keys->typlen;

		hash = hash_bytes_extended((unsigned char *) DatumGetPointer(item), len, 0);
	}
	return random_bits(keys->seed, hash) >> (64 - KEY_BITS);
}

PG_FUNCTION_INFO_V1(dlints_tie_keys);

/*
 * dlints_tie_keys(items, seed) -> float8[]: the key of each item, between 0 and 1, by which
 * dlints_shortlist breaks ties under this seed.  The result is 0.5 for a NULL item.
 */
Datum
dlints_tie_keys(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	TieKeys		keys = TieKeysCreate(ARR_ELEMTYPE(array), (uint64) PG_GETARG_INT64(1));
	Datum	   *items;
	bool	   *nulls;
	int			count = ArgElements(array, &items, &nulls);
	double	   *numbers = AllocateNumbers(count);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		numbers[i] = nulls[i] ? 0.5 : ldexp((double) TieKey(&keys, items[i]) + 0.5, -KEY_BITS);
	}
	return ResultVector(numbers, count);
}
