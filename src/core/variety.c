/*
 * variety.c
 *		Fill a list place by place.
 *
 * All are looked at for each place, some at a time: that is less work than to
 * keep them in an order that each choice changes.
 */
#include "variety.h"

#include <math.h>

#include "clones.h"
#include "numbers.h"
#include "random.h"

/* Vectors spelt out, because compilers do not make them of a choice. */
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(32), aligned(8), may_alias));

#define OCTETS	(VARIETY_STRIP / 8)
#define QUADS	(VARIETY_STRIP / 4)

/* those of a where it holds, and else those of b */
#define CHOOSE(holds, a, b) \
	((quad) (((quad_mask) (a) & (holds)) | ((quad_mask) (b) & ~(holds))))
#define HIGHER(a, b)	CHOOSE((a) > (b), a, b)
#define LOWER(a, b)		CHOOSE((a) < (b), a, b)

/* ---------- how similar ---------- */

/* Where the first number of a vector stands; the next ones follow a strip apart. */
static float *
lane_of(const Variety *v, int at)
{
	return v->units + (size_t) (at / VARIETY_STRIP) * VARIETY_STRIP * (size_t) v->dim +
		at % VARIETY_STRIP;
}

/* Put a vector of finite numbers in its place. */
void
variety_place(Variety *v, int at, const double *vector)
{
	float	   *lane = lane_of(v, at);
	int			k;

	unit_scale((size_t) v->dim, vector, v->unit);
	for (k = 0; k < v->dim; k++)
		lane[(size_t) k * VARIETY_STRIP] = v->unit[k];
}

/* All vectors are in their places, and nothing was chosen yet. */
void
variety_ready(Variety *v)
{
	int			at;
	int			k;

	for (at = v->count; (size_t) at < variety_rounded(v->count); at++)
		for (k = 0; k < v->dim; k++)
			lane_of(v, at)[(size_t) k * VARIETY_STRIP] = 0.0f;
	for (at = 0; at < v->count; at++)
		v->row_of[at] = -1;
	v->row_count = 0;
}

/*
 * Cosines of one with all, strip by strip.  Each is summed in the order of the
 * numbers, so that twins are equally similar to all else.
 */
CPU_CLONES
static void
fill_row(const Variety *v, float *row)
{
	const octet *lanes = (const octet *) v->units;
	int			at;
	int			k;
	int			l;

	for (at = 0; at < v->count; at += VARIETY_STRIP)
	{
		octet		sum[OCTETS] = {{0.0f}};

		for (k = 0; k < v->dim; k++, lanes += OCTETS)
			UNROLL
			for (l = 0; l < OCTETS; l++)
				sum[l] += lanes[l] * v->unit[k];
		UNROLL
		for (l = 0; l < OCTETS; l++)
			((octet *) (row + at))[l] = sum[l];
	}
}

/* Those of one that was chosen, kept for other lists where there is room. */
static const float *
row_of(Variety *v, int chosen)
{
	size_t		rounded = variety_rounded(v->count);
	const float *lane = lane_of(v, chosen);
	float	   *row;
	int			k;

	if (v->row_of[chosen] >= 0)
		return v->rows + (size_t) v->row_of[chosen] * rounded;
	row = v->rows + (size_t) v->row_count * rounded;
	if (v->row_count < v->most_rows - 1)
		v->row_of[chosen] = v->row_count++;
	for (k = 0; k < v->dim; k++)
		v->unit[k] = lane[(size_t) k * VARIETY_STRIP];
	fill_row(v, row);
	return row;
}

/* ---------- a list ---------- */

static double
higher(double a, double b)
{
	return a > b ? a : b;
}

/* What is similar to a strip, in double precision */
static inline void
widen(const float *row, double *similar)
{
	int			i;

	for (i = 0; i < VARIETY_STRIP; i++)
		similar[i] = row[i];
}

