/*
 * evidence.c
 *		Discount, absorb, concatenate.
 */
#include "evidence.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

/* numbers in b, G and, for a discount below 1, H */
size_t
evidence_value_count(int dim, double discount)
{
	size_t		packed = linalg_packed_len(dim);

	return (size_t) dim + packed + (evidence_has_second(discount) ? packed : 0);
}

/* Lay b, G and H out, in this order, over evidence_value_count numbers. */
void
evidence_bind(Evidence *e, int dim, double discount, double *values)
{
	e->dim = dim;
	e->discount = discount;
	e->b = values;
	e->G = e->b + dim;
	e->H = evidence_has_second(discount) ? e->G + linalg_packed_len(dim) : NULL;
}

/* no observation */
void
evidence_clear(Evidence *e)
{
	memset(&e->counts, 0, sizeof(e->counts));
	memset(e->b, 0, evidence_value_count(e->dim, e->discount) * sizeof(double));
}

/* Subnormals and negative zero become zero. */
static void
settle(size_t count, double *values)
{
	size_t		i;

	for (i = 0; i < count; i++)
		values[i] = fabs(values[i]) < DBL_MIN ? 0.0 : values[i];
}

/*
 * Discounting drives old entries towards zero for ever.  Stop them where
 * arithmetic becomes slow (subnormals), and drop the sign of zero, which not
 * every text form keeps.
 */
void
evidence_settle(Evidence *e)
{
	settle(1, &e->counts.weight_sum);
	settle(1, &e->counts.reward_sum);
	settle(1, &e->counts.reward_square_sum);
	settle(evidence_value_count(e->dim, e->discount), e->b);
}

static void
scale_vectors(int len, int count, const double *factors, double *vectors)
{
	int			j;
	int			k;

	for (j = 0; j < count; j++)
		for (k = 0; k < len; k++)
			vectors[(size_t) j * (size_t) len + (size_t) k] *= factors[j];
}

/*
 * Learn a block of at most EVIDENCE_BLOCK observations, oldest first.  This
 * is the updates of Algorithm 1 one after the other, with the products taken
 * together: an observation of age a counts gamma^a in G and gamma^2a in H,
 * which scaling its vector by gamma^(a/2) before each rank update brings
 * about.  "reduced" holds count vectors of dim numbers and is overwritten.
 */
void
evidence_absorb(Evidence *e, int count, double *reduced,
				const double *rewards)
{
	double		roots[EVIDENCE_BLOCK];
	double		gains[EVIDENCE_BLOCK];
	double		decay = pow(e->discount, count);
	double		weight = 1.0;
	size_t		dim = (size_t) e->dim;
	size_t		k;
	int			j;

	e->counts.weight_sum *= decay;
	e->counts.reward_sum *= decay;
	e->counts.reward_square_sum *= decay;
	for (j = count - 1; j >= 0; j--)
	{
		roots[j] = sqrt(weight);
		gains[j] = weight * rewards[j];
		e->counts.weight_sum += weight;
		e->counts.reward_sum += gains[j];
		e->counts.reward_square_sum += gains[j] * rewards[j];
		weight *= e->discount;
	}
	e->counts.updates += count;

	for (k = 0; k < dim; k++)
		e->b[k] *= decay;
	linalg_combine(e->dim, count, reduced, 1, gains, count, e->b, e->dim);

	if (e->H)
		scale_vectors(e->dim, count, roots, reduced);
	linalg_rank_update(e->dim, count, reduced, decay, e->G);
	if (e->H)
	{
		scale_vectors(e->dim, count, roots, reduced);
		linalg_rank_update(e->dim, count, reduced, decay * decay, e->H);
	}

	evidence_settle(e);
}

/* earlier <- factor earlier + later */
static void
decay_and_add(size_t count, double factor, double *earlier,
			  const double *later)
{
	size_t		i;

	for (i = 0; i < count; i++)
		earlier[i] = factor * earlier[i] + later[i];
}

/*
 * Histories concatenate: afterwards "earlier" holds what one model would hold
 * that saw its own observations first and those of "later" after them.  Both
 * must have the same dimension and discount.
 */
void
evidence_concat(Evidence *earlier, const Evidence *later)
{
	double		decay = pow(earlier->discount, (double) later->counts.updates);
	size_t		packed = linalg_packed_len(earlier->dim);

	earlier->counts.updates += later->counts.updates;
	decay_and_add(1, decay, &earlier->counts.weight_sum, &later->counts.weight_sum);
	decay_and_add(1, decay, &earlier->counts.reward_sum, &later->counts.reward_sum);
	decay_and_add(1, decay, &earlier->counts.reward_square_sum,
				  &later->counts.reward_square_sum);
	decay_and_add((size_t) earlier->dim, decay, earlier->b, later->b);
	decay_and_add(packed, decay, earlier->G, later->G);
	if (earlier->H)
		decay_and_add(packed, decay * decay, earlier->H, later->H);

	evidence_settle(earlier);
}

static bool
diagonal_is_valid(int dim, const double *packed)
{
	int			i;

	for (i = 0; i < dim; i++)
		if (packed[linalg_packed_index(dim, i, i)] < 0.0)
			return false;
	return true;
}

/* Every number finite, counts and diagonals not negative. */
bool
evidence_is_valid(const Evidence *e)
{
	return e->counts.updates >= 0 &&
		isfinite(e->counts.weight_sum) && e->counts.weight_sum >= 0.0 &&
		isfinite(e->counts.reward_sum) &&
		isfinite(e->counts.reward_square_sum) &&
		e->counts.reward_square_sum >= 0.0 &&
		linalg_all_finite(evidence_value_count(e->dim, e->discount), e->b) &&
		diagonal_is_valid(e->dim, e->G) &&
		(e->H == NULL || diagonal_is_valid(e->dim, e->H));
}
