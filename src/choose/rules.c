/*
 * rules.c
 *		What a decision is told besides its candidates, checked; and the names of
 *		their groups, numbered as they come.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"

#include "choose/rules.h"
#include "sql/args.h"

/* a probability from so many draws has an error below 0.005 */
#define MOST_DRAWS	10000

/* A number that may be NULL, as is one that the function is not told. */
static Setting
FetchSetting(ArgumentFetcher fetch, const void *from, int argno, Oid type)
{
	NullableDatum found = {.isnull = true};

	if (argno > 0)
		found = fetch(from, argno);
	return (Setting) {found.isnull, found.isnull ? 0.0 : ArgNumber(type, found.value)};
}

Settings
FetchSettings(const CandidateForm *form, ArgumentFetcher fetch, const void *from)
{
	return (Settings) {
		.k = FetchSetting(fetch, from, form->k, INT8OID),
		.draws = FetchSetting(fetch, from, form->draws, INT4OID),
		.epsilon = FetchSetting(fetch, from, form->epsilon, FLOAT8OID),
		.cap = FetchSetting(fetch, from, form->cap, INT4OID),
		.diversity = FetchSetting(fetch, from, form->diversity, FLOAT8OID),
	};
}

static double
NotNull(Setting setting, const char *name)
{
	CheckNotNull(setting.isnull, name);
	return setting.number;
}

/* No more than an int can count, as there are no more candidates. */
static int
CheckedCount(Setting setting, const char *name)
{
	double		number = Min(NotNull(setting, name), (double) PG_INT32_MAX);

	return (int) AtLeastOne((int64) number, name);
}

void
CheckDraws(int draws, int most)
{
	if (draws < 1 || draws > most)
		ArgRefuse("draws", psprintf("between 1 and %d", most), draws);
}

static int
CheckedDraws(Setting setting)
{
	int			number = (int) NotNull(setting, "draws");

	CheckDraws(number, MOST_DRAWS);
	return number;
}

static double
CheckedShare(double number, const char *name)
{
	if (!(number >= 0.0 && number <= 1.0))
		ArgRefuse(name, "between 0 and 1", number);
	return number;
}

/* Some of the decisions by chance leave the others as they are. */
static void
CheckEpsilonAlone(const Rules *rules)
{
	bool		capped = rules->cap > 0;

	if (rules->epsilon > 0.0 && (capped || rules->diversity > 0.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be 0 with %s", capped ? "a cap" : "diversity"),
				 errdetail("The probabilities of such choices have no closed form."),
				 errhint("Raise the model's exploration, or make some of the decisions with epsilon => 1 and no %s.",
						 capped ? "cap" : "diversity")));
}

Rules
CheckSettings(const Settings *settings)
{
	Rules		rules;

	rules.k = CheckedCount(settings->k, "k");
	rules.draws = CheckedDraws(settings->draws);
	rules.epsilon = CheckedShare(NotNull(settings->epsilon, "epsilon"), "epsilon");
	rules.cap = settings->cap.isnull ? 0 : CheckedCount(settings->cap, "cap");
	rules.diversity = CheckedShare(settings->diversity.number, "diversity");
	CheckEpsilonAlone(&rules);
	return rules;
}

/* Neither a cap without groups nor diversity without vectors is ignored in silence. */
void
CheckCapped(const Rules *rules, bool grouped)
{
	if (rules->cap > 0 && !grouped)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cap needs cap_group"),
				 errhint("Say of what there may be so many, as in cap_group => brand.")));
}

void
CheckVaried(const Rules *rules, bool has_vectors)
{
	if (rules->diversity > 0.0 && !has_vectors)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("diversity needs similar_by"),
				 errhint("Say by which vectors candidates are similar, as in similar_by => features.")));
}

static void
CheckSetting(Setting ours, Setting theirs, const char *name)
{
	CheckSame(ours.isnull == theirs.isnull && ours.number == theirs.number,
			  name, "partition");
}

void
CheckSameSettings(const Settings *ours, const Settings *theirs)
{
	CheckSetting(ours->k, theirs->k, "k");
	CheckSetting(ours->draws, theirs->draws, "draws");
	CheckSetting(ours->epsilon, theirs->epsilon, "epsilon");
	CheckSetting(ours->cap, theirs->cap, "cap");
}

/* ---------- groups of candidates ---------- */

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
