/*
 * entry.h
 *		Setting the search_path to the schema of a recommender or ranker.
 */
#ifndef DLINTS_PAGE_ENTRY_H
#define DLINTS_PAGE_ENTRY_H

extern Oid	SchemaOfSetting(Oid setting, Oid extension_schema);
extern Oid	EnteredSchema(Oid extension_schema);
extern void CheckHasSettings(Oid schema, bool has_settings);
extern int	EnterSchema(Oid schema);
extern void LeaveSchema(int nest_level);

#endif							/* DLINTS_PAGE_ENTRY_H */
