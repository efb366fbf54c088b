/*
 * fuzz_posterior.c
 *		Evidence of arbitrary numbers: learn, concatenate, settle, look.
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
#include "core/posterior.h"
#include "core/widen.h"

#define MOST_DIM	24
#define MOST_STEPS	6

/* numbers with which no sum or quotient below can overflow */
#define MODERATE	1e60

/* the largest number of a reduced context; see widen.h */
#define MOST_REDUCED	3.2e121

/* evidence, and whether nothing but observations went into it */
typedef struct History
{
	Evidence	evidence;
	double	   *values;
	bool		learned;
} History;

static double
take_reduced(Input *in)
{
	return take_within(in, -MOST_REDUCED, MOST_REDUCED);
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

static size_t
value_count(const Evidence *e)
{
	return evidence_value_count(e->dim, e->discount);
}

static History
new_history(int dim, double discount)
{
	History		h;

	h.values = walled(evidence_value_count(dim, discount));
	evidence_bind(&h.evidence, dim, discount, h.values);
	evidence_clear(&h.evidence);
	h.learned = true;
	return h;
}

static History
copy_history(const History *other)
{
	History		h = new_history(other->evidence.dim, other->evidence.discount);
	Evidence	bound = h.evidence;

	h.evidence = other->evidence;
	h.evidence.b = bound.b;
	h.evidence.G = bound.G;
	h.evidence.H = bound.H;
	h.learned = other->learned;
	memcpy(h.values, other->values, value_count(&h.evidence) * sizeof(double));
	return h;
}

/* Whatever a stored or sent value may claim. */
static History
arbitrary_history(Input *in, int dim, double discount)
{
	History		h;
	size_t		count = evidence_value_count(dim, discount);

	h.evidence.counts.updates = (int64_t) take_bits(in);
	h.evidence.counts.weight_sum = take_number(in);
	h.evidence.counts.reward_sum = take_number(in);
	h.evidence.counts.reward_square_sum = take_number(in);
	h.values = walled_numbers(in, count, take_number);
	evidence_bind(&h.evidence, dim, discount, h.values);
	h.learned = false;
	return h;
}

static bool
sums_are_finite(const Evidence *e)
{
	return isfinite(e->counts.weight_sum) && isfinite(e->counts.reward_sum) &&
		isfinite(e->counts.reward_square_sum) &&
		all_are_finite(value_count(e), e->b);
}

static bool
diagonal_is_negative(const Evidence *e, const double *packed)
{
	int			i;

	for (i = 0; i < e->dim; i++)
		if (packed[linalg_packed_index(e->dim, i, i)] < 0.0)
			return true;
	return false;
}

static bool
anything_is_negative(const Evidence *e)
{
	return e->counts.updates < 0 || e->counts.weight_sum < 0.0 ||
		e->counts.reward_square_sum < 0.0 || diagonal_is_negative(e, e->G) ||
		(e->H && diagonal_is_negative(e, e->H));
}

/* Is it what the validator says it is? */
static bool
is_valid(const Evidence *e)
{
	bool		valid = evidence_is_valid(e);

	check(valid == (sums_are_finite(e) && !anything_is_negative(e)));
	return valid;
}

static void
check_settled(const Evidence *e)
{
	size_t		count = value_count(e);
	size_t		i;

	for (i = 0; i < count; i++)
		check(!(fabs(e->b[i]) < DBL_MIN) ||
			  (e->b[i] == 0.0 && !signbit(e->b[i])));
}

static void
check_same(const History *a, const History *b)
{
	check(memcmp(&a->evidence.counts, &b->evidence.counts, sizeof(EvidenceCounts)) == 0);
	check(same_bits(value_count(&a->evidence), a->values, b->values));
}

/* Apart by no more than rounding, relative to the largest number there is? */
static void
check_near(const History *a, const History *b, double size)
{
	size_t		count = value_count(&a->evidence);
	double		bound = 1e-10 * size;
	size_t		i;

	check(a->evidence.counts.updates == b->evidence.counts.updates);
	check(fabs(a->evidence.counts.weight_sum - b->evidence.counts.weight_sum) <=
		  1e-10 * (1.0 + a->evidence.counts.weight_sum));
	for (i = 0; i < count; i++)
		check(fabs(a->values[i] - b->values[i]) <= bound);
}

/* What the last step made may be refused, but only if it was not learned. */
static bool
survives(History *h)
{
	bool		valid = is_valid(&h->evidence);

	check(!anything_is_negative(&h->evidence));
	check_settled(&h->evidence);
	check(valid || !h->learned);
	return valid;
}

/* A block of observations, against the same ones by one. */
static void
learn(Input *in, History *h)
{
	int			dim = h->evidence.dim;
	int			count = take_size(in, EVIDENCE_BLOCK);
	double	   *rewards = walled_numbers(in, (size_t) count, take_reward);
	double	   *contexts = walled_numbers(in, (size_t) count * (size_t) dim,
										  take_reduced);
	double	   *one = walled((size_t) dim);
	double		size = largest((size_t) count * (size_t) dim, contexts) +
		largest((size_t) count, rewards) + 1e-100;
	History		single = copy_history(h);
	int			j;

	size = (double) (h->evidence.counts.updates + count) * size * size +
		largest(value_count(&h->evidence), h->values);
	for (j = 0; j < count; j++)
	{
		memcpy(one, contexts + (size_t) j * (size_t) dim,
			   sizeof(double) * (size_t) dim);
		evidence_absorb(&single.evidence, 1, one, &rewards[j]);
	}
	evidence_absorb(&h->evidence, count, contexts, rewards);
	if (size < MODERATE)
		check_near(h, &single, size);
}

/* Nothing before or after a history does not change it. */
static void
check_neutral(const History *h)
{
	History		nothing = new_history(h->evidence.dim, h->evidence.discount);
	History		settled = copy_history(h);
	History		after = copy_history(h);

	evidence_settle(&settled.evidence);
	evidence_concat(&after.evidence, &nothing.evidence);
	check_same(&after, &settled);
	evidence_concat(&nothing.evidence, &h->evidence);
	check_same(&nothing, &settled);
}

/* element (i, j) of the product of a lower triangle with its transpose */
static double
product_element(int dim, const double *lower, int i, int j)
{
	double		sum = 0.0;
	int			k;

	for (k = 0; k <= j; k++)
		sum += lower[linalg_packed_index(dim, i, k)] *
			lower[linalg_packed_index(dim, j, k)];
	return sum;
}

/* Z out of its factor is evidence + ridge, or a ridge that was raised. */
static void
check_product(int dim, const double *evidence, double ridge,
			  const double *factor)
{
	double		most = 0.0;
	double		slack;
	int			i;
	int			j;

	for (i = 0; i < dim; i++)
		most = fmax(most, product_element(dim, factor, i, i));
	if (most > 1e300 || most < 1e-200)
		return;					/* where products over- or underflow */
	slack = 1e-13 * most;
	for (i = 0; i < dim; i++)
		for (j = 0; j <= i; j++)
		{
			double		z = evidence[linalg_packed_index(dim, i, j)];
			double		product = product_element(dim, factor, i, j);

			if (i == j)
				check(product >= z + ridge - slack);
			else
				check(fabs(product - z) <= slack);
		}
}

static void
check_factor(const Evidence *e, double ridge, const Factor *f)
{
	size_t		packed = linalg_packed_len(e->dim);
	int			i;

	check(all_are_finite(packed, f->L));
	check(f->M == NULL || all_are_finite(packed, f->M));
	for (i = 0; i < e->dim; i++)
		check(f->L[linalg_packed_index(e->dim, i, i)] > 0.0);
	check_product(e->dim, e->G, ridge, f->L);
	if (f->M)
		check_product(e->dim, e->H, ridge, f->M);
}

/* Widths: each is the length of a row of the root, none is negative. */
static void
check_widths(const Factor *f, const double *vector, bool moderate)
{
	size_t		dim = (size_t) f->dim;
	double	   *root = walled(dim * dim);
	double	   *covariance = walled(dim * dim);
	double	   *stddevs = walled(dim);
	double	   *work = walled(dim);
	double		width;
	size_t		i;

	posterior_root(f, root);
	width = posterior_stddev(f->dim, f->dim, root, vector, work);
	posterior_coordinate_stddevs(f->dim, root, stddevs);
	posterior_covariance(f->dim, root, covariance);
	check(!(width < 0.0));
	for (i = 0; i < dim; i++)
	{
		double		variance = covariance[i + i * dim];

		check(!(stddevs[i] < 0.0) && !(variance < 0.0));
		check(!moderate ||
			  fabs(stddevs[i] * stddevs[i] - variance) <= 1e-9 * variance + 1e-290);
	}
	if (moderate)
		check(isfinite(width) && all_are_finite(dim * dim, covariance));
}

/* Everything that can be read out of a model. */
static void
look(Input *in, const History *h)
{
	const Evidence *e = &h->evidence;
	size_t		dim = (size_t) e->dim;
	double		ridge = take_within(in, 1e-100, 1e100);
	double		exploration = take_within(in, 0, 1e100);
	double	   *normals = walled_numbers(in, dim, take_normal);
	double	   *mean = walled(dim);
	double	   *draw = walled(dim);
	double	   *work = walled(posterior_draw_work(e->dim));
	bool		moderate;
	Factor		f;

	factor_bind(&f, e->dim, e->discount,
				walled(factor_value_count(e->dim, e->discount)));
	if (!posterior_factor(e, ridge, &f))
	{
		check(!h->learned);
		return;
	}
	check_factor(e, ridge, &f);
	moderate = h->learned || largest(value_count(e), e->b) < MODERATE;

	posterior_mean(e, &f, mean);
	posterior_draw(e, &f, exploration, normals, draw, work);
	if (moderate)
		check(all_are_finite(dim, mean) && all_are_finite(dim, draw));
	check_widths(&f, normals, moderate);
}

static History
some_history(Input *in, int dim, double discount)
{
	History		h;

	if (take_byte(in) % 2 == 0)
		return arbitrary_history(in, dim, discount);
	h = new_history(dim, discount);
	learn(in, &h);
	return h;
}

/* The caller's test before it lets two histories or a block come together. */
static bool
count_overflows(int64_t updates, int64_t more)
{
	return updates > INT64_MAX - more;
}

static bool
step(Input *in, History *h)
{
	History		other;

	switch (take_byte(in) % 3)
	{
		case 0:
			if (count_overflows(h->evidence.counts.updates, EVIDENCE_BLOCK))
				return false;
			learn(in, h);
			break;
		case 1:
			other = some_history(in, h->evidence.dim, h->evidence.discount);
			if (!is_valid(&other.evidence) ||
				count_overflows(h->evidence.counts.updates, other.evidence.counts.updates))
				return false;
			evidence_concat(&h->evidence, &other.evidence);
			h->learned = h->learned && other.learned;
			break;
		default:
			look(in, h);
			evidence_settle(&h->evidence);
	}
	return survives(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		in = {data, size};
	int			dim = take_size(&in, MOST_DIM);
	double		discount = take_within(&in, 1e-100, 1);
	History		h;
	bool		going;
	int			i;

	walled_reset();
	h = some_history(&in, dim, discount);
	going = is_valid(&h.evidence);
	for (i = 0; going && i < MOST_STEPS && in.left > 0; i++)
	{
		check_neutral(&h);
		going = step(&in, &h);
	}
	return 0;
}
