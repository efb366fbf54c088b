/*
 * variety.c
 *		Greedy selection with a similarity penalty (maximal marginal relevance).
 *
 * Each position scans all candidates, VARIETY_STRIP of them (a strip) at a time.
 * Keeping them sorted would cost more, because each choice changes the order.
 */
#include "variety.h"

#include <math.h>

#include "clones.h"
#include "numbers.h"
#include "slate.h"

/* Vector types, because compilers do not vectorize a conditional choice. */
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(32), aligned(8), may_alias));

#define OCTETS	(VARIETY_STRIP / 8)
#define QUADS	(VARIETY_STRIP / 4)

/* Elements of a where the mask "holds" is set, and of b elsewhere */
#define CHOOSE(holds, a, b) \
	((quad) (((quad_mask) (a) & (holds)) | ((quad_mask) (b) & ~(holds))))
#define HIGHER(a, b)	CHOOSE((a) > (b), a, b)
#define LOWER(a, b)		CHOOSE((a) < (b), a, b)

/* ---------- similarity ---------- */

/*
 * Address of the first element of a candidate's vector.  Its elements are VARIETY_STRIP floats
 * apart.
 */
static float *
lane_of(const Variety *v, int at)
{
	return v->units + (size_t) (at / VARIETY_STRIP) * VARIETY_STRIP * (size_t) v->dim +
		at % VARIETY_STRIP;
}

/* Set the vector of a candidate, which must have finite numbers.  It is scaled to length 1. */
void
variety_set_vector(Variety *v, int at, const double *vector)
{
	float	   *lane = lane_of(v, at);

	unit_scale((size_t) v->dim, vector, v->unit);
	for (int k = 0; k < v->dim; k++)
		lane[(size_t) k * VARIETY_STRIP] = v->unit[k];
}

/* Complete the setup after the vectors of all candidates have been set. */
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
 * Compute the cosines of the vector "unit" with all candidates.  Each is summed in the
 * order of the elements, so that equal vectors have equal cosines.
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

/*
 * Return the similarities of all candidates to a chosen one.  Rows are cached
 * for later slates while space is left.
 */
static const float *
similarities_of(Variety *v, int chosen)
{
	size_t		rounded = variety_rounded(v->count);
	const float *lane = lane_of(v, chosen);
	float	   *row;

	if (v->row_of[chosen] >= 0)
		return v->rows + (size_t) v->row_of[chosen] * rounded;
	row = v->rows + (size_t) v->row_count * rounded;
	if (v->row_count < v->max_rows - 1)
		v->row_of[chosen] = v->row_count++;
	for (int k = 0; k < v->dim; k++)
		v->unit[k] = lane[(size_t) k * VARIETY_STRIP];
	fill_row(v, row);
	return row;
}

/* ---------- one slate ---------- */

static double
higher(double a, double b)
{
	return a > b ? a : b;
}

/* Convert the similarities of VARIETY_STRIP candidates to double precision. */
static inline void
widen(const float *row, double *similar)
{
	for (int i = 0; i < VARIETY_STRIP; i++)
		similar[i] = row[i];
}

/*
 * Update the greatest similarities of a strip of candidates, and compute their penalized scores.
 * Returns the highest of these scores.
 */
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
		quad		similarity = HIGHER(((const quad *) similar)[i], ((quad *) closest)[i]);

		similarity = LOWER(similarity, one);
		((quad *) closest)[i] = similarity;
		((quad *) penalized)[i] = score - diversity * HIGHER(score, (quad) {0.0}) * similarity;
		peak = HIGHER(((quad *) penalized)[i], peak);
	}
	return higher(higher(peak[0], peak[1]), higher(peak[2], peak[3]));
}

CPU_CLONES
static void
update_similarities(Variety *v, const float *row)
{
	double		similar[VARIETY_STRIP];
	double		penalized[VARIETY_STRIP];

	for (int at = 0; at < v->count; at += VARIETY_STRIP)
	{
		widen(row + at, similar);
		v->peaks[at / VARIETY_STRIP] = score_strip(v->diversity, similar, v->scores + at,
												 v->closest + at, penalized);
	}
}

/* Compute the penalized scores of a strip of candidates whose similarities do not change. */
static double
rescore_strip(const Variety *v, int at, double *penalized)
{
	return score_strip(v->diversity, v->closest + at, v->scores + at, v->closest + at, penalized);
}

/* Begin a slate after the scores have been set.  Ties are broken by keys drawn from "seed". */
CPU_CLONES
void
variety_begin(Variety *v, uint64_t seed, int group_count)
{
	size_t		rounded = variety_rounded(v->count);
	double		penalized[VARIETY_STRIP];

	v->seed = seed;
	v->last = -1;
	for (int g = 0; g < group_count; g++)
		v->taken[g] = 0;
	for (size_t at = 0; at < rounded; at++)
		v->closest[at] = 0.0;
	for (size_t at = (size_t) v->count; at < rounded; at++)
		v->scores[at] = -INFINITY;
	for (size_t at = 0; at < rounded; at += VARIETY_STRIP)
		v->peaks[at / VARIETY_STRIP] = rescore_strip(v, (int) at, penalized);
}

static uint64_t
tie_key(const Variety *v, int at)
{
	return slate_tie_key(v->seed, (uint64_t) v->numbers[at]);
}

/*
 * Find the candidate with the penalized score "highest"; of several, the one with the smallest
 * tie-break key.  At least one candidate must have this score.
 */
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

/* Exclude the chosen candidate, and the rest of its group if the group has reached the cap. */
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

/* Choose the next candidate; -1 if none is left. */
int
variety_next(Variety *v)
{
	size_t		strips = variety_rounded(v->count) / VARIETY_STRIP;
	double		penalized = -INFINITY;

	if (v->last >= 0)
		update_similarities(v, similarities_of(v, v->last));
	for (size_t strip = 0; strip < strips; strip++)
		penalized = higher(penalized, v->peaks[strip]);
	if (penalized == -INFINITY)
		return -1;
	v->last = argmax(v, penalized);
	exclude(v, v->last);
	return v->last;
}
