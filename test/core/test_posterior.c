/*
 * test_posterior.c
 *		What follows from evidence: factors, mean, draws, width, covariance,
 *		against Algorithm 1 in long double; and evidence that is hard to
 *		factor or never came from observations.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"
#include "core/random.h"

#define RIDGE		0.5
#define EXPLORATION	0.3

static const int dims[] = {1, 2, 5, 24, 61};
static const double discounts[] = {1.0, 0.95, 0.5};

/* ---------- a trained model and its oracle ---------- */

typedef struct Model
{
	int			dim;
	uint64_t	seed;
	Evidence   *e;
	Factor	   *f;
	Algorithm1 *a;
	double	   *root;			/* by posterior_root */
} Model;

/* Contexts whose coordinates differ in size and depend on their neighbours. */
static double *
contexts_new(int dim, int count, uint64_t *seed)
{
	double	   *contexts = dice_array(seed, (size_t) count * (size_t) dim);
	int			j;
	int			k;

	for (j = 0; j < count; j++)
		for (k = 1; k < dim; k++)
			contexts[j * dim + k] = (1 + k % 3) * contexts[j * dim + k] +
				0.7 * contexts[j * dim + k - 1];
	return contexts;
}

static Model
model_new(int dim, double discount, int observations)
{
	Model		m = {dim, 1000 + (uint64_t) dim, NULL, NULL, NULL, NULL};
	double	   *contexts = contexts_new(dim, observations, &m.seed);
	double	   *rewards = dice_array(&m.seed, (size_t) observations);
	int			j;

	m.e = evidence_new(dim, discount);
	m.a = algorithm1_new(dim, discount, RIDGE);
	evidence_learn(m.e, observations, EVIDENCE_BLOCK, contexts, rewards);
	for (j = 0; j < observations; j++)
		algorithm1_update(m.a, contexts + j * dim, rewards[j]);

	m.f = factor_new(m.e);
	assert_true(posterior_factor(m.e, RIDGE, m.f));
	m.root = guarded(SQUARE(dim));
	posterior_root(m.f, m.root);

	guarded_free(contexts);
	guarded_free(rewards);
	return m;
}

static void
model_free(Model m)
{
	evidence_free(m.e);
	factor_free(m.f);
	algorithm1_free(m.a);
	guarded_free(m.root);
}

static double *
model_draw(const Model *m, const double *normals)
{
	double	   *draw = guarded((size_t) m->dim);
	double	   *work = guarded(posterior_draw_work(m->dim));

	posterior_draw(m->e, m->f, EXPLORATION, normals, draw, work);
	guarded_free(work);
	return draw;
}

typedef void (*Check) (const Model *m);

static void
for_each_model(int observations, Check check)
{
	int			d;
	int			g;

	for (d = 0; d < LENGTH(dims); d++)
		for (g = 0; g < LENGTH(discounts); g++)
		{
			Model		m = model_new(dims[d], discounts[g], observations);

			check(&m);
			model_free(m);
		}
}

/* ---------- the posterior of a trained model ---------- */

/* L L' = G + ridge I and M M' = H + ridge I */
static void
check_factor(int dim, const double *factor, const exact *expected)
{
	exact	   *lower = exact_new(SQUARE(dim));
	int			i;
	int			j;

	exact_cholesky(dim, expected, lower);
	for (i = 0; i < dim; i++)
		for (j = 0; j <= i; j++)
			assert_near(factor[linalg_packed_index(dim, i, j)],
						lower[i * dim + j],
						RELATIVE * sqrtl(expected[i * dim + i]));
	free(lower);
}

static void
check_factors(const Model *m)
{
	check_factor(m->dim, m->f->L, m->a->Z);
	if (m->f->M)
		check_factor(m->dim, m->f->M, m->a->Z2);
	else
		assert_true(m->e->discount == 1);
}

static void
check_mean(const Model *m)
{
	double	   *mean = guarded((size_t) m->dim);
	exact	   *expected = algorithm1_mean(m->a);

	posterior_mean(m->e, m->f, mean);
	check_vector(m->dim, mean, expected);
	guarded_free(mean);
	free(expected);
}

