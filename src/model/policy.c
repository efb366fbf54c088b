/*
 * policy.c
 *		The table of policies.  A policy's number is its place here, and is
 *		stored: new ones go to the end.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "model/model.h"

static const Policy policies[] = {
	{.name = "thompson", .draws = true, .widens = false},
	{.name = "ucb", .draws = false, .widens = true},
	{.name = "greedy", .draws = false, .widens = false},
};

bool
PolicyIsKnown(uint8 number)
{
	return number < lengthof(policies);
}

const Policy *
PolicyGet(uint8 number)
{
	Assert(PolicyIsKnown(number));
	return &policies[number];
}

bool
PolicyFromName(const char *name, uint8 *number)
{
	int			i;

	for (i = 0; i < lengthof(policies); i++)
		if (strcmp(name, policies[i].name) == 0)
		{
			*number = (uint8) i;
			return true;
		}
	return false;
}

/* for whoever named another one */
char *
PolicyHint(void)
{
	StringInfoData buf;
	int			i;

	initStringInfo(&buf);
	appendStringInfoString(&buf, "The policies are");
	for (i = 0; i < lengthof(policies); i++)
		appendStringInfo(&buf, "%s \"%s\"",
						 i == 0 ? "" : i == lengthof(policies) - 1 ? " and" : ",",
						 policies[i].name);
	appendStringInfoChar(&buf, '.');
	return buf.data;
}
