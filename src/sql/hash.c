/*
 * hash.c
 *		Hashes of values, and names as vectors of random signs (feature hashing).
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "compat.h"
#include "core/random.h"
#include "sql/hash.h"

/* Hash the bytes of a value of any type, detoasted. */
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
 * Add a name's vector of n random signs, times a weight, to "sum".  Names are hashed in UTF-8, so
 * that a name has the same vector in all databases.  If the database encoding is SQL_ASCII, we do
 * not know the encoding of names, and hash their bytes unmodified.
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
