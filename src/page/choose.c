/*
 * choose.c
 *		Choose the items of a list from the candidates, and describe the choice for the log.
 */
#include "postgres.h"

#include <float.h>

#include "choose/decision.h"
#include "page/candidates.h"
#include "sql/args.h"
#include "vectors/pack.h"

/* bytes per element of compressed feature vectors, in the log and in the table "item_version" */
#define LOG_BYTES		1
#define VERSION_BYTES	2

/* SQL function in vectors/pack.c that is called from C */
extern Datum dlints_stack_packed(PG_FUNCTION_ARGS);

/* Select the dual prices and the mean costs of a list, $1, as JSON objects by constraint. */
static const PageQuery name_costs = {
	"SELECT jsonb_object_agg(p.name, p.price), jsonb_object_agg(p.name, p.cost)\n"
	"FROM  (SELECT p.name, p.price, $1[row_number() OVER (ORDER BY p.name COLLATE \"C\")] AS cost\n"
	"       FROM constraint_price p) p", {FLOAT8ARRAYOID}};

/* Store an item's features as a row of "item_version", to which logged lists refer. */
static const PageQuery log_version = {
	"INSERT INTO item_version (item, features) VALUES ($1, $2) RETURNING id", {ARG_ITEM, BYTEAOID}};

static const float4 *
features_of(const PageRequest *page, const CandidateSet *set, int candidate)
{
	return (const float4 *) ARR_DATA_PTR(set->features) + (Size) candidate * page->settings.size;
}

static bool
uses_effects(const PageRequest *page, ListPolicy policy)
{
	return page->settings.has_effects && IsPredicted(policy);
}

/* Compute the number that is added to the score of each candidate. */
static double *
find_addends(PageRequest *page, ListPolicy policy, const PageModels *models,
			 const CandidateSet *set)
{
	const PageSettings *settings = &page->settings;
	double	   *addends = AllocateZeros(sizeof(double), set->count);
	const double *weights = policy == POLICY_UNKNOWN ? MeanWeights(page, models) :
		policy == POLICY_PERSONAL ? LaterWeights(models) : NULL;
	const double *penalties = IsPredicted(policy) && settings->constraints > 0 ?
		ReadPenalties(page) : NULL;

	for (int i = 0; i < set->count && policy != POLICY_RANDOM; i++)
	{
		const float4 *features = features_of(page, set, i);
		const float4 *costs = set->costs + (Size) i * settings->constraints;

		addends[i] = set->addends[i];
		if (policy == POLICY_CONTROL || (policy == POLICY_TRENDING && addends[i] == 0.0))
			addends[i] = features[settings->liked];
		if (weights != NULL)
			addends[i] += dot_float(settings->size, weights, features);
		if (uses_effects(page, policy))
			addends[i] += set->effects[i];
		for (int c = 0; penalties != NULL && c < settings->constraints; c++)
			addends[i] -= penalties[c] * costs[c];
	}
	return addends;
}

/* Let similar candidates lower each other's scores, by a weighted cosine of features. */
static void
set_diversity(PageRequest *page, Candidates *candidates, CandidateSet *set,
			  const DlintsHeader *model)
{
	int			size = page->settings.size;
	double	   *roots = AllocateZeros(sizeof(double), size);

	for (int i = 0; i < page->settings.liked; i++)
		roots[i] = sqrt((double) Max(page->settings.scale[i], 0.0f));
	candidates->rules.diversity = page->settings.diversity;
	candidates->similar_by = set->features;
	candidates->similar = ArgFeatureSpec(model);
	candidates->similar_roots = roots;
}

/*
 * Choose the items of a list under a policy.
 *
 * We use posterior draws only in personal lists, which are those of users with clicks, because
 * models learn more from these users.
 */
