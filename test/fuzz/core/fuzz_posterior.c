/*
 * fuzz_posterior.c
 *		Evidence of arbitrary numbers: train, add, retract, weight, rebase,
 *		compute statistics, choose a memory and a ridge.
 *
 * The functions get what their callers let through (sizes, numbers and
 * parameters within their limits) and must then keep their word whatever the
 * numbers are: evidence that was learned is never refused and has a posterior,
 * and nothing in that overflows.
 */
#include "input.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"
#include "core/memories.h"
#include "core/numbers.h"
#include "core/posterior.h"
#include "core/ridge.h"

#define MAX_DIM	24
#define MAX_STEPS	6

/* numbers for which no sum or quotient below overflows */
#define MODERATE	1e60

/* the largest number of reduced features; see numbers.h */
#define MAX_REDUCED	3.2e121

/* Evidence; is it from observations only, and may S have rounding errors of a larger sum? */
typedef struct History
{
	Evidence	evidence;
	Totals		totals;
	double	   *values;
	bool		learned;
	bool		rebased;
} History;

static double
take_reduced(Input *in)
{
	return take_within(in, -MAX_REDUCED, MAX_REDUCED);
}

static double
take_reward(Input *in)
{
	return take_within(in, -WIDEN_MAX, WIDEN_MAX);
}

static double
take_normal(Input *in)
{
	return take_within(in, -8.6, 8.6);
}

/* Range of weights that SQL accepts */
static double
take_weight(Input *in)
{
	return take_within(in, 1e-300, 1e10);
}

static double
take_decay(Input *in)
{
	return take_within(in, 0, 1);
}

static size_t
value_count(const Evidence *e)
{
	return evidence_value_count(e->dim, evidence_squares(e));
}

static History
new_history(int dim, Squares squares)
{
	History		h;
	size_t		count = evidence_value_count(dim, squares);

	h.values = walled(count);
	memset(h.values, 0, count * sizeof(double));
	evidence_bind(&h.evidence, dim, squares, h.values);
	h.totals = (Totals) {.N = 0.0};
	h.learned = true;
	h.rebased = false;
	return h;
}

static History
copy_history(const History *other)
{
	History		h = new_history(other->evidence.dim, evidence_squares(&other->evidence));

	h.totals = other->totals;
	h.learned = other->learned;
	h.rebased = other->rebased;
	memcpy(h.values, other->values, value_count(&h.evidence) * sizeof(double));
	return h;
}

/* Arbitrary numbers, as in a value from input, normalized like input */
static History
arbitrary_history(Input *in, int dim, Squares squares)
{
	History		h;
	double	   *totals;

	h.values = walled_numbers(in, evidence_value_count(dim, squares), take_number);
	evidence_bind(&h.evidence, dim, squares, h.values);
	evidence_flush(&h.evidence);
	totals = walled_numbers(in, 4, take_number);
	h.totals = (Totals) {totals[0], totals[1], totals[2], totals[3]};
	h.learned = false;
	h.rebased = false;
	return h;
}

static bool
diagonal_is_negative(const Evidence *e, const double *packed)
{
	for (int i = 0; i < e->dim; i++)
		if (packed[linalg_packed_index(e->dim, i, i)] < 0.0)
			return true;
	return false;
}

static bool
anything_is_negative(const Evidence *e)
{
	return *e->N < 0.0 || *e->S < 0.0 || (e->N2 && *e->N2 < 0.0) ||
		diagonal_is_negative(e, e->G) || (e->H && diagonal_is_negative(e, e->H));
}

/* Do the validators accept the evidence? */
static bool
is_valid(const History *h)
{
	const Evidence *e = &h->evidence;
	const Totals *t = &h->totals;
	const double sums[] = {t->N, t->R, t->S, t->peak};
	bool		valid = evidence_is_valid(e);
	bool		totals_valid = totals_are_valid(t);

	check(valid == (all_are_finite(value_count(e), e->N) && !anything_is_negative(e)));
	check(totals_valid == (all_are_finite(4, sums) && !(t->N < 0.0) && !(t->S < 0.0) &&
						   !(t->peak < 0.0)));
	return valid && totals_valid;
}

