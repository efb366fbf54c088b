/*
 * module.c
 *		The module's entry, and its settings.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "vectors/clicks.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "dlints", .version = DLINTS_VERSION);
#else
PG_MODULE_MAGIC;
#endif

void
_PG_init(void)
{
	DefineCustomIntVariable("dlints.projection_cache_size",
							"Sets the memory a backend may keep for projection matrices.",
							"A matrix that does not fit is generated again whenever it is needed.",
							&projection_cache_size,
							64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dlints.model_cache_size",
							"Sets the memory a backend may keep for models that come again.",
							"A model that does not fit is read and factored again when it comes again.",
							&model_cache_size,
							64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dlints.factors_memory",
							"Sets the memory that a call of dlints_factors may take.",
							"A click log that takes more is refused.",
							&factors_memory,
							1024 * 1024, 1024, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	MarkGUCPrefixReserved("dlints");
}
