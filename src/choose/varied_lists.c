/*
 * varied_lists.c
 *		Choose lists of diverse items under many posterior draws.
 *
 * Each position gets the candidate with the highest penalized score (maximal marginal relevance).
 * A positive score is multiplied by 1 - diversity * the largest cosine to a chosen candidate.
 *
 * We compute similarities only between candidates whose scores are high enough for a list.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/decision.h"
#include "core/clones.h"
#include "sql/args.h"

/* maximum number of cached similarities, 4 bytes each: 16 MB */
#define MAX_SIMILARITIES	((Size) 1 << 22)

/* number of candidates that SIMD instructions process at a time */
#define STRIP	32
#define OCTETS	(STRIP / 8)

struct VariedLists
{
	const Candidates *from;
	int			candidates;
	double	   *vector;			/* work space for one vector */
	float	   *unit;			/* work space for a vector scaled to length 1 */
	double	   *scores;			/* scores, with one row per draw and one column per candidate */

	/* the candidates whose scores are high enough for a list under at least one posterior draw */
	int			count;
	int			rounded;		/* "count" rounded up to a multiple of STRIP */
	int		   *numbers;		/* indexes of these candidates among all candidates */
	float	   *units;			/* candidates' vectors, scaled to length 1 and interleaved */
	int		   *row_of;			/* row of each candidate in the cache "rows"; -1: not cached */
	float	   *rows;			/* cached similarities between candidates */
	Size		rows_len;		/* allocated length of "rows" */
	int			row_count;

	/* state of the current list */
	double	   *left;			/* scores; -infinity: the candidate can no longer be chosen */
	float	   *closest;		/* largest similarity of each candidate to a chosen candidate */
	double	   *penalized;
	int		   *taken;			/* number of chosen candidates per group */
};

static double *
ScoresOfDraw(const VariedLists *lists, int draw)
{
	return lists->scores + (Size) draw * lists->candidates;
}

/* Read the vector of a candidate from the argument "similar_by". */
static void
ReadVector(VariedLists *lists, int candidate)
{
	CHECK_FOR_INTERRUPTS();
	ArgMatrixSlice(lists->from->similar_by, &lists->from->similar, candidate, 1, lists->vector);
}

static int
RoundUp(int count)
{
	return (count + STRIP - 1) / STRIP * STRIP;
}

/* Allocate memory for choosing one list under each of at most "draws" posterior draws. */
VariedLists *
VariedListsCreate(const Candidates *from, int draws)
{
	VariedLists *lists = palloc0(sizeof(VariedLists));
	int			candidates = ScoresCount(from->scores);
	int			rounded = RoundUp(candidates);
	Size		max_rows = (Size) draws * Min(from->rules.k, candidates);

	lists->from = from;
	lists->candidates = candidates;
	lists->vector = AllocateNumbers(from->similar.len);
	lists->unit = AllocateMany(sizeof(float), from->similar.len);
	lists->scores = AllocateNumbers(mul_size(candidates, draws));
	lists->numbers = AllocateMany(sizeof(int), candidates);
	lists->row_of = AllocateMany(sizeof(int), candidates);
	lists->units = AllocateMany(mul_size(sizeof(float), rounded), from->similar.len);
	lists->rows_len = Max(Min(MAX_SIMILARITIES, mul_size(max_rows, rounded)), rounded);
	lists->rows = AllocateMany(sizeof(float), lists->rows_len);
	lists->left = AllocateNumbers(candidates);
	lists->closest = AllocateMany(sizeof(float), candidates);
	lists->penalized = AllocateNumbers(candidates);
	lists->taken = AllocateMany(sizeof(int), from->group_count);
	/* raise an error if any vector in similar_by is invalid, even one that is not compared */
	for (int i = 0; i < candidates; i++)
		ReadVector(lists, i);
	return lists;
}

/* Store the scores of some candidates under one posterior draw. */
void
VariedListsStore(VariedLists *lists, int draw, const ScoresStrip *strip)
{
	double	   *scores = ScoresOfDraw(lists, draw) + strip->first;

	for (int i = 0; i < strip->count; i++)
		scores[i] = strip->scores[(Size) i * strip->step] + strip->level;
}

/* ---------- candidates that a list may contain ---------- */

/* Return the address of the vector of a candidate among interleaved vectors. */
static float *
LaneOf(const VariedLists *lists, int i)
{
	return lists->units + (Size) (i / STRIP) * STRIP * lists->from->similar.len + i % STRIP;
}

/* Read the candidates' vectors, and interleave STRIP vectors at a time, padded with zeros. */
static void
InterleaveVectors(VariedLists *lists)
{
	const double *roots = lists->from->similar_roots;
	int			len = lists->from->similar.len;

	for (int i = 0; i < lists->rounded; i++)
	{
		if (i < lists->count)
			ReadVector(lists, lists->numbers[i]);
		for (int k = 0; k < len && (roots || i >= lists->count); k++)
			lists->vector[k] *= i < lists->count ? roots[k] : 0.0;
		unit_scale(len, lists->vector, lists->unit);
		for (int k = 0; k < len; k++)
			LaneOf(lists, i)[(Size) k * STRIP] = lists->unit[k];
	}
}

/*
 * Return the minimum score of a candidate on a list with diversity: the lowest score, after the
 * maximum similarity penalty, on the best list without diversity.
 */