static void
check_settled(const Evidence *e)
{
	size_t		count = value_count(e);

	for (size_t i = 0; i < count; i++)
		check(!(fabs(e->N[i]) < DBL_MIN) || (e->N[i] == 0.0 && !signbit(e->N[i])));
}

static void
check_same(const History *a, const History *b)
{
	check(same_bits(value_count(&a->evidence), a->values, b->values));
}

/* Are two numbers equal within rounding errors, relative to the largest number? */
static void
check_near(const History *a, const History *b, double size)
{
	size_t		count = value_count(&a->evidence);
	double		bound = 1e-10 * size;

	check(fabs(*a->evidence.N - *b->evidence.N) <= 1e-10 * *a->evidence.N);
	for (size_t i = 0; i < count; i++)
		check(fabs(a->values[i] - b->values[i]) <= bound);
}

/* The result of the last step may be refused only if it does not come from observations. */
static bool
survives(History *h)
{
	bool		valid = is_valid(h);

	check(!anything_is_negative(&h->evidence));
	check_settled(&h->evidence);
	check(valid || !h->learned);
	return valid;
}

/* A block of observations equals the same observations one by one. */
static void
learn(Input *in, History *h)
{
	int			dim = h->evidence.dim;
	int			count = take_size(in, EVIDENCE_BLOCK);
	double		decay = take_decay(in);
	double		reference = take_reward(in);
	double	   *weights = walled_numbers(in, (size_t) count, take_weight);
	double	   *rewards = walled_numbers(in, (size_t) count, take_reward);
	double	   *features = walled_numbers(in, (size_t) count * (size_t) dim, take_reduced);
	double		weight = fmax(1.0, largest((size_t) count, weights));
	double		size = largest((size_t) count * (size_t) dim, features) +
		largest((size_t) count, rewards) + fabs(reference) + 1e-100;
	History		single = copy_history(h);

	size = 1e-3 * (double) count * size * size * weight * weight +
		largest(value_count(&h->evidence), h->values);
	for (int j = 0; j < count; j++)
		evidence_absorb(&single.evidence, j == 0 ? decay : 1.0, 1,
						features + (size_t) j * (size_t) dim, &rewards[j],
						reference, &weights[j]);
	evidence_absorb(&h->evidence, decay, count, features, rewards, reference, weights);
	totals_absorb(&h->totals, count, rewards, reference, weights);
	check(!h->learned || h->rebased || h->totals.peak >= h->totals.S);
	if (size < MODERATE)
		check_near(h, &single, size);
}

/* Adding nothing, a weight of 1 and the same reference change nothing. */
static void
check_neutral(const History *h)
{
	const Evidence *e = &h->evidence;
	History		nothing = new_history(e->dim, evidence_squares(e));
	History		after = copy_history(h);

	evidence_add(&after.evidence, &nothing.evidence);
	check_same(&after, h);
	evidence_scale(&after.evidence, 1.0);
	evidence_rebase(&after.evidence, 0.0);
	check_same(&after, h);
	evidence_add(&nothing.evidence, e);
	check_same(&nothing, h);
}

static void
add(History *h, const History *other)
{
	evidence_add(&h->evidence, &other->evidence);
	totals_add(&h->totals, &other->totals);
}

/* Added evidence can be subtracted, unless it is lost in rounding errors. */
static void
check_taken_back(const History *h, const History *other, double ridge)
{
	History		sum = copy_history(h);
	double	   *work = walled(linalg_packed_len(h->evidence.dim));
	bool		possible;

	add(&sum, other);
	if (!is_valid(&sum))
		return;
	possible = totals_subtract(&sum.totals, &other->totals) &&
		evidence_subtract(&sum.evidence, &other->evidence, &sum.totals, ridge, work);
	if (!possible)
	{
		check(!h->learned || !other->learned || h->rebased);
		return;
	}
	check(!anything_is_negative(&sum.evidence));
	check_settled(&sum.evidence);
	check(*sum.evidence.S <= sum.totals.S);
}