static void
check_draw(const Model *m)
{
	uint64_t	seed = m->seed;
	double	   *normals = dice_array(&seed, (size_t) m->dim);
	double	   *kept = guarded_copy((size_t) m->dim, normals);
	double	   *draw = model_draw(m, normals);
	exact	   *expected = algorithm1_draw(m->a, EXPLORATION, normals);

	check_vector(m->dim, draw, expected);
	assert_same_bits((size_t) m->dim, normals, kept);
	guarded_free(normals);
	guarded_free(kept);
	guarded_free(draw);
	free(expected);
}

/* no normals, no perturbation: the mean; the same for the same normals */
static void
check_draw_without_normals(const Model *m)
{
	uint64_t	seed = m->seed;
	double	   *zeros = dice_array(&seed, (size_t) m->dim);
	exact	   *expected = algorithm1_mean(m->a);
	double	   *draw;
	double	   *again;

	draw = model_draw(m, zeros);
	again = model_draw(m, zeros);
	assert_same_bits((size_t) m->dim, draw, again);
	guarded_free(draw);
	guarded_free(again);

	memset(zeros, 0, sizeof(double) * (size_t) m->dim);
	draw = model_draw(m, zeros);
	check_vector(m->dim, draw, expected);
	guarded_free(draw);
	guarded_free(zeros);
	free(expected);
}

static void
check_covariance(const Model *m)
{
	int			dim = m->dim;
	double	   *cov = guarded(SQUARE(dim));
	exact	   *expected = algorithm1_covariance(m->a);
	int			i;
	int			j;

	posterior_covariance(dim, m->root, cov);
	for (i = 0; i < dim; i++)
		for (j = 0; j < dim; j++)
		{
			assert_near(cov[i * dim + j], expected[i * dim + j],
						RELATIVE * sqrtl(expected[i * dim + i] *
										 expected[j * dim + j]));
			assert_true(cov[i * dim + j] == cov[j * dim + i]);
		}
	guarded_free(cov);
	free(expected);
}

/* sqrt(z' C z) for a dense z, each unit vector and nothing at all */
static void
check_stddev(const Model *m)
{
	int			dim = m->dim;
	uint64_t	seed = m->seed;
	double	   *z = dice_array(&seed, (size_t) dim);
	exact	   *wide = exact_new((size_t) dim);
	exact	   *cz = exact_new((size_t) dim);
	exact	   *cov = algorithm1_covariance(m->a);
	exact		variance = 0;
	double	   *work;
	int			i;

	for (i = 0; i < dim; i++)
		wide[i] = z[i];
	exact_multiply(dim, cov, wide, cz);
	for (i = 0; i < dim; i++)
		variance += wide[i] * cz[i];

	work = guarded((size_t) dim);
	assert_near(posterior_stddev(dim, dim, m->root, z, work), sqrtl(variance),
				RELATIVE * sqrtl(variance));
	memset(z, 0, sizeof(double) * (size_t) dim);
	assert_true(posterior_stddev(dim, dim, m->root, z, work) == 0);
	for (i = 0; i < dim; i++)
	{
		exact		expected = sqrtl(cov[i * dim + i]);

		z[i] = 1;
		assert_near(posterior_stddev(dim, dim, m->root, z, work), expected,
					RELATIVE * expected);
		z[i] = 0;
	}
	guarded_free(z);
	guarded_free(work);
	free(wide);
	free(cz);
	free(cov);
}

static void
check_posterior(const Model *m)
{
	check_factors(m);
	check_mean(m);
	check_draw(m);
	check_draw_without_normals(m);
	check_covariance(m);
	check_stddev(m);
}

static void
test_trained_model(void **state)
{
	(void) state;
	for_each_model(150, check_posterior);
}

/* fewer observations than dimensions: the ridge has to carry the rest */
static void
test_barely_trained_model(void **state)
{
	(void) state;
	for_each_model(1, check_posterior);
	for_each_model(3, check_posterior);
}

/* ---------- the law of draws ---------- */

#define DRAWS	20000

