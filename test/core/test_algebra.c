/*
 * test_algebra.c
 *		Weights, decays and references of any size; evidence scaled, added,
 *		subtracted and rebased: always the sums over what was observed.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"

#define CLOSE		1e-12

static const int dims[] = {1, 2, 5, 24};

/* ---------- observations ---------- */

typedef struct Observed
{
	int			dim;
	int			count;
	double	   *contexts;
	double	   *rewards;
	double	   *weights;		/* or times */
} Observed;

/* rewards around "level", weights of 0.1 to 10 */
static Observed
observed_new(int dim, int count, double level, uint64_t seed)
{
	Observed	o = {dim, count, NULL, NULL, NULL};
	int			j;

	o.contexts = dice_array(&seed, (size_t) count * (size_t) dim);
	o.rewards = dice_array(&seed, (size_t) count);
	o.weights = dice_array(&seed, (size_t) count);
	for (j = 0; j < count; j++)
	{
		o.rewards[j] += level;
		o.weights[j] = pow(10, o.weights[j]);
	}
	return o;
}

static Evidence *
learned(const Observed *o, int from, int to, bool fades, double reference)
{
	Evidence   *e = evidence_new(o->dim, fades ? 0.5 : 1);

	absorb(e, 1, to - from, o->contexts + from * o->dim, o->rewards + from,
		   reference, o->weights + from);
	return e;
}

static ExactMemory *
summed(const Observed *o, int from, int to, exact factor, double reference)
{
	ExactMemory *m = exact_memory_new(o->dim, reference);
	int			j;

	for (j = from; j < to; j++)
		exact_memory_add(m, factor * o->weights[j], o->contexts + j * o->dim,
						 o->rewards[j]);
	return m;
}

static bool
subtract(Evidence *e, const Evidence *other)
{
	double	   *work = guarded(linalg_packed_len(e->dim));
	Evidence   *kept = evidence_copy(other);
	bool		possible = evidence_subtract(e, other, work);

	assert_same_bits(value_count(kept), kept->N, other->N);
	return possible;
}

typedef void (*Check) (int dim, bool fades);

#define test_of_memories(f)	{#f, each_memory, NULL, free_all, &(Check) {f}}

static void
each_memory(void **state)
{
	Check		check = *(Check *) *state;
	int			d;

	for (d = 0; d < LENGTH(dims); d++)
	{
		check(dims[d], false);
		check(dims[d], true);
	}
}

/* ---------- absorb ---------- */

/* blocks of 1, 2, 3, ... observations, each after another decay */
static void
check_absorb(int dim, bool fades)
{
	static const double references[] = {0, 3, -1e3};
	const Observed o = observed_new(dim, 120, 3, 31 + (uint64_t) dim);
	int			r;

	for (r = 0; r < LENGTH(references); r++)
	{
		Evidence   *e = evidence_new(dim, fades ? 0.5 : 1);
		ExactMemory *m = exact_memory_new(dim, references[r]);
		exact		weights[120];
		int			from;
		int			size = 1;
		int			j;

		for (from = 0; from + size <= o.count; from += size++)
		{
			double		decay = fades ? 1 - 1.0 / size : 1;

			absorb(e, decay, size, o.contexts + from * dim, o.rewards + from,
				   references[r], o.weights + from);
			for (j = 0; j < from; j++)
				weights[j] *= decay;
			for (; j < from + size; j++)
				weights[j] = o.weights[j];
		}
		for (j = 0; j < from; j++)
			exact_memory_add(m, weights[j], o.contexts + j * dim, o.rewards[j]);
		check_memory(e, m, m, CLOSE);
	}
}

/* Learning has one memory or several: weights of 1 are no special case. */
static void
test_weights_of_one(void **state)
{
	Observed	o = observed_new(5, 50, 0, 4);
	ExactMemory *m;
	Evidence   *e;
	int			j;

	for (j = 0; j < o.count; j++)
		o.weights[j] = 1;
	m = summed(&o, 0, o.count, 1, 0);
	e = learned(&o, 0, o.count, true, 0);
	check_memory(e, m, m, CLOSE);
	assert_same_bits(linalg_packed_len(5), e->G, e->H);
	assert_true(*e->N == 50);
}

