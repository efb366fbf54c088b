/*
 * test_posterior.c
 *		What follows from evidence: mean, draws, width, covariance, against
 *		Algorithm 1 in long double, up to the limits of all parameters; and
 *		evidence that is hard to factor or never came from observations.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"
#include "core/widen.h"

static const int dims[] = {1, 2, 5, 24, 61};

/* ---------- a trained model and its oracle ---------- */

typedef struct Training
{
	int			dim;
	int			observations;
	double		discount;
	double		ridge;
	double		exploration;
	double		context_size;
	double		reward_size;
	bool		in_turn;		/* each context has one coordinate only */
} Training;

typedef struct Model
{
	Training	t;
	uint64_t	seed;
	Evidence   *e;
	Factor	   *f;
	Algorithm1 *a;
	double	   *root;			/* by posterior_root, in check_posterior */
} Model;

/* Contexts whose coordinates differ in size and depend on their neighbours. */
static double *
contexts_new(const Training *t, uint64_t *seed)
{
	double	   *contexts = dice_array(seed, (size_t) (t->observations * t->dim));
	int			j;
	int			k;

	for (j = 0; j < t->observations; j++)
		for (k = t->dim - 1; k >= 0; k--)
		{
			double	   *number = &contexts[j * t->dim + k];

			if (t->in_turn)
				*number = (j % t->dim == k) ? t->context_size : 0;
			else
				*number = t->context_size *
					(0.3 * (1 + k % 3) * *number + (k > 0 ? 0.1 * number[-1] : 0));
		}
	return contexts;
}

static Model
model_new(Training t)
{
	Model		m = {t, 1000 + (uint64_t) t.dim, NULL, NULL, NULL, NULL};
	double	   *contexts = contexts_new(&t, &m.seed);
	double	   *rewards = dice_array(&m.seed, (size_t) t.observations);
	int			j;

	m.e = evidence_new(t.dim, t.discount);
	m.a = algorithm1_new(t.dim, t.discount, t.ridge);
	for (j = 0; j < t.observations; j++)
	{
		rewards[j] *= t.reward_size;
		algorithm1_update(m.a, contexts + j * t.dim, rewards[j]);
	}
	evidence_learn(m.e, t.discount, t.observations, EVIDENCE_BLOCK, contexts, rewards);

	m.f = factor_new(m.e);
	assert_true(posterior_factor(m.e, t.ridge, m.f));
	return m;
}

static double *
mean_new(const Model *m)
{
	double	   *mean = guarded((size_t) m->t.dim);

	posterior_mean(m->f, m->e->b, mean);
	return mean;
}

static void
check_mean(const Model *m)
{
	double	   *mean = mean_new(m);
	exact	   *expected = algorithm1_mean(m->a);

	check_vector(m->t.dim, mean, expected);
}

/*
 * With a root R of the covariance, psi-hat + xi R w has the law that Algorithm 1
 * asks for.  That R is one, check_covariance shows; that w is normal,
 * test_random.
 */
