/*
 * test_algebra.c
 *		Algebra of evidence: scaled, added, rebased and aged evidence equals the
 *		sums over the observations, and stays valid.
 */
#include "observed.h"

#include <float.h>

#include "core/linalg.h"

#define CLOSE		1e-12

/* ---------- rebase ---------- */

/* Change the reference and back; tolerances are relative to the larger one. */
static void
test_rebased_evidence_equals_sums(int dim, Squares squares)
{
	static const double references[] = {0, 2, -5, 1e3};
	const Observed o = observed_new(dim, 60, 3, 9);
	int			f;

	for (f = 0; f < LENGTH(references); f++)
		for (int t = 0; t < LENGTH(references); t++)
		{
			Evidence   *e = learned(&o, 0, 60, squares, references[f]);
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

/* If all rewards equal the new reference, rounding makes no S negative. */
static void
test_rebased_squares_are_not_negative(void **state)
{
	uint64_t	seed = 10;
	const double features = 1;
	const double weight = 1;

	for (int k = 0; k < 1000; k++)
	{
		double		reward = dice(&seed);
		double		reference = 10 * dice(&seed);
		Evidence   *e = evidence_new(1, SQUARES_NONE);
		int			j;

		for (j = 0; j <= k % 7; j++)
			absorb(e, 1, 1, &features, &reward, reference, &weight);
		evidence_rebase(e, reference - reward);
		assert_true(evidence_is_valid(e));
		assert_near(*e->S, 0, 1e-12);
		assert_near(*e->R, 0, 1e-12);
	}
}

/* ---------- totals ---------- */

static void
check_totals(const Totals *t, const ExactMemory *m, const ExactMemory *size, exact peak)
{
	assert_true(totals_are_valid(t));
	assert_near(t->N, m->N, CLOSE * size->N);
	assert_near(t->R, m->R, CLOSE * sqrtl(size->N * size->S));
	assert_near(t->S, m->S, CLOSE * size->S);
	assert_near(t->peak, peak, CLOSE * peak);
}

/* Totals in two blocks: scaled, added, rebased and back, subtracted */
static void
test_totals_equal_sums_after_each_operation(void **state)
{
	static const double references[] = {2, 3, -1e3};
	const Observed o = observed_new(1, 60, 3, 11);

	for (int f = 0; f < LENGTH(references); f++)
	{
		double		reference = references[f];
		ExactMemory *first = summed(&o, 0, 25, 10, 2);
		ExactMemory *all = summed(&o, 0, 60, 10, 2);
		ExactMemory *moved = summed(&o, 0, 60, 10, reference);
		exact		peak = fmaxl(all->S, moved->S);
		Totals		t = {.N = 0};
		Totals		later = {.N = 0};

		totals_absorb(&t, 20, o.rewards, 2, o.weights);
		totals_absorb(&t, 5, o.rewards + 20, 2, o.weights + 20);
		totals_absorb(&later, 35, o.rewards + 25, 2, o.weights + 25);
		totals_scale(&t, 10);
		check_totals(&t, first, first, first->S);
		totals_scale(&later, 10);
		totals_add(&t, &later);
		check_totals(&t, all, all, all->S);
		totals_rebase(&t, 2 - reference);
		check_totals(&t, moved, moved, peak);
		totals_rebase(&t, reference - 2);
		check_totals(&t, all, moved, peak);
		assert_true(totals_subtract(&t, &later));
		check_totals(&t, first, moved, peak);
	}
}

static void
test_invalid_totals_are_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	const Totals t = {3, -1, 2, 2};
	Totals		wrong[4];

	assert_true(totals_are_valid(&t));
	for (int b = 0; b < LENGTH(bad); b++)
	{
		for (int k = 0; k < 4; k++)
			wrong[k] = t;
		wrong[0].N = wrong[1].R = wrong[2].S = wrong[3].peak = bad[b];
		for (int k = 0; k < 4; k++)
			assert_false(totals_are_valid(&wrong[k]));
	}
	assert_false(totals_are_valid(&(Totals) {-1, 0, 2, 2}));
	assert_false(totals_are_valid(&(Totals) {1, 0, -2, 2}));
	assert_false(totals_are_valid(&(Totals) {1, 0, 2, -2}));
}

/* ---------- long histories ---------- */

static const Squares kinds[] = {SQUARES_MATRIX, SQUARES_SUM, SQUARES_NONE};

static void
check_settled(const Evidence *e)
{
	const double *values = e->N;

	for (size_t i = 0; i < value_count(e); i++)
	{
		if (values[i] == 0)
			assert_false(signbit(values[i]));
		else
			assert_true(fabs(values[i]) >= DBL_MIN);
	}
}

/* One negative observation, then rewards of -0 for feature vectors of -0. */
static void
check_fading(double discount, int block, Squares squares)
{
	double		features[5 * EVIDENCE_BLOCK];
	double		rewards[EVIDENCE_BLOCK];
	Evidence   *e = evidence_new(5, squares);
	int			steps = (int) (800 / -log(discount)) / block + 1;

	for (int k = 0; k < LENGTH(features); k++)
		features[k] = (k < 5) ? k - 2.5 : -0.0;
	for (int k = 0; k < LENGTH(rewards); k++)
		rewards[k] = (k < 1) ? -1 : -0.0;
	evidence_learn(e, discount, 1, 1, features, rewards);
	assert_true(e->b[4] < 0 && *e->R < 0);

	for (int k = 0; k < steps; k++)
	{
		evidence_learn(e, discount, block, block, features + 5, rewards + 1);
		check_settled(e);
	}
	assert_true(e->b[0] == 0 && e->b[4] == 0 && *e->R == 0);
	assert_true(e->G[0] == 0 && (e->H == NULL || e->H[0] == 0));
	assert_near(*e->N, 1 / (1 - discount), RELATIVE / (1 - discount));
}

static void
test_decay_leaves_no_subnormal_numbers(void **state)
{
	for (int k = 0; k < LENGTH(kinds); k++)
	{
		check_fading(0.9, 1, kinds[k]);
		check_fading(0.9, 7, kinds[k]);
		check_fading(0.5, 1, kinds[k]);
		check_fading(0.5, 63, kinds[k]);
		check_fading(1e-3, 1, kinds[k]);
		check_fading(1e-3, 63, kinds[k]);
	}
}

/* Concatenation with histories of any number of updates */
static void
test_concat_leaves_no_subnormal_numbers(void **state)
{
	const double features[] = {-1, 2, -3};
	const double reward = -1;

	for (int after = 0; after < 2200; after++)
	{
		Evidence   *earlier = evidence_new(3, kinds[after % 2]);
		Evidence   *later = evidence_new(3, kinds[after % 2]);

		evidence_learn(earlier, 0.5, 1, 1, features, &reward);
		evidence_scale(earlier, pow(0.5, after));
		check_settled(earlier);
		later->b[0] = -1.5 * DBL_MIN;
		evidence_add(earlier, later);
		assert_near(*earlier->R, -ldexp(1, -after), DBL_MIN);
		check_settled(earlier);
	}
}

/* Weights, squares and diagonals must not be negative, other sums may be; none may be NaN. */
static void
test_impossible_sums_are_invalid(void **state)
{
	const size_t last = linalg_packed_index(3, 2, 2);

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		Evidence   *e = evidence_new(3, kinds[k]);
		double	   *positive[] = {e->N, e->S, e->N2, e->G + last, e->H ? e->H + last : NULL};

		*e->R = e->b[0] = e->G[linalg_packed_index(3, 1, 0)] = -1;
		assert_true(evidence_is_valid(e));
		for (int i = 0; i < LENGTH(positive); i++)
			if (positive[i])
			{
				*positive[i] = -1;
				assert_false(evidence_is_valid(e));
				*positive[i] = 0;
			}
		e->b[1] = NAN;
		assert_false(evidence_is_valid(e));
	}
}

