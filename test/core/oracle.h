/*
 * oracle.h
 *		Functions that the unit tests of src/core share: guarded memory, test
 *		data, comparisons, and Algorithm 1 in long double.
 *
 * The oracle does what the paper says, one observation at a time with the
 * ridge inside the matrices, and shares no code and no formula with the
 * library.  Nothing relies on long double being wider than double: where it
 * is not, or where a tool emulates it as double, the bounds still hold.
 */
#ifndef DLINTS_ORACLE_H
#define DLINTS_ORACLE_H

/* cmocka.h requires the first three */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/panel.h"
#include "core/posterior.h"

typedef long double exact;

#define LENGTH(array)	((int) (sizeof(array) / sizeof((array)[0])))
#define SQUARE(d)		((size_t) (d) * (size_t) (d))

/*
 * Arrays between guards.  Array and guards are filled with NaNs of a known bit pattern.
 * Reading uninitialized elements makes the result NaN, and a test fails at its end if a
 * guard was overwritten.  All memory is freed at the end of a test.
 */
#define test_of(f)	cmocka_unit_test_teardown(f, free_all)

/* The main function of a program that runs these tests */
#define TEST_PROGRAM(name, ...) \
	int \
	main(void) \
	{ \
		const struct CMUnitTest tests[] = {__VA_ARGS__}; \
\
		return cmocka_run_group_tests_name(name, tests, NULL, NULL); \
	}

extern void *allocate(size_t size);
extern int	free_all(void **state);
extern double *guarded(size_t count);
extern float *guarded_floats(size_t count);
extern double *guarded_copy(size_t count, const double *values);
extern void guarded_free(double *values);
extern bool is_untouched(const double *value);

/* numbers in (-1, 1), from a generator that is not the one under test */
extern double dice(uint64_t *state);
extern double *dice_array(uint64_t *state, size_t count);

/* fails unless |actual - expected| <= tolerance, and on NaN */
#define assert_near(actual, expected, tolerance) \
	check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define assert_same_bits(count, actual, expected) \
	assert_memory_equal((actual), (expected), (count) * sizeof(double))

extern void check_near(exact actual, exact expected, exact tolerance,
					   const char *what, const char *file, int line);

/* tolerance for comparisons with the oracle, relative to the largest term */
#define RELATIVE		1e-10

extern void check_vector(int dim, const double *actual, const exact *expected);

/* callback of long loops, and the number of its calls */
extern long pauses;
extern void count_pause(void);

/* linear algebra by definition; matrices are full, element (i, j) at i d + j */
extern exact *exact_new(size_t count);
extern exact exact_dot(int len, const double *a, const double *b);
extern exact exact_dot_size(int len, const double *a, const double *b);
extern void exact_multiply(int d, const exact *a, const exact *x, exact *y);
extern void exact_cholesky(int d, const exact *a, exact *lower);
extern void exact_solve_lower(int d, const exact *lower, exact *x);
extern void exact_solve(int d, const exact *lower, exact *x);
extern exact *exact_inverse(int d, const exact *lower);
extern exact exact_product(int len, const exact *a, const exact *b);
extern exact *exact_from_packed(int d, const double *packed);

/* sparse matrices with random weights */
typedef double (*Weight) (uint64_t *seed, uint32_t user, uint32_t item);

extern SvdMatrix matrix_new(uint32_t users, uint32_t items, Weight weight, exact *dense);

/* Algorithm 1, literally */
typedef struct Algorithm1
{
	int			dim;
	exact		discount;
	exact		ridge;
	exact	   *Z;
	exact	   *Z2;				/* Z~ */
	exact	   *b;
	int64_t		updates;
	exact		weight_sum;
	exact		weight_square_sum;
	exact		reward_sum;
	exact		reward_square_sum;
} Algorithm1;

extern Algorithm1 *algorithm1_new(int dim, double discount, double ridge);
extern void algorithm1_update(Algorithm1 *a, const double *z, double reward);
extern void algorithm1_simplify(Algorithm1 *a, Squares squares);
extern exact *algorithm1_mean(const Algorithm1 *a);
extern exact *algorithm1_covariance(const Algorithm1 *a);

/* representation of H in the only memory of a model */
static inline Squares
squares_under(double discount)
{
	return discount < 1 ? SQUARES_MATRIX : SQUARES_NONE;
}

/* evidence in guarded memory */
extern size_t value_count(const Evidence *e);
extern Evidence *evidence_new(int dim, Squares squares);
extern Evidence *evidence_copy(const Evidence *e);
extern void absorb(Evidence *e, double decay, int count, const double *features,
				   const double *rewards, double reference, const double *weights);
extern void evidence_learn(Evidence *e, double discount, int count, int block,
						   const double *features, const double *rewards);
extern void check_evidence(const Evidence *e, const Algorithm1 *a);
extern Factor *factor_new(const Evidence *e);
extern bool factor_with(const Evidence *e, double ridge, Factor *f);

/* A memory by definition: sums over observations, with full matrices */
typedef struct ExactMemory
{
	int			dim;
	exact		reference;
	exact		N;
	exact		N2;
	exact		R;
	exact		S;
	exact		squares;		/* sum of w r^2 */
	exact	   *b;
	exact	   *G;
	exact	   *H;
} ExactMemory;

extern ExactMemory *exact_memory_new(int dim, double reference);
extern void exact_memory_clear(ExactMemory *m);
extern void exact_memory_add(ExactMemory *m, exact weight, const double *z, double reward);
extern exact exact_share(exact N, exact N2);
extern exact *exact_memory_squares(const ExactMemory *m, Squares squares);
extern void check_memory(const Evidence *e, const ExactMemory *m,
						 const ExactMemory *size, exact tolerance);

#endif							/* DLINTS_ORACLE_H */
