/*
 * weights.c
 *		Read the models of a request, and compute the weights of features for scoring items.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "page/candidates.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/observation.h"

/* number of posterior draws per list if each draw searches the table "block" */
#define BLOCK_DRAWS		15
/* number of posterior draws per list if the table "block" is not used */
#define ALL_DRAWS		50

static const PageQuery read_penalties = {
	"SELECT array_agg((p.sign * p.price)::float8 ORDER BY p.name COLLATE \"C\") FROM constraint_price p", {0}};

static void
raise_incomplete(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("tables of the recommender are incomplete"),
			 errdetail("A row of \"model\" or \"constraint_price\" is missing.")));
}

static PreparedModel *
prepare_state(const PageRequest *page, NullableDatum state)
{
	LOCAL_FCINFO(fcinfo, 1);
	FmgrInfo   *site = MemoryContextAllocZero(page->memory, sizeof(FmgrInfo));
	PreparedModel *model;

	if (state.isnull)
		raise_incomplete();
	site->fn_mcxt = page->memory;
	InitFunctionCallInfoData(*fcinfo, site, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0] = state;
	model = PrepareModel(fcinfo, 0);
	if (model->header.feature_dim != page->settings.size)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a model of table \"model\" has %d features, expected %d",
						model->header.feature_dim, page->settings.size),
				 errhint("Restore the tables \"model\" and \"setting\" from one backup.")));
	return model;
}

/* Read the models of a request, and draw coefficients from the posterior of the personal model. */
PageModels *
ReadModels(PageRequest *page, ListPolicy policy, Datum profile, int64 seed)
{
	PageModels *models = palloc0(sizeof(PageModels));
	const NullableDatum *states = page->settings.models;

	models->profile = profile;
	models->personal = prepare_state(page, states[MODEL_PERSONAL]);
	if (page->settings.has_later)
		models->later = prepare_state(page, states[MODEL_LATER]);
	models->control = prepare_state(page, states[MODEL_CONTROL]);
	models->n_draws = page->settings.block_items > 0 ? BLOCK_DRAWS : ALL_DRAWS;
	if (policy == POLICY_PERSONAL)
	{
		/* compute mean and draws in one call, so that the model is factored only once */
		PrepareParts(models->personal, PART_MEAN | PART_DRAW);
		models->draws = palloc(sizeof(double) * models->n_draws * models->personal->dim);
		PreparedDraws(models->personal, (uint64) seed, 0, models->n_draws, models->draws);
	}
	return models;
}

/* Return weights that predict the value of outcomes after a click, such as purchases, or NULL. */
const double *
LaterWeights(const PageModels *models)
{
	return models->later == NULL ? NULL : PreparedWeights(models->later, models->profile);
}

/* Add the weights for outcomes after a click to each weight vector. */
static void
add_later(const PageModels *models, double *weights, int rows, int size, int width)
{
	const double *later = LaterWeights(models);

	for (int row = 0; row < rows && later != NULL; row++)
		for (int i = 0; i < size; i++)
			weights[(Size) row * width + i] += later[i];
}

/* Return weights for the posterior mean of the whole reward, including outcomes after a click. */
double *
MeanWeights(const PageRequest *page, const PageModels *models)
{
	int			size = page->settings.size;
	double	   *weights = palloc(sizeof(double) * size);

	memcpy(weights, PreparedWeights(models->personal, models->profile), sizeof(double) * size);
	add_later(models, weights, 1, size, size);
	return weights;
}

/* Return the dual prices, which are multiplied by an item's costs and subtracted from its score. */
const double *
ReadPenalties(PageRequest *page)
{
	NullableDatum result;
	ArrayType  *penalties;

	RunSelect(page, &read_penalties, NULL);
	result = ResultColumn(1);
	if (result.isnull)
		raise_incomplete();
	penalties = DatumGetArrayTypeP(result.value);
	if (ARR_HASNULL(penalties) ||
		ArrayGetNItems(ARR_NDIM(penalties), ARR_DIMS(penalties)) != page->settings.constraints)
		raise_incomplete();
	return (double *) ARR_DATA_PTR(penalties);
}

/* Convert each posterior draw of coefficients to a row of weights of features, for the user. */
static void
lift_draws(const PageModels *models, int size, int width, double *weights)
{
	const DlintsHeader *header = &models->personal->header;
	int			length = (int) ModelLiftedLen(header);
	double	   *lifted = palloc(sizeof(double) * models->n_draws * length);

	LiftParameters(header, models->n_draws, models->draws,
				   ReadProfile(models->profile, header), lifted);
	for (int row = 0; row < models->n_draws; row++)
		memcpy(weights + (Size) row * width, lifted + (Size) row * length, sizeof(double) * size);
	pfree(lifted);
}

/*
 * Create the weight vectors by which items are ranked: posterior draws, the posterior mean, or only
 * popularity for control and trending lists.
 */
Rankings
RankItems(PageRequest *page, ListPolicy policy, const PageModels *models, bool is_priced)
{
	int			size = page->settings.size;
	int			width = size + 1 + (is_priced ? page->settings.constraints : 0);
	int			count = models->draws != NULL ? models->n_draws : 1;
	double	   *weights = palloc0(sizeof(double) * count * width);
	Rankings	rankings = {count, width, weights};
	const double *penalties;

	if (policy == POLICY_CONTROL || policy == POLICY_TRENDING)
	{
		weights[page->settings.liked] = 1.0;
		return rankings;
	}
	if (models->draws != NULL)
		lift_draws(models, size, width, weights);
	else
		memcpy(weights, PreparedWeights(models->personal, models->profile), sizeof(double) * size);
	add_later(models, weights, count, size, width);
	penalties = width > size + 1 ? ReadPenalties(page) : NULL;
	for (int row = 0; row < count; row++)
	{
		weights[(Size) row * width + size] = 1.0;
		for (int i = size + 1; i < width; i++)
			weights[(Size) row * width + i] = -penalties[i - size - 1];
	}
	return rankings;
}
