/*
 * plans.h
 *		Prepared statements of recommenders and rankers, kept for the session.
 */
#ifndef DLINTS_PAGE_PLANS_H
#define DLINTS_PAGE_PLANS_H

#include "executor/spi.h"

/*
 * A statement on the tables of a schema.  Its text names the tables without a
 * schema, and functions of the extension with "@extschema@."; it must be static.
 */
typedef struct PageStatement
{
	const char *sql;
	int			nargs;
} PageStatement;

extern SPIPlanPtr KeptPlan(Oid schema, Oid extension_schema, const PageStatement *statement,
						   const Oid *argtypes);

#endif							/* DLINTS_PAGE_PLANS_H */
