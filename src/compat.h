/*
 * compat.h
 *		What differs between the PostgreSQL majors that dlints supports
 *		(13 to 18), and nothing else.
 */
#ifndef DLINTS_COMPAT_H
#define DLINTS_COMPAT_H

#if PG_VERSION_NUM < 130000
#error "dlints needs PostgreSQL 13 or later"
#endif

/* varlena macros left postgres.h */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* fmgr.h came to declare the entry point */
#if PG_VERSION_NUM < 160000
extern PGDLLEXPORT void _PG_init(void);
#endif

/* reserving a prefix of setting names replaced warning about strangers */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

#endif							/* DLINTS_COMPAT_H */