typedef struct Sample
{
	exact	   *mean;
	exact	   *cov;			/* about psi-hat, which is known */
} Sample;

static Sample
sample_new(const Model *m, const exact *center)
{
	int			dim = m->dim;
	Sample		s = {exact_new((size_t) dim), exact_new(SQUARE(dim))};
	double	   *normals = guarded((size_t) dim);
	uint32_t	row;
	int			i;
	int			j;

	for (row = 0; row < DRAWS; row++)
	{
		double	   *draw;

		random_normals(4711, RANDOM_DRAW, row, (size_t) dim, normals);
		draw = model_draw(m, normals);
		for (i = 0; i < dim; i++)
		{
			s.mean[i] += draw[i] / (exact) DRAWS;
			for (j = 0; j < dim; j++)
				s.cov[i * dim + j] += (draw[i] - center[i]) *
					(draw[j] - center[j]) / DRAWS;
		}
		guarded_free(draw);
	}
	guarded_free(normals);
	return s;
}

/*
 * Of DRAWS draws with law N(psi-hat, C), C = xi^2 Z^-1 Z~ Z^-1:
 *
 * - DRAWS times the squared Mahalanobis distance of their mean from psi-hat
 *	 is chi-square with dim degrees of freedom; the bound is its quantile for
 *	 one in a million.
 * - S_ij about the known center has standard error
 *	 sqrt((C_ii C_jj + C_ij^2) / DRAWS); the bound is 5.5 of them, which the
 *	 largest of the 21 or fewer entries passes less than once in a million.
 */
static void
check_law(int dim, double discount, double chi_square_bound)
{
	Model		m = model_new(dim, discount, 40);
	exact	   *center = algorithm1_mean(m.a);
	exact	   *cov = algorithm1_covariance(m.a);
	exact	   *lower = exact_new(SQUARE(dim));
	Sample		s = sample_new(&m, center);
	exact		distance = 0;
	int			i;
	int			j;

	for (i = 0; i < dim * dim; i++)
		cov[i] *= (exact) EXPLORATION * EXPLORATION;
	for (i = 0; i < dim; i++)
		for (j = 0; j <= i; j++)
		{
			exact		c = cov[i * dim + j];
			exact		square = cov[i * dim + i] * cov[j * dim + j] + c * c;

			assert_near(s.cov[i * dim + j], c, 5.5 * sqrtl(square / DRAWS));
		}

	exact_cholesky(dim, cov, lower);
	for (i = 0; i < dim; i++)
		s.mean[i] -= center[i];
	exact_solve_lower(dim, lower, s.mean);
	for (i = 0; i < dim; i++)
		distance += DRAWS * s.mean[i] * s.mean[i];
	assert_near(distance, 0, chi_square_bound);

	free(center);
	free(cov);
	free(lower);
	free(s.mean);
	free(s.cov);
	model_free(m);
}

static void
test_law_of_draws(void **state)
{
	(void) state;
	check_law(5, 0.95, 35.888);
	check_law(6, 0.95, 38.258);
	check_law(5, 1.0, 35.888);
	check_law(6, 1.0, 38.258);
	check_law(5, 0.5, 35.888);
}

/* ---------- the ridge ---------- */

/* before any observation: mean 0, covariance I / ridge, draws xi w / root */
static void
check_fresh(const Model *m)
{
	int			dim = m->dim;
	uint64_t	seed = 1;
	double	   *normals = dice_array(&seed, (size_t) dim);
	double	   *mean = guarded((size_t) dim);
	double	   *cov = guarded(SQUARE(dim));
	double	   *draw = model_draw(m, normals);
	int			i;
	int			j;

	posterior_mean(m->e, m->f, mean);
	posterior_covariance(dim, m->root, cov);
	for (i = 0; i < dim; i++)
	{
		assert_near(mean[i], 0, 0);
		assert_near(draw[i], EXPLORATION * normals[i] / sqrt(RIDGE), 1e-14);
		for (j = 0; j < dim; j++)
			assert_near(cov[i * dim + j], i == j ? 1 / RIDGE : 0, 1e-14);
	}
	guarded_free(normals);
	guarded_free(mean);
	guarded_free(cov);
	guarded_free(draw);
}

