/*
 * page.h
 *		A request for a list of recommendations, and its settings.
 */
#ifndef DLINTS_PAGE_PAGE_H
#define DLINTS_PAGE_PAGE_H

#include "executor/spi.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#include "sql/key_numbers.h"
#include "sql/rows.h"

/* Flags of the variants of a statement (see StatementWord in plans.c) */
#define VARIANT_SHORTLIST	(1 << 0)	/* select only items in an array argument */
#define VARIANT_BONUS		(1 << 1)	/* read the bonus of each item (setting bonus) */
#define VARIANT_CAP			(1 << 2)	/* read the group of each item (setting cap_group) */

/* Policies that choose lists; POLICY_UNKNOWN is for users without clicks */
typedef enum ListPolicy
{
	POLICY_PERSONAL,
	POLICY_UNKNOWN,
	POLICY_CONTROL,
	POLICY_RANDOM,
	POLICY_TRENDING
} ListPolicy;

extern const char *const policy_names[];

/* Are items of a list chosen by their predicted rewards? */
static inline bool
IsPredicted(ListPolicy policy)
{
	return policy == POLICY_PERSONAL || policy == POLICY_UNKNOWN;
}

/* indexes of a recommender's models */
#define MODEL_PERSONAL	0
#define MODEL_LATER		1
#define MODEL_CONTROL	2
#define N_MODELS		3

/* Settings of a recommender, read once per request */
typedef struct PageSettings
{
	bool		is_read;
	int64		seed;			/* seed for assigning users to the control group */
	int64		secret;			/* secret key that makes decision numbers unpredictable */
	double		control;		/* share of users in the control group */
	double		epsilon;		/* share of lists with random items */
	int			factors;
	int			liked;			/* number of latent factors plus number of features from columns */
	int			aged;			/* number of features of dates */
	int			size;			/* number of features of an item */
	int			cap;			/* maximum number of items of a group on a list; 0: no maximum */
	double		diversity;		/* weight of the similarity penalty of diverse lists, from 0 to 1 */
	int			constraints;
	/* number of item slots in the table "block"; 0: the table is not used */
	int64		block_items;
	int			block_slots;
	bool		has_item_index;
	bool		has_ordered_key;
	bool		has_prior;
	bool		has_clicks;
	bool		has_bonus;
	bool		has_filter;		/* can the setting "candidates" exclude items? */
	/* is the model of outcomes after a click, such as purchases, trained? */
	bool		has_later;
	/* do some items have an effect on rewards that their features do not explain? */
	bool		has_effects;
	bool		has_random_effects; /* are some of these effects uncertain, and drawn at random? */
	/* random number in [0, 1) that assigns requests without user or session to the control group */
	double		treatment_draw;
	double		random_draw;
	/* prior expected reward, which shrinks effects of impressions (see history.c); 0: no effects */
	double		history_prior;
	/* factor of the expected rewards of a user's earlier impressions (see history.c) */
	double		history_ratio;
	Datum		attribution_window; /* an interval */
	/* lists exclude items that the user has clicked within this interval */
	NullableDatum repeat_after;
	double		half_life;		/* half-life of a user's clicks, in days; 0: no decay */
	/* half-life, in days, of a user's clicks in the score of the clicked item itself */
	double		own_half_life;
	const float4 *scale;		/* factor of each element of user profiles */
	double		popularity_weight;
	double		click_weight;
	/* factor of the score that an item gets from the user's clicks on other items */
	double		neighbour_share;
	/* factor of the score that an item gets from the user's clicks on the item itself */
	double		own_share;
	bool		is_centered;	/* are features centered on their mean in each list? */
	NullableDatum examination;	/* examination probability of each position; NULL: all are 1 */
	TimestampTz now;
	NullableDatum models[N_MODELS];
	NullableDatum empty_model;
} PageSettings;

/* placeholders for the types of user and item keys, and for the type dlints */
#define ARG_USER	ANYOID
#define ARG_ITEM	ANYELEMENTOID
#define ARG_ITEMS	ANYARRAYOID
#define ARG_MODEL	ANYNONARRAYOID

#define MAX_ARGS	16

/*
 * A query whose plans a session keeps.  "@extschema@" stands for the schema of the extension, and
 * words in braces depend on the variant of the query (see plans.c).
 */
typedef struct PageQuery
{
	const char *sql;
	Oid			argtypes[MAX_ARGS];
} PageQuery;

