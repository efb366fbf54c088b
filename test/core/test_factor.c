/*
 * test_factor.c
 *		Factors of evidence that is near the rounding error of its ridge are
 *		as precise as the evidence; evidence that cannot result from
 *		observations is refused.
 */
#include "oracle.h"

#include <float.h>

#include "core/linalg.h"
#include "core/posterior.h"

static const int dims[] = {1, 2, 5, 24, 61};

/* Factor evidence, which must succeed, and check that the posterior is finite. */
static void
check_usable(const Evidence *e, double ridge)
{
	int			dim = e->dim;
	Factor	   *f = factor_new(e);
	double	   *mean = guarded((size_t) dim);
	double	   *root = guarded(SQUARE(dim));
	double	   *cov = guarded(SQUARE(dim));

	assert_true(evidence_is_valid(e));
	assert_true(factor_with(e, ridge, f));
	posterior_mean(f, e->b, mean);
	posterior_root(f, root);
	linalg_gram(dim, root, cov);
	for (int i = 0; i < dim; i++)
	{
		assert_true(isfinite(mean[i]));
		assert_true(isfinite(cov[i * dim + i]));
		assert_true(cov[i * dim + i] > 0);
	}
}

/* equal features, with G of about 1e19 and a ridge of 1 */
static void
check_rank_one(int dim, double discount, double size)
{
	uint64_t	seed = (uint64_t) dim;
	double	   *features = dice_array(&seed, (size_t) dim);
	const double reward = 1;
	Evidence   *e = evidence_new(dim, squares_under(discount));

	for (int k = 0; k < dim; k++)
		features[k] *= size;
	for (int k = 0; k < 20; k++)
	{
		evidence_learn(e, discount, 1, 1, features, &reward);
		check_usable(e, 1);
	}
}

static void
test_rank_one_evidence_is_factored(void **state)
{
	static const double sizes[] = {1e-300, 1e-100, 1, 1e6, 3e9, 1e12};

	for (int d = 0; d < LENGTH(dims); d++)
		for (int s = 0; s < LENGTH(sizes); s++)
		{
			check_rank_one(dims[d], 1.0, sizes[s]);
			check_rank_one(dims[d], 0.9, sizes[s]);
		}
}

/*
 * Every addition to G has a rounding error.  For equal feature vectors the errors have the
 * same sign, so that the total is larger by the number of steps that count (1/(1 - gamma),
 * or all).  Such evidence must remain usable, and predict the observed reward.
 */
static void
check_repeated_features(int dim, double discount)
{
	uint64_t	seed = 4;
	double	   *features = dice_array(&seed, (size_t) dim);
	double	   *mean = guarded((size_t) dim);
	const double reward = 1;
	Evidence   *e = evidence_new(dim, squares_under(discount));
	Factor	   *f = factor_new(e);

	for (int k = 0; k < dim; k++)
		features[k] *= 1e6;
	for (int k = 1; k <= 20000; k++)
	{
		evidence_learn(e, discount, 1, 1, features, &reward);
		if (k % 1000 == 0)
		{
			assert_true(factor_with(e, 1, f));
			posterior_mean(f, e->b, mean);
			assert_near(exact_dot(dim, mean, features), 1, 1e-6);
		}
	}
	check_usable(e, 1);
}

static void
test_repeated_features_are_factored(void **state)
{
	check_repeated_features(2, 1.0);
	check_repeated_features(2, 0.9999);
	check_repeated_features(5, 1.0);
	check_repeated_features(5, 0.9999);
	check_repeated_features(24, 1.0);
}

/*
 * The standard deviation across a feature vector is 1 / sqrt(ridge) without
 * observations there.  Rounding errors of the sums may reduce the ridge to
 * nearly nothing.  A pivot below half the ridge is therefore refused, and the
 * smallest eigenvalue is at least ridge / 2 times features[0]^2 / |features|^2.
 */
