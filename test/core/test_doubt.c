/*
 * test_doubt.c
 *		Retraction from models with a half-life: the rest equals a model that
 *		never learned the retracted observations, and time without observations
 *		makes no model certain.
 */
#include "observed.h"
#include "past.h"

#include "core/linalg.h"

/* ---------- a model by time ---------- */

typedef struct Model
{
	int			dim;
	int			memories;
	bool		empty;
	double		newest;			/* in half-lives of the first memory */
	Rewards		rewards;
	Evidence   *memory[MAX_MEMORIES];
} Model;

static Model
model_new(int dim, int memories, bool intercept)
{
	Model		m = {.dim = dim, .memories = memories, .empty = true};
	int			j;

	m.rewards.intercept = intercept;
	for (j = 0; j < memories; j++)
		m.memory[j] = evidence_new(dim, squares_of(j, memories, 0.5));
	return m;
}

static void
age_to(Model *m, double time)
{
	int			j;

	for (j = 0; j < m->memories; j++)
		if (!m->empty && evidence_squares(m->memory[j]) != SQUARES_NONE)
			evidence_scale(m->memory[j], faded(j, time - m->newest));
	m->newest = time;
}

static void
learn(Model *m, double time, const double *features, double reward)
{
	const double one = 1;
	int			j;

	if (m->empty && m->rewards.intercept)
		m->rewards.reference = reward;
	age_to(m, time);
	m->empty = false;
	for (j = 0; j < m->memories; j++)
		absorb(m->memory[j], 1, 1, features, &reward, m->rewards.reference, &one);
	totals_absorb(&m->rewards.totals, 1, &reward, m->rewards.reference, &one);
}

static void
refer_to(Model *m, double reference)
{
	int			j;

	for (j = 0; j < m->memories; j++)
		evidence_rebase(m->memory[j], m->rewards.reference - reference);
	totals_rebase(&m->rewards.totals, m->rewards.reference - reference);
	m->rewards.reference = reference;
}

/* what was learned at a time is as old as the model then, about the same reference */
static bool
take_back(Model *m, double time, const double *features, double reward)
{
	Model		one = model_new(m->dim, m->memories, m->rewards.intercept);
	double		reference;
	bool		possible;
	int			j;

	learn(&one, time, features, reward);
	age_to(&one, m->newest);
	reference = fabs(reward) < fabs(m->rewards.reference) ? one.rewards.reference :
		m->rewards.reference;
	refer_to(m, reference);
	refer_to(&one, reference);
	possible = totals_subtract(&m->rewards.totals, &one.rewards.totals);
	for (j = 0; j < m->memories && possible; j++)
		possible = evidence_subtract(m->memory[j], one.memory[j], &m->rewards.totals,
									 RIDGE_START, guarded(linalg_packed_len(m->dim))) &&
			factor_with(m->memory[j], RIDGE_START, factor_new(m->memory[j]));
	return possible;
}

static MemoryChoice
choose(const Model *m)
{
	Evidence	memories[MAX_MEMORIES];
	int			j;

	for (j = 0; j < m->memories; j++)
		memories[j] = *m->memory[j];
	return memory_choose(memories, m->memories, RIDGE_START, &m->rewards,
						 guarded(memory_choose_work(m->dim, m->memories)));
}

/* expected reward of a feature vector, and its width, by one of the memories */
static void
predict(const Model *m, int used, const double *features, double *mean, double *width)
{
	size_t		dim = (size_t) m->dim;
	const Evidence *e = m->memory[used];
	Factor	   *f = factor_new(e);
	double	   *b = guarded(dim);
	double	   *psi = guarded(dim);
	double	   *root = guarded(dim * dim);
	double		level = memory_center(e, &m->rewards, b);

	assert_true(factor_with(e, RIDGE_START, f));
	posterior_mean(f, b, psi);
	posterior_root(f, root);
	*mean = level + (double) exact_dot(m->dim, psi, features);
	*width = posterior_stddev(m->dim, root, features, guarded(dim));
}

