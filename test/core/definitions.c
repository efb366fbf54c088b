/*
 * definitions.c
 *		Algorithm 1 and the sums of a memory in long double, from their definitions,
 *		and comparisons of evidence with them.
 */
#include "oracle.h"

#include "core/linalg.h"

/* Factor of G in place of H, the sum of w^2 z z', if H is not stored */
exact
exact_share(exact N, exact N2)
{
	return N2 / fmaxl(N, MIN_WEIGHT);
}

/* ---------- Algorithm 1 ---------- */

Algorithm1 *
algorithm1_new(int dim, double discount, double ridge)
{
	Algorithm1 *a = allocate(sizeof(Algorithm1));

	a->dim = dim;
	a->discount = discount;
	a->ridge = ridge;
	a->Z = exact_new(SQUARE(dim));
	a->Z2 = exact_new(SQUARE(dim));
	a->b = exact_new((size_t) dim);
	a->updates = 0;
	a->weight_sum = a->weight_square_sum = a->reward_sum = a->reward_square_sum = 0;
	for (int i = 0; i < dim; i++)
		a->Z[i * dim + i] = a->Z2[i * dim + i] = ridge;
	return a;
}

/* matrix <- factor matrix + z z' + (1 - factor) ridge I */
static void
recursion(int dim, exact factor, exact ridge, const double *z, exact *matrix)
{
	for (int i = 0; i < dim; i++)
		for (int j = 0; j < dim; j++)
			matrix[i * dim + j] = factor * matrix[i * dim + j] +
				(exact) z[i] * z[j] + (i == j ? (1 - factor) * ridge : 0);
}

void
algorithm1_update(Algorithm1 *a, const double *z, double reward)
{
	exact		gamma = a->discount;

	recursion(a->dim, gamma, a->ridge, z, a->Z);
	recursion(a->dim, gamma * gamma, a->ridge, z, a->Z2);
	for (int i = 0; i < a->dim; i++)
		a->b[i] = gamma * a->b[i] + (exact) reward * z[i];

	a->updates++;
	a->weight_sum = gamma * a->weight_sum + 1;
	a->weight_square_sum = gamma * gamma * a->weight_square_sum + 1;
	a->reward_sum = gamma * a->reward_sum + reward;
	a->reward_square_sum = gamma * a->reward_square_sum +
		(exact) reward * reward;
}

/* Set Z~ = share G + ridge I, the substitute for evidence that has no sum of w^2 z z'. */
void
algorithm1_simplify(Algorithm1 *a, Squares squares)
{
	exact		share = squares == SQUARES_SUM ?
		exact_share(a->weight_sum, a->weight_square_sum) : 1;
	int			i;

	for (i = 0; i < a->dim && squares != SQUARES_MATRIX; i++)
		for (int j = 0; j < a->dim; j++)
		{
			exact		ridge = i == j ? a->ridge : 0;

			a->Z2[i * a->dim + j] = share * (a->Z[i * a->dim + j] - ridge) + ridge;
		}
}

exact *
algorithm1_mean(const Algorithm1 *a)
{
	exact	   *lower = exact_new(SQUARE(a->dim));
	exact	   *mean = exact_new((size_t) a->dim);

	exact_cholesky(a->dim, a->Z, lower);
	memcpy(mean, a->b, sizeof(exact) * (size_t) a->dim);
	exact_solve(a->dim, lower, mean);
	return mean;
}

/* Return Z^-1 Z~ Z^-1, computed column by column. */
exact *
algorithm1_covariance(const Algorithm1 *a)
{
	int			dim = a->dim;
	exact	   *lower = exact_new(SQUARE(dim));
	exact	   *cov = exact_new(SQUARE(dim));
	exact	   *inverse;

	exact_cholesky(dim, a->Z, lower);
	inverse = exact_inverse(dim, lower);
	for (int j = 0; j < dim; j++)
	{
		exact_multiply(dim, a->Z2, inverse + j * dim, cov + j * dim);
		exact_solve(dim, lower, cov + j * dim);
	}
	return cov;
}

