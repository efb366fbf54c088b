/*
 * guard.h
 *		Protection against objects of other roles that would shadow ours.
 */
#ifndef DLINTS_PAGE_GUARD_H
#define DLINTS_PAGE_GUARD_H

extern void CheckNamesakes(Oid extension_schema);
extern void CheckTemporaryRelations(Oid schema);

#endif							/* DLINTS_PAGE_GUARD_H */
