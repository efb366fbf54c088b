/*
 * test_memory.c
 *		The rates of several memories; the mean reward; and the choice among
 *		memories and the noise, against the equations written out in long
 *		double over the sums of what was observed.
 */
#include "oracle.h"

#include "core/linalg.h"
#include "core/memories.h"

#define MOST_MEMORIES	4

/* ---------- rates ---------- */

static void
test_rates(void **state)
{
	/* one memory: as it is asked for */
	assert_true(memory_discount(0, 1, 0.99) == 0.99);
	assert_true(memory_fades(0, 1, 0.99));
	assert_true(memory_discount(0, 1, 1) == 1);
	assert_false(memory_fades(0, 1, 1));

	/* windows of 100, 500 and 2,500, and one that forgets nothing */
	assert_true(memory_discount(0, 4, 0.99) == 0.99);
	assert_near(memory_discount(1, 4, 0.99), 0.998, 1e-15);
	assert_near(memory_discount(2, 4, 0.99), 0.9996, 1e-15);
	assert_true(memory_discount(3, 4, 0.99) == 1);
	assert_true(memory_fades(2, 4, 0.99));
	assert_false(memory_fades(3, 4, 0.99));
	assert_true(memory_discount(1, 2, 0.99) == 1);
	assert_false(memory_fades(1, 2, 0.99));

	/* the longest of the most that forget still does */
	assert_true(memory_discount(MEMORY_MAX - 2, MEMORY_MAX, 1 - 1.0 / 2050) < 1);
	assert_false(memory_fades(0, 2, 1));

	/* half-lives */
	assert_true(memory_half_life(0, 86400) == 86400);
	assert_true(memory_half_life(1, 86400) == 5 * 86400.0);
	assert_true(memory_half_life(2, 86400) == 25 * 86400.0);
}

/* ---------- memories of one history ---------- */

/* what rewards do while the history goes on */
typedef enum Drift
{
	STILL,
	ABRUPT,						/* other coefficients in the last tenth */
	SLOW,
	CONSTANT,					/* always the same reward */
	RARE,						/* one reward in a hundred */
	DRIFTS
} Drift;

typedef struct Past
{
	int			dim;
	int			count;			/* of observations */
	int			memories;
	bool		intercept;
	double		ridge;
	double		fastest;		/* discount */
	Drift		drift;
	double		level;
	double		noise;
	double		reference;
	double		unit;			/* of rewards, the level is not in it */
} Past;

typedef struct Kept
{
	Past		p;
	Evidence   *memory[MOST_MEMORIES];
	ExactMemory *sums[MOST_MEMORIES];
} Kept;

static double
coefficient(const Past *p, int k, int j)
{
	double		before = cos(3.0 * k + 1);
	double		after = cos(5.0 * k + 2);
	double		turned = p->drift == SLOW ? (double) j / p->count :
		p->drift == ABRUPT && j >= p->count * 9 / 10 ? 1 : 0;

	return (1 - turned) * before + turned * after;
}

static double
reward_of(const Past *p, int j, const double *context, uint64_t *seed)
{
	double		reward = p->noise * dice(seed);
	int			k;

	if (p->drift == CONSTANT)
		return p->level;
	if (p->drift == RARE)
		return p->level + p->unit * (dice(seed) > 0.98);
	for (k = 0; k < p->dim; k++)
		reward += coefficient(p, k, j) * context[k];
	return p->level + p->unit * reward;
}

/* learned in blocks of different lengths, each memory under its discount */
static void
learn_memory(Kept *kept, int which, int count, const double *contexts,
			 const double *rewards)
{
	const Past *p = &kept->p;
	double		discount = memory_discount(which, p->memories, p->fastest);
	Evidence   *e = evidence_new(p->dim, memory_fades(which, p->memories, p->fastest) ? 0.5 : 1);
	ExactMemory *m = exact_memory_new(p->dim, p->reference);
	double		weights[EVIDENCE_BLOCK];
	exact		weight = 1;
	int			done = 0;
	int			size;
	int			j;

	for (j = count - 1; j >= 0; j--)
	{
		exact_memory_add(m, weight, contexts + j * p->dim, rewards[j]);
		weight *= discount;
	}
	for (size = 1; done < count; size = size % 50 + 3)
	{
		if (size > count - done)
			size = count - done;
		for (j = 0; j < size; j++)
			weights[j] = pow(discount, size - 1 - j);
		absorb(e, pow(discount, size), size, contexts + done * p->dim,
			   rewards + done, p->reference, weights);
		done += size;
	}
	kept->memory[which] = e;
	kept->sums[which] = m;
}

