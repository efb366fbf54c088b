/*
 * test_ridge.c
 *		The estimated ridge against a search over the marginal likelihood in
 *		long double, which factors anew for each candidate; against the ridge
 *		from which data were drawn; and for data without information.
 */
#include "observed.h"

#include "core/linalg.h"
#include "core/memories.h"

/* the rule: this number of steps by 4; upwards from N = 7 k on, downwards from N = D on */
#define MIN_OBSERVATIONS_PER_PARAMETER		7
#define MAX_UP		20
#define MAX_DOWN	2

/* ---------- data ---------- */

typedef struct Problem
{
	int			dim;
	int			count;
	bool		intercept;
	bool		forgets;
	double		ridge;			/* standard deviation of the coefficients */
	double		start;
	double		noise;			/* given noise; 0: unknown */
	double		size;			/* number of features */
	double		weight;			/* number of observations; 0: all of several */
} Problem;

typedef struct Data
{
	Problem		p;
	Observed	o;
	Evidence   *e;
	ExactMemory *m;
	Rewards		rewards;
	double		parameters;
} Data;

/* feature of variance 1 */
static double
even(uint64_t *seed)
{
	return dice(seed) * sqrt(3);
}

/* rewards about 0.7 with noise 1 */
static Observed
observe(const Problem *p, uint64_t seed)
{
	Observed	o = observed_new(p->dim, p->count, 0, seed);
	double	   *psi = guarded((size_t) p->dim);

	for (int k = 0; k < p->dim; k++)
		psi[k] = even(&seed) / sqrt(p->ridge);
	for (int j = 0; j < o.count; j++)
	{
		double	   *z = o.features + j * p->dim;

		for (int k = 0; k < p->dim; k++)
			z[k] = p->intercept && k == p->dim - 1 ? 1 : p->size * even(&seed);
		o.rewards[j] = 0.7 + even(&seed) + (double) exact_dot(p->dim, psi, z) / p->size;
		if (p->weight > 0)
			o.weights[j] = p->weight;
	}
	return o;
}

/* Factor of G + Lambda; "last" is the ridge of the intercept, if there is one */
static exact *
factor_at(const Data *d, exact ridge, exact last)
{
	int			dim = d->p.dim;
	exact	   *Z = exact_new(SQUARE(dim));
	exact	   *lower = exact_new(SQUARE(dim));

	memcpy(Z, d->m->G, sizeof(exact) * SQUARE(dim));
	for (int i = 0; i < dim; i++)
		Z[i * dim + i] += d->p.intercept && i == dim - 1 ? last : ridge;
	exact_cholesky(dim, Z, lower);
	return lower;
}

/* k = tr((G + start I)^-1 H) */
static exact
parameters_of(const Data *d)
{
	int			dim = d->p.dim;
	exact	   *inverse = exact_inverse(dim, factor_at(d, d->p.start, d->p.start));

	return exact_product(dim * dim, inverse, d->p.forgets ? d->m->H : d->m->G);
}

static Data
data_new(Problem p, uint64_t seed)
{
	Data		d = {.p = p, .o = observe(&p, seed)};
	double		reference = p.intercept ? d.o.rewards[0] : 0;

	d.e = learned(&d.o, 0, p.count, p.forgets ? SQUARES_MATRIX : SQUARES_NONE, reference);
	d.m = summed(&d.o, 0, p.count, 1, reference);
	d.rewards = (Rewards) {p.intercept, reference, {*d.e->N, *d.e->R, *d.e->S, *d.e->S}};
	d.parameters = (double) parameters_of(&d);
	return d;
}

static double
found(const Data *d)
{
	Evidence   *kept = evidence_copy(d->e);
	double		ridge = ridge_find(d->e, d->parameters, d->p.start, &d->rewards, d->p.noise,
								   guarded(ridge_find_work(d->p.dim)));

	assert_same_bits(value_count(kept), kept->N, d->e->N);
	return ridge;
}

/* ---------- the rule by definition ---------- */

static exact
centred_squares(const Data *d)
{
	const ExactMemory *m = d->m;

	return d->p.intercept ? m->S - m->R * m->R / m->N : m->squares;
}

static exact
evidence_for(const Data *d, exact ridge)
{
	int			dim = d->p.dim;
	const ExactMemory *m = d->m;
	exact	   *lower = factor_at(d, ridge, d->p.start);
	exact	   *b = exact_new((size_t) dim);
	exact		level = d->p.intercept ? m->reference + m->R / m->N : 0;
	exact		log_dets = (d->p.intercept ? dim - 1 : dim) * logl(ridge);
	exact		RSS;
	exact		fit;

	for (int i = 0; i < dim; i++)
	{
		b[i] = m->b[i] - level * m->G[(dim - 1) * dim + i];
		log_dets -= 2 * logl(lower[i * dim + i]);
	}
	exact_solve_lower(dim, lower, b);
	RSS = fmaxl(centred_squares(d) - exact_product(dim, b, b), 1e-14L * m->S);
	fit = d->p.noise > 0 ? RSS / ((exact) d->p.noise * d->p.noise) :
		(d->p.intercept ? m->N - 1 : m->N) * logl(RSS);
	return 0.5L * (log_dets - fit - fabsl(logl(ridge / d->p.start)));
}

