/*
 * variety.h
 *		Choose lists with diversity: candidates similar to chosen ones get a lower score.
 *
 * Positions are filled in turn, each with the highest penalized score.  A positive score is
 * multiplied by 1 - diversity c, where c is the largest cosine between the candidate's vector and
 * that of a chosen candidate, or 0.  At most "cap" candidates of a group are chosen.
 */
#ifndef DLINTS_VARIETY_H
#define DLINTS_VARIETY_H

#include <stddef.h>
#include <stdint.h>

/* Number of candidates that SIMD instructions process together */
#define VARIETY_STRIP	32

static inline size_t
variety_rounded(int count)
{
	return ((size_t) count + VARIETY_STRIP - 1) / VARIETY_STRIP * VARIETY_STRIP;
}

/*
 * State of the choice of several lists from the same candidates.  Arrays belong to the caller.
 * Rows of numbers have variety_rounded(count) elements.
 */
typedef struct Variety
{
	/* fields that are equal for all lists */
	int			count;			/* number of candidates */
	int			dim;
	double		diversity;		/* in (0, 1] */
	const int  *numbers;		/* id of each candidate, from which its tie-break key is computed */
	const int  *groups;			/* group of each candidate, or NULL */
	int			cap;
	float	   *units;			/* interleaved unit vectors */
	float	   *unit;			/* work space for one vector */

	/* cached similarities: a row per chosen candidate */
	float	   *rows;
	int			max_rows;		/* maximum number of cached rows */
	int			row_count;
	int		   *row_of;			/* cached row of each candidate, or -1 */

	/* fields that change with each list */
	uint64_t	seed;
	int			last;			/* candidate chosen last; -1: none */
	int		   *taken;			/* chosen candidates per group */
	double	   *scores;			/* scores of candidates; -infinity: unavailable */
	double	   *penalties;		/* reduction of each score at a similarity of 1 */
	float	   *closest;		/* each candidate's largest similarity to a chosen one */
	double	   *penalized;		/* penalized scores */
} Variety;

extern void variety_set_vector(Variety *v, int at, const double *vector);
extern void variety_start(Variety *v);
extern void variety_begin(Variety *v, uint64_t seed, int group_count);
extern int	variety_next(Variety *v);

/*
 * Return the minimum penalized score that a candidate can get.  Callers can drop a candidate whose
 * score is below the minimum penalized scores of k others.
 */
static inline double
variety_min_score(double diversity, double score)
{
	return score > 0.0 ? score - diversity * score : score;
}

#endif							/* DLINTS_VARIETY_H */