typedef struct PageRequest
{
	Oid			schema;
	Oid			extension_schema;
	Oid			item_type;
	Oid			items_type;		/* array type of item_type */
	Oid			item_collation;
	int16		item_length;	/* typlen of item_type */
	bool		item_by_value;
	char		item_align;
	Oid			user_type;
	Oid			user_collation;
	int			nest_level;		/* GUC nest level for restoring the search_path */
	MemoryContext memory;		/* memory context that ClosePage() deletes */
	PageSettings settings;

	/* arguments and state of the request */
	NullableDatum user;
	NullableDatum session;
	Datum		context;		/* a jsonb object */
	NullableDatum excluded;		/* items that are excluded from the list */
	int			k;
	bool		skips_failing;	/* skip items for which an SQL expression fails? */
	bool		has_passed;		/* have the SQL expressions succeeded for any item? */

	/* scores of items from the user's clicks (see neighbours.c), or NULL */
	struct NeighbourScores *neighbours;

	/* rewards of the user's earlier impressions (see history.c), or NULL */
	struct UserHistory *history;

	KeyNumbers *groups;			/* index of each group of items, by name; NULL until needed */
} PageRequest;

typedef struct NeighbourScores NeighbourScores;
typedef struct UserHistory UserHistory;

/* schemas of recommenders and rankers (in entry.c) */
extern Oid	ModelType(Oid extension_schema);
extern Oid	SchemaOfSetting(Oid setting, Oid extension_schema);
extern Oid	EnteredSchema(Oid extension_schema);
extern void CheckHasSettings(Oid schema, bool has_settings);
extern const char *SchemaName(Oid schema);
extern int	EnterSchema(Oid schema);

/* functions in guard.c */
extern void CheckNamesakes(Oid extension_schema);
extern void CheckTemporaryRelations(Oid schema);

/* function in decision_number.c */
extern int64 NewDecisionNumber(Oid schema, int64 secret, TimestampTz now);

/* functions in page.c */
extern void EnterPage(PageRequest *page, FunctionCallInfo fcinfo);
extern void OpenSchema(PageRequest *page, FunctionCallInfo fcinfo);
extern void OpenPage(PageRequest *page, FunctionCallInfo fcinfo);
extern void ClosePage(PageRequest *page);
extern void CheckKeyType(FunctionCallInfo fcinfo, int argno, Oid type, const char *name);

/* function in settings.c */
extern void ReadPageSettings(PageRequest *page);

/* function in plans.c */
extern SPIPlanPtr PagePlan(const PageRequest *page, const PageQuery *query, uint32 variant);

/* statements (in page.c) */
extern Oid	KeyTypeOf(const PageRequest *page, Oid type);
extern void RunSelect(const PageRequest *page, const PageQuery *query, const NullableDatum *args);
extern void ReadRows(const PageRequest *page, const PageQuery *query, uint32 variant,
					 const NullableDatum *args, const Oid *types, RowReader read, void *reader);
extern void RunWrite(const PageRequest *page, const PageQuery *query, const NullableDatum *args);
extern NullableDatum ResultColumn(int column);
extern Datum ResultValue(int column);
extern NullableDatum KeepValue(const PageRequest *page, Datum value, bool isnull, bool by_value,
							   int16 length);

/* subtransactions (in page.c) */
typedef void (*PageStep) (PageRequest *page, void *arg);
extern ErrorData *TryStep(PageRequest *page, PageStep step, void *arg);
extern void DoStep(PageRequest *page, PageStep step, void *arg);
extern bool IsRowError(int sqlerrcode);
extern bool IsObjectError(int sqlerrcode);
extern void CheckObjects(PageRequest *page, const ErrorData *error);

static inline NullableDatum
Given(Datum value)
{
	return (NullableDatum) {value, false};
}

static inline NullableDatum
NotGiven(void)
{
	return (NullableDatum) {(Datum) 0, true};
}

/* functions in profile.c */
extern Datum ReadUser(PageRequest *page, NullableDatum recent, bool excludes_clicked);
extern Datum ReadItem(PageRequest *page, Datum item);
extern bool IsUnknownProfile(const PageRequest *page, Datum profile);

/* functions in similarity.c */
extern double DecayOf(double days, double half_life);
extern ArrayType *MakeProfile(const double *sum, double weights, const PageSettings *settings);
extern double UnixTime(TimestampTz at);

/* function in candidates.c */
extern void CheckExpressions(PageRequest *page, void *unused);

/* A chosen list; "items" is NULL if no item is eligible */
typedef struct Choice
{
	NullableDatum items;
	NullableDatum probabilities;
	NullableDatum expected;
	NullableDatum effects;
	NullableDatum versions;		/* ids of the rows in "item_version" with the items' features */
	/* compressed features of items that have no row in "item_version" */
	NullableDatum features;
	NullableDatum profile;		/* the user's profile, compressed for the log */
	NullableDatum prices;
	NullableDatum costs;
	NullableDatum n_scored;
} Choice;

#endif							/* DLINTS_PAGE_PAGE_H */