static void
test_fresh_model(void **state)
{
	(void) state;
	for_each_model(0, check_fresh);
}

/* the ridge is given when factoring: any value, at any time, no memory of it */
static void
test_ridge_belongs_to_the_factor(void **state)
{
	static const double ridges[] = {1e-6, 0.25, 3, 1e6};
	Model		m = model_new(5, 0.95, 40);
	double	   *cov = guarded(25);
	int			k;
	int			i;

	(void) state;
	for (k = 0; k < LENGTH(ridges); k++)
	{
		exact		change = (exact) ridges[k] - RIDGE;
		exact	   *expected;

		for (i = 0; i < 5; i++)
		{
			m.a->Z[i * 5 + i] += change;
			m.a->Z2[i * 5 + i] += change;
		}
		expected = algorithm1_covariance(m.a);
		assert_true(posterior_factor(m.e, ridges[k], m.f));
		posterior_root(m.f, m.root);
		posterior_covariance(5, m.root, cov);
		for (i = 0; i < 5; i++)
			assert_near(cov[i * 6], expected[i * 6],
						1e-9 * expected[i * 6]);
		for (i = 0; i < 5; i++)
		{
			m.a->Z[i * 5 + i] -= change;
			m.a->Z2[i * 5 + i] -= change;
		}
		free(expected);
	}
	guarded_free(cov);
	model_free(m);
}

/*
 * Coordinate 0 alone is ever seen.  However long that goes on, the others'
 * variance stays 1 / ridge; and when contexts are zero for long enough, so
 * becomes that of coordinate 0.
 */
static void
test_ridge_never_erodes(void **state)
{
	double		contexts[3 * EVIDENCE_BLOCK] = {0};
	double		rewards[EVIDENCE_BLOCK];
	Evidence   *e = evidence_new(3, 0.9);
	Factor	   *f = factor_new(e);
	double	   *root = guarded(9);
	double	   *cov = guarded(9);
	int			k;

	(void) state;
	for (k = 0; k < EVIDENCE_BLOCK; k++)
		contexts[3 * k] = rewards[k] = 1;
	for (k = 0; k < 500; k++)
		evidence_learn(e, EVIDENCE_BLOCK, 1 + k % EVIDENCE_BLOCK,
					   contexts, rewards);
	assert_true(posterior_factor(e, 0.25, f));
	posterior_root(f, root);
	posterior_covariance(3, root, cov);
	assert_near(cov[4], 4, 1e-14);
	assert_near(cov[8], 4, 1e-14);
	/* Z = 10 + 1/4 and Z~ = 1 / 0.19 + 1/4 there */
	assert_near(cov[0], (1 / 0.19 + 0.25) / (10.25 * 10.25), 1e-13);

	memset(contexts, 0, sizeof(contexts));
	for (k = 0; k < 500; k++)
		evidence_learn(e, EVIDENCE_BLOCK, EVIDENCE_BLOCK, contexts, rewards);
	assert_true(posterior_factor(e, 0.25, f));
	posterior_root(f, root);
	posterior_covariance(3, root, cov);
	for (k = 0; k < 3; k++)
		assert_near(cov[4 * k], 4, 1e-14);

	guarded_free(root);
	guarded_free(cov);
	evidence_free(e);
	factor_free(f);
}

/* tens of thousands of observations on, still the same as the oracle */
static void
test_long_run(void **state)
{
	Model		m = model_new(5, 0.99, 30000);

	(void) state;
	check_posterior(&m);
	model_free(m);
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
	posterior_mean(e, f, mean);
	posterior_root(f, root);
	posterior_covariance(dim, root, cov);
	for (i = 0; i < dim; i++)
	{
		assert_true(isfinite(mean[i]));
		assert_true(isfinite(cov[i * dim + i]));
		assert_true(cov[i * dim + i] > 0);
	}
	factor_free(f);
	guarded_free(mean);
	guarded_free(root);
	guarded_free(cov);
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
		evidence_learn(e, EVIDENCE_BLOCK, EVIDENCE_BLOCK, contexts, rewards);
	}
	check_usable(e, 1);

	assert_true(posterior_factor(e, 1, f));
	posterior_mean(e, f, mean);
	assert_near(exact_dot(dim, mean, contexts), 1, 1e-3);

	guarded_free(common);
	guarded_free(contexts);
	guarded_free(mean);
	evidence_free(e);
	factor_free(f);
}

