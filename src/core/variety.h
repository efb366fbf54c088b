/*
 * variety.h
 *		Slates with diversity: a candidate loses score the more similar it is
 *		to chosen candidates (maximal marginal relevance).
 *
 * Positions are filled in turn, each with the highest penalized score.  A score s > 0 becomes s (1
 * - diversity c), where c is the greatest similarity to a chosen candidate; other scores stay.
 * Similarity is the cosine of two vectors, or 0 if that is negative or a vector is zero.  At most
 * "cap" candidates of a group are chosen.  Ties are broken as in slate.h.
 *
 * Similarities do not depend on scores, so they are kept for the slates of further draws.
 */
#ifndef DLINTS_VARIETY_H
#define DLINTS_VARIETY_H

#include <stddef.h>
#include <stdint.h>

/* Number of candidates that SIMD instructions process together (a strip) */
#define VARIETY_STRIP	32

/* Number of array elements for "count" candidates: a multiple of VARIETY_STRIP */
static inline size_t
variety_rounded(int count)
{
	return ((size_t) count + VARIETY_STRIP - 1) / VARIETY_STRIP * VARIETY_STRIP;
}

/*
 * A selection of several slates from the same candidates.  All arrays belong to the caller; arrays
 * of floats and doubles have a multiple of VARIETY_STRIP elements per row.
 */
typedef struct Variety
{
	/* fields that are equal for all slates */
	int			count;			/* number of candidates */
	int			dim;
	double		diversity;		/* strength of the penalty, in (0, 1] */
	const int  *numbers;		/* each candidate's number for tie-break keys */
	const int  *groups;			/* group of each candidate, negative for none; NULL: no caps */
	int			cap;
	float	   *units;			/* vectors of length 1, VARIETY_STRIP of them interleaved */
	float	   *unit;			/* work space for one vector */

	/* cached similarities: a row has the similarities of all candidates to a chosen candidate */
	float	   *rows;
	int			max_rows;		/* length of the cache; its last row is always overwritten */
	int			row_count;		/* number of cached rows */
	int		   *row_of;			/* index of each candidate's cached row, negative for none */

	/* fields of the current slate */
	uint64_t	seed;
	int		   *chosen;			/* candidates chosen so far */
	int			chosen_count;
	int		   *taken;			/* number of chosen candidates of each group */
	double	   *scores;			/* score of each candidate; -infinity if unavailable */
	double	   *closest;		/* greatest similarity of each candidate to chosen candidates */
	double	   *peaks;			/* highest penalized scores, one per VARIETY_STRIP candidates */
	int		   *applied;		/* numbers of choices applied, one per VARIETY_STRIP candidates */
} Variety;

extern void variety_set_vector(Variety *v, int at, const double *vector);
extern void variety_start(Variety *v);
extern void variety_begin(Variety *v, uint64_t seed, int group_count);
extern int	variety_next(Variety *v);

/*
 * Return the minimum penalized score that a candidate can get.  Of the k candidates with the best
 * scores, one is always available.  Candidates whose score is below the minimum penalized scores of
 * all k are therefore never chosen, and callers can prune them.
 */
static inline double
variety_min_score(double diversity, double score)
{
	return score > 0.0 ? score - diversity * score : score;
}

#endif							/* DLINTS_VARIETY_H */
