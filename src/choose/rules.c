/*
 * rules.c
 *		Read the settings of a decision, and number the groups of its candidates.
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "choose/rules.h"
#include "sql/args.h"

/* With 10000 draws, the standard error of a propensity is at most 0.005. */
#define MAX_DRAWS	10000

void
CheckDraws(int draws, int max)
{
	if (draws < 1 || draws > max)
		ArgRaiseOutOfRange("draws", psprintf("between 1 and %d", max), draws);
}

static double
CheckFraction(double number, const char *name)
{
	if (!(number >= 0.0 && number <= 1.0))
		ArgRaiseOutOfRange(name, "between 0 and 1", number);
	return number;
}

/* Raise an error if the call has an exploration rate together with a cap or diversity. */
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

/* Raise an error if a required argument is NULL. */
static void
CheckGiven(FunctionCallInfo fcinfo, int argno, const char *message, const char *hint)
{
	if (PG_ARGISNULL(argno))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s", message),
				 errhint("%s", hint)));
}

Rules
ReadRules(FunctionCallInfo fcinfo)
{
	Rules		rules = {.k = ArgCount(fcinfo, DECIDE_K)};

	ArgNotNull(fcinfo, DECIDE_DRAWS, "draws");
	rules.draws = PG_GETARG_INT32(DECIDE_DRAWS);
	CheckDraws(rules.draws, MAX_DRAWS);
	ArgNotNull(fcinfo, DECIDE_EPSILON, "epsilon");
	rules.epsilon = CheckFraction(PG_GETARG_FLOAT8(DECIDE_EPSILON), "epsilon");
	if (!PG_ARGISNULL(DECIDE_CAP))
		rules.cap = (int) ArgCheckPositive(PG_GETARG_INT32(DECIDE_CAP), "cap");
	if (!PG_ARGISNULL(DECIDE_DIVERSITY))
		rules.diversity = CheckFraction(PG_GETARG_FLOAT8(DECIDE_DIVERSITY), "diversity");
	CheckEpsilonAlone(&rules);
	if (rules.cap > 0)
		CheckGiven(fcinfo, DECIDE_CAP_GROUP, "cap needs cap_group",
				   "Pass the group of each candidate, as in cap_group => brand.");
	if (rules.diversity > 0.0)
		CheckGiven(fcinfo, DECIDE_SIMILAR_BY, "diversity needs similar_by",
				   "Pass a vector for each candidate, as in similar_by => features.");
	return rules;
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

Groups *
GroupsCreate(void)
{
	return groups_create(CurrentMemoryContext, 16, NULL);
}

/* Return the number of a group, and add the group if it is new.  Returns -1 for a NULL name. */
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
