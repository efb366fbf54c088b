/*
 * policy.h
 *		How dlints_recommend turns the posterior into a choice.
 */
#ifndef DLINTS_POLICY_H
#define DLINTS_POLICY_H

#include "postgres.h"

/* What scores a candidate: a draw or the mean, and perhaps the width at it. */
typedef struct Policy
{
	const char *name;
	bool		draws;			/* score under a draw, else under the mean */
	bool		widens;			/* add exploration times the width */
} Policy;

extern bool PolicyIsKnown(uint8 number);
extern const Policy *PolicyGet(uint8 number);
extern bool PolicyFromName(const char *name, uint8 *number);
extern char *PolicyHint(void);

#endif							/* DLINTS_POLICY_H */
