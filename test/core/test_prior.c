/*
 * test_prior.c
 *		The posterior with a prior against its definition in long double,
 *		priors of features of all sizes, and invalid priors.  24_prior.sql
 *		compares priors with their equations.
 */
#include "observed.h"

#include "core/linalg.h"
#include "core/memories.h"

static const int dims[] = {1, 2, 5, 24};
static const Squares kinds[] = {SQUARES_NONE, SQUARES_SUM, SQUARES_MATRIX};

/* ---------- a prior in guarded memory ---------- */

static Prior
prior_new(const Evidence *log, bool intercept, double reference, double weight)
{
	const Rewards rewards = {intercept, reference, {*log->N, *log->R, *log->S, *log->S}};
	double	   *N = guarded(1);
	double	   *p = guarded((size_t) log->dim);
	double	   *P = guarded(linalg_packed_len(log->dim));

	prior_from(log, &rewards, N, p, P);
	return (Prior) {0.1, 0.7, weight, N, p, P, 1};
}

/* feature vectors end with a 1 if there is an intercept */
static Observed
observations(int dim, int count, bool intercept, uint64_t seed)
{
	Observed	o = observed_new(dim, count, 2, seed);

	for (int j = 0; intercept && j < count; j++)
		o.features[j * dim + dim - 1] = 1;
	return o;
}

/* ---------- the posterior ---------- */

/* Mean, and covariance by columns, of a posterior */
typedef struct Readout
{
	double	   *mean;
	double	   *cov;
} Readout;

static Readout
read_out(const Evidence *e, const Rewards *rewards, const Prior *prior)
{
	size_t		dim = (size_t) e->dim;
	Readout		out = {guarded(dim), guarded(dim * dim)};
	Factor	   *f = factor_new(e);
	double	   *b = guarded(dim);
	double	   *root = guarded(dim * dim);

	assert_true(posterior_factor(e, prior, f));
	(void) memory_center(e, rewards, b);
	prior_add(prior, e->dim, b);
	posterior_mean(f, b, out.mean);
	posterior_root(f, root);
	linalg_gram(e->dim, root, out.cov);
	return out;
}

static exact *
plus_prior(int dim, const exact *matrix, const Prior *prior, const exact *P)
{
	exact	   *sum = exact_new(SQUARE(dim));

	for (int i = 0; i < dim * dim; i++)
		sum[i] = matrix[i] + prior->weight * P[i];
	for (int i = 0; i < dim; i++)
		sum[i * dim + i] += i == dim - 1 ? prior->last_ridge : prior->ridge;
	return sum;
}

/* Z = G + w P + Lambda, Z~ = H + w P + Lambda, Z psi = b_c + w p */
static void
check_posterior(int dim, Squares squares, bool intercept, double weight)
{
	const Observed o = observations(dim, 70, intercept, 52);
	const Evidence *e = learned(&o, 0, 30, squares, 1);
	const Evidence *log = learned(&o, 30, 70, SQUARES_NONE, -1);
	const ExactMemory *m = summed(&o, 0, 30, 1, 1);
	const Rewards rewards = {intercept, 1, {*e->N, *e->R, *e->S, *e->S}};
	const Prior prior = prior_new(log, intercept, -1, weight);
	const exact *P = exact_from_packed(dim, prior.P);
	exact	   *Z2 = plus_prior(dim, exact_memory_squares(m, squares), &prior, P);
	exact	   *lower = exact_new(SQUARE(dim));
	exact	   *mean = exact_new((size_t) dim);
	exact	   *column = exact_new((size_t) dim);
	exact	   *inverse;
	Readout		out = read_out(e, &rewards, &prior);
	exact		level = intercept ? m->reference + m->R / m->N : 0;

	exact_cholesky(dim, plus_prior(dim, m->G, &prior, P), lower);
	inverse = exact_inverse(dim, lower);
	for (int i = 0; i < dim; i++)
		mean[i] = m->b[i] - level * m->G[i * dim + dim - 1] + weight * (exact) prior.p[i];
	exact_solve(dim, lower, mean);
	for (int j = 0; j < dim; j++)
	{
		assert_near(out.mean[j], mean[j], RELATIVE * (1 + fabsl(mean[j])));
		exact_multiply(dim, Z2, inverse + j * dim, column);
		exact_solve(dim, lower, column);
		for (int i = 0; i < dim; i++)
			assert_near(out.cov[j * dim + i], column[i], RELATIVE * sqrtl(out.cov[i * dim + i]) *
						sqrtl(out.cov[j * dim + j]));
	}
}