/* ---------- evidence ---------- */

size_t
value_count(const Evidence *e)
{
	return evidence_value_count(e->dim, evidence_squares(e));
}

Evidence *
evidence_new(int dim, Squares squares)
{
	Evidence   *e = allocate(sizeof(Evidence));

	evidence_bind(e, dim, squares, guarded(evidence_value_count(dim, squares)));
	assert_int_equal(evidence_squares(e), squares);
	memset(e->N, 0, sizeof(double) * value_count(e));
	return e;
}

Evidence *
evidence_copy(const Evidence *e)
{
	Evidence   *copy = allocate(sizeof(Evidence));

	evidence_bind(copy, e->dim, evidence_squares(e), guarded_copy(value_count(e), e->N));
	return copy;
}

/* Call evidence_absorb() in guarded memory, and check that it does not change its input. */
void
absorb(Evidence *e, double decay, int count, const double *features,
	   const double *rewards, double reference, const double *weights)
{
	size_t		len = (size_t) count * (size_t) e->dim;
	double	   *z = guarded_copy(len, features);
	double	   *r = guarded_copy((size_t) count, rewards);
	double	   *w = guarded_copy((size_t) count, weights);

	evidence_absorb(e, decay, count, z, r, reference, w);
	assert_same_bits(len, z, features);
	assert_same_bits((size_t) count, r, rewards);
	assert_same_bits((size_t) count, w, weights);
	guarded_free(z);
	guarded_free(r);
	guarded_free(w);
}

/* Train on "count" observations in blocks, oldest first, with a discount. */
void
evidence_learn(Evidence *e, double discount, int count, int block,
			   const double *features, const double *rewards)
{
	double		weights[EVIDENCE_BLOCK];

	for (int done = 0; done < count; done += block)
	{
		int			size = (count - done < block) ? count - done : block;

		for (int j = 0; j < size; j++)
			weights[j] = pow(discount, size - 1 - j);
		absorb(e, pow(discount, size), size, features + (size_t) done * (size_t) e->dim,
			   rewards + done, 0, weights);
	}
}

/* Compare matrices.  Tolerances are relative to the largest value that an element can have. */
static void
check_matrix(int dim, const double *packed, exact ridge, const exact *expected,
			 const exact *size, exact tolerance)
{
	for (int i = 0; i < dim; i++)
		for (int j = 0; j <= i; j++)
			assert_near(packed[linalg_packed_index(dim, i, j)] + (i == j ? ridge : 0),
						expected[i * dim + j], tolerance * sqrtl(size[i * dim + i]) *
						sqrtl(size[j * dim + j]));
}

/*
 * Compare evidence with Algorithm 1: Z = G + ridge I, Z~ = H + ridge I, b and the sums.
 * Tolerances are relative to bounds by Cauchy-Schwarz: |Z_ij| <= sqrt(Z_ii Z_jj) and |b_i|
 * <= sqrt(Z_ii sum of gamma^age r^2).  For diagonal elements this is the relative error.
 */
void
check_evidence(const Evidence *e, const Algorithm1 *a)
{
	assert_true(evidence_is_valid(e));
	assert_near(*e->N, a->weight_sum, RELATIVE * a->weight_sum);
	assert_near(*e->R, a->reward_sum, RELATIVE * sqrtl(a->weight_sum * a->reward_square_sum));
	assert_near(*e->S, a->reward_square_sum, RELATIVE * a->reward_square_sum);

	check_matrix(e->dim, e->G, a->ridge, a->Z, a->Z, RELATIVE);
	if (e->H)
		check_matrix(e->dim, e->H, a->ridge, a->Z2, a->Z2, RELATIVE);
	if (e->N2)
		assert_near(*e->N2, a->weight_square_sum, RELATIVE * a->weight_square_sum);
	if (a->discount == 1)
	{
		check_matrix(e->dim, e->G, a->ridge, a->Z2, a->Z2, RELATIVE);
		assert_true(*e->N == (double) a->updates);
	}
	for (int i = 0; i < e->dim; i++)
		assert_near(e->b[i], a->b[i],
					RELATIVE * sqrtl(a->Z[i * e->dim + i] * a->reward_square_sum));
}

