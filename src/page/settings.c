/*
 * settings.c
 *		Read the settings and models of a recommender for a request.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/ages.h"
#include "model/model.h"
#include "page/blocks.h"
#include "page/tables.h"

/* maximum key in the table "block", for at least 40 million items */
#define MAX_BLOCK		10000000
/* maximum of the setting "cap"; larger values have no effect */
#define MAX_CAP			1000000

/* number of features besides latent factors, columns and dates: popularity and neighbour score */
#define N_OTHERS		2

/* ---------- the table "setting" ---------- */

static void
report_corrupted(const char *table, const char *column, int64 value, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("table \"%s\" has an invalid value in column \"%s\"", table, column),
			 errdetail("It is %lld.", (long long) value),
			 errhint("%s", hint)));
}

/* Raise an error unless the numbers of features and of slots per block are valid and agree. */
static void
check_sizes(const PageSettings *settings)
{
	const char *hint = "dlints_create_recommender() writes it; restore its value from a backup.";

	if (settings->factors < 0 || settings->factors > DLINTS_MAX_FEATURE_DIM)
		report_corrupted("setting", "factors", settings->factors, hint);
	if (settings->liked < settings->factors || settings->liked > DLINTS_MAX_FEATURE_DIM)
		report_corrupted("setting", "liked", settings->liked, hint);
	if (settings->aged < 0 || settings->aged > DLINTS_MAX_FEATURE_DIM ||
		settings->aged % AGES_PER_DATE != 0)
		report_corrupted("setting", "aged", settings->aged, hint);
	if (settings->size != settings->liked + settings->aged + N_OTHERS)
		report_corrupted("setting", "size", settings->size, hint);
	if (settings->block_slots < 1 || settings->block_slots > MAX_ITEMS)
		report_corrupted("setting", "block_slots", settings->block_slots, hint);
}

static const PageTable setting_table = {"setting", 26, {
		{"seed", INT8OID}, {"secret", INT8OID}, {"control", FLOAT8OID},
		{"epsilon", FLOAT8OID}, {"factors", INT4OID}, {"liked", INT4OID}, {"aged", INT4OID},
		{"size", INT4OID}, {"cap_group", TEXTOID | MAY_BE_NULL}, {"cap", INT4OID | MAY_BE_NULL},
		{"diversity", FLOAT8OID}, {"block_slots", INT4OID}, {"has_item_index", BOOLOID},
		{"has_ordered_key", BOOLOID}, {"clicks", TEXTOID | MAY_BE_NULL},
		{"bonus", TEXTOID | MAY_BE_NULL}, {"candidates", TEXTOID},
		{"repeat_after", INTERVALOID | MAY_BE_NULL}, {"effect_stddev", FLOAT8OID | MAY_BE_NULL},
		{"n_on_trial", INT4OID}, {"is_centered", BOOLOID},
		{"examination", FLOAT8ARRAYOID | MAY_BE_NULL}, {"empty_model", ARG_MODEL | MAY_BE_NULL},
		{"attribution_window", INTERVALOID}, {"history_prior", FLOAT8OID | MAY_BE_NULL},
		{"history_ratio", FLOAT8OID | MAY_BE_NULL}}};

static void
read_setting(void *arg, const Datum *values, const bool *nulls)
{
	PageRequest *page = arg;
	PageSettings *settings = &page->settings;
	int			n = 0;

	settings->is_read = true;
	settings->seed = DatumGetInt64(values[n++]);
	settings->secret = DatumGetInt64(values[n++]);
	settings->control = DatumGetFloat8(values[n++]);
	settings->epsilon = DatumGetFloat8(values[n++]);
	settings->factors = DatumGetInt32(values[n++]);
	settings->liked = DatumGetInt32(values[n++]);
	settings->aged = DatumGetInt32(values[n++]);
	settings->size = DatumGetInt32(values[n++]);
	settings->cap = nulls[n] || nulls[n + 1] ? 0 : Min(DatumGetInt32(values[n + 1]), MAX_CAP);
	n += 2;
	settings->diversity = DatumGetFloat8(values[n++]);
	settings->block_slots = DatumGetInt32(values[n++]);
	settings->has_item_index = DatumGetBool(values[n++]);
	settings->has_ordered_key = DatumGetBool(values[n++]);
	settings->has_clicks = !nulls[n++];
	settings->has_bonus = !nulls[n++];
	settings->has_filter = strcmp(TextDatumGetCString(values[n++]), "true") != 0;
	settings->repeat_after = KeepValue(page, values[n], nulls[n], false, sizeof(Interval));
	n++;
	settings->has_effects = !nulls[n++];
	settings->has_random_effects = DatumGetInt32(values[n++]) > 0;
	settings->is_centered = DatumGetBool(values[n++]);
	settings->examination = KeepValue(page, values[n], nulls[n], false, -1);
	n++;
	settings->empty_model = KeepValue(page, values[n], nulls[n], false, -1);
	n++;
	settings->attribution_window =
		KeepValue(page, values[n], nulls[n], false, sizeof(Interval)).value;
	n++;
	settings->history_prior = nulls[n] ? 0.0 : DatumGetFloat8(values[n]);
	settings->history_ratio = nulls[n + 1] ? 1.0 : DatumGetFloat8(values[n + 1]);
	check_sizes(settings);
}