/* Element (i, j) of the product of a lower triangle with its transpose */
static double
product_element(int dim, const double *lower, int i, int j)
{
	double		sum = 0.0;

	for (int k = 0; k <= j; k++)
		sum += lower[linalg_packed_index(dim, i, k)] *
			lower[linalg_packed_index(dim, j, k)];
	return sum;
}

/* Z, computed from its factor, is the evidence plus the prior, or has a raised ridge. */
static void
check_product(int dim, const double *evidence, double times, const Prior *prior,
			  const double *factor)
{
	double		most = 0.0;
	double		slack;
	int			i;

	for (i = 0; i < dim; i++)
		most = fmax(most, product_element(dim, factor, i, i));
	if (most > 1e300 || most < 1e-200)
		return;					/* products overflow or underflow */
	slack = 1e-13 * most;
	for (i = 0; i < dim; i++)
		for (int j = 0; j <= i; j++)
		{
			size_t		at = linalg_packed_index(dim, i, j);
			double		known = prior->weight > 0.0 ? prior->weight * prior->P[at] : 0.0;
			double		z = times * evidence[at] + known;
			double		product = product_element(dim, factor, i, j);

			if (i == j)
				check(product >= z + prior->ridge - slack);
			else
				check(fabs(product - z) <= slack);
		}
}

static void
check_factor(const Evidence *e, const Prior *prior, const Factor *f)
{
	size_t		packed = linalg_packed_len(e->dim);

	check(all_are_finite(packed, f->L));
	check(f->M == NULL || all_are_finite(packed, f->M));
	for (int i = 0; i < e->dim; i++)
		check(f->L[linalg_packed_index(e->dim, i, i)] > 0.0);
	check_product(e->dim, e->G, 1.0, prior, f->L);
	if (f->M)
		check_product(e->dim, e->H ? e->H : e->G, evidence_square_share(e), prior, f->M);
}

/* Standard deviations are the lengths of rows of the root, and not negative. */
static void
check_widths(const Factor *f, const double *vector, bool moderate)
{
	size_t		dim = (size_t) f->dim;
	double	   *root = walled(dim * dim);
	double	   *covariance = walled(dim * dim);
	double	   *work = walled(dim);
	double		width;

	posterior_root(f, root);
	width = posterior_stddev(f->dim, root, vector, work);
	linalg_gram(f->dim, root, covariance);
	check(!(width < 0.0));
	for (size_t i = 0; i < dim; i++)
	{
		double		variance = covariance[i + i * dim];

		check(!(variance < 0.0));
	}
	if (moderate)
		check(isfinite(width) && all_are_finite(dim * dim, covariance));
}

/* A ridge, and sometimes a prior from some observations */
static Prior
some_prior(Input *in, int dim)
{
	Prior		prior = prior_of_ridge(take_within(in, 1e-100, 1e100));
	History		log = new_history(dim, SQUARES_NONE);
	const Rewards rewards = {.intercept = false};
	double	   *N = walled(1);
	double	   *p = walled((size_t) dim);
	double	   *P = walled(linalg_packed_len(dim));

	if (take_byte(in) % 2 == 0)
		return prior;
	learn(in, &log);
	prior_from(&log.evidence, &rewards, N, p, P);
	prior = (Prior) {prior.ridge, prior.ridge, take_weight(in), N, p, P, 1};
	check(prior_is_valid(&prior, dim));
	return prior;
}

/* Read all estimates of a model. */
static void
look(Input *in, const History *h)
{
	const Evidence *e = &h->evidence;
	size_t		dim = (size_t) e->dim;
	const Prior prior = some_prior(in, e->dim);
	double		exploration = take_within(in, 0, 1e100);
	double	   *normals = walled_numbers(in, dim, take_normal);
	double	   *mean = walled(dim);
	double	   *draw = walled(dim);
	bool		forgets = evidence_squares(e) != SQUARES_NONE;
	double	   *b = walled(dim);
	bool		moderate;
	Factor		f;

	factor_bind(&f, e->dim, forgets, walled(factor_value_count(e->dim, forgets)));
	if (!posterior_factor(e, &prior, &f))
	{
		check(!h->learned);
		return;
	}
	check_factor(e, &prior, &f);
	moderate = h->learned || largest(value_count(e), e->N) < MODERATE;

	memcpy(b, e->b, dim * sizeof(double));
	prior_add(&prior, e->dim, b);
	posterior_mean(&f, b, mean);
	posterior_shift(&f, b);
	posterior_draws(&f, b, exploration, 1, normals, draw);
	if (moderate)
		check(all_are_finite(dim, mean) && all_are_finite(dim, draw));
	check_widths(&f, normals, moderate);
}