/* ---------- scale, add, rebase ---------- */

static void
check_scale(int dim, bool fades)
{
	static const double factors[] = {1, 0.1, 10, 1e-10, 1e10, 1e-200};
	const Observed o = observed_new(dim, 60, 3, 7);
	int			f;

	for (f = 0; f < LENGTH(factors); f++)
	{
		ExactMemory *m = summed(&o, 0, 60, factors[f], 2);
		Evidence   *e = learned(&o, 0, 60, fades, 2);

		evidence_scale(e, factors[f]);
		if (factors[f] < 1e-150 && e->H)
		{
			/* what could only be a subnormal is zero */
			assert_true(e->H[0] == 0);
			memset(m->H, 0, sizeof(exact) * SQUARE(dim));
		}
		check_memory(e, m, m, CLOSE);
	}
}

/* in either order, to the bit; and back */
static void
check_add(int dim, bool fades)
{
	const Observed o = observed_new(dim, 60, 3, 8);
	ExactMemory *all = summed(&o, 0, 60, 1, 3);
	ExactMemory *first = summed(&o, 0, 25, 1, 3);
	Evidence   *left = learned(&o, 0, 25, fades, 3);
	Evidence   *right = learned(&o, 25, 60, fades, 3);
	Evidence   *sum = evidence_copy(left);
	Evidence   *turned = evidence_copy(right);

	evidence_add(sum, right);
	evidence_add(turned, left);
	check_memory(sum, all, all, CLOSE);
	assert_same_bits(value_count(sum), sum->N, turned->N);
	assert_true(subtract(sum, right));
	check_memory(sum, first, all, CLOSE);
}

/* from one reference to another and back; relative to the further one */
static void
check_rebase(int dim, bool fades)
{
	static const double references[] = {0, 2, -5, 1e3};
	const Observed o = observed_new(dim, 60, 3, 9);
	int			f;
	int			t;

	for (f = 0; f < LENGTH(references); f++)
		for (t = 0; t < LENGTH(references); t++)
		{
			Evidence   *e = learned(&o, 0, 60, fades, references[f]);
			Evidence   *kept = evidence_copy(e);
			ExactMemory *from = summed(&o, 0, 60, 1, references[f]);
			ExactMemory *to = summed(&o, 0, 60, 1, references[t]);

			evidence_rebase(e, references[f] - references[t]);
			check_memory(e, to, to->S > from->S ? to : from, CLOSE);
			assert_same_bits(value_count(e) - 3, e->b, kept->b);
			assert_same_bits(1, e->N, kept->N);
			evidence_rebase(e, references[t] - references[f]);
			check_memory(e, from, to->S > from->S ? to : from, CLOSE);
		}
}

/* Rewards that are all the new reference: no rounding makes S negative. */
static void
test_rebased_squares_are_not_negative(void **state)
{
	uint64_t	seed = 10;
	const double context = 1;
	const double weight = 1;
	int			k;

	for (k = 0; k < 1000; k++)
	{
		double		reward = dice(&seed);
		double		reference = 10 * dice(&seed);
		Evidence   *e = evidence_new(1, 1);
		int			j;

		for (j = 0; j <= k % 7; j++)
			absorb(e, 1, 1, &context, &reward, reference, &weight);
		evidence_rebase(e, reference - reward);
		assert_true(evidence_is_valid(e));
		assert_near(*e->S, 0, 1e-12);
		assert_near(*e->R, 0, 1e-12);
	}
}

/* ---------- by time ---------- */

#define MOST_PARTS	4

typedef struct Part
{
	Evidence   *e;
	double		newest;
	bool		empty;
} Part;

/* weights double every half_life */
static double
aged(double age, double half_life)
{
	return exp2(-age / half_life);
}