/* ---------- tables other than "setting" ---------- */

static const PageTable model_table = {"model", 2, {
		{"name", TEXTOID}, {"state", ARG_MODEL | MAY_BE_NULL}}};

static const PageTable similarity_table = {"similarity", 4, {
		{"half_life", FLOAT8OID | MAY_BE_NULL}, {"own_half_life", FLOAT8OID | MAY_BE_NULL},
		{"scale", FLOAT4ARRAYOID}, {"weights", FLOAT8ARRAYOID}}};

static const PageTable constraint_table = {"constraint_price", 1, {{"name", TEXTOID}}};

static const PageTable block_table = {"block", 1, {{"n", INT4OID}}};

static void
read_model(void *arg, const Datum *values, const bool *nulls)
{
	static const char *const names[] = {"personal", "later", "control"};
	PageRequest *page = arg;
	char	   *name = TextDatumGetCString(values[0]);

	for (int i = 0; i < N_MODELS; i++)
		if (strcmp(name, names[i]) == 0)
			page->settings.models[i] = KeepValue(page, values[1], nulls[1], false, -1);
}

/* Has a model been trained?  An untrained model predicts 0. */
static bool
is_trained(NullableDatum model, NullableDatum empty)
{
	return !model.isnull && !empty.isnull &&
		(toast_raw_datum_size(model.value) != toast_raw_datum_size(empty.value) ||
		 !ModelEquals(model.value, empty.value));
}

static void
read_similarity(void *arg, const Datum *values, const bool *nulls)
{
	PageRequest *page = arg;
	PageSettings *settings = &page->settings;
	ArrayType  *scale =
		DatumGetArrayTypeP(KeepValue(page, PointerGetDatum(DatumGetArrayTypeP(values[2])),
									 false, false, -1).value);
	ArrayType  *weights = DatumGetArrayTypeP(values[3]);
	int			n_weights = ArrayGetNItems(ARR_NDIM(weights), ARR_DIMS(weights));
	float8	   *last;

	if (ARR_HASNULL(scale) || ArrayGetNItems(ARR_NDIM(scale), ARR_DIMS(scale)) < settings->liked ||
		ARR_HASNULL(weights) || n_weights < 3)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("arrays of table \"similarity\" do not have the expected lengths")));
	settings->half_life = nulls[0] ? 0.0 : DatumGetFloat8(values[0]);
	settings->own_half_life = nulls[1] ? 0.0 : DatumGetFloat8(values[1]);
	settings->scale = (float4 *) ARR_DATA_PTR(scale);
	last = (float8 *) ARR_DATA_PTR(weights) + n_weights - 3;
	settings->popularity_weight = last[0];
	settings->click_weight = Max(last[1], last[2]);
	settings->neighbour_share = last[2] > 0.0 ? last[1] / settings->click_weight : 1.0;
	settings->own_share = last[2] > 0.0 ? last[2] / settings->click_weight : 0.0;
}

static void
count_constraint(void *arg, const Datum *values, const bool *nulls)
{
	((PageRequest *) arg)->settings.constraints++;
}

static void
read_block_number(void *arg, const Datum *values, const bool *nulls)
{
	PageSettings *settings = &((PageRequest *) arg)->settings;
	int32		number = DatumGetInt32(values[0]);

	if (number < 0 || number > MAX_BLOCK)
		report_corrupted("block", "n", number,
						 "Delete all rows of the table; refresh() writes them again.");
	settings->block_items = Max(settings->block_items,
								(number + INT64CONST(1)) * settings->block_slots);
}

/* Look up a function of pg_catalog by name, because tests replace now(), and call it. */
static Datum
call_system(const char *name)
{
	List	   *path = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name)));

	return OidFunctionCall0(LookupFuncName(path, 0, NULL, false));
}

void
ReadPageSettings(PageRequest *page)
{
	PageSettings *settings = &page->settings;

	for (int i = 0; i < N_MODELS; i++)
		settings->models[i] = NotGiven();
	ReadTable(page, &setting_table, read_setting, page);
	CheckHasSettings(page->schema, settings->is_read);
	ReadTable(page, &similarity_table, read_similarity, page);
	if (settings->scale == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("tables of schema \"%s\" are incomplete", get_namespace_name(page->schema)),
				 errdetail("The table \"similarity\" is empty.")));
	ReadTable(page, &model_table, read_model, page);
	settings->has_later = is_trained(settings->models[MODEL_LATER], settings->empty_model);
	ReadTable(page, &constraint_table, count_constraint, page);
	ReadLastRow(page, &block_table, read_block_number, page);
	settings->has_prior = HasRows(page, "warm_start_example");
	settings->treatment_draw = DatumGetFloat8(call_system("random"));
	settings->random_draw = DatumGetFloat8(call_system("random"));
	settings->now = DatumGetTimestampTz(call_system("now"));
}
