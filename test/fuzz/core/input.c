/*
 * input.c
 *		Make sizes and numbers of arbitrary bytes, and allocate memory that is
 *		followed by an unreadable page.
 */
#include "input.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Special numbers; those that are not finite are last. */
static const double extremes[] = {
	0.0, -0.0, 1.0, -1.0, 0.5, 0.99, 1.0 - DBL_EPSILON / 2, 1.0 + DBL_EPSILON,
	DBL_MIN, -DBL_MIN, DBL_MIN / 2, -DBL_MIN / 2, 4.9406564584124654e-324,
	DBL_MAX, -DBL_MAX, 1e154, -1e154, 1.5e154, 1e-154, 1e-160, 1e16, 1e-16,
	1e100, 1e-100, 1e8, -1e8, FLT_MAX, FLT_MIN,
	NAN, -NAN, INFINITY, -INFINITY
};

#define EXTREMES		(sizeof(extremes) / sizeof(extremes[0]))
#define EXTREMES_FINITE (EXTREMES - 4)

uint8_t
take_byte(Input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->next++;
}

/* Read eight bytes. */
static uint64_t
take_bits(Input *in)
{
	uint64_t	bits = 0;

	for (int i = 0; i < 8; i++)
		bits = bits << 8 | take_byte(in);
	return bits;
}

/* a number from 1 to "most" */
int
take_size(Input *in, int most)
{
	unsigned	bits = take_byte(in);

	if (most > 256)
		bits = bits << 8 | take_byte(in);
	return 1 + (int) (bits % (unsigned) most);
}

/*
 * An arbitrary number: a special one, a moderate one of few bits, or the value
 * of eight bytes
 */
double
take_number(Input *in)
{
	uint8_t		kind = take_byte(in);
	uint64_t	bits;
	double		number;

	if (kind < EXTREMES)
		return extremes[kind];
	if (kind < 0xE0)
		return (kind - 0x80) / 16.0 + take_byte(in) / 4096.0;
	bits = take_bits(in);
	memcpy(&number, &bits, sizeof(number));
	return number;
}

static double
take_finite(Input *in)
{
	double		number = take_number(in);

	return isfinite(number) ? number : extremes[take_byte(in) % EXTREMES_FINITE];
}

double
take_within(Input *in, double least, double most)
{
	return fmin(fmax(take_finite(in), least), most);
}

#define ARRAY_BYTES (WALLED_MOST_NUMBERS * sizeof(double))

static uint8_t *arrays[WALLED_MOST_ARRAYS];
static int	arrays_used;

static uint8_t *
new_array(void)
{
	size_t		page = (size_t) sysconf(_SC_PAGESIZE);
	uint8_t    *memory = mmap(NULL, ARRAY_BYTES + page, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(memory != MAP_FAILED);
	check(mprotect(memory + ARRAY_BYTES, page, PROT_NONE) == 0);
	return memory;
}

/* Numbers that end at a protected page, all of them NaN */
double *
walled(size_t count)
{
	size_t		size = count * sizeof(double);
	uint8_t    *start;

	check(arrays_used < WALLED_MOST_ARRAYS && size <= ARRAY_BYTES);
	if (arrays[arrays_used] == NULL)
		arrays[arrays_used] = new_array();
	start = arrays[arrays_used++] + ARRAY_BYTES - size;
	memset(start, 0xFF, size);
	return (void *) start;
}

void
walled_reset(void)
{
	arrays_used = 0;
}

/*
 * Read an array from the input.  If the input ends earlier, its numbers
 * repeat, so that few bytes make large arrays of nonzero numbers.
 */
double *
walled_numbers(Input *in, size_t count, double (*take) (Input *))
{
	double	   *values = walled(count);
	size_t		given = 0;

	while (given < count && (in->left > 0 || given == 0))
		values[given++] = take(in);
	for (size_t i = given; i < count; i++)
		values[i] = values[i % given];
	return values;
}

void
check_failed(const char *condition, const char *file, int line)
{
	(void) fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
	abort();
}

bool
same_bits(size_t count, const void *a, const void *b)
{
	return memcmp(a, b, count * sizeof(double)) == 0;
}

bool
all_are_finite(size_t count, const double *values)
{
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

/* Largest absolute value */
double
largest(size_t count, const double *values)
{
	double		most = 0.0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, fabs(values[i]));
	return most;
}
