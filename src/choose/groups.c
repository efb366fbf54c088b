/*
 * groups.c
 *		The names of groups of candidates, numbered as they come.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "choose/decision.h"

typedef struct GroupEntry
{
	struct varlena *name;
	int			number;
	uint32		hash;
	char		status;
} GroupEntry;

#define SH_PREFIX			groups
#define SH_ELEMENT_TYPE		GroupEntry
#define SH_KEY_TYPE			struct varlena *
#define SH_KEY				name
#define SH_HASH_KEY(tb, key) \
	hash_bytes((unsigned char *) VARDATA_ANY(key), (int) VARSIZE_ANY_EXHDR(key))
#define SH_EQUAL(tb, a, b) \
	(VARSIZE_ANY_EXHDR(a) == VARSIZE_ANY_EXHDR(b) && \
	 memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry)	(entry)->hash
#define SH_SCOPE			static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* In the current memory context, which keeps the names, too. */
Groups *
GroupsCreate(void)
{
	return groups_create(CurrentMemoryContext, 16, NULL);
}

/* The number of a text; negative if there is none. */
int
GroupNumber(Groups *groups, NullableDatum name)
{
	struct varlena *key;
	GroupEntry *entry;
	bool		found;

	if (name.isnull)
		return -1;
	key = PG_DETOAST_DATUM_PACKED(name.value);
	entry = groups_insert(groups, key, &found);
	if (!found)
	{
		Size		size = VARSIZE_ANY(key);

		entry->number = (int) groups->members - 1;
		entry->name = memcpy(MemoryContextAlloc(groups->ctx, size), key, size);
	}
	return entry->number;
}

int
GroupsCount(const Groups *groups)
{
	return (int) groups->members;
}
