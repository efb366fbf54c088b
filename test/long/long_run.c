/*
 * long_run.c
 *		Train a model of every kind on ten million observations, and print a
 *		table: is the count exact, and how large are the errors of evidence and
 *		mean against their definition in long double?  Fails if an error
 *		exceeds its bound.
 *
 * Errors of G and H are relative to sqrt(G_ii G_jj), those of b to
 * sqrt(G_ii sum of gamma^age r^2): the largest size that the element can have
 * (Cauchy-Schwarz), and so the size of the numbers that went into it.  On the
 * diagonal that is the plain relative error.  Relative to the element itself
 * it would say nothing, since a sum of many signs may come out near zero.
 */
#include "oracle.h"

#include <float.h>
#include <stdio.h>

#include "core/linalg.h"

/* not a multiple of EVIDENCE_BLOCK, so that some blocks are shorter */
#define BATCH		1000
#define DIM			16
#define RIDGE		1.0
#define MILLION		1000000

/* Distributions of feature vectors */
typedef struct Kind
{
	const char *name;
	void		(*fill) (uint64_t *state, double *features);
	bool		repeats;		/* equal feature vectors */
} Kind;

typedef struct History
{
	const Kind *kind;
	double		discount;
	int64_t		count;			/* a multiple of 1000 */
	int			block;			/* observations per block */
} History;

typedef struct Result
{
	bool		factored;
	double		N;				/* worst errors */
	double		b;
	double		G;
	double		H;				/* NaN if H is not stored */
	double		condition;		/* condition number of Z */
	double		raised;			/* increase of the ridge by the factorization */
	double		solve;			/* error of the mean, given the evidence */
	double		mean;			/* error of the mean, including errors of the evidence */
	double		prediction;		/* error of the last feature vectors' expected rewards, including
								 * errors of the evidence, relative to the size of rewards */
} Result;

/* ---------- feature vectors ---------- */

/* Standard normal by the polar method */
static double
normal(uint64_t *state)
{
	double		x;
	double		square;

	do
	{
		double		y = dice(state);

		x = dice(state);
		square = x * x + y * y;
	} while (square >= 1);
	return x * sqrt(-2 * log(square) / square);
}

static void
fill_normal(uint64_t *state, double *features)
{
	for (int k = 0; k < DIM; k++)
		features[k] = normal(state) / sqrt(DIM);
}

/* vectors around a mean of this length, whose elements are not short binary fractions */
static void
fill_around(uint64_t *state, double length, double spread, double *features)
{
	for (int k = 0; k < DIM; k++)
		features[k] = length * (sin(k + 1.0) + spread * normal(state)) / sqrt(DIM / 2.0);
}

static void
fill_nearly_parallel(uint64_t *state, double *features)
{
	fill_around(state, 0.5, 1e-5, features);
}

static void
fill_parallel_and_large(uint64_t *state, double *features)
{
	fill_around(state, 1000, 1e-5, features);
}

static void
fill_always_the_same(uint64_t *state, double *features)
{
	fill_around(state, 1, 0, features);
}

/* so large that the ridge of 1 is lost in rounding errors */
static void
fill_the_same_and_large(uint64_t *state, double *features)
{
	fill_around(state, 3e4, 0, features);
}

static void
fill_zero(uint64_t *state, double *features) /* NOLINT(readability-non-const-parameter) */
{
	memset(features, 0, sizeof(double) * DIM);
}

static void
fill_one_coordinate(uint64_t *state, double *features)
{
	fill_zero(state, features);
	features[3] = normal(state);
}

/* lengths from 1e-6 to 1e6 */
static void
fill_of_all_lengths(uint64_t *state, double *features)
{
	double		length = pow(10, 6 * dice(state));

	for (int k = 0; k < DIM; k++)
		features[k] = length * normal(state) / sqrt(DIM);
}

static const Kind kinds[] = {
	{"normal", fill_normal, false},
	{"nearly parallel", fill_nearly_parallel, false},
	{"parallel, length 1000", fill_parallel_and_large, false},
	{"always the same", fill_always_the_same, true},
	{"the same, length 3e4", fill_the_same_and_large, true},
	{"zero", fill_zero, false},
	{"one coordinate", fill_one_coordinate, false},
	{"lengths 1e-6 to 1e6", fill_of_all_lengths, false},
};

static void
fill_batch(const Kind *kind, uint64_t *state, double *features, double *rewards)
{
	for (int j = 0; j < BATCH; j++)
	{
		kind->fill(state, features + j * DIM);
		rewards[j] = 0.3 + features[j * DIM + 3] + 0.5 * dice(state);
	}
}

/* ---------- the sums by their definition ---------- */

/* sum <- decay sum + batch */
static void
follow(size_t count, exact decay, exact *sum, const exact *batch)
{
	for (size_t i = 0; i < count; i++)
		sum[i] = decay * sum[i] + batch[i];
}

