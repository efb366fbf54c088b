/*
 * module.c
 *		Initialize the extension's library, and define its settings.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "compat.h"
#include "choose/request.h"
#include "posterior/kept_models.h"
#include "posterior/reduce.h"
#include "vectors/log.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "dlints", .version = DLINTS_VERSION);
#else
PG_MODULE_MAGIC;
#endif

void
_PG_init(void)
{
	DefineCustomIntVariable("dlints.projection_cache_size",
							"Sets the maximum memory of a backend for cached projection matrices.",
							"A matrix that does not fit is generated for each use.",
							&projection_cache_size, 64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("dlints.model_cache_size",
							"Sets the maximum memory of a backend for cached models.",
							"A model that does not fit is read and factored for each use.",
							&model_cache_size, 64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("dlints.factors_memory",
							"Sets the maximum memory of a call of dlints_factors or dlints_neighbours.",
							"A larger click log raises an error.", &factors_memory,
							1024 * 1024, 1024, MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dlints.seed",
							"Sets the seed of a session's random numbers.",
							"With -1 they cannot be repeated.  Other values are for tests.",
							&session_seed, -1, -1, INT_MAX, PGC_USERSET, GUC_NOT_IN_SAMPLE,
							NULL, RestartSeeds, NULL);
	MarkGUCPrefixReserved("dlints");
}