static void
age_to(Part *p, double time, double half_life)
{
	if (!p->empty)
		evidence_scale(p->e, aged(time - p->newest, half_life));
	p->newest = time;
}

/* a block of whatever time learned into a part */
static void
learn_by_time(Part *p, const Observed *o, int count, const int *chosen,
			  double half_life)
{
	double	   *contexts = guarded((size_t) (count * o->dim));
	double	   *rewards = guarded((size_t) count);
	double	   *weights = guarded((size_t) count);
	double		newest = p->empty ? -INFINITY : p->newest;
	double		decay;
	int			j;

	for (j = 0; j < count; j++)
		newest = fmax(newest, o->weights[chosen[j]]);
	decay = p->empty ? 1 : aged(newest - p->newest, half_life);
	for (j = 0; j < count; j++)
	{
		memcpy(contexts + j * o->dim, o->contexts + chosen[j] * o->dim,
			   sizeof(double) * (size_t) o->dim);
		rewards[j] = o->rewards[chosen[j]];
		weights[j] = aged(newest - o->weights[chosen[j]], half_life);
	}
	absorb(p->e, decay, count, contexts, rewards, 2, weights);
	p->newest = newest;
	p->empty = false;
}

static int
dice_below(uint64_t *seed, int most)
{
	return (int) floor((dice(seed) + 1) / 2 * most);
}

static void
shuffle(int count, int *chosen, uint64_t *seed)
{
	int			j;

	for (j = count - 1; j > 0; j--)
	{
		int			k = dice_below(seed, j + 1);
		int			kept = chosen[j];

		chosen[j] = chosen[k];
		chosen[k] = kept;
	}
}

/* a number of observations in blocks of random length, in this order */
static Part
learn_part(const Observed *o, int count, const int *chosen, double half_life,
		   uint64_t *seed)
{
	Part		p = {evidence_new(o->dim, 0.5), 0, true};
	int			done = 0;

	while (done < count)
	{
		int			size = 1 + dice_below(seed, count - done);

		learn_by_time(&p, o, size, chosen + done, half_life);
		done += size;
	}
	return p;
}

static ExactMemory *
summed_by_time(const Observed *o, int count, const int *chosen, double newest,
			   double half_life)
{
	ExactMemory *m = exact_memory_new(o->dim, 2);
	int			j;

	for (j = 0; j < count; j++)
		exact_memory_add(m, exp2l((o->weights[chosen[j]] - (exact) newest) / half_life),
						 o->contexts + chosen[j] * o->dim, o->rewards[chosen[j]]);
	return m;
}

/*
 * Shuffled, split over parts, the parts added; some observations learned once
 * more elsewhere, those added and taken back; some of the first taken back.
 */
static void
check_history_by_time(int dim, int count, double half_life, uint64_t seed)
{
	Observed	o = observed_new(dim, count, 2, seed);
	int		   *chosen = allocate(sizeof(int) * (size_t) count);
	int			parts = 1 + dice_below(&seed, MOST_PARTS);
	int			retracted = dice_below(&seed, count);
	double		newest = 0;
	Part		sum = {evidence_new(dim, 0.5), 0, true};
	Part		again;
	ExactMemory *all;
	ExactMemory *left;
	int			part;
	int			j;

	for (j = 0; j < count; j++)
	{
		chosen[j] = j;
		o.weights[j] = 10 * dice(&seed);	/* times */
		newest = j == 0 ? o.weights[j] : fmax(newest, o.weights[j]);
	}
	shuffle(count, chosen, &seed);
	for (part = 0; part < parts; part++)
	{
		int			from = count * part / parts;
		int			to = count * (part + 1) / parts;
		Part		p = learn_part(&o, to - from, chosen + from, half_life, &seed);

		age_to(&p, newest, half_life);
		evidence_add(sum.e, p.e);
	}
	all = summed_by_time(&o, count, chosen, newest, half_life);
	check_memory(sum.e, all, all, CLOSE);

	shuffle(count, chosen, &seed);
	again = learn_part(&o, retracted, chosen, half_life, &seed);
	age_to(&again, newest, half_life);
	evidence_add(sum.e, again.e);
	assert_true(subtract(sum.e, again.e));
	check_memory(sum.e, all, all, CLOSE);

	left = summed_by_time(&o, count - retracted, chosen + retracted, newest, half_life);
	assert_true(subtract(sum.e, again.e));
	check_memory(sum.e, left, all, CLOSE);
}