static void
test_ridge_below_rounding_error_is_raised(void **state)
{
	const double features[2] = {1.1, 1.3};
	const double across[2] = {1.3, -1.1};
	const double reward = 1;
	const double most = hypot(1.1, 1.3) * hypot(1.1, 1.3) / 1.1 * sqrt(2.0);
	Evidence   *e = evidence_new(2, SQUARES_NONE);
	Factor	   *f = factor_new(e);
	double		root[4];
	double		work[2];
	double		ridge;

	for (int k = 1; k <= 40000; k++)
	{
		evidence_learn(e, 1, 1, 1, features, &reward);
		if (k % 500 != 0)
			continue;
		for (ridge = 1e-16 * k; ridge < 1; ridge *= 1.3)
		{
			assert_true(factor_with(e, ridge, f));
			posterior_root(f, root);
			assert_true(posterior_stddev(2, root, across, work) * sqrt(ridge) <= most);
		}
	}
}

/*
 * H contains squared weights, whose rounding errors exceed the ridge long before
 * those of G.  The mean depends on G alone, and the standard deviation of
 * unobserved directions on the ridge.
 */
static void
test_large_weights_do_not_narrow_unobserved_directions(void **state)
{
	static const double features[2][3] = {{1, 1, 0}, {1, 0, 0}};
	static const double unseen[3] = {0, 0, 1};
	static const double rewards[2] = {1, 5};
	double		weight;

	for (weight = 1; weight <= 1e10; weight *= 10)
	{
		const double weights[2] = {weight, 1};
		Evidence   *e = evidence_new(3, SQUARES_MATRIX);
		Factor	   *f = factor_new(e);
		Factor		alone = {3, guarded(6), NULL};
		double	   *work = guarded(6);
		double		root[9];
		double		mean[3];
		double		mean_alone[3];

		evidence_absorb(e, 1, 2, features[0], rewards, 0, weights);
		assert_true(factor_with(e, 1, f));
		assert_true(factor_with(e, 1, &alone));
		posterior_mean(f, e->b, mean);
		posterior_mean(&alone, e->b, mean_alone);
		/* (G + I) mean = b, solved by hand */
		assert_near(mean[0], (6 * weight + 5) / (3 * weight + 2), 1e-4);
		assert_near(mean[1], -3 * weight / (3 * weight + 2), 1e-4);
		assert_memory_equal(mean, mean_alone, sizeof(mean));
		posterior_root(f, root);
		assert_near(posterior_stddev(3, root, unseen, work), 1, 1e-12);
	}
}

/*
 * A ridge that was raised for G is raised for H as well.  Draws across the
 * observed direction, where the ridge alone decides, are as wide as without H.
 */
static void
test_ridge_raised_for_G_is_raised_for_H(void **state)
{
	const double features[2] = {1.1e12, 1.3e12};
	const double across[2] = {1.3, -1.1};
	const double reward = 1;
	const double weight = 1e-12;
	Evidence   *e = evidence_new(2, SQUARES_MATRIX);
	Factor	   *f = factor_new(e);
	Factor		alone = {2, guarded(3), NULL};
	double		root[4];
	double		work[2];
	double		width;

	evidence_absorb(e, 1, 1, features, &reward, 0, &weight);
	assert_true(factor_with(e, 1e-6, f));
	assert_true(factor_with(e, 1e-6, &alone));
	posterior_root(&alone, root);
	width = posterior_stddev(2, root, across, work);
	posterior_root(f, root);
	assert_near(posterior_stddev(2, root, across, work) / width, 1, 0.2);
}

/*
 * After a million observations, equal numbers may differ by 1e-9 due to
 * rounding, but not by 1e-8.
 */
static void
test_tolerance_grows_with_the_number_of_observations(void **state)
{
	Evidence   *e = evidence_new(2, SQUARES_NONE);
	Factor	   *f = factor_new(e);

	*e->N = 1e6;
	e->G[linalg_packed_index(2, 0, 0)] = e->G[linalg_packed_index(2, 1, 1)] = 1;
	e->G[linalg_packed_index(2, 1, 0)] = 1 + 1e-9;
	assert_true(factor_with(e, 1e-100, f));
	e->G[linalg_packed_index(2, 1, 0)] = 1 + 1e-8;
	assert_false(factor_with(e, 1e-100, f));
}