/* ---------- by time ---------- */

#define MAX_PARTS	4

typedef struct Part
{
	Evidence   *e;
	Totals		totals;
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

/* Train a part on a block of observations at random times. */
static void
learn_by_time(Part *p, const Observed *o, int count, const int *chosen, double half_life)
{
	double	   *features = guarded((size_t) (count * o->dim));
	double	   *rewards = guarded((size_t) count);
	double	   *weights = guarded((size_t) count);
	double	   *ones = guarded((size_t) count);
	double		newest = p->empty ? -INFINITY : p->newest;
	double		decay;

	for (int j = 0; j < count; j++)
		newest = fmax(newest, o->weights[chosen[j]]);
	decay = p->empty ? 1 : aged(newest - p->newest, half_life);
	for (int j = 0; j < count; j++)
	{
		memcpy(features + j * o->dim, o->features + chosen[j] * o->dim,
			   sizeof(double) * (size_t) o->dim);
		rewards[j] = o->rewards[chosen[j]];
		weights[j] = aged(newest - o->weights[chosen[j]], half_life);
		ones[j] = 1;
	}
	totals_absorb(&p->totals, count, rewards, 2, ones);
	absorb(p->e, decay, count, features, rewards, 2, weights);
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
	for (int j = count - 1; j > 0; j--)
	{
		int			k = dice_below(seed, j + 1);
		int			kept = chosen[j];

		chosen[j] = chosen[k];
		chosen[k] = kept;
	}
}

/* Train on observations in blocks of random length, in the given order. */
static Part
learn_part(const Observed *o, int count, const int *chosen, double half_life,
		   Squares squares, uint64_t *seed)
{
	Part		p = {.e = evidence_new(o->dim, squares), .empty = true};
	int			done = 0;

	while (done < count)
	{
		int			size = 1 + dice_below(seed, count - done);

		learn_by_time(&p, o, size, chosen + done, half_life);
		done += size;
	}
	return p;
}

typedef struct Times
{
	const Observed *o;
	double		half_life;
	double		newest;
} Times;

/* Exact sums of the observations from "from" on; totals if the half-life is INFINITY */
static ExactMemory *
summed_by_time(const Times *t, const int *chosen, int from, double half_life)
{
	const Observed *o = t->o;
	ExactMemory *m = exact_memory_new(o->dim, 2);

	for (int j = from; j < o->count; j++)
		exact_memory_add(m, exp2l((o->weights[chosen[j]] - (exact) t->newest) / half_life),
						 o->features + chosen[j] * o->dim, o->rewards[chosen[j]]);
	return m;
}

static void
check_part(const Part *p, const Times *t, const int *chosen, int from)
{
	ExactMemory *all = summed_by_time(t, chosen, 0, INFINITY);

	check_memory(p->e, summed_by_time(t, chosen, from, t->half_life),
				 summed_by_time(t, chosen, 0, t->half_life), CLOSE);
	check_totals(&p->totals, summed_by_time(t, chosen, from, INFINITY), all,
				 fmaxl(p->totals.peak, all->S));
}

/*
 * Before an addition, the added evidence is decayed to the age of the other.
 * The addition can be undone.
 */
static void
add_part(Part *sum, Part *p, const Times *t)
{
	age_to(p, t->newest, t->half_life);
	evidence_add(sum->e, p->e);
	totals_add(&sum->totals, &p->totals);
}

static void
subtract_part(Part *sum, const Part *p)
{
	double	   *work = guarded(linalg_packed_len(sum->e->dim));

	assert_true(totals_subtract(&sum->totals, &p->totals));
	assert_true(evidence_subtract(sum->e, p->e, &sum->totals, RIDGE_START, work));
}

/*
 * Observations are shuffled, split over parts, and the parts are added.  Some observations
 * are trained again elsewhere, added and retracted; some of the first ones are retracted.
 */
static void
check_history_by_time(int dim, int count, double half_life, Squares squares, uint64_t seed)
{
	Observed	o = observed_new(dim, count, 2, seed);
	int		   *chosen = allocate(sizeof(int) * (size_t) count);
	int			parts = 1 + dice_below(&seed, MAX_PARTS);
	int			retracted = dice_below(&seed, count);
	Part		sum = {.e = evidence_new(dim, squares)};
	Part		again;
	Times		times = {&o, half_life, 0};

	for (int j = 0; j < count; j++)
	{
		chosen[j] = j;
		o.weights[j] = 10 * dice(&seed);	/* times */
		times.newest = j == 0 ? o.weights[j] : fmax(times.newest, o.weights[j]);
	}
	shuffle(count, chosen, &seed);
	for (int part = 0; part < parts; part++)
	{
		int			from = count * part / parts;
		int			to = count * (part + 1) / parts;
		Part		p = learn_part(&o, to - from, chosen + from, half_life, squares, &seed);

		add_part(&sum, &p, &times);
	}
	check_part(&sum, &times, chosen, 0);

	shuffle(count, chosen, &seed);
	again = learn_part(&o, retracted, chosen, half_life, squares, &seed);
	add_part(&sum, &again, &times);
	subtract_part(&sum, &again);
	check_part(&sum, &times, chosen, 0);
	subtract_part(&sum, &again);
	check_part(&sum, &times, chosen, retracted);
}

static void
test_join_by_time_equals_one_history(void **state)
{
	static const double half_lives[] = {0.1, 1, 7, 1e6};

	for (int k = 0; k < 1000; k++)
		check_history_by_time(1 + k % 9, 1 + k % 70, half_lives[k % LENGTH(half_lives)],
							  k % 8 < 4 ? SQUARES_SUM : SQUARES_MATRIX, (uint64_t) k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_memories(test_rebased_evidence_equals_sums),
		test_of(test_rebased_squares_are_not_negative),
		test_of(test_totals_equal_sums_after_each_operation),
		test_of(test_invalid_totals_are_refused),
		test_of(test_decay_leaves_no_subnormal_numbers),
		test_of(test_concat_leaves_no_subnormal_numbers),
		test_of(test_impossible_sums_are_invalid),
		test_of(test_join_by_time_equals_one_history)
	};

	return cmocka_run_group_tests_name("algebra", tests, NULL, NULL);
}