static void
test_histories_by_time(void **state)
{
	static const double half_lives[] = {0.1, 1, 7, 1e6};
	int			k;

	for (k = 0; k < 1000; k++)
		check_history_by_time(1 + k % 9, 1 + k % 70,
							  half_lives[k % LENGTH(half_lives)], (uint64_t) k);
}

/* ---------- what cannot be taken back ---------- */

/* What an observation of this context, reward and weight says. */
static Evidence *
said(int dim, bool fades, const double *context, double reward, double weight)
{
	Evidence   *e = evidence_new(dim, fades ? 0.5 : 1);

	absorb(e, 1, 1, context, &reward, 0, &weight);
	return e;
}

static bool
can_take_back(const Evidence *e, const double *context, double reward,
			  double weight)
{
	Evidence   *left = evidence_copy(e);
	Evidence   *taken = said(e->dim, e->H != NULL, context, reward, weight);
	bool		possible = subtract(left, taken);

	assert_true(!possible || evidence_is_valid(left));
	return possible;
}

/*
 * A long history of one coordinate and a constant, a short one of another and
 * the constant, none of a third: what was learned can be taken back, what was
 * not is refused, however little it is beside the rest.
 */
static void
check_refusals(bool fades)
{
	const double often[4] = {1, 0, 0, 1};
	const double seldom[4] = {0, 1, 0, 1};
	const double never[4] = {0, 0, 1, 1};
	const double longer[4] = {0, 1.1, 0, 1};
	const double turned[4] = {0, -1, 0, 1};
	const double mixed[4] = {0.5, 0.5, 0, 1};
	const double against[4] = {1, 0, 0, -1};
	Evidence   *e = said(4, fades, often, 1, 1);
	Evidence   *once = said(4, fades, seldom, 2, 1);
	int			k;

	for (k = 0; k < 22; k++)
		evidence_add(e, e);		/* four million */
	evidence_add(e, once);

	assert_true(can_take_back(e, often, 1, 1));
	assert_true(can_take_back(e, seldom, 2, 1));
	assert_true(can_take_back(e, seldom, 2, 0.5));
	assert_true(can_take_back(e, seldom, 2, 1 + 1e-9));
	assert_false(can_take_back(e, seldom, 2, 1.001));
	assert_false(can_take_back(e, never, 1, 1));
	assert_false(can_take_back(e, never, 1, 1e-3));
	assert_false(can_take_back(e, longer, 2, 1));
	assert_false(can_take_back(e, turned, 2, 1));
	assert_false(can_take_back(e, mixed, 1, 5));
	assert_false(can_take_back(e, against, 1, 1));
	assert_false(can_take_back(e, often, 1, 1e7));
	assert_false(can_take_back(e, often, 1e4, 1));
}

static void
test_what_was_never_learned_is_refused(void **state)
{
	check_refusals(false);
	check_refusals(true);
}

/* Each of the numbers that tell, and NaN in any */
static void
check_each_number(int dim, bool fades)
{
	const Observed o = observed_new(dim, 3 * dim + 3, 0, 12);
	Evidence   *e = learned(&o, 0, o.count, fades, 0);
	Evidence   *half = learned(&o, 0, o.count / 2, fades, 0);
	const ptrdiff_t telling[] = {0, half->S - half->N,
		half->G + linalg_packed_index(dim, 0, 0) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, dim - 1) - half->N,
		half->G + linalg_packed_index(dim, dim - 1, 0) - half->N,
		fades ? half->H + linalg_packed_index(dim, dim - 1, 0) - half->N : 0,
	fades ? half->H + linalg_packed_index(dim, dim / 2, dim / 2) - half->N : 0};
	int			k;

	for (k = 0; k < LENGTH(telling); k++)
	{
		Evidence   *left = evidence_copy(e);
		Evidence   *taken = evidence_copy(half);

		assert_true(subtract(left, taken));
		memcpy(left->N, e->N, sizeof(double) * value_count(e));
		taken->N[telling[k]] = 3 * e->N[telling[k]] + copysign(1e4, e->N[telling[k]]);
		assert_false(subtract(left, taken));
		memcpy(left->N, e->N, sizeof(double) * value_count(e));
		left->N[telling[k]] = NAN;
		assert_false(subtract(left, half));
	}
}

