/*
 * plans.h
 *		Prepared statements of recommenders and rankers, kept for the session.
 */
#ifndef DLINTS_PAGE_PLANS_H
#define DLINTS_PAGE_PLANS_H

#include "executor/spi.h"

/* A statement, with "@extschema@" for the schema of the extension; the text must be static */
typedef struct PageStatement
{
	const char *sql;
	int			nargs;
} PageStatement;

/* Replacement of a word in braces: "text" if all "bits" are set, else "otherwise" */
typedef struct StatementWord
{
	const char *name;
	uint32		bits;
	const char *text;
	const char *otherwise;
} StatementWord;

extern SPIPlanPtr KeptPlan(Oid schema, Oid extension_schema, const PageStatement *statement,
						   const Oid *argtypes, const StatementWord *words, uint32 variant);

#endif							/* DLINTS_PAGE_PLANS_H */
