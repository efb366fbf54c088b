/*
 * digest.c
 *		The function _dlints_digest, which hashes the columns of a row to detect changes.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "sql/hash.h"

typedef struct DigestColumn
{
	int16		length;			/* typlen of the column's type */
	bool		by_value;
	/* output function of an enum, whose label is hashed; 0: not an enum */
	Oid			output;
} DigestColumn;

static bool
IsEnumerated(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_base_element_type(base);

	return get_typtype(OidIsValid(element) ? getBaseType(element) : base) == TYPTYPE_ENUM;
}

static DigestColumn *
FindColumns(FunctionCallInfo fcinfo)
{
	DigestColumn *columns = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
												   sizeof(DigestColumn) * Max(PG_NARGS(), 1));

	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);
		bool		is_varlena;

		get_typlenbyval(type, &columns[i].length, &columns[i].by_value);
		if (IsEnumerated(type))
			getTypeOutputInfo(type, &columns[i].output, &is_varlena);
	}
	return columns;
}

PG_FUNCTION_INFO_V1(dlints_digest);

/* _dlints_digest(VARIADIC "any"): return a hash of all arguments, including NULLs. */
Datum
dlints_digest(PG_FUNCTION_ARGS)
{
	DigestColumn *columns = fcinfo->flinfo->fn_extra;
	uint64		digest = 0;

	if (columns == NULL)
		fcinfo->flinfo->fn_extra = columns = FindColumns(fcinfo);
	for (int i = 0; i < PG_NARGS(); i++)
	{
		const DigestColumn *column = &columns[i];

		/* the hash of the previous columns is the seed */
		if (PG_ARGISNULL(i))
			digest = hash_bytes_extended((const unsigned char *) &digest, sizeof(digest), 1);
		else if (OidIsValid(column->output))
		{
			char	   *label = OidOutputFunctionCall(column->output, PG_GETARG_DATUM(i));

			digest = HashBytesOf(CStringGetDatum(label), -2, false, digest);
		}
		else
			digest = HashBytesOf(PG_GETARG_DATUM(i), column->length, column->by_value, digest);
	}
	PG_RETURN_INT64((int64) digest);
}
