/*
 * entry.h
 *		Set the search_path to a recommender's or ranker's schema, and generate decision numbers.
 */
#ifndef DLINTS_PAGE_ENTRY_H
#define DLINTS_PAGE_ENTRY_H

#include "datatype/timestamp.h"

extern Oid	SchemaOfSetting(Oid setting, Oid extension_schema);
extern Oid	EnteredSchema(Oid extension_schema);
extern void CheckHasSettings(Oid schema, bool has_settings);
extern const char *SchemaName(Oid schema);
extern int	EnterSchema(Oid schema);
extern void LeaveSchema(int nest_level);

/* in guard.c */
extern void CheckNamesakes(Oid extension_schema);
extern void CheckTemporaryRelations(Oid schema);

/* in decision_number.c */
extern int64 NewDecisionNumber(Oid schema, int64 secret, TimestampTz now);

#endif							/* DLINTS_PAGE_ENTRY_H */
