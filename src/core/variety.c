/*
 * variety.c
 *		Choose candidates one by one, with a penalty for similarity (maximal marginal relevance).
 *
 * We do not keep the candidates sorted, because each choice changes their order.
 */
#include "variety.h"

#include <math.h>
#include <stdbool.h>

#include "clones.h"
#include "numbers.h"
#include "slate.h"

#define OCTETS	(VARIETY_STRIP / 8)
#define QUADS	(VARIETY_STRIP / 4)

/* ---------- similarity ---------- */

/* Return the address of a candidate's vector. */
static float *
lane_of(const Variety *v, int at)
{
	return v->units + (size_t) (at / VARIETY_STRIP) * VARIETY_STRIP * (size_t) v->dim +
		at % VARIETY_STRIP;
}

/* Set a candidate's vector, scaled to length 1.  Its numbers must be finite. */
void
variety_set_vector(Variety *v, int at, const double *vector)
{
	float	   *lane = lane_of(v, at);

	unit_scale((size_t) v->dim, vector, v->unit);
	for (int k = 0; k < v->dim; k++)
		lane[(size_t) k * VARIETY_STRIP] = v->unit[k];
}

/* Complete the setup, after variety_set_vector() for all candidates. */
void
variety_start(Variety *v)
{
	for (int at = v->count; (size_t) at < variety_rounded(v->count); at++)
		for (int k = 0; k < v->dim; k++)
			lane_of(v, at)[(size_t) k * VARIETY_STRIP] = 0.0f;
	for (int at = 0; at < v->count; at++)
		v->row_of[at] = -1;
	v->row_count = 0;
}

/*
 * Compute the cosines of the vector "unit" with all candidates.
 *
 * Products are added in order, so that equal vectors have equal cosines.
 */
CPU_CLONES
static void
fill_row(const Variety *v, float *row)
{
	const octet *lanes = (const octet *) v->units;

	for (int at = 0; at < v->count; at += VARIETY_STRIP)
	{
		octet		sum[OCTETS] = {{0.0f}};

		for (int k = 0; k < v->dim; k++, lanes += OCTETS)
			UNROLL
			for (int l = 0; l < OCTETS; l++)
				sum[l] += lanes[l] * v->unit[k];
		UNROLL
		for (int l = 0; l < OCTETS; l++)
			((octet *) (row + at))[l] = sum[l];
	}
}

/* Compute the similarities of all candidates to a chosen one, unless they are cached. */
static void
compute_row(Variety *v, int chosen)
{
	const float *lane = lane_of(v, chosen);
	float	   *row = v->rows + (size_t) v->row_count * variety_rounded(v->count);

	if (v->row_of[chosen] >= 0)
		return;
	if (v->row_count < v->max_rows - 1)
		v->row_of[chosen] = v->row_count++;
	for (int k = 0; k < v->dim; k++)
		v->unit[k] = lane[(size_t) k * VARIETY_STRIP];
	fill_row(v, row);
}

/* ---------- choice of one slate ---------- */

static double
higher(double a, double b)
{
	return a > b ? a : b;
}

/* Update the penalized scores of some candidates after a choice.  Returns the highest score. */
static inline double
score_strip(double diversity, const double *similar, const double *scores, double *closest,
		  double *penalized)
{
	quad		one = (quad) {0.0} + 1.0;
	quad		peak = (quad) {0.0} - INFINITY;

	UNROLL
	for (int i = 0; i < QUADS; i++)
	{
		quad		score = ((const quad *) scores)[i];
		quad		similarity = HIGHER(quad, ((const quad *) similar)[i], ((quad *) closest)[i]);

		similarity = LOWER(quad, similarity, one);
		((quad *) closest)[i] = similarity;
		((quad *) penalized)[i] =
			score - diversity * HIGHER(quad, score, (quad) {0.0}) * similarity;
		peak = HIGHER(quad, ((quad *) penalized)[i], peak);
	}
	return higher(higher(peak[0], peak[1]), higher(peak[2], peak[3]));
}

