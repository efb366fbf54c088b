/*
 * test_memory.c
 *		The choice of a memory and its noise, against their equations in long
 *		double over the sums of the observations.
 */
#include "past.h"

#include "core/linalg.h"

/* ---------- the equations ---------- */

typedef struct Solved
{
	exact		level;
	exact		S;				/* about the level */
	exact		RSS;
	exact		k;
	exact	   *b;				/* about the level */
	exact	   *inverse;		/* of Z */
	exact	   *psi;
} Solved;

typedef struct Expected
{
	int			used;
	exact		variance;
	exact		margin;			/* smallest relative distance between two compared numbers */
} Expected;

static void
decide(exact left, exact right, Expected *x)
{
	exact		apart = fabsl(left - right) / fmaxl(fabsl(left), fabsl(right));

	if (left != right)
		x->margin = fminl(x->margin, apart);
}

/* Weight that a memory lacks to MIN_WEIGHT */
static exact
missing(exact N)
{
	return fmaxl(0, (exact) MIN_WEIGHT - N);
}

/* S about a mean reward; 0 if it is a rounding error */
static exact
squares_about(const ExactMemory *m, exact mean, exact peak, Expected *x)
{
	exact		S = m->S + (m->N * mean - 2 * m->R) * mean;

	decide(S, 1e-12L * peak, x);
	return S > 1e-12L * peak ? S : 0;
}

/* Mean of all rewards, without forgetting, and squares about it */
static exact
mean_of_all(const Kept *kept)
{
	return kept->p.intercept ? kept->all->R / fmaxl(kept->all->N, 1) : -kept->all->reference;
}

static exact
squares_of_all(const Kept *kept, Expected *x)
{
	return squares_about(kept->all, mean_of_all(kept), kept->all->S, x);
}

static exact *
centred(const ExactMemory *m, exact level)
{
	exact	   *b = exact_new((size_t) m->dim);

	for (int k = 0; k < m->dim; k++)
		b[k] = m->b[k] - level * m->G[k * m->dim + m->dim - 1];
	return b;
}

static Solved
solve(const Kept *kept, int which, Expected *x)
{
	const ExactMemory *m = kept->sums[which];
	int			dim = m->dim;
	Solved		s = {0};
	exact	   *Z = exact_new(SQUARE(dim));
	exact	   *lower = exact_new(SQUARE(dim));
	exact	   *H = exact_memory_squares(m, evidence_squares(kept->memory[which]));
	exact		mean = mean_of_all(kept);

	memcpy(Z, m->G, sizeof(exact) * SQUARE(dim));
	for (int i = 0; i < dim; i++)
		Z[i * dim + i] += kept->p.ridge;
	if (kept->p.intercept)
	{
		mean = (m->R + missing(m->N) * mean) / fmaxl(m->N, MIN_WEIGHT);
		s.level = m->reference + mean;
	}
	s.S = fminl(squares_about(m, mean, m->S, x), squares_of_all(kept, x));
	s.b = centred(m, s.level);
	if (s.S > 0 && s.S < 1e-22L * m->squares)
		x->margin = 0;			/* b is too imprecise to compare */
	exact_cholesky(dim, Z, lower);
	s.inverse = exact_inverse(dim, lower);
	s.psi = exact_new((size_t) dim);
	exact_multiply(dim, s.inverse, s.b, s.psi);
	s.RSS = fmaxl(0, s.S - exact_product(dim, s.b, s.psi));
	for (int i = 0; i < dim; i++)
		s.k += exact_product(dim, s.inverse + i * dim, H + i * dim);
	return s;
}

/* Noise of a shorter memory: the larger of (RSS + 4 k v) / (N + 3 k) and RSS / (N - k) */
static exact
hears(const Solved *s, exact N, exact v, Expected *x)
{
	exact		both = (s->RSS + 4 * s->k * v) / (N + 3 * s->k);

	decide(N, 2 * s->k, x);
	return N > 2 * s->k ? fmaxl(both, s->RSS / (N - s->k)) : both;
}

static bool
longest_fades(const Kept *kept)
{
	return kept->memory[kept->p.memories - 1]->H != NULL;
}

