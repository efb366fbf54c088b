/*
 * compat.h
 *		Differences between the supported PostgreSQL versions (14 to 19).
 *		Include it directly after postgres.h.
 */
#ifndef DLINTS_COMPAT_H
#define DLINTS_COMPAT_H

#if PG_VERSION_NUM < 140000
#error "dlints needs PostgreSQL 14 or later"
#endif

/*
 * Version 16 moved the varlena macros from postgres.h to varatt.h, and added
 * soft errors for input functions.
 */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
#define ereturn(escontext, dummy_value, ...) ereport(ERROR, __VA_ARGS__)
#endif

/* Version 16 declares _PG_init in fmgr.h. */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

/*
 * Version 15 replaced the warning about unknown settings with a prefix that an extension reserves.
 */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/*
 * Local transaction ID of this backend.  Version 17 moved it within PGPROC.  Callers must include
 * storage/proc.h.
 */
#if PG_VERSION_NUM >= 170000
#define MyTransaction() MyProc->vxid.lxid
#else
#define MyTransaction() MyProc->lxid
#endif

/* Version 19 added IGNORE NULLS; window functions must reject it. */
#if PG_VERSION_NUM < 190000
#define WinCheckAndInitializeNullTreatment(winobj, allow, fcinfo) ((void) 0)
#endif

#endif							/* DLINTS_COMPAT_H */
