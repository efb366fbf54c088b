/*
 * test_posterior.c
 *		Posterior from evidence: mean, draws, standard deviations and
 *		covariance, against Algorithm 1 in long double, up to the limits of all
 *		parameters.
 */
#include "oracle.h"

#include "core/linalg.h"
#include "core/numbers.h"

static const int dims[] = {1, 2, 5, 24, 61};
static const Squares kinds[] = {SQUARES_MATRIX, SQUARES_SUM, SQUARES_NONE};

/* ---------- a trained model and its oracle ---------- */

typedef struct Training
{
	int			dim;
	int			observations;
	double		discount;
	double		ridge;
	double		exploration;
	double		feature_size;
	double		reward_size;
	bool		in_turn;		/* each feature vector has one coordinate only */
	Squares		squares;
} Training;

typedef struct Model
{
	Training	t;
	uint64_t	seed;
	Evidence   *e;
	Factor	   *f;
	Algorithm1 *a;
	double	   *root;			/* computed by posterior_root() in check_posterior() */
} Model;

/* Feature vectors whose coordinates differ in size and depend on their neighbours. */
static double *
features_new(const Training *t, uint64_t *seed)
{
	double	   *features = dice_array(seed, (size_t) (t->observations * t->dim));
	int			j;

	for (j = 0; j < t->observations; j++)
		for (int k = t->dim - 1; k >= 0; k--)
		{
			double	   *number = &features[j * t->dim + k];

			if (t->in_turn)
				*number = (j % t->dim == k) ? t->feature_size : 0;
			else
				*number = t->feature_size *
					(0.3 * (1 + k % 3) * *number + (k > 0 ? 0.1 * number[-1] : 0));
		}
	return features;
}

static Model
model_new(Training t)
{
	Model		m = {t, 1000 + (uint64_t) t.dim, NULL, NULL, NULL, NULL};
	double	   *features = features_new(&t, &m.seed);
	double	   *rewards = dice_array(&m.seed, (size_t) t.observations);

	m.e = evidence_new(t.dim, t.squares);
	m.a = algorithm1_new(t.dim, t.discount, t.ridge);
	for (int j = 0; j < t.observations; j++)
	{
		rewards[j] *= t.reward_size;
		algorithm1_update(m.a, features + j * t.dim, rewards[j]);
	}
	algorithm1_simplify(m.a, t.squares);
	evidence_learn(m.e, t.discount, t.observations, EVIDENCE_BLOCK, features, rewards);

	m.f = factor_new(m.e);
	assert_true(factor_with(m.e, t.ridge, m.f));
	return m;
}

static double *
mean_new(const Model *m)
{
	double	   *mean = guarded((size_t) m->t.dim);

	posterior_mean(m->f, m->e->b, mean);
	return mean;
}

static double *
shift_new(const Model *m)
{
	double	   *shift = guarded((size_t) m->t.dim);

	memcpy(shift, m->e->b, sizeof(double) * (size_t) m->t.dim);
	posterior_shift(m->f, shift);
	return shift;
}

static void
check_mean(const Model *m)
{
	double	   *mean = mean_new(m);
	exact	   *expected = algorithm1_mean(m->a);

	check_vector(m->t.dim, mean, expected);
}

/*
 * If R is a root of the covariance, psi-hat + xi R w has the distribution
 * required by Algorithm 1.  check_covariance() shows that R is a root, and
 * test_random.c that w is normal.
 */
static void
check_draws(const Model *m, int count)
{
	int			dim = m->t.dim;
	uint64_t	seed = m->seed;
	double	   *normals = dice_array(&seed, (size_t) dim * (size_t) count);
	double	   *draws = guarded((size_t) dim * (size_t) count);
	double	   *mean = mean_new(m);

	posterior_draws(m->f, shift_new(m), m->t.exploration, count, normals, draws);
	for (int c = 0; c < count; c++)
	{
		exact	   *expected = exact_new((size_t) dim);

		for (int i = 0; i < dim; i++)
		{
			for (int k = 0; k < dim; k++)
				expected[i] += (exact) m->root[k * dim + i] * normals[c * dim + k];
			expected[i] = mean[i] + m->t.exploration * expected[i];
		}
		check_vector(dim, draws + c * dim, expected);
	}
}

static void
check_draw(const Model *m)
{
	check_draws(m, 1);
	check_draws(m, 5);
}

static void
check_covariance(const Model *m)
{
	int			dim = m->t.dim;
	double	   *cov = guarded(SQUARE(dim));
	exact	   *expected = algorithm1_covariance(m->a);

	linalg_gram(dim, m->root, cov);
	for (int i = 0; i < dim; i++)
	{
		exact		stddev = sqrtl(expected[i * dim + i]);

		for (int j = 0; j < dim; j++)
		{
			assert_near(cov[i * dim + j], expected[i * dim + j],
						RELATIVE * stddev * sqrtl(expected[j * dim + j]));
			assert_true(cov[i * dim + j] == cov[j * dim + i]);
		}
	}
}

/* psi-hat'z and sqrt(z' C z) in one call */
static void
check_score(const Model *m, const double *z, exact stddev)
{
	int			dim = m->t.dim;
	double	   *solved = guarded((size_t) dim);
	exact	   *mean = algorithm1_mean(m->a);
	exact		expected = 0;
	exact		terms = 0;
	double		width;
	double		score;

	for (int i = 0; i < dim; i++)
	{
		expected += mean[i] * z[i];
		terms += fabsl(mean[i] * z[i]);
	}
	memcpy(solved, z, sizeof(double) * (size_t) dim);
	score = posterior_score(m->f, shift_new(m), solved, &width);
	assert_near(score, expected, RELATIVE * (terms + stddev));
	assert_near(width, stddev, RELATIVE * stddev);
}

