/*
 * dlints.c
 *		Module entry and settings.
 */
#include "dlints.h"

#include <limits.h>

#include "projcache.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

void
_PG_init(void)
{
	DefineCustomIntVariable("dlints.projection_cache_size",
							"Sets the memory a backend may keep for projection matrices.",
							"A matrix that does not fit is generated again whenever it is needed.",
							&dlints_projection_cache_size,
							64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	MarkGUCPrefixReserved("dlints");
}