static void
test_nearly_parallel_contexts(void **state)
{
	(void) state;
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
		evidence_learn(e, 1, 1, context, &reward);
		check_usable(e, 1);
	}
	evidence_free(e);
	guarded_free(context);
}

static void
test_rank_one_evidence(void **state)
{
	static const double sizes[] = {1e-300, 1e-100, 1, 1e6, 3e9, 1e12};
	int			d;
	int			s;

	(void) state;
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
	for (k = 1; k <= 60000; k++)
	{
		evidence_learn(e, 1, 1, context, &reward);
		if (k % 1000 == 0)
		{
			assert_true(posterior_factor(e, 1, f));
			posterior_mean(e, f, mean);
			assert_near(exact_dot(dim, mean, context), 1, 1e-6);
		}
	}
	check_usable(e, 1);

	guarded_free(context);
	guarded_free(mean);
	evidence_free(e);
	factor_free(f);
}

static void
test_repeated_context(void **state)
{
	(void) state;
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

	(void) state;
	for (k = 1; k <= 40000; k++)
	{
		evidence_learn(e, 1, 1, context, &reward);
		if (k % 500 != 0)
			continue;
		for (ridge = 1e-16 * k; ridge < 1; ridge *= 1.3)
		{
			assert_true(posterior_factor(e, ridge, f));
			posterior_root(f, root);
			assert_true(posterior_stddev(2, 2, root, across, work) *
						sqrt(ridge) <= most);
		}
	}
	evidence_free(e);
	factor_free(f);
}

static void
test_one_coordinate_only(void **state)
{
	static const double sizes[] = {1e-3, 1, 1e9, 1e15};
	int			s;
	int			coordinate;

	(void) state;
	for (s = 0; s < LENGTH(sizes); s++)
		for (coordinate = 0; coordinate < 5; coordinate++)
		{
			double		context[5] = {0};
			const double reward = 1;
			Evidence   *e = evidence_new(5, 0.99);

			context[coordinate] = sizes[s];
			evidence_learn(e, 1, 1, context, &reward);
			check_usable(e, 1);
			evidence_free(e);
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

	(void) state;
	for (d = 1; d <= 8; d++)
	{
		Model		m = model_new(d, 0.5, 10);
		Evidence   *empty = evidence_new(d, 0.5);

		check_indefinite(m.e, m.e->G, m.f);
		check_indefinite(m.e, m.e->H, m.f);
		check_indefinite(empty, empty->G, m.f);
		check_indefinite(empty, empty->H, m.f);
		evidence_free(empty);
		model_free(m);
	}
}

/* a Cholesky routine may call a NaN a success; the factor must not */
static void
test_nan_is_refused(void **state)
{
	Model		m = model_new(7, 0.9, 10);
	size_t		packed = linalg_packed_len(7);
	size_t		i;

	(void) state;
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
	model_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trained_model),
		cmocka_unit_test(test_barely_trained_model),
		cmocka_unit_test(test_law_of_draws),
		cmocka_unit_test(test_fresh_model),
		cmocka_unit_test(test_ridge_belongs_to_the_factor),
		cmocka_unit_test(test_ridge_never_erodes),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_nearly_parallel_contexts),
		cmocka_unit_test(test_rank_one_evidence),
		cmocka_unit_test(test_repeated_context),
		cmocka_unit_test(test_drowned_ridge_is_noticed),
		cmocka_unit_test(test_one_coordinate_only),
		cmocka_unit_test(test_indefinite_evidence_is_refused),
		cmocka_unit_test(test_nan_is_refused)
	};

	return cmocka_run_group_tests_name("posterior", tests, NULL, NULL);
}
