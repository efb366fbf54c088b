/*
 * variety.c
 *		Choose candidates one by one, with a penalty for similarity (maximal marginal relevance).
 *
 * We do not keep the candidates sorted, because each choice changes their order.
 */
#include "variety.h"

#include <float.h>
#include <math.h>

#include "clones.h"
#include "numbers.h"
#include "slate.h"

#define OCTETS	(VARIETY_STRIP / 8)

/* ---------- similarity ---------- */

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
 * Compute the cosines of the vector "unit" with all candidates, and limit them to 1.  Products are
 * added in order, so that equal vectors have equal cosines.
 */
CPU_CLONES
static void
fill_row(const Variety *v, float *row)
{
	const octet one = (octet) {0.0f} + 1.0f;
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
			((octet *) (row + at))[l] = LOWER(octet, sum[l], one);
	}
}

/* Get the similarities of all candidates to a chosen one.  They are cached if there is room. */
static const float *
similarities_to(Variety *v, int chosen)
{
	const float *lane = lane_of(v, chosen);
	int			row = v->row_of[chosen] >= 0 ? v->row_of[chosen] : v->row_count;
	float	   *similarities = v->rows + (size_t) row * variety_rounded(v->count);

	if (v->row_of[chosen] >= 0)
		return similarities;
	if (v->row_count < v->max_rows - 1)
		v->row_of[chosen] = v->row_count++;
	for (int k = 0; k < v->dim; k++)
		v->unit[k] = lane[(size_t) k * VARIETY_STRIP];
	fill_row(v, similarities);
	return similarities;
}

/* ---------- choice of one slate ---------- */

/* Begin a slate after the scores have been set.  Ties are broken by random keys for "seed". */
void
variety_begin(Variety *v, uint64_t seed, int group_count)
{
	size_t		rounded = variety_rounded(v->count);

	v->seed = seed;
	v->last = -1;
	for (int g = 0; g < group_count; g++)
		v->taken[g] = 0;
	for (size_t at = (size_t) v->count; at < rounded; at++)
		v->scores[at] = -INFINITY;
	for (size_t at = 0; at < rounded; at++)
	{
		v->closest[at] = 0.0f;
		v->penalties[at] = v->scores[at] > 0.0 ? v->diversity * v->scores[at] : 0.0;
		v->penalized[at] = v->scores[at];
	}
}

/* Update similarities to the nearest chosen candidate, and the penalized scores. */
CPU_CLONES
static void
penalize(Variety *v, const float *similarities)
{
	size_t		rounded = variety_rounded(v->count);
	octet	   *closest = (octet *) v->closest;
	const octet *similar = (const octet *) similarities;

	for (size_t i = 0; i < rounded * sizeof(float) / sizeof(octet); i++)
		closest[i] = HIGHER(octet, similar[i], closest[i]);
	for (size_t at = 0; at < rounded; at++)
		v->penalized[at] = v->scores[at] - v->penalties[at] * (double) v->closest[at];
}

static uint64_t
tie_key(const Variety *v, int at)
{
	return slate_tie_key(v->seed, (uint64_t) v->numbers[at]);
}

/* Find the candidate with the highest penalized score.  Returns -1 if none is left. */
static int
argmax(const Variety *v)
{
	double		highest = -DBL_MAX;
	int			found = -1;

	for (int at = 0; at < v->count; at++)
	{
		if (v->penalized[at] < highest)
			continue;
		if (found < 0 || v->penalized[at] > highest || tie_key(v, at) < tie_key(v, found))
			found = at;
		highest = v->penalized[at];
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
	if (v->last >= 0)
		penalize(v, similarities_to(v, v->last));
	v->last = argmax(v);
	if (v->last >= 0)
		exclude(v, v->last);
	return v->last;
}