/* What a strip is worth, once what is so similar to it stands on the list. */
static inline double
see_strip(double diversity, const double *similar, const double *scores, double *closest,
		  double *worth)
{
	quad		one = (quad) {0.0} + 1.0;
	quad		peak = (quad) {0.0} - INFINITY;
	int			i;

	UNROLL
	for (i = 0; i < QUADS; i++)
	{
		quad		score = ((const quad *) scores)[i];
		quad		most = HIGHER(((const quad *) similar)[i], ((quad *) closest)[i]);

		most = LOWER(most, one);
		((quad *) closest)[i] = most;
		((quad *) worth)[i] = score - diversity * HIGHER(score, (quad) {0.0}) * most;
		peak = HIGHER(((quad *) worth)[i], peak);
	}
	return higher(higher(peak[0], peak[1]), higher(peak[2], peak[3]));
}

CPU_CLONES
static void
see(Variety *v, const float *row)
{
	double		similar[VARIETY_STRIP];
	double		worth[VARIETY_STRIP];
	int			at;

	for (at = 0; at < v->count; at += VARIETY_STRIP)
	{
		widen(row + at, similar);
		v->peaks[at / VARIETY_STRIP] = see_strip(v->diversity, similar, v->scores + at,
												 v->closest + at, worth);
	}
}

/* The same of nothing new, one strip; it stays as it is. */
static double
look_again(const Variety *v, int at, double *worth)
{
	return see_strip(v->diversity, v->closest + at, v->scores + at, v->closest + at, worth);
}

/* Scores were set: begin a list, whose lots are drawn under "seed". */
CPU_CLONES
void
variety_begin(Variety *v, uint64_t seed, int group_count)
{
	size_t		rounded = variety_rounded(v->count);
	double		worth[VARIETY_STRIP];
	size_t		at;
	int			g;

	v->seed = seed;
	v->last = -1;
	for (g = 0; g < group_count; g++)
		v->taken[g] = 0;
	for (at = 0; at < rounded; at++)
		v->closest[at] = 0.0;
	for (at = (size_t) v->count; at < rounded; at++)
		v->scores[at] = -INFINITY;
	for (at = 0; at < rounded; at += VARIETY_STRIP)
		v->peaks[at / VARIETY_STRIP] = look_again(v, (int) at, worth);
}

static uint64_t
lot(const Variety *v, int at)
{
	return random_bits(v->seed, (uint64_t) v->numbers[at]);
}

/* Who is worth so much, and has the least lot among equals; it is in a strip. */
static int
find(const Variety *v, double most)
{
	double		worth[VARIETY_STRIP];
	int			found = -1;
	int			at;
	int			i;

	for (at = 0; at < v->count; at += VARIETY_STRIP)
	{
		if (v->peaks[at / VARIETY_STRIP] < most)
			continue;
		look_again(v, at, worth);
		for (i = 0; i < VARIETY_STRIP; i++)
			if (worth[i] == most && (found < 0 || lot(v, at + i) < lot(v, found)))
				found = at + i;
	}
	return found;
}

/* It cannot be chosen any more, nor can others of its group if that is full. */
static void
leave_out(Variety *v, int chosen)
{
	int			group = v->groups ? v->groups[chosen] : -1;
	int			at;

	v->scores[chosen] = -INFINITY;
	if (group < 0 || ++v->taken[group] < v->cap)
		return;
	for (at = 0; at < v->count; at++)
		if (v->groups[at] == group)
			v->scores[at] = -INFINITY;
}

/* What comes next on the list; negative if nothing is left. */
int
variety_next(Variety *v)
{
	size_t		strips = variety_rounded(v->count) / VARIETY_STRIP;
	double		worth = -INFINITY;
	size_t		strip;

	if (v->last >= 0)
		see(v, row_of(v, v->last));
	for (strip = 0; strip < strips; strip++)
		worth = higher(worth, v->peaks[strip]);
	if (worth == -INFINITY)
		return -1;
	v->last = find(v, worth);
	leave_out(v, v->last);
	return v->last;
}