static void
check_same(const Model *m, const Model *never, const double *features)
{
	const MemoryChoice choice = choose(m);
	const MemoryChoice expected = choose(never);
	double		mean[2];
	double		width[2];

	assert_int_equal(choice.used, expected.used);
	assert_near(choice.sigma, expected.sigma, 1e-6 * expected.sigma);
	predict(m, choice.used, features, &mean[0], &width[0]);
	predict(never, choice.used, features, &mean[1], &width[1]);
	assert_near(mean[0], mean[1], 1e-6);
	assert_near(width[0], width[1], 1e-6 * width[1]);
}

/* ---------- retraction ---------- */

typedef enum Rarity
{
	ORDINARY,
	CLICKS,						/* one in ten */
	ONE_CLICK,					/* the first of those that are taken back */
	LEVEL,						/* clicks beside rewards of 3 */
	RARITIES
} Rarity;

typedef struct Observations
{
	Observed	o;
	double	   *times;
	bool	   *taken;
} Observations;

/* some close together, some after quiet times of up to "longest" half-lives */
static Observations
observations_new(int dim, int count, bool intercept, Rarity rarity, double longest,
				 uint64_t seed)
{
	Observations s = {observed_new(dim, count, 0, seed), guarded((size_t) count),
	allocate((size_t) count * sizeof(bool))};
	int			kept = (int) (seed % (uint64_t) count);
	bool		clicked = false;
	double		time = 0;
	int			j;

	for (j = 0; j < count; j++)
	{
		s.taken[j] = j != kept && dice(&seed) > 0.5;
		time += dice(&seed) > 0.7 ? longest * (1 + dice(&seed)) / 2 : 0.05 * (1 + dice(&seed));
		s.times[j] = time;
		if (intercept)
			s.o.features[j * dim + dim - 1] = 1;
		if (rarity == ONE_CLICK)
			s.o.rewards[j] = s.taken[j] && !clicked;
		else if (rarity != ORDINARY)
			s.o.rewards[j] = (dice(&seed) > 0.8) + (rarity == LEVEL ? 3 : 0);
		clicked = clicked || s.taken[j];
	}
	return s;
}

static void
check_taken_back(int dim, int memories, bool intercept, Rarity rarity, int count,
				 double longest, uint64_t seed)
{
	Observations s = observations_new(dim, count, intercept, rarity, longest, seed);
	Model		m = model_new(dim, memories, intercept);
	Model		never = model_new(dim, memories, intercept);
	double	   *features = dice_array(&seed, (size_t) dim);
	int			j;

	for (j = 0; j < count; j++)
	{
		learn(&m, s.times[j], s.o.features + j * dim, s.o.rewards[j]);
		if (!s.taken[j])
			learn(&never, s.times[j], s.o.features + j * dim, s.o.rewards[j]);
	}
	age_to(&never, m.newest);
	for (j = count - 1; j >= 0; j--)
		if (s.taken[j])
			assert_true(take_back(&m, s.times[j], s.o.features + j * dim, s.o.rewards[j]));
	check_same(&m, &never, features);
	free_all(NULL);
}

static void
test_retracted_equals_never_learned(void **state)
{
	static const int dims[] = {2, 3, 5, 11, 26};
	static const int counts[] = {2, 3, 6, 20, 45};
	static const double longests[] = {0.1, 3, 30, 80, 600};
	int			k;

	for (k = 0; k < 10000; k++)
		check_taken_back(dims[k % LENGTH(dims)], k / 2 % 2 == 0 ? 3 : 1, k / 4 % 3 > 0,
						 (Rarity) (k / 12 % RARITIES), counts[k / 5 % LENGTH(counts)],
						 longests[k / 25 % LENGTH(longests)], (uint64_t) k);
}

/*
 * The older of two observations is retracted after its weight has become tiny, and the
 * last of 301 observations, which came after a pause.
 */