static double
LeastScore(const VariedLists *lists, int draw, const Slate *slate)
{
	const double *scores = ScoresOfDraw(lists, draw);
	double		least = INFINITY;

	for (int i = 0; i < slate->best.count; i++)
	{
		double		score = ResultFinite(scores[slate->best.entries[i].candidate]);

		least = Min(least, score - lists->from->rules.diversity * Max(score, 0.0));
	}
	return least;
}

/* Remove the candidates whose scores are too low for a list under all posterior draws. */
void
VariedListsPrune(VariedLists *lists, const Slate *slates, int draws)
{
	bool	   *possible = AllocateZeros(sizeof(bool), lists->candidates);

	for (int draw = 0; draw < draws; draw++)
	{
		const double *scores = ScoresOfDraw(lists, draw);
		double		least = LeastScore(lists, draw, &slates[draw]);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < lists->candidates; i++)
			possible[i] |= scores[i] >= least;
	}
	lists->count = 0;
	lists->row_count = 0;
	for (int i = 0; i < lists->candidates; i++)
		if (possible[i])
		{
			lists->row_of[lists->count] = -1;
			lists->numbers[lists->count++] = i;
		}
	pfree(possible);
	lists->rounded = RoundUp(lists->count);
	InterleaveVectors(lists);
}

/* ---------- lists ---------- */

/*
 * Compute each candidate's cosine similarity to the vector "unit", at most 1.  Sums have a fixed
 * order, so that equal vectors have equal cosines.
 */
CPU_CLONES
static void
FillRow(const VariedLists *lists, const float *unit, float *row)
{
	const octet one = (octet) {0.0f} + 1.0f;
	const octet *lanes = (const octet *) lists->units;

	for (int at = 0; at < lists->rounded; at += STRIP)
	{
		octet		sum[OCTETS] = {{0.0f}};

		for (int k = 0; k < lists->from->similar.len; k++, lanes += OCTETS)
			UNROLL
			for (int l = 0; l < OCTETS; l++)
				sum[l] += lanes[l] * unit[k];
		UNROLL
		for (int l = 0; l < OCTETS; l++)
			((octet *) (row + at))[l] = LOWER(octet, sum[l], one);
	}
}

/* Get the similarity of each candidate to a chosen candidate, from the cache if possible. */
static const float *
SimilaritiesTo(VariedLists *lists, int chosen)
{
	int		   *row = &lists->row_of[chosen];

	if (*row >= 0)
		return lists->rows + (Size) *row * lists->rounded;
	if ((Size) (lists->row_count + 1) * lists->rounded > lists->rows_len)
	{
		for (int i = 0; i < lists->count; i++)
			lists->row_of[i] = -1;
		lists->row_count = 0;
	}
	*row = lists->row_count++;
	for (int k = 0; k < lists->from->similar.len; k++)
		lists->unit[k] = LaneOf(lists, chosen)[(Size) k * STRIP];
	FillRow(lists, lists->unit, lists->rows + (Size) *row * lists->rounded);
	return lists->rows + (Size) *row * lists->rounded;
}

/* Lower the penalized scores of candidates that are similar to the candidate chosen last. */
CPU_CLONES
static void
Penalize(int count, double diversity, const float *restrict similarities, float *restrict closest,
		 const double *restrict left, double *restrict penalized)
{
	for (int i = 0; i < count; i++)
	{
		closest[i] = similarities[i] > closest[i] ? similarities[i] : closest[i];
		penalized[i] = left[i] - diversity * (left[i] > 0.0 ? left[i] : 0.0) * closest[i];
	}
}

/* Find the candidate with the highest penalized score.  Returns -1 if no candidate is left. */
static int
FindBest(const VariedLists *lists, uint64 seed)
{
	const double *penalized = lists->penalized;
	double		highest = -DBL_MAX;
	int			best = -1;

	for (int i = 0; i < lists->count; i++)
	{
		if (penalized[i] < highest)
			continue;
		if (best < 0 || penalized[i] > highest ||
			slate_tie_key(seed, lists->numbers[i]) < slate_tie_key(seed, lists->numbers[best]))
			best = i;
		highest = penalized[i];
	}
	return best;
}

/* Exclude a chosen candidate, and the rest of its group if the group has its maximum. */
static void
Exclude(VariedLists *lists, int chosen)
{
	const int  *groups = lists->from->groups;
	int			group = groups ? groups[lists->numbers[chosen]] : -1;

	lists->left[chosen] = -INFINITY;
	if (group < 0 || ++lists->taken[group] < lists->from->rules.cap)
		return;
	for (int i = 0; i < lists->count; i++)
		if (groups[lists->numbers[i]] == group)
			lists->left[i] = -INFINITY;
}

/* Choose at most k candidates under a posterior draw, best first.  Returns their number. */
int
VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen)
{
	const Candidates *from = lists->from;
	int			count = 0;
	int			best;

	for (int i = 0; i < lists->count; i++)
	{
		lists->left[i] = lists->penalized[i] = ScoresOfDraw(lists, draw)[lists->numbers[i]];
		lists->closest[i] = 0.0f;
	}
	for (int g = 0; g < from->group_count; g++)
		lists->taken[g] = 0;
	while (count < from->rules.k && (best = FindBest(lists, seed)) >= 0)
	{
		CHECK_FOR_INTERRUPTS();
		chosen[count++] = lists->numbers[best];
		Exclude(lists, best);
		Penalize(lists->count, from->rules.diversity, SimilaritiesTo(lists, best),
				 lists->closest, lists->left, lists->penalized);
	}
	return count;
}