static Decision
decide(PageRequest *page, ListPolicy policy, const PageModels *models,
	   CandidateSet *set, int64 seed)
{
	PreparedModel *model = policy == POLICY_PERSONAL ? models->personal : models->control;
	Candidates *candidates = palloc0(sizeof(Candidates));
	bool		has_random_effects =
		policy == POLICY_PERSONAL && page->settings.has_random_effects;

	if (policy != POLICY_PERSONAL)
		PrepareParts(model, PART_MEAN);
	candidates->rules.k = page->k;
	candidates->rules.draws = models->n_draws;
	candidates->rules.epsilon = policy == POLICY_RANDOM ? 1.0 : 0.0;
	candidates->scores = ScoresCreate(model, models->profile, set->features,
									  find_addends(page, policy, models, set),
									  has_random_effects ? set->effect_stddevs : NULL,
									  models->n_draws, (uint64) seed);
	if (models->draws != NULL)
		ScoresUseDraws(candidates->scores, models->draws);
	if (set->is_cut && policy != POLICY_TRENDING)
	{
		/* use the tie-break keys with which blocks.c found the candidates */
		candidates->tie_keys = AllocateMany(sizeof(uint64), set->count);
		for (int i = 0; i < set->count; i++)
			candidates->tie_keys[i] = slate_tie_key((uint64) seed, set->numbers[i]);
	}
	if (page->settings.cap > 0 && policy != POLICY_RANDOM)
	{
		candidates->rules.cap = page->settings.cap;
		candidates->groups = set->groups;
		candidates->group_count = set->group_count;
	}
	if (page->settings.diversity > 0.0 && IsPredicted(policy))
		set_diversity(page, candidates, set, &model->header);
	return Decide(candidates);
}

/* ---------- returning the list ---------- */

static Datum
logged_numbers(const double *numbers, int count)
{
	ArrayType  *result = ResultReals(count);

	for (int i = 0; i < count; i++)
		((float4 *) ARR_DATA_PTR(result))[i] = (float4) Max(Min(numbers[i], FLT_MAX), -FLT_MAX);
	return PointerGetDatum(result);
}

static double
predict(PreparedModel *model, Datum profile, const float4 *features)
{
	const double *weights = PreparedWeights(model, profile);
	int			size = model->header.feature_dim;
	double		sum = dot_float(size, weights, features);

	return model->header.intercept ? sum + weights[size] : sum;
}

/* Compute the expected reward of each chosen item from the rounded features in the log. */
static Datum
expected_rewards(PageRequest *page, const PageModels *models, const Choice *choice, Datum versions,
				 const double *effects, int count)
{
	int			liked = page->settings.liked;
	int			size = page->settings.size;
	float8		all_examined = 1.0;
	ArrayType  *examination = !page->settings.is_centered ? NULL :
		DatumGetArrayTypeP(page->settings.examination.isnull ? ResultVector(&all_examined, 1) :
						   page->settings.examination.value);
	ArrayType  *stored = UnpackVectors(DatumGetByteaPP(versions), examination);
	ArrayType  *others = UnpackVectors(DatumGetByteaPP(choice->features.value), examination);
	Datum		profile =
		PointerGetDatum(UnpackVectors(DatumGetByteaPP(choice->profile.value), NULL));
	float4	   *features = palloc(sizeof(float4) * size);
	double	   *expected = AllocateNumbers(count);

	for (int i = 0; i < count; i++)
	{
		memcpy(features, (float4 *) ARR_DATA_PTR(stored) + (Size) i * liked,
			   sizeof(float4) * liked);
		memcpy(features + liked, (float4 *) ARR_DATA_PTR(others) + (Size) i * (size - liked),
			   sizeof(float4) * (size - liked));
		expected[i] = predict(models->personal, profile, features);
		if (models->later != NULL)
			expected[i] += predict(models->later, profile, features);
		expected[i] = ResultFinite(expected[i] + effects[i]);
	}
	return logged_numbers(expected, count);
}

static void
add_costs(PageRequest *page, ListPolicy policy, const CandidateSet *set, const Decision *decision,
		  Choice *choice)
{
	int			n_costs = page->settings.constraints;
	double	   *means = AllocateZeros(sizeof(double), n_costs);
	NullableDatum args[1];

	for (int i = 0; i < decision->chosen_count; i++)
		for (int c = 0; c < n_costs; c++)
			means[c] += (double) set->costs[(Size) decision->chosen[i] * n_costs + c] /
				decision->chosen_count;
	args[0] = Given(ResultVector(means, n_costs));
	RunSelect(page, &name_costs, args);
	choice->prices = IsPredicted(policy) ? ResultColumn(1) : NotGiven();
	choice->costs = ResultColumn(2);
}

