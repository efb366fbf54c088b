/*
 * entry.h
 *		Entering the schema of a recommender or a ranker.
 */
#ifndef DLINTS_PAGE_ENTRY_H
#define DLINTS_PAGE_ENTRY_H

extern Oid	SchemaOfSetting(Oid setting, Oid extension_schema);
extern Oid	EnteredSchema(Oid extension_schema);
extern int	EnterSchema(Oid schema);
extern void LeaveSchema(int nest_level);

#endif							/* DLINTS_PAGE_ENTRY_H */
