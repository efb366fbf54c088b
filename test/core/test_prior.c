/*
 * test_prior.c
 *		Priors: evidence of a log without its mean, and the posterior with a
 *		prior, against their definitions in long double.
 */
#include "observed.h"

#include "core/linalg.h"
#include "core/memories.h"

#define CLOSE		1e-12

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

/* ---------- the definition ---------- */

typedef struct ExactPrior
{
	exact	   *P;
	exact	   *p;
} ExactPrior;

/* P = G - s s' / N and p = b - (R / N) s; the intercept's elements are 0 */
static ExactPrior
exact_prior(const ExactMemory *m, bool intercept)
{
	int			dim = m->dim;
	ExactPrior	prior = {exact_new(SQUARE(dim)), exact_new((size_t) dim)};
	const exact *s = m->G + (dim - 1) * dim;
	exact		mean = m->reference + m->R / m->N;

	for (int i = 0; i < dim; i++)
	{
		bool		out = intercept && i == dim - 1;

		prior.p[i] = out ? 0 : m->b[i] - (intercept ? mean * s[i] : 0);
		for (int j = 0; j < dim; j++)
			prior.P[i * dim + j] = out || (intercept && j == dim - 1) ? 0 :
				m->G[i * dim + j] - (intercept ? s[i] * s[j] / m->N : 0);
	}
	return prior;
}

static void
check_prior_from(int dim, bool intercept, double reference)
{
	const Observed o = observations(dim, 40, intercept, 51);
	const Evidence *log = learned(&o, 0, 40, SQUARES_NONE, reference);
	ExactMemory *m = summed(&o, 0, 40, 1, reference);
	ExactPrior	expected = exact_prior(m, intercept);
	Prior		prior = prior_new(log, intercept, reference, 1);

	assert_true(*prior.N == *log->N);
	assert_true(prior_is_valid(&prior, dim));
	for (int i = 0; i < dim; i++)
	{
		exact		size = m->G[i * dim + i];
		double		diagonal = prior.P[linalg_packed_index(dim, i, i)];

		assert_near(prior.p[i], expected.p[i], CLOSE * sqrtl(size * m->squares));
		for (int j = 0; j < i; j++)
			assert_near(prior.P[linalg_packed_index(dim, i, j)], expected.P[i * dim + j],
						CLOSE * sqrtl(size * m->G[j * dim + j]));
		/* rounding errors may reduce the diagonal */
		assert_true(diagonal >= expected.P[i * dim + i] - CLOSE * size);
		assert_true(diagonal <= expected.P[i * dim + i] + 1.1e-9L * size);
	}
	if (intercept)
		assert_true(prior.p[dim - 1] == 0);
	for (int j = 0; intercept && j < dim; j++)
		assert_true(prior.P[linalg_packed_index(dim, dim - 1, j)] == 0);
}

static void
test_prior_is_the_evidence_without_its_mean(void **state)
{
	for (int d = 0; d < LENGTH(dims); d++)
	{
		check_prior_from(dims[d], false, 0);
		check_prior_from(dims[d], true, 0);
		check_prior_from(dims[d], true, 3);
		check_prior_from(dims[d], true, -20);
	}
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

/* ---------- two combined histories ---------- */

/* Each feature vector is followed by its opposite, so that the sum of each coordinate is 0. */
static void
balance(Observed *o, double level)
{
	int			dim = o->dim;

	for (int j = 0; j < o->count; j += 2)
	{
		for (int k = 0; k < dim - 1; k++)
			o->features[(j + 1) * dim + k] = -o->features[j * dim + k];
		o->weights[j + 1] = o->weights[j];
		o->rewards[j + 1] = 2 * level - o->rewards[j];
	}
}

/*
 * Without a level, evidence counts equally as a prior and as observations.
 * With an intercept, its own estimate comes from observations only.
 */
static void
check_put_together(int dim, bool intercept, double weight)
{
	Observed	o = observations(dim, 60, intercept, 53);
	const double level = intercept ? 2.5 : 0;
	Evidence   *e;
	Evidence   *log;
	Evidence   *both;
	Rewards		rewards = {.intercept = intercept};
	Readout		known;
	Readout		together;
	Prior		prior;
	Prior		ridge;
	int			coordinates = intercept ? dim - 1 : dim;

	if (intercept)
		balance(&o, level);
	e = learned(&o, 0, 20, SQUARES_NONE, 0);
	log = learned(&o, 20, 60, SQUARES_NONE, 0);
	prior = prior_new(log, intercept, 0, weight);
	ridge = (Prior) {prior.ridge, prior.last_ridge, 0, NULL, NULL, NULL, 0};
	rewards.totals = (Totals) {*e->N, *e->R, *e->S, *e->S};
	known = read_out(e, &rewards, &prior);

	both = evidence_copy(log);
	evidence_scale(both, weight);
	evidence_add(both, e);
	rewards.totals = (Totals) {*both->N, *both->R, *both->S, *both->S};
	together = read_out(both, &rewards, &ridge);
	for (int i = 0; i < coordinates; i++)
	{
		assert_near(known.mean[i], together.mean[i], 1e-6);
		for (int j = 0; j < coordinates; j++)
			assert_near(known.cov[i * dim + j], together.cov[i * dim + j],
						1e-6 * sqrt(known.cov[i * dim + i] * known.cov[j * dim + j]));
	}
	if (intercept)
	{
		assert_near(known.mean[dim - 1], 0, 1e-9);
		assert_near(known.cov[dim * dim - 1], 1 / (*e->N + ridge.last_ridge), 1e-9);
	}
}

static void
test_prior_and_evidence_equal_evidence_of_both(void **state)
{
	static const double weights[] = {0.1, 1, 20};

	for (int d = 0; d < LENGTH(dims); d++)
		for (int w = 0; w < LENGTH(weights); w++)
		{
			check_put_together(dims[d], false, weights[w]);
			check_put_together(dims[d], true, weights[w]);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_prior_is_the_evidence_without_its_mean),
		test_of(test_posterior_with_a_prior_equals_its_definition),
		test_of(test_prior_and_evidence_equal_evidence_of_both),
		test_of(test_constant_features_leave_the_prior_usable),
		test_of(test_invalid_priors_are_refused)
	};

	return cmocka_run_group_tests_name("prior", tests, NULL, NULL);
}