/* Number of steps by 4 that each raise the likelihood; "margin" is the smallest relative change. */
static int
climbed(const Data *d, exact factor, int most, exact *margin)
{
	exact		best = evidence_for(d, d->p.start);
	int			steps;

	for (steps = 0; steps < most; steps++)
	{
		exact		next = evidence_for(d, d->p.start * powl(factor, steps + 1));

		*margin = fminl(*margin, fabsl(next - best) / (1 + fabsl(best)));
		if (next <= best)
			break;
		best = next;
	}
	return steps;
}

/* steps upwards; negative: downwards */
static int
expected_steps(const Data *d, exact *margin)
{
	exact		N = d->m->N;
	bool		up = N >= MIN_OBSERVATIONS_PER_PARAMETER * d->parameters;
	bool		down = N >= d->p.dim;
	int			steps = 0;

	*margin = fminl(fabsl(N - MIN_OBSERVATIONS_PER_PARAMETER * d->parameters),
					d->p.weight > 0 ? 1 : fabsl(N - d->p.dim));
	if ((!up && !down) || N <= 1 || centred_squares(d) <= 1e-9L * d->m->S)
		return 0;
	if (up)
		steps = climbed(d, 4, MAX_UP, margin);
	if (steps == 0 && down)
		steps = -climbed(d, 0.25L, MAX_DOWN, margin);
	return steps;
}

typedef struct Tally
{
	int			up;
	int			down;
	int			near;			/* cases too close to decide */
} Tally;

static void
check_rule(Problem p, uint64_t seed, Tally *tally)
{
	Data		d = data_new(p, seed);
	exact		margin;
	int			steps = expected_steps(&d, &margin);

	tally->up += steps > 0;
	tally->down += steps < 0;
	if (margin < 1e-9L)
		tally->near++;
	else
		assert_near(found(&d) / (p.start * pow(4, steps)), 1, 1e-12);
	free_all(NULL);
}

static void
test_ridge_maximizes_the_likelihood(void **state)
{
	static const int dims[] = {1, 2, 3, 8, 25, 60};
	static const double observations[] = {0.3, 1.2, 8, 15, 25};	/* scale of each coordinate */
	static const double ridges[] = {1e-3, 0.1, 10, 1e3, 1e5};
	static const double noises[] = {0, 0, 0.5, 3};
	static const double sizes[] = {1, 0.03, 20};
	Tally		tally = {0};

	for (int k = 0; k < 2500; k++)
	{
		/* a few large coefficients and many small ones, for which steps are close decisions */
		bool		large = k < 400;
		int			dim = dims[k % (large ? LENGTH(dims) : 4)];
		int			count = 1 + (int) (dim * observations[k / 6 % LENGTH(observations)]);
		Problem		p = {dim, large ? count : 2 + k % 17,
			k / 2 % 2 == 1 && dim > 1, k / 4 % 2 == 1, ridges[k / 7 % LENGTH(ridges)],
			k % 5 == 4 ? 1 : RIDGE_START, noises[k / 3 % LENGTH(noises)],
		sizes[k / 13 % LENGTH(sizes)], k / 17 % 2};

		check_rule(p, (uint64_t) k, &tally);
	}
	assert_true(tally.up >= 100 && tally.down >= 100 && tally.near <= 5);
}

/* With fewer observations it does not rise. */
static void
test_ridge_rises_from_seven_observations_per_parameter(void **state)
{
	Problem		p = {4, 100, true, false, 1e4, RIDGE_START, 0, 1, 1};
	Data		d = data_new(p, 1);

	d.parameters = 100 / (MIN_OBSERVATIONS_PER_PARAMETER + 1e-6);
	assert_true(found(&d) > p.start);
	d.parameters = 100 / (MIN_OBSERVATIONS_PER_PARAMETER - 1e-6);
	assert_true(found(&d) == p.start);
}

/*
 * Coefficients are drawn with the variance that a ridge stands for, with noise
 * of 1.  The estimate is near this ridge.
 */
static void
check_drawn(double ridge, bool intercept)
{
	double		sum = 0;

	for (int k = 0; k < 12; k++)
	{
		Problem		p = {31, 1500, intercept, false, ridge, RIDGE_START, k % 2, 1, 1};
		Data		d = data_new(p, 1000 + (uint64_t) k);
		double		off = log(found(&d) / ridge);

		sum += off;
		assert_true(fabs(off) < log(8));
		free_all(NULL);
	}
	assert_true(fabs(sum / 12) < log(2));
}