static void
check_draws(const Model *m, int count)
{
	int			dim = m->t.dim;
	uint64_t	seed = m->seed;
	double	   *normals = dice_array(&seed, (size_t) dim * (size_t) count);
	double	   *draws = guarded((size_t) dim * (size_t) count);
	double	   *work = guarded(posterior_draw_work(dim));
	double	   *mean = mean_new(m);
	int			c;
	int			i;
	int			k;

	posterior_draws(m->f, m->e->b, m->t.exploration, count, normals, draws, work);
	for (c = 0; c < count; c++)
	{
		exact	   *expected = exact_new((size_t) dim);

		for (i = 0; i < dim; i++)
		{
			for (k = 0; k < dim; k++)
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

/* and the square roots of its diagonal */
static void
check_covariance(const Model *m)
{
	int			dim = m->t.dim;
	double	   *cov = guarded(SQUARE(dim));
	double	   *stddevs = guarded((size_t) dim);
	exact	   *expected = algorithm1_covariance(m->a);
	int			i;
	int			j;

	posterior_covariance(dim, m->root, cov);
	posterior_coordinate_stddevs(dim, m->root, stddevs);
	for (i = 0; i < dim; i++)
	{
		exact		stddev = sqrtl(expected[i * dim + i]);

		assert_near(stddevs[i], stddev, RELATIVE * stddev);
		for (j = 0; j < dim; j++)
		{
			assert_near(cov[i * dim + j], expected[i * dim + j],
						RELATIVE * stddev * sqrtl(expected[j * dim + j]));
			assert_true(cov[i * dim + j] == cov[j * dim + i]);
		}
	}
}

/* sqrt(z' C z) for a dense z and for nothing at all */
static void
check_stddev(const Model *m)
{
	int			dim = m->t.dim;
	uint64_t	seed = m->seed;
	double	   *z = dice_array(&seed, (size_t) dim);
	double	   *work = guarded((size_t) dim);
	exact	   *cov = algorithm1_covariance(m->a);
	exact		variance = 0;
	int			i;
	int			j;

	for (i = 0; i < dim; i++)
		for (j = 0; j < dim; j++)
			variance += z[i] * cov[i * dim + j] * z[j];
	assert_near(posterior_stddev(dim, m->root, z, work), sqrtl(variance),
				RELATIVE * sqrtl(variance));
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
 * Nothing seen, fewer observations than dimensions, so that the ridge has to
 * carry the rest, and more than one block.
 */
static void
test_posterior_equals_algorithm1(void **state)
{
	static const int observations[] = {0, 1, 3, 150};
	static const double discounts[] = {1.0, 0.95, 0.5};
	int			d;
	int			g;
	int			o;

	for (d = 0; d < LENGTH(dims); d++)
		for (g = 0; g < LENGTH(discounts); g++)
			for (o = 0; o < LENGTH(observations); o++)
				check_posterior((Training) {dims[d], observations[o],
					discounts[g], 0.5, 0.3, 3, 1, false});
}

/*
 * At the limits of what SQL lets through.  The smallest discount forgets all
 * but one observation at once: contexts then have one coordinate each, in turn,
 * for the ridge would drown in the roundings of any other coordinates.
 */
static void
test_limits(void **state)
{
	static const double ridges[] = {1e-100, 1, 1e100};
	static const double discounts[] = {1e-100, 0.95, 1};
	static const double explorations[] = {0, 1e100};
	static const double sizes[] = {1e-50, 1, WIDEN_MAX};
	int			r;
	int			g;
	int			x;
	int			s;

	for (r = 0; r < LENGTH(ridges); r++)
		for (g = 0; g < LENGTH(discounts); g++)
			for (x = 0; x < LENGTH(explorations); x++)
				for (s = 0; s < LENGTH(sizes); s++)
				{
					Training	t = {1, 40, discounts[g], ridges[r],
					explorations[x], sizes[s], WIDEN_MAX, false};

					check_posterior(t);
					t.dim = 5;
					t.in_turn = discounts[g] < 0.5;
					check_posterior(t);
				}
}

/* ---------- the largest model ---------- */

/* Z x = expected, relative to its length */
static void
check_solves(int dim, const exact *Z, const double *x, const exact *expected)
{
	exact	   *wide = exact_new((size_t) dim);
	exact	   *actual = exact_new((size_t) dim);
	exact		square = 0;
	int			i;

	for (i = 0; i < dim; i++)
	{
		wide[i] = x[i];
		square += expected[i] * expected[i];
	}
	exact_multiply(dim, Z, wide, actual);
	for (i = 0; i < dim; i++)
		assert_near(actual[i], expected[i], RELATIVE * sqrtl(square));
}

/*
 * d = 1024 and an intercept: Z psi-hat = b and Z psi-tilde = b + xi M w, where
 * M M' has the diagonal of Z~.
 */
static void
test_largest_order(void **state)
{
	const int	dim = 1025;
	Model		m = model_new((Training) {dim, 12, 0.9, 0.5, 0.3, 1, 1, false});
	double	   *normals = dice_array(&m.seed, (size_t) dim);
	double	   *draw = guarded((size_t) dim);
	double	   *work = guarded(posterior_draw_work(dim));
	double	   *mean = mean_new(&m);
	exact	   *expected = exact_new((size_t) dim);
	int			i;
	int			j;

	check_solves(dim, m.a->Z, mean, m.a->b);

	for (i = 0; i < dim; i++)
	{
		exact		square = 0;
		exact		shift = 0;

		for (j = 0; j <= i; j++)
		{
			exact		root = m.f->M[linalg_packed_index(dim, i, j)];

			square += root * root;
			shift += root * normals[j];
		}
		assert_near(square, m.a->Z2[i * dim + i], RELATIVE * square);
		expected[i] = m.a->b[i] + m.t.exploration * shift;
	}
	posterior_draw(m.f, m.e->b, m.t.exploration, normals, draw, work);
	check_solves(dim, m.a->Z, draw, expected);
}

/* ---------- evidence that is hard to factor ---------- */

/* must factor; the posterior of it is finite */
static void
check_usable(const Evidence *e, double ridge)
{
	int			dim = e->dim;
	Factor	   *f = factor_new(e);
	double	   *mean = guarded((size_t) dim);
	double	   *root = guarded(SQUARE(dim));
	double	   *cov = guarded(SQUARE(dim));
	int			i;

	assert_true(evidence_is_valid(e));
	assert_true(posterior_factor(e, ridge, f));
	posterior_mean(f, e->b, mean);
	posterior_root(f, root);
	posterior_covariance(dim, root, cov);
	for (i = 0; i < dim; i++)
	{
		assert_true(isfinite(mean[i]));
		assert_true(isfinite(cov[i * dim + i]));
		assert_true(cov[i * dim + i] > 0);
	}
}

/*
 * Nearly parallel contexts of norm about 1e6, a hundred thousand of them,
 * reward 1 for each: 1 is what such a context then promises.
 */
static void
check_nearly_parallel(int dim, double discount, double spread)
{
	const int	rounds = 100000 / EVIDENCE_BLOCK + 1;
	const size_t len = (size_t) dim * EVIDENCE_BLOCK;
	uint64_t	seed = 5;
	double	   *common = dice_array(&seed, (size_t) dim);
	double	   *contexts = guarded(len);
	double		rewards[EVIDENCE_BLOCK];
	Evidence   *e = evidence_new(dim, discount);
	Factor	   *f = factor_new(e);
	double	   *mean = guarded((size_t) dim);
	size_t		i;
	int			k;

	for (k = 0; k < EVIDENCE_BLOCK; k++)
		rewards[k] = 1;
	for (k = 0; k < rounds; k++)
	{
		for (i = 0; i < len; i++)
			contexts[i] = 1e6 / sqrt(dim) *
				(common[i % (size_t) dim] + spread * dice(&seed));
		evidence_learn(e, discount, EVIDENCE_BLOCK, EVIDENCE_BLOCK, contexts, rewards);
	}
	check_usable(e, 1);

	assert_true(posterior_factor(e, 1, f));
	posterior_mean(f, e->b, mean);
	assert_near(exact_dot(dim, mean, contexts), 1, 1e-3);
}

static void
test_nearly_parallel_contexts(void **state)
{
	check_nearly_parallel(24, 1.0, 1e-9);
	check_nearly_parallel(24, 0.99, 1e-9);
	check_nearly_parallel(5, 1.0, 1e-6);
	check_nearly_parallel(5, 0.99, 0);
}

/* the same context again and again, G about 1e19 against a ridge of 1 */
static void
check_rank_one(int dim, double discount, double size)
{
	uint64_t	seed = (uint64_t) dim;
	double	   *context = dice_array(&seed, (size_t) dim);
	const double reward = 1;
	Evidence   *e = evidence_new(dim, discount);
	int			k;

	for (k = 0; k < dim; k++)
		context[k] *= size;
	for (k = 0; k < 20; k++)
	{
		evidence_learn(e, discount, 1, 1, context, &reward);
		check_usable(e, 1);
	}
}

static void
test_rank_one_evidence(void **state)
{
	static const double sizes[] = {1e-300, 1e-100, 1, 1e6, 3e9, 1e12};
	int			d;
	int			s;

	for (d = 0; d < LENGTH(dims); d++)
		for (s = 0; s < LENGTH(sizes); s++)
		{
			check_rank_one(dims[d], 1.0, sizes[s]);
			check_rank_one(dims[d], 0.9, sizes[s]);
		}
}

/*
 * Every addition to G rounds, and for a context that comes again and again it
 * rounds the same way each time: after as many steps as count (1/(1 - gamma)
 * of them, or all) the error is that many times larger than one rounding.
 * Such evidence has to remain usable, and to promise the reward it has seen.
 */
static void
check_repeated_context(int dim, double discount)
{
	uint64_t	seed = 4;
	double	   *context = dice_array(&seed, (size_t) dim);
	double	   *mean = guarded((size_t) dim);
	const double reward = 1;
	Evidence   *e = evidence_new(dim, discount);
	Factor	   *f = factor_new(e);
	int			k;

	for (k = 0; k < dim; k++)
		context[k] *= 1e6;
	for (k = 1; k <= 20000; k++)
	{
		evidence_learn(e, discount, 1, 1, context, &reward);
		if (k % 1000 == 0)
		{
			assert_true(posterior_factor(e, 1, f));
			posterior_mean(f, e->b, mean);
			assert_near(exact_dot(dim, mean, context), 1, 1e-6);
		}
	}
	check_usable(e, 1);
}

static void
test_repeated_context(void **state)
{
	check_repeated_context(2, 1.0);
	check_repeated_context(2, 0.9999);
	check_repeated_context(5, 1.0);
	check_repeated_context(5, 0.9999);
	check_repeated_context(24, 1.0);
}

/*
 * Without observations across it, a context's width is 1 / sqrt(ridge).  As the
 * roundings of the sums grow up to the ridge, they eat into it, and by chance
 * leave nearly nothing; a pivot below half the ridge is not accepted.  Across
 * the context the smallest eigenvalue then is at least ridge / 2 times
 * context[0]^2 / |context|^2.
 */
static void
test_drowned_ridge_is_noticed(void **state)
{
	const double context[2] = {1.1, 1.3};
	const double across[2] = {1.3, -1.1};
	const double reward = 1;
	const double most = hypot(1.1, 1.3) * hypot(1.1, 1.3) / 1.1 * sqrt(2.0);
	Evidence   *e = evidence_new(2, 1.0);
	Factor	   *f = factor_new(e);
	double		root[4];
	double		work[2];
	double		ridge;
	int			k;

	for (k = 1; k <= 40000; k++)
	{
		evidence_learn(e, 1, 1, 1, context, &reward);
		if (k % 500 != 0)
			continue;
		for (ridge = 1e-16 * k; ridge < 1; ridge *= 1.3)
		{
			assert_true(posterior_factor(e, ridge, f));
			posterior_root(f, root);
			assert_true(posterior_stddev(2, root, across, work) *
						sqrt(ridge) <= most);
		}
	}
}

/*
 * Weights are squared in H, which drowns a ridge long before G does.  The mean
 * follows from G alone, and is the same for those who look at nothing else; the
 * width of what was never seen is that of the ridge.
 */
static void
test_heavy_weights_are_about_what_was_seen(void **state)
{
	static const double contexts[2][3] = {{1, 1, 0}, {1, 0, 0}};
	static const double unseen[3] = {0, 0, 1};
	static const double rewards[2] = {1, 5};
	double		weight;

	for (weight = 1; weight <= 1e10; weight *= 10)
	{
		const double weights[2] = {weight, 1};
		Evidence   *e = evidence_new(3, 0.9);
		Factor	   *f = factor_new(e);
		Factor		alone = {3, guarded(6), NULL};
		double	   *work = guarded(evidence_absorb_work(3, 2));
		double		root[9];
		double		mean[3];
		double		mean_alone[3];

		evidence_absorb(e, 1, 2, contexts[0], rewards, 0, weights, work);
		assert_true(posterior_factor(e, 1, f));
		assert_true(posterior_factor(e, 1, &alone));
		posterior_mean(f, e->b, mean);
		posterior_mean(&alone, e->b, mean_alone);
		/* (G + I) mean = b, solved by hand */
		assert_near(mean[0], (6 * weight + 5) / (3 * weight + 2), 1e-4);
		assert_near(mean[1], -3 * weight / (3 * weight + 2), 1e-4);
		assert_memory_equal(mean, mean_alone, sizeof(mean));
		posterior_root(f, root);
		assert_near(posterior_stddev(3, root, unseen, work), 1, 1e-12);
	}
}

/* ---------- evidence that never came from observations ---------- */

/* an off-diagonal element that no diagonal of about 1 allows, anywhere */
static void
check_indefinite(Evidence *e, double *packed, Factor *f)
{
	int			i;
	int			j;

	for (i = 0; i < e->dim; i++)
		for (j = 0; j <= i; j++)
		{
			double	   *value = &packed[linalg_packed_index(e->dim, i, j)];
			double		kept = *value;

			*value = (i == j) ? -100 : 100;
			assert_false(posterior_factor(e, 1, f));
			*value = kept;
			assert_true(posterior_factor(e, 1, f));
		}
}

static void
test_indefinite_evidence_is_refused(void **state)
{
	int			d;

	for (d = 1; d <= 8; d++)
	{
		Model		m = model_new((Training) {d, 10, 0.5, 0.5, 0, 1, 1, false});
		Evidence   *empty = evidence_new(d, 0.5);

		check_indefinite(m.e, m.e->G, m.f);
		check_indefinite(m.e, m.e->H, m.f);
		check_indefinite(empty, empty->G, m.f);
		check_indefinite(empty, empty->H, m.f);
		*m.e->N = DBL_MAX;	/* for which roundings are no excuse */
		check_indefinite(m.e, m.e->G, m.f);
	}
}

/* a Cholesky routine may call a NaN a success; the factor must not */
static void
test_nan_is_refused(void **state)
{
	Model		m = model_new((Training) {7, 10, 0.9, 0.5, 0, 1, 1, false});
	size_t		packed = linalg_packed_len(7);
	size_t		i;

	for (i = 0; i < packed; i++)
	{
		double		kept = m.e->G[i];

		m.e->G[i] = NAN;
		assert_false(posterior_factor(m.e, 1, m.f));
		m.e->G[i] = kept;

		kept = m.e->H[i];
		m.e->H[i] = NAN;
		assert_false(posterior_factor(m.e, 1, m.f));
		m.e->H[i] = kept;
	}
	assert_true(posterior_factor(m.e, 1, m.f));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_posterior_equals_algorithm1),
		test_of(test_limits),
		test_of(test_largest_order),
		test_of(test_nearly_parallel_contexts),
		test_of(test_rank_one_evidence),
		test_of(test_repeated_context),
		test_of(test_drowned_ridge_is_noticed),
		test_of(test_heavy_weights_are_about_what_was_seen),
		test_of(test_indefinite_evidence_is_refused),
		test_of(test_nan_is_refused)
	};

	return cmocka_run_group_tests_name("posterior", tests, NULL, NULL);
}
