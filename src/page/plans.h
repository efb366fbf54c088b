/*
 * plans.h
 *		Prepared statements of recommenders and rankers, kept for the session.
 */
#ifndef DLINTS_PAGE_PLANS_H
#define DLINTS_PAGE_PLANS_H

#include "executor/spi.h"

/*
 * A statement on the tables of a schema.
 *
 * The text must be static.  It has "@extschema@" for the schema of the extension.
 */
typedef struct PageStatement
{
	const char *sql;
	int			nargs;
} PageStatement;

/*
 * Replacement of a word in braces in a statement.
 *
 * The replacement is "text" if all of "bits" are set in the flags of KeptPlan(), else "otherwise".
 */
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
