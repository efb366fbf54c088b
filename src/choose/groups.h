/*
 * groups.h
 *		The names of groups of candidates, numbered as they come.
 */
#ifndef DLINTS_GROUPS_H
#define DLINTS_GROUPS_H

#include "postgres.h"

#include "fmgr.h"

typedef struct groups_hash Groups;

extern Groups *GroupsCreate(void);
extern int	GroupNumber(Groups *groups, NullableDatum name);
extern int	GroupsCount(const Groups *groups);

#endif							/* DLINTS_GROUPS_H */