Factor *
factor_new(const Evidence *e)
{
	Factor	   *f = allocate(sizeof(Factor));
	bool		forgets = evidence_squares(e) != SQUARES_NONE;

	factor_bind(f, e->dim, forgets, guarded(factor_value_count(e->dim, forgets)));
	return f;
}

/* Factor the posterior of evidence and a ridge, without a prior. */
bool
factor_with(const Evidence *e, double ridge, Factor *f)
{
	const Prior prior = prior_of_ridge(ridge);

	return posterior_factor(e, &prior, f);
}

/* ---------- the sums of a memory ---------- */

ExactMemory *
exact_memory_new(int dim, double reference)
{
	ExactMemory *m = allocate(sizeof(ExactMemory));

	*m = (ExactMemory) {.dim = dim, .reference = reference};
	m->b = exact_new((size_t) dim);
	m->G = exact_new(SQUARE(dim));
	m->H = exact_new(SQUARE(dim));
	return m;
}

void
exact_memory_clear(ExactMemory *m)
{
	m->N = m->N2 = m->R = m->S = m->squares = 0;
	memset(m->b, 0, sizeof(exact) * (size_t) m->dim);
	memset(m->G, 0, sizeof(exact) * SQUARE(m->dim));
	memset(m->H, 0, sizeof(exact) * SQUARE(m->dim));
}

void
exact_memory_add(ExactMemory *m, exact weight, const double *z, double reward)
{
	exact		above = reward - m->reference;

	m->N += weight;
	m->N2 += weight * weight;
	m->R += weight * above;
	m->S += weight * above * above;
	m->squares += weight * reward * reward;
	for (int i = 0; i < m->dim; i++)
	{
		m->b[i] += weight * reward * z[i];
		for (int j = 0; j <= i; j++)
		{
			m->G[j * m->dim + i] = m->G[i * m->dim + j] += weight * z[i] * z[j];
			m->H[j * m->dim + i] = m->H[i * m->dim + j] += weight * weight * z[i] * z[j];
		}
	}
}

/* Return H, or the multiple of G that replaces it. */
exact *
exact_memory_squares(const ExactMemory *m, Squares squares)
{
	exact	   *H = exact_new(SQUARE(m->dim));
	exact		share = squares == SQUARES_SUM ? exact_share(m->N, m->N2) : 1;

	for (size_t i = 0; i < SQUARE(m->dim); i++)
		H[i] = squares == SQUARES_MATRIX ? m->H[i] : share * m->G[i];
	return H;
}

/*
 * Compare evidence with a memory.  Tolerances are relative to the largest value that a
 * number can have, given "size": the sums of all observations, forgotten ones included.
 */
void
check_memory(const Evidence *e, const ExactMemory *m, const ExactMemory *size, exact tolerance)
{
	assert_true(evidence_is_valid(e));
	assert_near(*e->N, m->N, tolerance * size->N);
	assert_near(*e->R, m->R, tolerance * sqrtl(size->N) * sqrtl(size->S));
	assert_near(*e->S, m->S, tolerance * size->S);
	if (e->N2)
		assert_near(*e->N2, m->N2, tolerance * size->N2);
	for (int i = 0; i < m->dim; i++)
		assert_near(e->b[i], m->b[i],
					tolerance * sqrtl(size->G[i * m->dim + i]) * sqrtl(size->squares));
	check_matrix(m->dim, e->G, 0, m->G, size->G, tolerance);
	if (e->H)
		check_matrix(m->dim, e->H, 0, m->H, size->H, tolerance);
}
