/*
 * variety.h
 *		A list in which something counts less the more it is like what stands
 *		there already.
 *
 * It is filled place by place, each time by what is worth most.  A score s above
 * 0 is worth s (1 - diversity c), where c is the greatest similarity to what was
 * chosen so far; others are worth themselves.  Similarity is the cosine of two
 * vectors, and 0 where that is negative or one of them is zero.  At most "cap"
 * of a group are chosen.  Among equals lots decide, as they do in a slate.
 *
 * What is similar to what does not change with the scores, so that it is kept
 * from one list to the next.
 */
#ifndef DLINTS_VARIETY_H
#define DLINTS_VARIETY_H

#include <stddef.h>
#include <stdint.h>

/* what is looked at together */
#define VARIETY_STRIP	32

/* room for so many, in strips */
static inline size_t
variety_rounded(int count)
{
	return ((size_t) count + VARIETY_STRIP - 1) / VARIETY_STRIP * VARIETY_STRIP;
}

/* All arrays are the caller's; those that say "rounded" are as long as that. */
typedef struct Variety
{
	/* what is the same for all lists */
	int			count;			/* of what there is to choose from */
	int			dim;
	double		diversity;		/* above 0, at most 1 */
	const int  *numbers;		/* by which lots are drawn */
	const int  *groups;			/* of each, negative: none; NULL: no caps */
	int			cap;
	float	   *units;			/* rounded * dim: vectors of length 1, a strip side by side */
	float	   *unit;			/* room for one */

	/* how similar what was chosen before is to all: a row each, rounded */
	float	   *rows;
	int			most_rows;		/* at least 1, the last of which is used anew */
	int			row_count;		/* of those that stay */
	int		   *row_of;			/* where each has its row, negative: nowhere */

	/* the present list */
	uint64_t	seed;
	int			last;			/* that was chosen; negative: none */
	int		   *taken;			/* from each group */
	double	   *scores;			/* rounded; no longer of what cannot be chosen */
	double	   *closest;		/* rounded: the greatest similarity */
	double	   *peaks;			/* what is worth most in each strip */
} Variety;

extern void variety_place(Variety *v, int at, const double *vector);
extern void variety_ready(Variety *v);
extern void variety_begin(Variety *v, uint64_t seed, int group_count);
extern int	variety_next(Variety *v);

/*
 * What a score is worth at the least.  Of those that are among the best by their
 * scores, as a slate finds them, one can always be chosen yet: so what scores
 * less than the least that one of these is worth is on no list.
 */
static inline double
variety_least(double diversity, double score)
{
	return score > 0.0 ? score - diversity * score : score;
}

#endif							/* DLINTS_VARIETY_H */
