/*
 * hash.c
 *		Hash SQL values, and convert names to vectors of random signs.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/random.h"
#include "sql/hash.h"

/* Hash the bytes of a datum, given the length and passing convention of its type. */
uint64
HashBytesOf(Datum value, int16 typlen, bool typbyval, uint64 seed)
{
	struct varlena *bytes;
	uint64		result;

	if (typbyval)
		return hash_bytes_extended((unsigned char *) &value, sizeof(Datum), seed);
	if (typlen != -1)
		return hash_bytes_extended((unsigned char *) DatumGetPointer(value), typlen == -2 ?
								   (int) strlen(DatumGetCString(value)) : typlen, seed);
	bytes = PG_DETOAST_DATUM_PACKED(value);
	result = hash_bytes_extended((unsigned char *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
								 seed);
	if (PointerGetDatum(bytes) != value)
		pfree(bytes);
	return result;
}

/*
 * Hash a name to a feature vector of random signs, and add it to "sum", times a weight.
 *
 * Names are hashed in UTF-8 for equal results in all databases, but unconverted in SQL_ASCII
 * databases.
 */
void
AddName(const char *name, int len, double weight, int n, double *sum)
{
	char	   *utf8 = GetDatabaseEncoding() == PG_SQL_ASCII ? unconstify(char *, name) :
		pg_server_to_any(name, len, PG_UTF8);

	CHECK_FOR_INTERRUPTS();
	hash_add_signs(hash_name(utf8, utf8 == name ? len : (int) strlen(utf8)), weight, n, sum);
	if (utf8 != name)
		pfree(utf8);
}
