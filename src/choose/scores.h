/*
 * scores.h
 *		What a decision asks of the scores of candidates, whatever they are
 *		made of.
 */
#ifndef DLINTS_SCORES_H
#define DLINTS_SCORES_H

#include "postgres.h"

#include "storage/shmem.h"
#include "utils/memutils.h"

/* Room for so many numbers, in the current memory context. */
static inline double *
AllocateNumbers(Size count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(sizeof(double), Max(count, 1)));
}

/* Candidates "first" to first + count - 1, and their scores under a draw. */
typedef struct ScoresStrip
{
	int			first;
	int			count;
	const double *scores;
	int			step;			/* from one of them to the next */
	double		peak;			/* the highest of them */
	double		level;			/* what they all leave out */
} ScoresStrip;

typedef void (*ScoresTaker) (void *taker, int draw, const ScoresStrip *strip);

typedef struct Scores
{
	int			count;			/* candidates */
	int			most_draws;		/* that can be made at once */

	/*
	 * Score all candidates under some draws, and hand over what a strip of
	 * them has under one of them at a time, in their order.
	 */
	void		(*under) (struct Scores *scores, int first_draw, int draws,
						  ScoresTaker take, void *taker);
} Scores;

#endif							/* DLINTS_SCORES_H */