static Kept
kept_new(Past p, uint64_t seed)
{
	Kept		kept = {p, {NULL}, {NULL}};
	double	   *contexts = dice_array(&seed, (size_t) (p.count * p.dim));
	double	   *rewards = guarded((size_t) p.count);
	int			j;

	for (j = 0; j < p.count; j++)
	{
		if (p.intercept)
			contexts[j * p.dim + p.dim - 1] = 1;
		rewards[j] = reward_of(&p, j, contexts + j * p.dim, &seed);
	}
	if (p.intercept && p.count > 0)
		kept.p.reference = rewards[0];
	for (j = 0; j < p.memories; j++)
		learn_memory(&kept, j, p.count, contexts, rewards);
	return kept;
}

static MemoryChoice
chosen(const Kept *kept)
{
	const Past *p = &kept->p;
	double	   *work = guarded(memory_choose_work(p->dim, p->memories));
	Evidence	memories[MOST_MEMORIES];
	Evidence   *before[MOST_MEMORIES];
	MemoryChoice choice;
	int			j;

	for (j = 0; j < p->memories; j++)
	{
		memories[j] = *kept->memory[j];
		before[j] = evidence_copy(kept->memory[j]);
	}
	choice = memory_choose(memories, p->memories, p->ridge, p->intercept,
						   p->reference, work);
	for (j = 0; j < p->memories; j++)
		assert_same_bits(value_count(before[j]), before[j]->N, memories[j].N);
	return choice;
}

/* ---------- the equations ---------- */

typedef struct Solved
{
	exact		mean_reward;
	exact		S;				/* about it */
	exact		RSS;
	exact		k;
	exact	   *b;				/* about it */
	exact	   *inverse;		/* of Z */
	exact	   *psi;
} Solved;

static exact *
centred(const ExactMemory *m, exact mean_reward)
{
	exact	   *b = exact_new((size_t) m->dim);
	int			k;

	for (k = 0; k < m->dim; k++)
		b[k] = m->b[k] - mean_reward * m->G[k * m->dim + m->dim - 1];
	return b;
}

static Solved
solve(const ExactMemory *m, const Past *p, bool fades)
{
	int			dim = m->dim;
	Solved		s = {0};
	exact	   *Z = exact_new(SQUARE(dim));
	exact	   *lower = exact_new(SQUARE(dim));
	const exact *H = fades ? m->H : m->G;
	int			i;

	memcpy(Z, m->G, sizeof(exact) * SQUARE(dim));
	for (i = 0; i < dim; i++)
		Z[i * dim + i] += p->ridge;
	s.S = m->squares;
	if (p->intercept && m->N > 0)
	{
		s.mean_reward = m->reference + m->R / m->N;
		s.S = m->S - m->R * m->R / m->N;
	}
	s.b = centred(m, s.mean_reward);
	exact_cholesky(dim, Z, lower);
	s.inverse = exact_inverse(dim, lower);
	s.psi = exact_new((size_t) dim);
	exact_multiply(dim, s.inverse, s.b, s.psi);
	s.RSS = fmaxl(0, s.S - exact_product(dim, s.b, s.psi));
	for (i = 0; i < dim; i++)
		s.k += exact_product(dim, s.inverse + i * dim, H + i * dim);
	return s;
}

typedef struct Expected
{
	int			used;
	exact		variance;
	exact		margin;			/* how near a decision was to the other */
} Expected;

static void
decide(exact left, exact right, Expected *x)
{
	exact		apart = fabsl(left - right) / fmaxl(fabsl(left), fabsl(right));

	if (left != right)
		x->margin = fminl(x->margin, apart);
}