static void
test_retract_after_long_pauses(void **state)
{
	static const int dims[] = {2, 11, 26};
	int			d;
	int			half_lives;
	int			memories;
	int			j;

	for (half_lives = 20; half_lives <= 120; half_lives += 4)
		for (d = 0; d < LENGTH(dims); d++)
			for (memories = 1; memories <= 3; memories += 2)
			{
				uint64_t	seed = (uint64_t) half_lives;
				double	   *features = dice_array(&seed, 301 * (size_t) dims[d]);
				Model		two = model_new(dims[d], memories, false);
				Model		one = model_new(dims[d], memories, false);
				Model		emptied = model_new(dims[d], memories, false);
				Model		quiet = model_new(dims[d], memories, false);

				learn(&two, 0, features, 1);
				learn(&two, half_lives, features + dims[d], 1);
				learn(&one, half_lives, features + dims[d], 1);
				assert_true(take_back(&two, 0, features, 1));
				check_same(&two, &one, features);

				for (j = 0; j < 300; j++)
				{
					double		reward = dice(&seed) > 0.6;

					learn(&emptied, 0.01 * j, features + j * dims[d], reward);
					learn(&quiet, 0.01 * j, features + j * dims[d], reward);
				}
				learn(&emptied, 3 + half_lives, features + 300 * dims[d], 1);
				age_to(&quiet, 3 + half_lives);
				assert_true(take_back(&emptied, 3 + half_lives, features + 300 * dims[d], 1));
				assert_int_equal(choose(&emptied).used, memories - 1);
				check_same(&emptied, &quiet, features);
				free_all(NULL);
			}
}

/* After its only click is retracted a model has a noise of 1, also after more zeros. */
static void
test_zeros_after_a_retracted_click_do_not_remove_noise(void **state)
{
	uint64_t	seed = 8;
	double	   *features = dice_array(&seed, 240);
	Model		m = model_new(2, 1, false);
	int			j;

	for (j = 0; j < 20; j++)
		learn(&m, 0.01 * j, features + 2 * j, j == 7);
	assert_true(choose(&m).sigma < 0.5);
	assert_true(take_back(&m, 0.07, features + 14, 1));
	assert_true(choose(&m).sigma == 1);
	for (j = 20; j < 120; j++)
	{
		learn(&m, 0.01 * j, features + 2 * j, 0);
		assert_true(choose(&m).sigma == 1);
	}
}

/* ---------- long absence of clicks ---------- */

/*
 * The only memory has forgotten the last click.  Its noise remains a part of the noise
 * of all rewards, and decreases without jumps.
 */
static void
check_absence_of_clicks(double level, bool intercept)
{
	uint64_t	seed = 3;
	Model		m = model_new(4, 1, intercept);
	double		before = 0;
	double		clicks = 0;
	int			j;

	for (j = 1; j <= 6000; j++)
	{
		double	   *features = dice_array(&seed, 4);
		bool		clicked = j < 200 && j % 20 == 3;
		double		sigma;

		if (intercept)
			features[3] = 1;
		learn(&m, 0.0145 * j, features, level + clicked);
		clicks += clicked;
		if (j >= 200)
		{
			sigma = choose(&m).sigma;
			/* all rewards together count as one of the memory's hundred */
			assert_true(sigma > 0.09 * sqrt(clicks / j));
			assert_true(j == 200 || fabs(log(sigma / before)) < 0.02);
			before = sigma;
		}
	}
}

static void
test_long_absence_of_clicks_does_not_remove_noise(void **state)
{
	check_absence_of_clicks(0, false);
	check_absence_of_clicks(0, true);
	check_absence_of_clicks(3, true);
	check_absence_of_clicks(-1000, true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_retracted_equals_never_learned),
		test_of(test_retract_after_long_pauses),
		test_of(test_zeros_after_a_retracted_click_do_not_remove_noise),
		test_of(test_long_absence_of_clicks_does_not_remove_noise)
	};

	return cmocka_run_group_tests_name("doubt", tests, NULL, NULL);
}