static void
test_ridge_is_that_of_the_drawn_coefficients(void **state)
{
	check_drawn(0.03, false);
	check_drawn(0.3, true);
	check_drawn(3, false);
	check_drawn(100, true);
	check_drawn(1000, false);
}

/* ---------- explained and constant rewards ---------- */

/* Equal features, with other rewards: a level, and a multiple of the first feature */
static Data
with_rewards(Data d, double level, double slope)
{
	for (int j = 0; j < d.p.count; j++)
		d.o.rewards[j] = level + slope * d.o.features[j * d.p.dim];
	d.e = learned(&d.o, 0, d.p.count, SQUARES_NONE, 0);
	d.m = summed(&d.o, 0, d.p.count, 1, 0);
	d.rewards = (Rewards) {d.p.intercept, 0, {*d.e->N, *d.e->R, *d.e->S, *d.e->S}};
	return d;
}

/*
 * Rewards that features explain up to rounding: a larger ridge leaves larger
 * residuals.  The ridge rises until residuals exceed the rounding error.
 */
static void
test_ridge_rises_until_residuals_exceed_rounding(void **state)
{
	int			clear = 0;

	for (int k = 0; k < 20; k++)
	{
		Problem		p = {4, 100, false, false, 1, RIDGE_START, 0, 1e6 * pow(1.5, k), 1};
		Data		d = with_rewards(data_new(p, (uint64_t) k), 0, 1);
		exact		margin;
		int			steps = expected_steps(&d, &margin);

		/* rounding errors are a hundredth of the smallest residual that counts */
		if (margin > 3e-3L)
		{
			assert_near(found(&d) / (p.start * pow(4, steps)), 1, 1e-12);
			clear++;
		}
		free_all(NULL);
	}
	assert_true(clear >= 12);
}

/* Variation of a billionth of the squares is enough for an estimate. */
static void
test_rewards_without_variation_keep_the_ridge(void **state)
{
	Problem		p = {4, 100, true, false, 1, RIDGE_START, 0, 1, 1};
	Data		d = data_new(p, 1);
	Data		unit = with_rewards(d, 0, 1);
	double		share = (double) (centred_squares(&unit) / p.count);

	unit = with_rewards(d, 1, sqrt(1.1e-9 / share));
	assert_true(found(&unit) != p.start);
	unit = with_rewards(d, 1, sqrt(0.9e-9 / share));
	assert_true(found(&unit) == p.start);
}

/* ---------- data without information ---------- */

static void
check_bounds(const Data *d, double reward, double slope)
{
	const Problem *p = &d->p;
	const double start = p->start;
	double		ridge;

	for (int j = 0; j < p->count; j++)
		d->o.rewards[j] = reward + slope * d->o.features[j * p->dim];
	memset(d->e->N, 0, sizeof(double) * value_count(d->e));
	absorb(d->e, 1, p->count, d->o.features, d->o.rewards, d->rewards.reference, d->o.weights);
	ridge = found(d);
	assert_true(ridge >= start / 16 && ridge <= start * ldexp(1, 2 * MAX_UP));
	/* constant rewards, or features of zeros */
	if (slope == 0 && (p->intercept || reward == 0))
		assert_true(ridge == start);
}

static void
test_degenerate_data_have_a_finite_ridge(void **state)
{
	static const int counts[] = {1, 2, 5, 100};
	static const double sizes[] = {0, 1e-100, 1e-50, 1e-8, 1, 1e8, 1e50, 1e100};
	static const double slopes[] = {0, 1, 1e-10};

	for (int k = 0; k < 96; k++)
		for (int s = 0; s < LENGTH(sizes); s++)
		{
			Problem		p = {1 + k % 12, counts[k / 2 % 4], k % 3 == 1 && k % 12 > 0, k % 2 == 1,
			1, k % 7 == 0 ? 1e-100 : k % 7 == 1 ? 1e100 : RIDGE_START, k % 5 == 0, 1, 1};
			Data		d = data_new(p, (uint64_t) k);
			double		largest = sizes[s];
			int			j;

			for (j = 0; j < p.count * p.dim; j++)
				if (!p.intercept || j % p.dim < p.dim - 1)
					d.o.features[j] *= largest;
			d.rewards.totals.S = d.rewards.totals.peak = 1e300;
			for (j = 0; j < LENGTH(slopes); j++)
			{
				check_bounds(&d, 0, slopes[j]);
				check_bounds(&d, 0.3, slopes[j]);
			}
			free_all(NULL);
		}
}

TEST_PROGRAM("ridge",
	test_of(test_ridge_maximizes_the_likelihood),
	test_of(test_ridge_rises_from_seven_observations_per_parameter),
	test_of(test_ridge_is_that_of_the_drawn_coefficients),
	test_of(test_ridge_rises_until_residuals_exceed_rounding),
	test_of(test_rewards_without_variation_keep_the_ridge),
	test_of(test_degenerate_data_have_a_finite_ridge))
