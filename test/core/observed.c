/*
 * observed.c
 *		Train evidence on observations, and add evidence of several batches.
 */
#include "observed.h"

#include "core/linalg.h"

/* rewards around "level", weights of 0.1 to 10 */
Observed
observed_new(int dim, int count, double level, uint64_t seed)
{
	Observed	o = {dim, count, NULL, NULL, NULL};

	o.features = dice_array(&seed, (size_t) count * (size_t) dim);
	o.rewards = dice_array(&seed, (size_t) count);
	o.weights = dice_array(&seed, (size_t) count);
	for (int j = 0; j < count; j++)
	{
		o.rewards[j] += level;
		o.weights[j] = pow(10, o.weights[j]);
	}
	return o;
}

Evidence *
learned(const Observed *o, int from, int to, Squares squares, double reference)
{
	Evidence   *e = evidence_new(o->dim, squares);

	for (; from < to; from += EVIDENCE_BLOCK)
		absorb(e, 1, to - from < EVIDENCE_BLOCK ? to - from : EVIDENCE_BLOCK,
			   o->features + from * o->dim, o->rewards + from, reference, o->weights + from);
	return e;
}

ExactMemory *
summed(const Observed *o, int from, int to, exact factor, double reference)
{
	ExactMemory *m = exact_memory_new(o->dim, reference);

	for (int j = from; j < to; j++)
		exact_memory_add(m, factor * o->weights[j], o->features + j * o->dim, o->rewards[j]);
	return m;
}

/* the totals affect S only by rounding */
bool
subtract(Evidence *e, const Evidence *other)
{
	const Totals left = {.S = INFINITY, .peak = *e->S};
	double	   *work = guarded(linalg_packed_len(e->dim));
	Evidence   *kept = evidence_copy(other);
	bool		possible = evidence_subtract(e, other, &left, RIDGE_START, work);

	assert_same_bits(value_count(kept), kept->N, other->N);
	return possible;
}

void
each_memory(void **state)
{
	static const int dims[] = {1, 2, 5, 24};
	static const Squares kinds[] = {SQUARES_NONE, SQUARES_SUM, SQUARES_MATRIX};
	MemoryCheck check = *(MemoryCheck *) *state;

	for (int d = 0; d < LENGTH(dims); d++)
		for (int k = 0; k < LENGTH(kinds); k++)
			check(dims[d], kinds[k]);
}