/* Add a batch.  A sum over sums of batches has a rounding error below 1e-15. */
static void
sums_add(ExactMemory *sums, double discount, const double *features,
		 const double *rewards, ExactMemory *batch)
{
	exact		weight = 1;

	exact_memory_clear(batch);
	for (int j = BATCH - 1; j >= 0; j--)
	{
		exact_memory_add(batch, weight, features + j * DIM, rewards[j]);
		weight *= discount;
	}
	follow(1, weight, &sums->N, &batch->N);
	follow(1, weight, &sums->squares, &batch->squares);
	follow(DIM, weight, sums->b, batch->b);
	follow(SQUARE(DIM), weight, sums->G, batch->G);
	follow(SQUARE(DIM), weight * weight, sums->H, batch->H);
}

/* ---------- errors ---------- */

static double
relative(exact difference, exact size)
{
	if (difference == 0)
		return 0;
	return (double) (fabsl(difference) / size);
}

/* Maximum in which NaN is the largest number, unlike fmax() */
static double
worse(double worst, double error)
{
	return isnan(worst) || error <= worst ? worst : error;
}

static double
error_of_matrix(const double *packed, const exact *expected)
{
	double		worst = 0;

	for (int i = 0; i < DIM; i++)
		for (int j = 0; j <= i; j++)
			worst = worse(worst, relative(packed[linalg_packed_index(DIM, i, j)] -
										  expected[i * DIM + j],
										  sqrtl(expected[i * DIM + i] * expected[j * DIM + j])));
	return worst;
}

static double
error_of_b(const Evidence *e, const ExactMemory *sums)
{
	double		worst = 0;

	for (int k = 0; k < DIM; k++)
		worst = worse(worst, relative(e->b[k] - sums->b[k],
									  sqrtl(sums->G[k * DIM + k] * sums->squares)));
	return worst;
}

static exact
length_of(const exact *vector)
{
	exact		sum = 0;

	for (int k = 0; k < DIM; k++)
		sum += vector[k] * vector[k];
	return sqrtl(sum);
}

static double
error_of_vector(const double *vector, const exact *expected)
{
	exact		difference[DIM];

	for (int k = 0; k < DIM; k++)
		difference[k] = vector[k] - expected[k];
	return relative(length_of(difference), length_of(expected));
}

/* Posterior in long double: the factor of G + ridge I, and its mean */
typedef struct ExactPosterior
{
	exact		Z[DIM * DIM];
	exact		lower[DIM * DIM];
	exact		mean[DIM];
} ExactPosterior;

static void
exact_posterior(const exact *G, const exact *b, ExactPosterior *p)
{
	memcpy(p->Z, G, sizeof(p->Z));
	for (int k = 0; k < DIM; k++)
		p->Z[k * DIM + k] += RIDGE;
	exact_cholesky(DIM, p->Z, p->lower);
	memcpy(p->mean, b, sizeof(p->mean));
	exact_solve(DIM, p->lower, p->mean);
}

/* Condition number: the largest eigenvalue times that of the inverse, both by iteration */
static double
condition_of(const ExactPosterior *p)
{
	exact		large[DIM];
	exact		small[DIM];
	exact		next[DIM];
	exact		largest = 1;
	exact		smallest = 1;

	for (int k = 0; k < DIM; k++)
		large[k] = small[k] = cosl(k) / 3;
	for (int round = 0; round < 1000; round++)
	{
		exact_multiply(DIM, p->Z, large, next);
		largest = length_of(next);
		exact_solve(DIM, p->lower, small);
		smallest = length_of(small);
		for (int k = 0; k < DIM; k++)
		{
			large[k] = next[k] / largest;
			small[k] /= smallest;
		}
	}
	return (double) (largest * smallest);
}

/*
 * Amount by which the factor's product exceeds Z everywhere on its diagonal; 0
 * if it may be a rounding error
 */
static double
ridge_raised(const Evidence *e, const Factor *f)
{
	double		least = INFINITY;

	for (int i = 0; i < DIM; i++)
	{
		exact		element = e->G[linalg_packed_index(DIM, i, i)] + (exact) RIDGE;
		exact		product = 0;

		for (int j = 0; j <= i; j++)
		{
			exact		root = f->L[linalg_packed_index(DIM, i, j)];

			product += root * root;
		}
		if (product - element < RIDGE / 2 + DIM * DBL_EPSILON * element)
			return 0;
		least = fmin(least, (double) (product - element));
	}
	return least;
}

static double
error_of_predictions(const double *mean, const exact *expected,
					 const double *features, exact reward_size)
{
	double		worst = 0;

	for (int j = 0; j < BATCH; j++)
	{
		exact		difference = 0;

		for (int k = 0; k < DIM; k++)
			difference += (mean[k] - expected[k]) * features[j * DIM + k];
		worst = worse(worst, relative(difference, reward_size));
	}
	return worst;
}