static exact
mean_square(const Kept *kept, const Solved *s, Expected *x)
{
	return longest_fades(kept) ? squares_of_all(kept, x) / kept->all->N :
		s[kept->p.memories - 1].S / kept->sums[kept->p.memories - 1]->N;
}

/* Noise of the only memory of a model that forgets: all rewards count as one observation */
static exact
only_variance(const Solved *s, exact N, exact v, exact freedom, Expected *x)
{
	exact		g = missing(N);
	exact		rounding = (g + 1e-12L * N) * v;
	exact		unexplained = s->S + rounding > 0 ? (s->RSS + rounding) / (s->S + rounding) : 1;
	exact		both = (s->RSS + unexplained * v) / (freedom + 1);

	decide(N, MIN_WEIGHT, x);
	return N >= MIN_WEIGHT ? fmaxl(both, s->RSS / freedom) : both;
}

static exact
longest_variance(const Kept *kept, const Solved *s, Expected *x)
{
	int			last = kept->p.memories - 1;
	exact		N = kept->sums[last]->N;
	exact		freedom = N > 2 * s[last].k ? N - s[last].k : N;

	decide(N, 2 * s[last].k, x);
	if (longest_fades(kept))
		return only_variance(&s[last], N, mean_square(kept, s, x), freedom, x);
	return s[last].RSS / freedom;
}

/* Noise of memory j, or its substitute */
static exact
variance_of(const Kept *kept, const Solved *s, int j, Expected *x)
{
	int			last = kept->p.memories - 1;
	exact		variance;
	exact		cautious;

	if (kept->p.count == 0)
		return 1;
	variance = longest_variance(kept, s, x);
	cautious = mean_square(kept, s, x);
	if (j < last)
		variance = hears(&s[j], kept->sums[j]->N, variance, x);
	decide(variance, 1e-12L * cautious, x);
	if (variance < 1e-12L * cautious)
		variance = cautious;
	return variance == 0 ? 1 : variance;
}

static bool
is_contradicted(const Kept *kept, const Solved *s, int slow, int fast, Expected *x)
{
	int			dim = kept->p.dim;
	exact	   *e = centred(kept->sums[fast], s[slow].level);
	exact	   *explained = exact_new((size_t) dim);
	exact	   *solved = exact_new((size_t) dim);
	exact		bound = variance_of(kept, s, fast, x) *
		(s[fast].k + 1.5L * sqrtl(2 * s[fast].k));
	exact		q;

	decide(kept->sums[fast]->N, MIN_WEIGHT, x);
	if (kept->sums[fast]->N < MIN_WEIGHT)
		return false;
	exact_multiply(dim, kept->sums[fast]->G, s[slow].psi, explained);
	for (int i = 0; i < dim; i++)
		e[i] -= explained[i];
	exact_multiply(dim, s[fast].inverse, e, solved);
	q = exact_product(dim, e, solved);
	decide(q, bound, x);
	return q > bound;
}

static Expected
expect(const Kept *kept)
{
	Solved		s[MAX_MEMORIES] = {{0}};
	Expected	x = {0, 1, INFINITY};
	int			i;

	for (int j = 0; j < kept->p.memories; j++)
		s[j] = solve(kept, j, &x);
	for (int j = kept->p.memories - 1; j > 0 && x.used == 0; j--)
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
	int			near;			/* histories with comparisons too close to decide */
	int			used[MAX_MEMORIES];	/* memory in use, of histories with all memories */
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
		if (p.memories == MAX_MEMORIES)
			tally->used[x.used]++;
	}
}

static void
test_choice_equals_the_equations(void **state)
{
	static const int dims[] = {1, 2, 3, 7, 12, 24};
	static const int counts[] = {0, 1, 2, 5, 30, 150, 400};
	static const double ridges[] = {0.1, 1, 30};
	static const double noises[] = {0, 0.05, 1, 0, 0};
	static const double levels[] = {0, 0.3, -20, 1e4};
	static const double quiets[] = {0, 8, 30, 100, 600};
	Tally		tally = {0};

	for (int k = 0; k < 2000; k++)
	{
		int			dim = dims[k % LENGTH(dims)];
		Past		p = {dim, counts[k / 6 % LENGTH(counts)],
			1 + k % MAX_MEMORIES, k / 4 % 2 == 1 && dim > 1, ridges[k / 8 % LENGTH(ridges)],
			1 - 1.0 / (2 * dim + k % 3), (Drift) (k / 3 % DRIFTS),
			levels[k / 5 % LENGTH(levels)], noises[k / 7 % LENGTH(noises)],
		quiets[k / 9 % LENGTH(quiets)], k / 11 % 4};

		check_choice(p, (uint64_t) k, 1e-8L, &tally);
	}
	assert_true(tally.near * 50 < tally.histories);
	for (int j = 0; j < MAX_MEMORIES; j++)
		assert_true(tally.used[j] > 0);
}

