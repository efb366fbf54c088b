/*
 * oracle.c
 *		Guarded memory, test data, comparisons, and linear algebra in long
 *		double.
 */
#include "oracle.h"

#include <stdio.h>

#include "core/linalg.h"

#define GUARD_LEN	8
/* a signaling NaN as a double and as the first of two floats: sums with it have other bits */
#define GUARD_BITS	UINT64_C(0x7FF4DEAD7FA4CAFE)

/* ---------- guarded memory ---------- */

/*
 * All blocks stand in a list until the test ends.  One with guards holds a
 * guard, the array and a second guard.
 */
typedef struct Block
{
	struct Block *previous;
	struct Block *next;
	size_t		count;			/* state of an array between guards */
	bool		is_guarded;
	exact		data[];
} Block;

static Block blocks = {.previous = &blocks, .next = &blocks};

static Block *
allocate_block(size_t size)
{
	Block	   *block = malloc(sizeof(Block) + size);

	assert_non_null(block);
	*block = (Block) {.previous = &blocks, .next = blocks.next};
	block->previous->next = block->next->previous = block;
	return block;
}

void *
allocate(size_t size)
{
	return allocate_block(size)->data;
}

/* Are both guards intact? */
static bool
free_block(Block *block)
{
	const double *numbers = (const void *) block->data;
	bool		intact = true;

	for (size_t i = 0; block->is_guarded && i < GUARD_LEN; i++)
		intact = intact && is_untouched(&numbers[i]) &&
			is_untouched(&numbers[GUARD_LEN + block->count + i]);
	block->previous->next = block->next;
	block->next->previous = block->previous;
	free(block);
	return intact;
}

int
free_all(void **state)
{
	bool		intact = true;

	while (blocks.next != &blocks)
		intact = free_block(blocks.next) && intact;
	assert_true(intact);
	return 0;
}

double *
guarded(size_t count)
{
	const uint64_t bits = GUARD_BITS;
	size_t		total = GUARD_LEN + count + GUARD_LEN;
	Block	   *block = allocate_block(total * sizeof(double));
	double	   *numbers = (void *) block->data;

	block->count = count;
	block->is_guarded = true;
	for (size_t i = 0; i < total; i++)
		memcpy(&numbers[i], &bits, sizeof(bits));
	return numbers + GUARD_LEN;
}

/* Floats that end at a guard, for any count */
float *
guarded_floats(size_t count)
{
	void	   *room = guarded((count + 1) / 2);

	return (float *) room + count % 2;
}

double *
guarded_copy(size_t count, const double *values)
{
	double	   *copy = guarded(count);

	memcpy(copy, values, count * sizeof(double));
	return copy;
}

bool
is_untouched(const double *value)
{
	const uint64_t bits = GUARD_BITS;

	return memcmp(value, &bits, sizeof(bits)) == 0;
}

void
guarded_free(double *values)
{
	Block	   *block = (Block *) ((char *) (values - GUARD_LEN) - offsetof(Block, data));

	assert_true(free_block(block));
}

/* ---------- test data ---------- */

/* splitmix64 */
double
dice(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	return ((double) (z >> 12) + 0.5) / 2251799813685248.0 - 1.0;
}

double *
dice_array(uint64_t *state, size_t count)
{
	double	   *values = guarded(count);

	for (size_t i = 0; i < count; i++)
		values[i] = dice(state);
	return values;
}

/* ---------- comparison ---------- */

void
check_near(exact actual, exact expected, exact tolerance,
		   const char *what, const char *file, int line)
{
	if (fabsl(actual - expected) <= tolerance)
		return;
	print_error("%s is %.17Lg, expected %.17Lg within %.3Lg\n", what, actual, expected, tolerance);
	_fail(file, line);
}

/* Compare vectors, relative to the largest element. */
void
check_vector(int dim, const double *actual, const exact *expected)
{
	exact		largest = 0;

	for (int i = 0; i < dim; i++)
		largest = fmaxl(largest, fabsl(expected[i]));
	for (int i = 0; i < dim; i++)
		assert_near(actual[i], expected[i], RELATIVE * largest);
}

