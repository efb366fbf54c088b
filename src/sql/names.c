/*
 * names.c
 *		Hashing of names, in any encoding, to signs of features.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "core/random.h"
#include "sql/names.h"

/*
 * Add the signs of a name, times a weight, to n numbers.  Names are hashed in UTF-8,
 * so that they have the same signs in all databases.  In encoding SQL_ASCII, bytes
 * have no meaning to convert, and are hashed unmodified.
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