static exact
longest_variance(const Kept *kept, const Solved *s, Expected *x)
{
	int			last = kept->p.memories - 1;
	exact		N = kept->sums[last]->N;

	decide(N, 2 * s[last].k, x);
	return s[last].RSS / (N > 2 * s[last].k ? N - s[last].k : N);
}

static exact
shorter_variance(const Kept *kept, const Solved *s, int j, Expected *x)
{
	exact		N = kept->sums[j]->N;
	exact		k = s[j].k;
	exact		both = (s[j].RSS + 4 * k * longest_variance(kept, s, x)) / (N + 3 * k);

	decide(N, 2 * k, x);
	return N > 2 * k ? fmaxl(both, s[j].RSS / (N - k)) : both;
}

/* what memory j sees, and what stands for it where there is none */
static exact
variance_of(const Kept *kept, const Solved *s, int j, Expected *x)
{
	int			last = kept->p.memories - 1;
	exact		N = kept->sums[last]->N;
	exact		variance;

	if (N == 0)
		return 1;
	variance = j < last ? shorter_variance(kept, s, j, x) : longest_variance(kept, s, x);
	decide(variance, 1e-12L * s[last].S / N, x);
	if (variance < 1e-12L * s[last].S / N)
		variance = s[last].S / N;
	return variance == 0 ? 1 : variance;
}

static bool
is_contradicted(const Kept *kept, const Solved *s, int slow, int fast, Expected *x)
{
	int			dim = kept->p.dim;
	exact	   *e = centred(kept->sums[fast], s[slow].mean_reward);
	exact	   *explained = exact_new((size_t) dim);
	exact	   *solved = exact_new((size_t) dim);
	exact		bound = variance_of(kept, s, fast, x) *
		(s[fast].k + 1.5L * sqrtl(2 * s[fast].k));
	exact		q;
	int			i;

	exact_multiply(dim, kept->sums[fast]->G, s[slow].psi, explained);
	for (i = 0; i < dim; i++)
		e[i] -= explained[i];
	exact_multiply(dim, s[fast].inverse, e, solved);
	q = exact_product(dim, e, solved);
	decide(q, bound, x);
	return q > bound;
}

static Expected
expect(const Kept *kept)
{
	Solved		s[MOST_MEMORIES] = {{0}};
	Expected	x = {0, 1, INFINITY};
	int			i;
	int			j;

	for (j = 0; j < kept->p.memories; j++)
		s[j] = solve(kept->sums[j], &kept->p, kept->memory[j]->H != NULL);
	for (j = kept->p.memories - 1; j > 0 && x.used == 0; j--)
	{
		for (i = 0; i < j; i++)
			if (is_contradicted(kept, s, j, i, &x))
				break;
		if (i == j)
			x.used = j;
	}
	x.variance = variance_of(kept, s, x.used, &x);
	return x;
}

/* ---------- random histories ---------- */

typedef struct Tally
{
	int			histories;
	int			near;			/* too near to tell */
	int			used[MOST_MEMORIES];	/* of histories with all memories */
} Tally;

static void
check_choice(Past p, uint64_t seed, exact tolerance, Tally *tally)
{
	Kept		kept = kept_new(p, seed);
	MemoryChoice choice = chosen(&kept);
	Expected	x = expect(&kept);
	exact		sigma = sqrtl(x.variance);

	tally->histories++;
	if (x.margin < 1e-6L)
		tally->near++;
	else
	{
		assert_near(choice.sigma, sigma, tolerance * sigma);
		assert_int_equal(choice.used, x.used);
		if (p.memories == MOST_MEMORIES)
			tally->used[x.used]++;
	}
}