long		pauses = 0;

void
count_pause(void)
{
	pauses++;
}

/* ---------- linear algebra ---------- */

exact *
exact_new(size_t count)
{
	exact	   *values = allocate(count * sizeof(exact));

	for (size_t i = 0; i < count; i++)
		values[i] = 0;
	return values;
}

exact
exact_dot(int len, const double *a, const double *b)
{
	exact		sum = 0;

	for (int i = 0; i < len; i++)
		sum += (exact) a[i] * b[i];
	return sum;
}

/* Sum of the absolute values of the terms, a bound of rounding errors */
exact
exact_dot_size(int len, const double *a, const double *b)
{
	exact		sum = 0;

	for (int i = 0; i < len; i++)
		sum += fabsl((exact) a[i] * b[i]);
	return sum;
}

void
exact_multiply(int d, const exact *a, const exact *x, exact *y)
{
	for (int i = 0; i < d; i++)
	{
		y[i] = 0;
		for (int j = 0; j < d; j++)
			y[i] += a[i * d + j] * x[j];
	}
}

void
exact_cholesky(int d, const exact *a, exact *lower)
{
	int			i;

	for (i = 0; i < d; i++)
		for (int j = 0; j < d; j++)
		{
			exact		sum = a[i * d + j];

			for (int k = 0; k < j && j <= i; k++)
				sum -= lower[i * d + k] * lower[j * d + k];
			if (j > i)
				lower[i * d + j] = 0;
			else if (j == i)
				lower[i * d + i] = sqrtl(sum);
			else
				lower[i * d + j] = sum / lower[j * d + j];
		}
}

void
exact_solve_lower(int d, const exact *lower, exact *x)
{
	for (int i = 0; i < d; i++)
	{
		for (int k = 0; k < i; k++)
			x[i] -= lower[i * d + k] * x[k];
		x[i] /= lower[i * d + i];
	}
}

/* x <- A^-1 x, where A = L L' */
void
exact_solve(int d, const exact *lower, exact *x)
{
	exact_solve_lower(d, lower, x);
	for (int i = d - 1; i >= 0; i--)
	{
		for (int k = i + 1; k < d; k++)
			x[i] -= lower[k * d + i] * x[k];
		x[i] /= lower[i * d + i];
	}
}

exact *
exact_inverse(int d, const exact *lower)
{
	exact	   *inverse = exact_new(SQUARE(d));

	for (int j = 0; j < d; j++)
	{
		inverse[j * d + j] = 1;
		exact_solve(d, lower, inverse + j * d);
	}
	return inverse;
}

exact
exact_product(int len, const exact *a, const exact *b)
{
	exact		sum = 0;

	for (int i = 0; i < len; i++)
		sum += a[i] * b[i];
	return sum;
}

/*
 * Create a matrix of random weights; "dense" gets the same weights as users by items.  A negative
 * weight means no cell.
 */
SvdMatrix
matrix_new(uint32_t users, uint32_t items, Weight weight, exact *dense)
{
	SvdMatrix	matrix = {users, items, allocate((users + 1) * sizeof(size_t)),
	allocate(sizeof(SvdCell) * users * items), count_pause};
	uint64_t	seed = 20260101;
	size_t		count = 0;

	matrix.starts[0] = 0;
	for (uint32_t u = 0; u < users; u++)
	{
		for (uint32_t i = 0; i < items; i++)
		{
			double		w = weight(&seed, u, i);
			SvdCell		cell = {u, i, w};

			if (w < 0)
				continue;
			matrix.cells[count++] = cell;
			dense[(size_t) u * items + i] = w;
		}
		matrix.starts[u + 1] = count;
	}
	return matrix;
}

/* both triangles of a packed symmetric matrix */
exact *
exact_from_packed(int d, const double *packed)
{
	exact	   *full = exact_new(SQUARE(d));

	for (int i = 0; i < d; i++)
		for (int j = 0; j <= i; j++)
			full[i * d + j] = full[j * d + i] =
				packed[linalg_packed_index(d, i, j)];
	return full;
}