/* Does a prior of a million observations factor, with this number off its diagonal of 1? */
static bool
prior_factors(double number)
{
	const double N = 1e6;
	const double p[2] = {0, 0};
	const double ones[3] = {1, 1, 1};
	double	   *P = guarded_copy(3, ones);
	const Prior prior = {1e-100, 1e-100, 0.5, &N, p, P, 0};
	Evidence   *e = evidence_new(2, SQUARES_NONE);

	P[linalg_packed_index(2, 1, 0)] = number;
	return posterior_factor(e, &prior, factor_new(e));
}

/* The rounding error of a prior raises the ridge, as that of evidence does. */
static void
test_tolerance_includes_the_prior(void **state)
{
	assert_true(prior_factors(1 + 1e-9));
	assert_false(prior_factors(1 + 1e-8));
}

/* ---------- evidence that never came from observations ---------- */

static Evidence *
ten_observations(int dim)
{
	uint64_t	seed = (uint64_t) dim;
	Evidence   *e = evidence_new(dim, SQUARES_MATRIX);
	double	   *features = dice_array(&seed, 10 * (size_t) dim);

	evidence_learn(e, 0.5, 10, 10, features, dice_array(&seed, 10));
	return e;
}

/*
 * An element, at any position, that is impossible with diagonal elements of about 1, or is a
 * NaN, for which a Cholesky routine may report success
 */
static void
check_impossible(Evidence *e, double *packed, Factor *f)
{
	int			i;

	for (i = 0; i < e->dim; i++)
		for (int j = 0; j <= i; j++)
		{
			double	   *value = &packed[linalg_packed_index(e->dim, i, j)];
			double		kept = *value;

			*value = (i == j) ? -100 : 100;
			assert_false(factor_with(e, 1, f));
			*value = NAN;
			assert_false(factor_with(e, 1, f));
			*value = kept;
			assert_true(factor_with(e, 1, f));
		}
}

static void
test_impossible_evidence_is_refused(void **state)
{
	for (int d = 1; d <= 8; d++)
	{
		Evidence   *e = ten_observations(d);
		Evidence   *empty = evidence_new(d, SQUARES_MATRIX);
		Factor	   *f = factor_new(e);

		check_impossible(e, e->G, f);
		check_impossible(e, e->H, f);
		check_impossible(empty, empty->G, f);
		check_impossible(empty, empty->H, f);
		*e->N = DBL_MAX;		/* not explained by rounding errors of any N */
		check_impossible(e, e->G, f);
	}
}

/* The largest number of a diagonal can be at any position. */
static void
test_every_position_of_a_diagonal_counts(void **state)
{
	for (int k = 0; k < LENGTH(dims); k++)
	{
		int			d = dims[k];
		uint64_t	seed = 6;
		double	   *packed = dice_array(&seed, linalg_packed_len(d));

		for (int i = 0; i < d; i++)
		{
			for (int j = 0; j < d; j++)
				packed[linalg_packed_index(d, j, j)] = i == j ? -1.5 : -2 - j;
			assert_true(linalg_max_diagonal(d, packed) == -1.5);
		}
	}
}

TEST_PROGRAM("factor",
	test_of(test_rank_one_evidence_is_factored),
	test_of(test_repeated_features_are_factored),
	test_of(test_ridge_below_rounding_error_is_raised),
	test_of(test_large_weights_do_not_narrow_unobserved_directions),
	test_of(test_ridge_raised_for_G_is_raised_for_H),
	test_of(test_tolerance_grows_with_the_number_of_observations),
	test_of(test_tolerance_includes_the_prior),
	test_of(test_impossible_evidence_is_refused),
	test_of(test_every_position_of_a_diagonal_counts))