/* NaN if rounding errors of the evidence make the exact factorization fail */
static void
judge_posterior(const Evidence *e, const ExactMemory *sums, const double *features, Result *r)
{
	ExactPosterior ours;
	ExactPosterior theirs;
	Factor	   *f = factor_new(e);
	double	   *mean = guarded(DIM);
	exact	   *G = exact_from_packed(DIM, e->G);
	exact		b[DIM];

	for (int k = 0; k < DIM; k++)
		b[k] = e->b[k];
	exact_posterior(G, b, &ours);
	exact_posterior(sums->G, sums->b, &theirs);
	r->condition = condition_of(&theirs);
	r->factored = factor_with(e, RIDGE, f);
	if (r->factored)
	{
		posterior_mean(f, e->b, mean);
		r->raised = ridge_raised(e, f);
		r->solve = error_of_vector(mean, ours.mean);
		r->mean = error_of_vector(mean, theirs.mean);
		r->prediction = error_of_predictions(mean, theirs.mean, features,
											 sqrtl(sums->squares / (exact) *e->N));
	}
}

/* ---------- a history ---------- */

static Result
run(const History *h)
{
	ExactMemory *sums = exact_memory_new(DIM, 0);
	ExactMemory *batch = exact_memory_new(DIM, 0);
	Evidence   *e = evidence_new(DIM, squares_under(h->discount));
	double	   *features = guarded((size_t) BATCH * DIM);
	double	   *rewards = guarded(BATCH);
	uint64_t	state = 20;
	Result	r = {false, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	int64_t		done;

	assert_int_equal(h->count % BATCH, 0);
	for (done = 0; done < h->count; done += BATCH)
	{
		fill_batch(h->kind, &state, features, rewards);
		sums_add(sums, h->discount, features, rewards, batch);
		evidence_learn(e, h->discount, BATCH, h->block, features, rewards);
	}
	r.N = relative(*e->N - sums->N, sums->N);
	r.b = error_of_b(e, sums);
	r.G = error_of_matrix(e->G, sums->G);
	if (e->H)
		r.H = error_of_matrix(e->H, sums->H);
	judge_posterior(e, sums, features, &r);

	return r;
}

/* ---------- error bounds ---------- */

/*
 * Rounding errors of many sums cancel or, with a discount below 1, are forgotten.  An
 * exception are equal summands: all sums are then rounded in the same direction while their
 * exponent is constant.  The number of sums is that of the observations if BLAS processes
 * the vectors of a block one by one, as the reference BLAS does.
 */
static double
evidence_promise(const History *h)
{
	if (h->kind->repeats && h->discount == 1)
		return fmax(1e-12, (double) h->count * DBL_EPSILON / 2);
	return 1e-12;
}

/*
 * Bound of the solution's error, given the evidence: 1e-8 up to a condition
 * number of 1e7, which a backward stable solution reaches, and the error of
 * such a solution beyond.  From 1e12 on, rounding errors of the evidence, for
 * which the bound is 1e-12, may be as large as the ridge.
 */
static double
mean_promise(const Result *r)
{
	if (r->condition < 1e7)
		return 1e-8;
	return r->condition < 1e12 ? r->condition * 1e-15 : INFINITY;
}

/*
 * Coefficients may be imprecise if feature vectors do not distinguish them,
 * but expected rewards of such feature vectors are precise.  Without a
 * condition number, long double is too imprecise to compare.
 */
static bool
promises_kept(const History *h, const Result *r)
{
	double		evidence = evidence_promise(h);
	double		mean = mean_promise(r);

	return fabs(r->N) <= (h->discount < 1 ? evidence : 0) && r->b <= evidence && r->G <= evidence &&
		(h->discount < 1 ? r->H <= evidence : isnan(r->H)) &&
		r->factored && (r->solve <= mean || isinf(mean)) &&
		(r->prediction <= 1e-6 || isnan(r->condition));
}

/* ---------- the table ---------- */

/* print one line of it */
static bool
report(History h)
{
	const Result r = run(&h);
	bool		kept = promises_kept(&h, &r);

	printf("%-22s %5g %5d %8lld %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e  %s\n",
		   h.kind->name, h.discount, h.block, (long long) h.count,
		   r.N, r.b, r.G, r.H, evidence_promise(&h), r.condition, r.solve,
		   mean_promise(&r), r.mean, r.prediction,
		   !kept ? "BROKEN" : r.raised > 0 ? "kept, ridge raised" : "kept");
	(void) fflush(stdout);
	return kept;
}

int
main(void)
{
	const double discounts[] = {0.99, 1};
	bool		kept = true;

	printf("%-22s %5s %5s %8s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n",
		   "contexts", "gamma", "block", "count", "N", "b", "G", "H", "bound",
		   "cond Z", "solve", "bound", "mean", "reward");
	for (int g = 0; g < LENGTH(discounts); g++)
		for (int k = 0; k < LENGTH(kinds); k++)
		{
			const History h = {&kinds[k], discounts[g],
			10 * MILLION, EVIDENCE_BLOCK};

			kept = report(h) && kept;
		}

	/* one by one, as dlints_update trains on single rewards */
	for (int k = 0; k < LENGTH(kinds); k++)
	{
		const History h = {&kinds[k], 1, MILLION, 1};

		kept = report(h) && kept;
	}
	return kept ? 0 : 1;
}