static void
test_posterior_with_a_prior_equals_its_definition(void **state)
{
	static const double weights[] = {0, 0.01, 1, 1e6};

	for (int d = 0; d < LENGTH(dims); d++)
		for (int k = 0; k < LENGTH(kinds); k++)
			for (int w = 0; w < LENGTH(weights); w++)
			{
				check_posterior(dims[d], kinds[k], false, weights[w]);
				check_posterior(dims[d], kinds[k], true, weights[w]);
			}
}

/* ---------- numbers of all sizes ---------- */

/*
 * Features that do not vary in a log contribute nothing to a prior, however
 * large they are: the remaining rounding errors must not make it unusable.
 */
static void
check_constant_features(double size, double spread, double weight, int count, double each)
{
	const int	dim = 6;
	Observed	o = observations(dim, count, true, 54);
	const Rewards rewards = {.intercept = true};
	Evidence   *nothing = evidence_new(dim, SQUARES_NONE);
	Evidence   *log;
	Prior		prior;
	Readout		out;

	for (int j = 0; j < o.count; j++)
	{
		o.weights[j] = each;
		for (int k = 0; k < dim - 1; k++)
			o.features[j * dim + k] = size * (cos(k + 1) + spread * o.features[j * dim + k]);
	}
	log = learned(&o, 0, o.count, SQUARES_NONE, 0);
	prior = prior_new(log, true, 0, weight);
	assert_true(prior_is_valid(&prior, dim));
	out = read_out(nothing, &rewards, &prior);
	for (int k = 0; k < dim; k++)
	{
		assert_true(isfinite(out.mean[k]));
		assert_true(isfinite(out.cov[k * dim + k]) && out.cov[k * dim + k] > 0);
	}
}

static void
test_constant_features_leave_the_prior_usable(void **state)
{
	static const double sizes[] = {1e-6, 1, 1e3, 1e6, 1e9, 1e12};
	static const double spreads[] = {0, 1e-12, 1e-8, 1e-4};
	static const double weights[] = {1e-3, 1, 1e10};

	for (int s = 0; s < LENGTH(sizes); s++)
		for (int p = 0; p < LENGTH(spreads); p++)
			for (int w = 0; w < LENGTH(weights); w++)
			{
				check_constant_features(sizes[s], spreads[p], weights[w], 1, 3);
				check_constant_features(sizes[s], spreads[p], weights[w], 128, 1);
				check_constant_features(sizes[s], spreads[p], weights[w], 1000, 1);
				check_constant_features(sizes[s], spreads[p], weights[w], 5000, 0.01);
			}
}

/* ---------- validity ---------- */

static void
test_invalid_priors_are_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	static const double bad_sigmas[] = {NAN, INFINITY, -1, -0.0};
	const int	dim = 3;
	const size_t packed = linalg_packed_len(dim);
	double	   *values = guarded(1 + (size_t) dim + packed);
	Prior		prior = {1, 1, 1, values, values + 1, values + 1 + dim, 0};

	for (size_t i = 0; i < 1 + (size_t) dim + packed; i++)
		values[i] = 0;
	assert_true(prior_is_valid(&prior, dim));
	for (int b = 0; b < LENGTH(bad_sigmas); b++)
	{
		prior.sigma = bad_sigmas[b];
		assert_false(prior_is_valid(&prior, dim));
	}
	prior.sigma = 1;
	for (size_t i = 0; i < 1 + (size_t) dim + packed; i++)
	{
		bool		is_signed = i > 0 &&
			i != 1 + (size_t) dim + linalg_packed_index(dim, 0, 0) &&
			i != 1 + (size_t) dim + linalg_packed_index(dim, 1, 1) &&
			i != 1 + (size_t) dim + linalg_packed_index(dim, 2, 2);

		for (int b = 0; b < LENGTH(bad); b++)
		{
			values[i] = bad[b];
			assert_false(prior_is_valid(&prior, dim));
		}
		values[i] = -1;
		assert_int_equal(prior_is_valid(&prior, dim), is_signed);
		values[i] = 1;
		assert_true(prior_is_valid(&prior, dim));
		values[i] = 0;
	}
}

TEST_PROGRAM("prior",
	test_of(test_posterior_with_a_prior_equals_its_definition),
	test_of(test_constant_features_leave_the_prior_usable),
	test_of(test_invalid_priors_are_refused))