/* All taken back, one by one in another order: possible, and nearly nothing. */
static void
check_all_taken_back(int dim, bool fades)
{
	const Observed o = observed_new(dim, 200, 5, 13);
	Evidence   *e = learned(&o, 0, 100, fades, 5);
	ExactMemory *all = summed(&o, 0, 200, 1, 5);
	ExactMemory *none = summed(&o, 0, 0, 1, 5);
	Evidence   *rest = learned(&o, 100, 200, fades, 5);
	int			j;

	evidence_add(e, rest);
	for (j = 0; j < 200; j++)
	{
		Evidence   *one = learned(&o, j * 77 % 200, j * 77 % 200 + 1, fades, 5);

		assert_true(subtract(e, one));
	}
	/* the mean of nothing is within what rewards were */
	assert_true(fabs(*e->R) <= sqrt(*e->N) * sqrt(*e->S) * (1 + 1e-15));
	check_memory(e, none, all, CLOSE);
}

/*
 * After a coordinate was taken back whole, but for roundings that it leaves
 * beside its zero, the others still can be; and nothing can, while there is more
 * than roundings.
 */
static void
check_coordinate_taken_back(bool fades, uint64_t seed)
{
	Observed	o = observed_new(3, 40, 0, seed);
	Evidence   *nothing = evidence_new(3, fades ? 0.5 : 1);
	Evidence   *e;
	int			j;
	int			k;

	for (j = 0; j < 40; j++)
	{
		o.weights[j] = 1;
		for (k = 0; k < 3; k++)
			o.contexts[j * 3 + k] += copysign(0.5, o.contexts[j * 3 + k]);
		o.contexts[j * 3 + (j < 20 ? 0 : 1)] = 0;
	}
	e = learned(&o, 0, 40, fades, 0);
	for (j = 0; j < 40; j++)
	{
		Evidence   *one = learned(&o, j, j + 1, fades, 0);

		assert_true(subtract(e, one));
		assert_true(j >= 30 || subtract(e, nothing));
	}
}

static void
test_coordinate_taken_back(void **state)
{
	uint64_t	seed;

	for (seed = 0; seed < 200; seed++)
	{
		check_coordinate_taken_back(false, seed);
		check_coordinate_taken_back(true, seed);
	}
}

/* What faded below the smallest normal number is missed by its neighbours. */
static void
test_faded_can_be_taken_from(void **state)
{
	const double context[5] = {1.4, 1.4, 1.4, 1.4, 1e3};
	Evidence   *e = said(5, true, context, 1, 1e-154);
	Evidence   *nothing = evidence_new(5, 0.5);

	assert_true(e->H[linalg_packed_index(5, 0, 0)] == 0);
	assert_true(e->H[linalg_packed_index(5, 4, 0)] > 0);
	assert_true(subtract(e, nothing));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_memories(check_absorb),
		test_of(test_weights_of_one),
		test_of_memories(check_scale),
		test_of_memories(check_add),
		test_of_memories(check_rebase),
		test_of(test_rebased_squares_are_not_negative),
		test_of(test_histories_by_time),
		test_of(test_what_was_never_learned_is_refused),
		test_of_memories(check_each_number),
		test_of_memories(check_all_taken_back),
		test_of(test_coordinate_taken_back),
		test_of(test_faded_can_be_taken_from)
	};

	return cmocka_run_group_tests_name("algebra", tests, NULL, NULL);
}