/* Update the penalized scores of VARIETY_STRIP candidates.  Returns the highest score. */
CPU_CLONES
static double
update_strip(Variety *v, size_t strip)
{
	size_t		at = strip * VARIETY_STRIP;
	octet		nearest[OCTETS] = {{0.0f}};
	double		similar[VARIETY_STRIP];
	double		penalized[VARIETY_STRIP];

	if (v->applied[strip] == v->chosen_count)
		return v->peaks[strip];
	for (int i = v->applied[strip]; i < v->chosen_count; i++)
	{
		int			row = v->row_of[v->chosen[i]];
		const float *similarities = v->rows + at +
			(size_t) (row < 0 ? v->row_count : row) * variety_rounded(v->count);

		UNROLL
		for (int l = 0; l < OCTETS; l++)
			nearest[l] = HIGHER(octet, ((const octet *) similarities)[l], nearest[l]);
	}
	v->applied[strip] = v->chosen_count;
	for (int i = 0; i < VARIETY_STRIP; i++)
		similar[i] = ((const float *) nearest)[i];
	return v->peaks[strip] = score_strip(v->diversity, similar, v->scores + at, v->closest + at,
										 penalized);
}

/* Find the highest penalized score of all candidates. */
static double
find_highest(Variety *v)
{
	size_t		strips = variety_rounded(v->count) / VARIETY_STRIP;
	bool		is_reused = v->chosen_count > 0 && v->row_of[v->chosen[v->chosen_count - 1]] < 0;
	size_t		first = 0;
	double		highest = -INFINITY;

	for (size_t strip = 1; strip < strips; strip++)
		if (v->peaks[strip] > v->peaks[first])
			first = strip;
	for (size_t i = 0; i <= strips; i++)
	{
		size_t		strip = i == 0 ? first : i - 1;

		if (v->peaks[strip] >= highest || is_reused)
			highest = higher(update_strip(v, strip), highest);
	}
	return highest;
}

/* Compute penalized scores of VARIETY_STRIP candidates. */
CPU_CLONES
static double
rescore_strip(const Variety *v, int at, double *penalized)
{
	return score_strip(v->diversity, v->closest + at, v->scores + at, v->closest + at, penalized);
}

/* Begin a slate after the scores have been set.  Ties are broken by keys drawn from "seed". */
void
variety_begin(Variety *v, uint64_t seed, int group_count)
{
	size_t		rounded = variety_rounded(v->count);
	double		penalized[VARIETY_STRIP];

	v->seed = seed;
	v->chosen_count = 0;
	for (int g = 0; g < group_count; g++)
		v->taken[g] = 0;
	for (size_t at = 0; at < rounded; at++)
		v->closest[at] = 0.0;
	for (size_t at = (size_t) v->count; at < rounded; at++)
		v->scores[at] = -INFINITY;
	for (size_t at = 0; at < rounded; at += VARIETY_STRIP)
	{
		v->peaks[at / VARIETY_STRIP] = rescore_strip(v, (int) at, penalized);
		v->applied[at / VARIETY_STRIP] = 0;
	}
}

static uint64_t
tie_key(const Variety *v, int at)
{
	return slate_tie_key(v->seed, (uint64_t) v->numbers[at]);
}

/* Find the candidate with the penalized score "highest", which must exist. */
static int
argmax(const Variety *v, double highest)
{
	double		penalized[VARIETY_STRIP];
	int			found = -1;

	for (int at = 0; at < v->count; at += VARIETY_STRIP)
	{
		if (v->peaks[at / VARIETY_STRIP] < highest)
			continue;
		rescore_strip(v, at, penalized);
		for (int i = 0; i < VARIETY_STRIP; i++)
			if (penalized[i] == highest && (found < 0 || tie_key(v, at + i) < tie_key(v, found)))
				found = at + i;
	}
	return found;
}

/* Exclude a chosen candidate, and the rest of its group if the group is full. */
static void
exclude(Variety *v, int chosen)
{
	int			group = v->groups ? v->groups[chosen] : -1;

	v->scores[chosen] = -INFINITY;
	if (group < 0 || ++v->taken[group] < v->cap)
		return;
	for (int at = 0; at < v->count; at++)
		if (v->groups[at] == group)
			v->scores[at] = -INFINITY;
}

/* Choose the next candidate of the slate.  Returns its index, or -1 if none is left. */
int
variety_next(Variety *v)
{
	double		highest;
	int			chosen;

	if (v->chosen_count > 0)
		compute_row(v, v->chosen[v->chosen_count - 1]);
	highest = find_highest(v);
	if (highest == -INFINITY)
		return -1;
	chosen = argmax(v, highest);
	exclude(v, chosen);
	return v->chosen[v->chosen_count++] = chosen;
}
