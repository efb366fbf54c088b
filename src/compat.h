/*
 * compat.h
 *		What differs between the PostgreSQL majors that dlints supports
 *		(14 to 19), and nothing else.  Comes right after postgres.h.
 */
#ifndef DLINTS_COMPAT_H
#define DLINTS_COMPAT_H

#if PG_VERSION_NUM < 140000
#error "dlints needs PostgreSQL 14 or later"
#endif

/* varlena macros left postgres.h, and input functions came to fail softly */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
#define ereturn(escontext, dummy_value, ...) ereport(ERROR, __VA_ARGS__)
#endif

/* fmgr.h came to declare the entry point */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

/* reserving a prefix of setting names replaced warning about strangers */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* a backend's transactions are numbered elsewhere; needs storage/proc.h */
#if PG_VERSION_NUM >= 170000
#define MyTransaction() MyProc->vxid.lxid
#else
#define MyTransaction() MyProc->lxid
#endif

/* IGNORE NULLS came to window functions, which have to refuse it themselves */
#if PG_VERSION_NUM < 190000
#define WinCheckAndInitializeNullTreatment(winobj, allow, fcinfo) ((void) 0)
#endif

#endif							/* DLINTS_COMPAT_H */