static void
test_choice_equals_the_equations(void **state)
{
	static const int dims[] = {1, 2, 3, 7, 12, 24};
	static const int counts[] = {0, 1, 2, 5, 30, 150, 400};
	static const double ridges[] = {0.1, 1, 30};
	static const double noises[] = {0, 0.05, 1};
	static const double levels[] = {0, 0.3, -20};
	Tally		tally = {0};
	int			k;
	int			j;

	for (k = 0; k < 1500; k++)
	{
		int			dim = dims[k % LENGTH(dims)];
		Past		p = {dim, counts[k / 6 % LENGTH(counts)],
			1 + k % MOST_MEMORIES, k / 4 % 2 == 1 && dim > 1, ridges[k / 8 % LENGTH(ridges)],
			1 - 1.0 / (2 * dim + k % 3), (Drift) (k / 3 % DRIFTS),
		levels[k / 5 % LENGTH(levels)], noises[k / 7 % LENGTH(noises)], 0, 1};

		check_choice(p, (uint64_t) k, 1e-8L, &tally);
	}
	assert_true(tally.near * 50 < tally.histories);
	for (j = 0; j < MOST_MEMORIES; j++)
		assert_true(tally.used[j] > 0);
}

/*
 * The noise of 1 beside rewards of a million, a thousand millions.  b has them
 * as they are, and as few digits less.
 */
static void
test_large_rewards(void **state)
{
	static const double levels[] = {1e6, -1e6, 1e9};
	static const exact tolerances[] = {1e-8L, 1e-8L, 1e-6L};
	Tally		tally = {0};
	int			k;

	for (k = 0; k < 300; k++)
	{
		Past		p = {2 + k % 7, 5 + k % 300, 1 + k % MOST_MEMORIES, true, 1, 0.95,
		(Drift) (k % DRIFTS), levels[k % LENGTH(levels)], 1, 0, 1};

		check_choice(p, (uint64_t) k, tolerances[k % LENGTH(levels)], &tally);
	}
	assert_true(tally.near * 50 < tally.histories);
}

/*
 * However rewards that are all the same were learned, one by one, in a block or
 * about another reference, there is no noise, and 1 stands for it.
 */
static void
test_no_noise(void **state)
{
	static const double rewards[] = {0, 0.1, -3.3, 1e6 / 3};
	static const double references[] = {0, 0.3, -7};
	int			r;
	int			f;
	int			k;

	for (r = 0; r < LENGTH(rewards); r++)
		for (f = 0; f < LENGTH(references); f++)
			for (k = 0; k < 30; k++)
			{
				Past		p = {3, 7 * k, 1 + k % MOST_MEMORIES, true, 1, 0.9, CONSTANT, rewards[r], 0, 0, 1};
				Kept		kept = kept_new(p, (uint64_t) k);
				MemoryChoice choice;
				int			j;

				for (j = 0; j < p.memories; j++)
					evidence_rebase(kept.memory[j], kept.p.reference - references[f]);
				kept.p.reference = references[f];
				choice = chosen(&kept);
				assert_true(choice.sigma == 1);
				assert_int_equal(choice.used, p.memories - 1);
			}
}

/*
 * Rare rewards whose chance never changes: windows of none, of one or of a few
 * contradict nothing, and whatever is in use sees the noise there is.
 */
static void
test_rare_rewards(void **state)
{
	static const double noise = 0.0995; /* sqrt(0.01 * 0.99) */
	int			shorter = 0;
	int			k;

	for (k = 0; k < 200; k++)
	{
		Past		p = {4 + k % 20, 1000 + 10 * k, 3, true, 1, 0, RARE, 0, 0, 0, 1};
		Kept		kept;
		MemoryChoice choice;

		p.fastest = 1 - 0.5 / p.dim;
		kept = kept_new(p, (uint64_t) k);
		choice = chosen(&kept);
		shorter += choice.used < 2;
		assert_true(choice.sigma > 0.5 * noise && choice.sigma < 2 * noise);
	}
	assert_true(shorter <= 10);
}

/*
 * Little noise is seen as long as rewards have digits for it; then they are
 * all noise, for caution.
 */