/* sqrt(z' C z) for a dense z and for zeros */
static void
check_stddev(const Model *m)
{
	int			dim = m->t.dim;
	uint64_t	seed = m->seed;
	double	   *z = dice_array(&seed, (size_t) dim);
	double	   *work = guarded((size_t) dim);
	exact	   *cov = algorithm1_covariance(m->a);
	exact		variance = 0;

	for (int i = 0; i < dim; i++)
		for (int j = 0; j < dim; j++)
			variance += z[i] * cov[i * dim + j] * z[j];
	assert_near(posterior_stddev(dim, m->root, z, work), sqrtl(variance),
				RELATIVE * sqrtl(variance));
	check_score(m, z, sqrtl(variance));
	memset(z, 0, sizeof(double) * (size_t) dim);
	assert_true(posterior_stddev(dim, m->root, z, work) == 0);
}

static void
check_posterior(Training t)
{
	Model		m = model_new(t);

	m.root = guarded(SQUARE(t.dim));
	posterior_root(m.f, m.root);
	check_evidence(m.e, m.a);
	check_mean(&m);
	check_draw(&m);
	check_covariance(&m);
	check_stddev(&m);
}

/*
 * No observations; fewer observations than dimensions, so that the ridge
 * dominates; several blocks.
 */
static void
test_posterior_equals_algorithm1(void **state)
{
	static const int observations[] = {0, 1, 3, 150};
	static const double discounts[] = {1.0, 0.95, 0.5};

	for (int d = 0; d < LENGTH(dims); d++)
		for (int g = 0; g < LENGTH(discounts); g++)
			for (int o = 0; o < LENGTH(observations); o++)
				for (int k = 0; k < LENGTH(kinds); k++)
					check_posterior((Training) {dims[d], observations[o],
						discounts[g], 0.5, 0.3, 3, 1, false, kinds[k]});
}

/*
 * The smallest discount forgets all but one observation.  Feature vectors then
 * have one coordinate each, in turn, because rounding errors of any other
 * coordinates would exceed the ridge.
 */
static void
test_posterior_at_the_limits_of_parameters(void **state)
{
	static const double ridges[] = {1e-100, 1, 1e100};
	static const double discounts[] = {1e-100, 0.95, 1};
	static const double explorations[] = {0, 1e100};
	static const double sizes[] = {1e-50, 1, WIDEN_MAX};
	int			g;

	for (int r = 0; r < LENGTH(ridges); r++)
		for (g = 0; g < LENGTH(discounts); g++)
			for (int x = 0; x < LENGTH(explorations); x++)
				for (int s = 0; s < LENGTH(sizes); s++)
					for (int k = 0; k < LENGTH(kinds); k++)
					{
						Training	t = {1, 40, discounts[g], ridges[r],
						explorations[x], sizes[s], WIDEN_MAX, false, kinds[k]};

						check_posterior(t);
						t.dim = 5;
						t.in_turn = discounts[g] < 0.5;
						check_posterior(t);
					}
}

/* ---------- the largest model ---------- */

/* Z x equals "expected", relative to its length. */
static void
check_solves(int dim, const exact *Z, const double *x, const exact *expected)
{
	exact	   *wide = exact_new((size_t) dim);
	exact	   *actual = exact_new((size_t) dim);
	exact		square = 0;

	for (int i = 0; i < dim; i++)
	{
		wide[i] = x[i];
		square += expected[i] * expected[i];
	}
	exact_multiply(dim, Z, wide, actual);
	for (int i = 0; i < dim; i++)
		assert_near(actual[i], expected[i], RELATIVE * sqrtl(square));
}

/*
 * d = 1024 and an intercept: Z psi-hat = b and Z psi-tilde = b + xi M w, where
 * M M' has the diagonal of Z~.
 */
static void
test_posterior_of_the_largest_order(void **state)
{
	const int	dim = 1025;
	Model		m = model_new((Training) {dim, 12, 0.9, 0.5, 0.3, 1, 1, false, SQUARES_MATRIX});
	double	   *normals = dice_array(&m.seed, (size_t) dim);
	double	   *draw = guarded((size_t) dim);
	double	   *mean = mean_new(&m);
	exact	   *expected = exact_new((size_t) dim);

	check_solves(dim, m.a->Z, mean, m.a->b);

	for (int i = 0; i < dim; i++)
	{
		exact		square = 0;
		exact		shift = 0;

		for (int j = 0; j <= i; j++)
		{
			exact		root = m.f->M[linalg_packed_index(dim, i, j)];

			square += root * root;
			shift += root * normals[j];
		}
		assert_near(square, m.a->Z2[i * dim + i], RELATIVE * square);
		expected[i] = m.a->b[i] + m.t.exploration * shift;
	}
	posterior_draws(m.f, shift_new(&m), m.t.exploration, 1, normals, draw);
	check_solves(dim, m.a->Z, draw, expected);
}

TEST_PROGRAM("posterior",
	test_of(test_posterior_equals_algorithm1),
	test_of(test_posterior_at_the_limits_of_parameters),
	test_of(test_posterior_of_the_largest_order))