static Datum
pack_version(const PageRequest *page, const float4 *features)
{
	ArrayType  *result = ResultReals(page->settings.liked);

	memcpy(ARR_DATA_PTR(result), features, sizeof(float4) * page->settings.liked);
	return PointerGetDatum(PackVectors(result, VERSION_BYTES));
}

/*
 * Write the compressed features and versions of the chosen items to "choice", for the log.  Adds
 * missing rows to the table "item_version".  Returns the compressed features of the versions.
 */
static Datum
describe_features(PageRequest *page, const CandidateSet *set, const Decision *decision,
				  Choice *choice)
{
	int			count = decision->chosen_count;
	int			liked = page->settings.liked;
	int			n_other = page->settings.size - liked;
	ArrayType  *other = ResultRealMatrix(count, n_other);
	Datum	   *versions = AllocateMany(sizeof(Datum), count);
	Datum	   *packed = AllocateMany(sizeof(Datum), count);

	for (int i = 0; i < count; i++)
	{
		int			candidate = decision->chosen[i];
		const float4 *features = features_of(page, set, candidate);
		int64		version = set->versions[candidate];

		packed[i] = pack_version(page, features);
		versions[i] = Int64GetDatum(version);
		if (version == 0)
		{
			NullableDatum args[] = {Given(set->items[candidate]), Given(packed[i])};

			RunWrite(page, &log_version, args);
			versions[i] = ResultColumn(1).value;
		}
		memcpy((float4 *) ARR_DATA_PTR(other) + (Size) i * n_other, features + liked,
			   sizeof(float4) * n_other);
	}
	choice->versions = Given(PointerGetDatum(
		construct_array(versions, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
						TYPALIGN_DOUBLE)));
	choice->features = Given(PointerGetDatum(PackVectors(other, LOG_BYTES)));
	return DirectFunctionCall1(dlints_stack_packed, PointerGetDatum(
		construct_array(packed, count, BYTEAOID, -1, false, TYPALIGN_INT)));
}

static Choice
describe(PageRequest *page, ListPolicy policy, const PageModels *models, const CandidateSet *set,
		 const Decision *decision)
{
	int			count = decision->chosen_count;
	ArrayType  *list_effects = ResultReals(count);
	Datum	   *items = AllocateMany(sizeof(Datum), count);
	double	   *probabilities = AllocateNumbers(count);
	double	   *effects = AllocateZeros(sizeof(double), count);
	Datum		versions;
	Choice		choice;

	for (int i = 0; i < count; i++)
	{
		int			candidate = decision->chosen[i];

		items[i] = set->items[candidate];
		probabilities[i] = DecisionProbability(decision, candidate) * set->share;
		if (uses_effects(page, policy))
			effects[i] = set->effects[candidate];
		((float4 *) ARR_DATA_PTR(list_effects))[i] = (float4) effects[i];
	}
	choice.items = Given(KeyArray(page, items, count));
	choice.probabilities = Given(logged_numbers(probabilities, count));
	choice.effects = uses_effects(page, policy) ? Given(PointerGetDatum(list_effects)) : NotGiven();
	choice.profile =
		Given(PointerGetDatum(PackVectors(DatumGetArrayTypeP(models->profile), LOG_BYTES)));
	versions = describe_features(page, set, decision, &choice);
	choice.expected = Given(expected_rewards(page, models, &choice, versions, effects, count));
	choice.n_scored = set->n_scored > 0 && policy != POLICY_RANDOM ?
		Given(Int32GetDatum(set->n_scored)) : NotGiven();
	choice.prices = choice.costs = NotGiven();
	if (page->settings.constraints > 0 && (IsPredicted(policy) || policy == POLICY_RANDOM))
		add_costs(page, policy, set, decision, &choice);
	return choice;
}

Choice
ChooseItems(PageRequest *page, ListPolicy policy, Datum profile, int64 seed)
{
	PageModels *models = ReadModels(page, policy, profile, seed);
	CandidateSet *set = FindCandidates(page, policy, models, seed);
	Choice		none = {.items = {(Datum) 0, true}};
	Decision	decision;

	if (set->count > 0)
		ReadFeatures(page, set);
	if (set->count == 0)
		return none;
	decision = decide(page, policy, models, set, seed);
	return describe(page, policy, models, set, &decision);
}