/*
 * With rare rewards of a constant rate, short windows contain no reward, one or a few.  They
 * contradict no longer memory, and the noise is that of all rewards.
 */
static void
test_rare_rewards_keep_the_longest_memory(void **state)
{
	static const double noise = 0.0995; /* sqrt(0.01 * 0.99) */
	int			shorter = 0;

	for (int k = 0; k < 200; k++)
	{
		Past		p = {4 + k % 20, 1000 + 10 * k, 3, true, 1, 0, RARE, 0, 0, 0, 0};
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
 * Small noise is measured as long as it exceeds rounding errors; below, the
 * squares of the rewards count as noise.
 */
static void
test_small_noise_is_measured_until_rounding(void **state)
{
	static const double noises[] = {1e-3, 1e-4, 1e-5, 1e-8, 0};
	static const exact tolerances[] = {1e-8L, 1e-6L, 1e-4L, 1e-8L, 1e-8L};
	Tally		tally = {0};
	int			k;

	for (k = 0; k < 20; k++)
		for (int n = 0; n < LENGTH(noises); n++)
		{
			Past		p = {1 + k % 5, 200, 1 + k % MAX_MEMORIES, k % 2 == 1 && k % 5 > 0,
			fmin(1e-8, noises[n] * noises[n]) + 1e-16, 0.95, STILL, 0, noises[n], 0, 0};

			check_choice(p, (uint64_t) k, tolerances[n], &tally);
		}
	assert_int_equal(tally.near, 0);
}

/* ---------- negligible weight ---------- */

/*
 * Return which of two memories is in use.  A reward of 5 in the shorter one
 * contradicts the zeros of the longer one if its weight is not negligible.
 */
static int
used_beside(double weight)
{
	static const double one = 1;
	Evidence   *fast = evidence_new(1, SQUARES_SUM);
	Evidence   *slow = evidence_new(1, SQUARES_NONE);
	Evidence	memories[2];
	Rewards		rewards = {.intercept = false};
	const double reward = 5;
	const double many = 100;

	absorb(fast, 1, 1, &one, &reward, 0, &weight);
	absorb(slow, 1, 1, &one, (double[]) {0}, 0, &many);
	*slow->S = 1e-4;
	rewards.totals = (Totals) {.N = 100, .S = 1e-4, .peak = 1e-4};
	memories[0] = *fast;
	memories[1] = *slow;
	return memory_choose(memories, 2, 1e-9, &rewards, guarded(memory_choose_work(1, 2))).used;
}

static void
test_memory_of_negligible_weight_is_not_used(void **state)
{
	assert_int_equal(used_beside(0.99e-6), 1);
	assert_int_equal(used_beside(1.01e-6), 0);
}

/* ---------- evidence without a posterior ---------- */

static void
test_no_memory_is_used_if_one_has_no_posterior(void **state)
{
	Past		p = {3, 50, 3, true, 1, 0.9, STILL, 0, 1, 0, 0};
	Kept		kept = kept_new(p, 1);

	for (int j = 0; j < p.memories; j++)
	{
		double	   *corner = &kept.memory[j]->G[linalg_packed_index(3, 1, 1)];
		double		before = *corner;
		MemoryChoice choice;

		*corner = -1e6;
		choice = chosen(&kept);
		assert_int_equal(choice.used, -1);
		assert_true(choice.sigma == 1);
		*corner = before;
	}
}

TEST_PROGRAM("memory",
	test_of(test_choice_equals_the_equations),
	test_of(test_rare_rewards_keep_the_longest_memory),
	test_of(test_small_noise_is_measured_until_rounding),
	test_of(test_memory_of_negligible_weight_is_not_used),
	test_of(test_no_memory_is_used_if_one_has_no_posterior))
