/*
 * page.h
 *		A request for a list of recommendations, on its way through profile,
 *		shortlist, choice and log.
 */
#ifndef DLINTS_PAGE_PAGE_H
#define DLINTS_PAGE_PAGE_H

#include "fmgr.h"

#include "page/plans.h"

/* Bits of a variant of a statement */
#define VARIANT_UNIQUE_KEY	(1 << 0)	/* the item key has a unique index */
#define VARIANT_ORDERED_KEY	(1 << 1)	/* the item key grows with time */
#define VARIANT_CLICKS		(1 << 2)	/* there is a click log */
#define VARIANT_SESSION		(1 << 3)	/* the request has a session */
#define VARIANT_LEFT_OUT	(1 << 4)	/* items are left out */
#define VARIANT_SHORTLIST	(1 << 5)	/* candidates are those of a shortlist */
#define VARIANT_BONUS		(1 << 6)	/* scores have a bonus */
#define VARIANT_CAP			(1 << 7)	/* groups are capped */
#define VARIANT_COSTS		(1 << 8)	/* costs are logged */
#define VARIANT_PRICES		(1 << 9)	/* prices are subtracted from scores */
#define VARIANT_DIVERSITY	(1 << 10)	/* similar items are penalized */
#define VARIANT_LATER		(1 << 11)	/* the model of later outcomes is trained */
#define VARIANT_WEIGHTS		(1 << 12)	/* scores contain a mean prediction */
#define VARIANT_ADDEND		(1 << 13)	/* scores have an addend of any kind */
#define VARIANT_PERSONAL	(1 << 14)	/* policies */
#define VARIANT_RANDOM		(1 << 15)
#define VARIANT_CONTROL		(1 << 16)
#define VARIANT_TRENDING	(1 << 17)
#define VARIANT_EFFECT		(1 << 18)	/* items have effects */
#define VARIANT_TRIAL		(1 << 19)	/* effects of some items are drawn */

/*
 * How a list is chosen.  Treatments are all of these but "unknown", which the
 * treatment "personal" applies to users without clicks if there is a prior.
 */
typedef enum ListPolicy
{
	POLICY_PERSONAL,
	POLICY_UNKNOWN,
	POLICY_CONTROL,
	POLICY_RANDOM,
	POLICY_TRENDING
} ListPolicy;

extern const char *const policy_names[];

/* Settings of a recommender, read once per request */
typedef struct PageSettings
{
	int64		seed;			/* of the control group */
	double		control;		/* share of the control group */
	double		epsilon;		/* share of random lists */
	int			factors;
	int			liked;
	int			aged;
	int			size;
	int			cap;			/* 0: none */
	double		diversity;		/* 0: none */
	int			constraints;
	int64		block_items;	/* items in blocks; 0: there are no blocks */
	bool		has_ordered_key;
	bool		has_prior;
	bool		has_clicks;
	bool		has_bonus;
	bool		has_later;		/* the model of later outcomes is trained */
	bool		has_effects;	/* items have effects that are not 0 */
	bool		has_trials;		/* items are on trial */
	double		treatment_draw; /* uniform random numbers */
	double		random_draw;
	bool		leaves_out_known;	/* items that the user clicked */
} PageSettings;

/* Types of a statement's arguments that depend on the recommender */
#define ARG_USER	ANYOID
#define ARG_ITEM	ANYELEMENTOID
#define ARG_ITEMS	ANYARRAYOID

#define MAX_ARGS	16

typedef struct PageQuery
{
	PageStatement statement;
	Oid			argtypes[MAX_ARGS];
} PageQuery;

typedef struct PageRequest
{
	Oid			schema;
	Oid			extension_schema;
	Oid			item_type;
	Oid			items_type;		/* array of items */
	Oid			user_type;
	Oid			user_collation;
	int			nest_level;		/* of the search_path */
	uint32		variant;		/* bits that follow from the settings */
	PageSettings settings;

	/* the request */
	NullableDatum user;
	NullableDatum session;
	Datum		context;		/* jsonb object */
	NullableDatum left_out;		/* items that are never returned */
	int			k;
} PageRequest;

/* page.c: beginning and end, and arguments of the entry functions */
extern void EnterPage(PageRequest *page, FunctionCallInfo fcinfo, Oid setting);
extern void OpenPage(PageRequest *page, FunctionCallInfo fcinfo);
extern void CheckHasSettings(const PageRequest *page);
extern void ReadPageSettings(PageRequest *page);
extern void ClosePage(PageRequest *page);
extern void CheckKeyType(FunctionCallInfo fcinfo, int argno, Oid type, const char *name);
extern NullableDatum PageArgument(FunctionCallInfo fcinfo, int argno);

/* statements */
extern SPIPlanPtr PagePlan(const PageRequest *page, const PageQuery *query, uint32 variant);
extern void RunSelect(const PageRequest *page, const PageQuery *query, uint32 variant, const NullableDatum *args);
extern void RunWrite(const PageRequest *page, const PageQuery *query, const NullableDatum *args);
extern NullableDatum ResultColumn(int column);

/* subtransactions */
typedef void (*PageStep) (PageRequest *page, void *arg);
extern ErrorData *TryStep(PageRequest *page, PageStep step, void *arg);
extern void DoStep(PageRequest *page, PageStep step, void *arg);
extern bool IsUserDataError(const ErrorData *error);
extern bool IsMissingObjectError(const ErrorData *error);

static inline NullableDatum
Given(Datum value)
{
	NullableDatum datum = {value, false};

	return datum;
}

static inline NullableDatum
NotGiven(void)
{
	NullableDatum datum = {(Datum) 0, true};

	return datum;
}

/* profile.c */
extern NullableDatum UserProfile(PageRequest *page, NullableDatum recent);
extern NullableDatum ItemProfile(PageRequest *page, Datum item);
extern void LeaveOutKnownItems(PageRequest *page);
extern bool IsUnknownProfile(const PageRequest *page, Datum profile);

/* Draws of the model by which a list is chosen: of a shortlist, and of all candidates */
#define SHORTLIST_DRAWS	"15"
#define ALL_DRAWS		"50"

/* candidates.c */
extern const StatementWord page_words[];
extern uint32 CandidateVariant(const PageRequest *page, ListPolicy policy, bool has_shortlist);
extern void CheckExpressions(PageRequest *page);

/* shortlist.c */
typedef struct Shortlist
{
	NullableDatum items;		/* NULL: all candidates */
	int			count;
	double		share;			/* probability of an item to be among these, for random lists */
} Shortlist;

extern Shortlist FindShortlist(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);
extern Datum RankingWeights(PageRequest *page, ListPolicy policy, Datum profile, int64 seed, bool is_priced);
extern NullableDatum AddendWeights(PageRequest *page, ListPolicy policy, Datum profile);

/* choose.c */
typedef struct Choice
{
	NullableDatum items;		/* NULL: there is no candidate */
	NullableDatum probabilities;
	NullableDatum expected;
	NullableDatum effects;
	NullableDatum features;		/* packed */
	NullableDatum profile;		/* packed */
	NullableDatum prices;
	NullableDatum costs;
} Choice;

extern Choice ChooseItems(PageRequest *page, ListPolicy policy, const Shortlist *shortlist, Datum profile, int64 seed);

/* log.c */
extern void LogEmptyRequest(PageRequest *page, int64 id, ListPolicy treatment);
extern void LogList(PageRequest *page, int64 decision, int64 seed, ListPolicy treatment, const Shortlist *shortlist,
					const Choice *choice);

#endif							/* DLINTS_PAGE_PAGE_H */