static void
test_least_noise(void **state)
{
	static const double noises[] = {1e-3, 1e-4, 1e-5, 1e-8, 0};
	static const exact tolerances[] = {1e-8L, 1e-6L, 1e-4L, 1e-8L, 1e-8L};
	Tally		tally = {0};
	int			k;
	int			n;

	for (k = 0; k < 20; k++)
		for (n = 0; n < LENGTH(noises); n++)
		{
			Past		p = {1 + k % 5, 200, 1 + k % MOST_MEMORIES, k % 2 == 1 && k % 5 > 0,
			fmin(1e-8, noises[n] * noises[n]) + 1e-16, 0.95, STILL, 0, noises[n], 0, 1};

			check_choice(p, (uint64_t) k, tolerances[n], &tally);
		}
	assert_int_equal(tally.near, 0);
}

/* ---------- the mean reward ---------- */

static void
test_centre(void **state)
{
	static const double references[] = {0, 4, -1e3};
	const double contexts[] = {2, 1, -3, 1, 0, 1};
	const double rewards[] = {5, 7, 3};
	const double weights[] = {1, 0.5, 2};
	int			r;

	for (r = 0; r < LENGTH(references); r++)
	{
		Evidence   *e = evidence_new(2, 0.9);
		double	   *b = guarded(2);

		/* nothing has no mean */
		assert_true(memory_centre(e, true, references[r], b) == 0);
		assert_true(b[0] == 0 && b[1] == 0);

		/* 14.5 / 3.5; b is (-0.5, 14.5), what it is compared with (0.5, 3.5) */
		absorb(e, 1, 3, contexts, rewards, references[r], weights);
		assert_near(memory_centre(e, true, references[r], b), 29.0 / 7, 1e-12);
		assert_near(b[0], -0.5 - 14.5 / 7, 1e-12);
		assert_near(b[1], 0, 1e-12);
		assert_true(memory_centre(e, false, references[r], b) == 0);
		assert_same_bits(2, b, e->b);
	}
}

/* ---------- evidence without a posterior ---------- */

static void
test_no_posterior_no_choice(void **state)
{
	Past		p = {3, 50, 3, true, 1, 0.9, STILL, 0, 1, 0, 1};
	Kept		kept = kept_new(p, 1);
	int			j;

	for (j = 0; j < p.memories; j++)
	{
		double	   *corner = &kept.memory[j]->G[linalg_packed_index(3, 1, 1)];
		double		before = *corner;
		MemoryChoice choice;

		*corner = -1e6;
		choice = chosen(&kept);
		assert_int_equal(choice.used, 0);
		assert_true(choice.sigma == 1);
		*corner = before;
	}
}

/* ---------- scales ---------- */

/*
 * In other units, and about another level, the same memory is in use; its
 * noise is in those units.
 */
static void
test_units_of_rewards(void **state)
{
	static const double units[] = {1000, 1e-3, -1, 1, 1, 2};
	static const double levels[] = {0, 0, 0, -1000, 99, 99};
	int			used[MOST_MEMORIES] = {0};
	int			k;
	int			u;

	for (k = 0; k < 200; k++)
	{
		Past		p = {2 + k % 9, 10 + k, 3, true, 1, 0.95, (Drift) (k % CONSTANT), 0, 1, 0, 1};
		Kept		kept = kept_new(p, (uint64_t) k);
		const MemoryChoice plain = chosen(&kept);
		bool		near = expect(&kept).margin < 1e-6L;

		used[plain.used]++;
		for (u = 0; u < LENGTH(units) && !near; u++)
		{
			MemoryChoice choice;

			p.unit = units[u];
			p.level = levels[u];
			kept = kept_new(p, (uint64_t) k);
			choice = chosen(&kept);
			assert_int_equal(choice.used, plain.used);
			assert_near(choice.sigma, fabs(units[u]) * plain.sigma, 1e-8L * choice.sigma);
		}
	}
	assert_true(used[0] > 0 && used[1] > 0 && used[2] > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_rates),
		test_of(test_choice_equals_the_equations),
		test_of(test_large_rewards),
		test_of(test_rare_rewards),
		test_of(test_no_noise),
		test_of(test_least_noise),
		test_of(test_units_of_rewards),
		test_of(test_centre),
		test_of(test_no_posterior_no_choice)
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
