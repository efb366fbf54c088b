/*
 * varied_lists.c
 *		Choose lists with diversity under many posterior draws of the coefficients.
 *
 * The scores determine which candidates can be on a list at all.  We read and compare only the
 * vectors of these candidates.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/decision.h"
#include "core/variety.h"
#include "sql/args.h"

/* maximum number of cached similarities, 4 bytes each: 16 MB */
#define MAX_SIMILARITIES	((Size) 1 << 22)

struct VariedLists
{
	const Candidates *from;
	int			candidates;
	ArgSpec		expected;
	double	   *vector;
	double	   *scores;			/* scores: one row per draw, one column per candidate */
	bool	   *possible;		/* may the list of some posterior draw contain the candidate? */
	int		   *numbers;		/* indexes of the candidates that a list may contain */
	int		   *groups;
	Variety		variety;		/* state of the choice of a list */
	MemoryContext context;		/* memory context of "variety" */
};

static double *
ScoresOfDraw(const VariedLists *lists, int draw)
{
	return lists->scores + (Size) draw * lists->candidates;
}

/* Create the state for lists under at most "draws" posterior draws. */
VariedLists *
VariedListsCreate(const Candidates *from, int draws)
{
	VariedLists *lists = palloc0(sizeof(VariedLists));
	int			candidates = ScoresCount(from->scores);

	lists->from = from;
	lists->candidates = candidates;
	lists->expected = from->similar;
	lists->vector = AllocateNumbers(from->similar.len);
	lists->scores = AllocateNumbers(mul_size(candidates, draws));
	lists->possible = AllocateMany(sizeof(bool), candidates);
	lists->numbers = AllocateMany(sizeof(int), candidates);
	if (from->groups)
		lists->groups = AllocateMany(sizeof(int), candidates);
	lists->context = AllocSetContextCreate(CurrentMemoryContext, "dlints varied lists",
										   ALLOCSET_DEFAULT_SIZES);
	/* raise an error if any vector in similar_by is invalid, even one that is not compared */
	for (int i = 0; i < candidates; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(from->similar_by, &lists->expected, i, 1, lists->vector);
	}
	return lists;
}

/* Store the scores of some candidates under the posterior draw with index "draw". */
void
VariedListsStore(VariedLists *lists, int draw, const ScoresStrip *strip)
{
	double	   *scores = ScoresOfDraw(lists, draw) + strip->first;
	const double *from = strip->scores;
	double		level = strip->level;
	int			step = strip->step;
	int			count = strip->count;

	for (int i = 0; i < count; i++, from += step)
		scores[i] = *from + level;
}

/* ---------- possible candidates ---------- */

/* Mark the candidates that a list may contain.  "slate" is the list without diversity. */
static void
MarkPossible(VariedLists *lists, int draw, const Slate *slate)
{
	const double *scores = ScoresOfDraw(lists, draw);
	double		diversity = lists->from->rules.diversity;
	double		least = INFINITY;
	bool	   *possible = lists->possible;
	int			candidates = lists->candidates;

	for (int i = 0; i < slate->best.count; i++)
	{
		double		score = ResultFinite(scores[slate->best.entries[i].candidate]);

		least = Min(least, variety_min_score(diversity, score));
	}
	for (int i = 0; i < candidates; i++)
		possible[i] |= (scores[i] >= least);
}

static int
CountPossible(VariedLists *lists)
{
	int			count = 0;

	for (int i = 0; i < lists->candidates; i++)
	{
		if (!lists->possible[i])
			continue;
		if (lists->groups)
			lists->groups[count] = lists->from->groups[i];
		lists->numbers[count++] = i;
	}
	return count;
}

static void
ReadVectors(VariedLists *lists)
{
	Variety    *v = &lists->variety;
	const double *roots = lists->from->similar_roots;

	for (int i = 0; i < v->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(lists->from->similar_by, &lists->expected, lists->numbers[i], 1,
					   lists->vector);
		for (int k = 0; roots && k < v->dim; k++)
			lists->vector[k] *= roots[k];
		variety_set_vector(v, i, lists->vector);
	}
	variety_start(v);
}

static Variety
MakeVariety(const VariedLists *lists, int count, int draws)
{
	const Candidates *from = lists->from;
	Size		rounded = variety_rounded(count);
	Variety		v = {.count = count, .dim = lists->expected.len,
		.diversity = from->rules.diversity, .numbers = lists->numbers,
	.groups = lists->groups, .cap = from->rules.cap};

	Assert(count > 0);
	v.max_rows = (int) Min(Max(MAX_SIMILARITIES / Max(rounded, 1), 1),
							(Size) draws * Min(from->rules.k, count) + 1);
	v.units = AllocateMany(sizeof(float) * rounded, v.dim);
	v.unit = palloc(sizeof(float) * v.dim);
	v.rows = AllocateMany(sizeof(float) * rounded, v.max_rows);
	v.row_of = AllocateMany(sizeof(int), rounded);
	v.taken = AllocateMany(sizeof(int), from->group_count);
	v.scores = AllocateNumbers(rounded);
	v.penalties = AllocateNumbers(rounded);
	v.closest = AllocateMany(sizeof(float), rounded);
	v.penalized = AllocateNumbers(rounded);
	return v;
}

/* Determine the candidates that can be on a list, from the scores that were stored. */
void
VariedListsPrune(VariedLists *lists, const Slate *slates, int draws)
{
	MemoryContext caller = MemoryContextSwitchTo(lists->context);

	MemoryContextReset(lists->context);
	memset(lists->possible, 0, lists->candidates);
	for (int draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		MarkPossible(lists, draw, &slates[draw]);
	}
	lists->variety = MakeVariety(lists, CountPossible(lists), draws);
	ReadVectors(lists);
	MemoryContextSwitchTo(caller);
}

/* Choose at most k candidates under a draw, best first.  Returns their number. */
int
VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen)
{
	Variety    *v = &lists->variety;
	const double *scores = ScoresOfDraw(lists, draw);
	int			count = 0;
	int			i;

	for (i = 0; i < v->count; i++)
		v->scores[i] = scores[lists->numbers[i]];
	variety_begin(v, seed, lists->from->group_count);
	while (count < lists->from->rules.k)
	{
		CHECK_FOR_INTERRUPTS();
		i = variety_next(v);
		if (i < 0)
			break;
		chosen[count++] = lists->numbers[i];
	}
	return count;
}