static History
some_history(Input *in, int dim, Squares squares)
{
	History		h;

	if (take_byte(in) % 2 == 0)
		return arbitrary_history(in, dim, squares);
	h = new_history(dim, squares);
	learn(in, &h);
	return h;
}

static bool
have_posteriors(const Evidence *memories, int count, double ridge)
{
	const Prior prior = prior_of_ridge(ridge);
	Factor		f;

	factor_bind(&f, memories[0].dim, false, walled(factor_value_count(memories[0].dim, false)));
	for (int j = 0; j < count; j++)
		if (!posterior_factor(&memories[j], &prior, &f))
			return false;
	return true;
}

/* The choice is one of the memories, with a positive noise and a valid ridge. */
static void
choose(Input *in, const History *h)
{
	const Evidence *e = &h->evidence;
	int			count = 1 + take_byte(in) % 3;
	const Prior prior = some_prior(in, e->dim);
	double		ridge;
	bool		intercept = take_byte(in) % 2 == 1 && e->dim > 1;
	double		reference = take_reward(in);
	const Rewards rewards = {intercept, reference, h->totals};
	double	   *work = walled(memory_choose_work(e->dim, count));
	Evidence	memories[3];
	MemoryChoice choice;

	memories[0] = *e;
	for (int j = 1; j < count; j++)
	{
		History		other = some_history(in, e->dim, j < count - 1 ? SQUARES_SUM : SQUARES_NONE);

		if (!is_valid(&other))
			return;
		memories[j] = other.evidence;
	}
	choice = memory_choose(memories, count, prior.ridge, &rewards, work);
	check(choice.used < count);
	check((choice.used >= 0) == have_posteriors(memories, count, prior.ridge));
	check(isfinite(choice.sigma) && choice.sigma > 0.0);
	check(choice.parameters >= 0.0);

	ridge = ridge_find(e, choice.parameters, prior.ridge, &rewards, take_byte(in) % 2,
					   walled(ridge_find_work(e->dim)));
	check(ridge >= ldexp(prior.ridge, -4) && ridge <= ldexp(prior.ridge, 40));
}

static bool
step(Input *in, History *h)
{
	History		other;
	double		weight;
	double		shift;

	switch (take_byte(in) % 6)
	{
		case 0:
			learn(in, h);
			break;
		case 1:
			other = some_history(in, h->evidence.dim, evidence_squares(&h->evidence));
			if (!is_valid(&other))
				return false;
			check_taken_back(h, &other, take_within(in, 1e-100, 1e100));
			add(h, &other);
			h->learned = h->learned && other.learned;
			break;
		case 2:
			weight = take_weight(in);
			evidence_scale(&h->evidence, weight);
			totals_scale(&h->totals, weight);
			h->learned = h->learned && weight <= 1.0;
			break;
		case 3:
			shift = take_reward(in);
			evidence_rebase(&h->evidence, shift);
			totals_rebase(&h->totals, shift);
			h->rebased = true;
			break;
		case 4:
			choose(in, h);
			break;
		default:
			look(in, h);
	}
	return survives(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		in = {data, size};
	int			dim = take_size(&in, MAX_DIM);
	Squares		squares = (Squares) (take_byte(&in) % 3);
	History		h;
	bool		going;

	walled_reset();
	h = some_history(&in, dim, squares);
	going = is_valid(&h);
	for (int i = 0; going && i < MAX_STEPS && in.left > 0; i++)
	{
		check_neutral(&h);
		going = step(&in, &h);
	}
	return 0;
}
