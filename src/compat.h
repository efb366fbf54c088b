/*
 * compat.h
 *		Differences between PostgreSQL versions 14 to 19.  Include this file directly after
 *		postgres.h.
 */
#ifndef DLINTS_COMPAT_H
#define DLINTS_COMPAT_H

#if PG_VERSION_NUM < 140000
#error "dlints needs PostgreSQL 14 or later"
#endif

/* Version 16 moved varlena macros to varatt.h, and added soft errors for input functions. */
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

/* Version 15 lets extensions reserve a prefix of setting names. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Version 17 moved the local transaction ID into vxid.  The macro needs storage/proc.h. */
#if PG_VERSION_NUM >= 170000
#define MyTransaction() MyProc->vxid.lxid
#else
#define MyTransaction() MyProc->lxid
#endif

/* Version 19 added IGNORE NULLS to window functions. */
#if PG_VERSION_NUM < 190000
#define WinCheckAndInitializeNullTreatment(winobj, allow, fcinfo) ((void) 0)
#endif

#endif							/* DLINTS_COMPAT_H */
