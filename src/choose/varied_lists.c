/*
 * varied_lists.c
 *		Lists under many draws, in which a twin of what is chosen counts less.
 *
 * The scores of all candidates are kept under some draws, and with them it is
 * known which candidates can be on one of their lists at all.  Lists are made of
 * these, and vectors of no others are compared.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/decision.h"
#include "core/numbers.h"
#include "core/variety.h"
#include "sql/args.h"

/* numbers of rows that are kept, where they are not needed: 16 MB */
#define MOST_NUMBERS	((Size) 1 << 22)

struct VariedLists
{
	const Candidates *from;
	int			candidates;
	ArgSpec		expected;		/* what a row of similar_by has to be */
	double	   *vector;			/* room for one */
	double	   *scores;			/* of all candidates, draw by draw */
	bool	   *possible;		/* can it be on a list? */
	int		   *numbers;		/* of those that can */
	int		   *groups;
	Variety		variety;		/* of those */
	MemoryContext context;		/* what lasts as long as they are the same */
};

static double *
ScoresUnder(const VariedLists *lists, int draw)
{
	return lists->scores + (Size) draw * lists->candidates;
}

/* All rows have to be good, whether they count or not. */
static void
CheckRows(VariedLists *lists)
{
	int			i;

	for (i = 0; i < lists->candidates; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(lists->from->similar_by, &lists->expected, i, 1, lists->vector);
	}
}

/* For so many draws at once. */
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
	CheckRows(lists);
	return lists;
}

/* Takes what candidates score under a draw, the first of these being 0. */
void
VariedListsTake(VariedLists *lists, int draw, const ScoresStrip *strip)
{
	double	   *scores = ScoresUnder(lists, draw) + strip->first;
	int			i;

	for (i = 0; i < strip->count; i++)
		scores[i] = strip->scores[(Size) i * strip->step] + strip->level;
}

/* ---------- what can be on a list ---------- */

/* Mark what can be under a draw, whose best are in the slate. */
static void
MarkPossible(VariedLists *lists, int draw, const Slate *slate)
{
	const double *scores = ScoresUnder(lists, draw);
	double		diversity = lists->from->rules.diversity;
	double		least = ResultFinite(peak_of(lists->candidates, scores));
	int			i;

	for (i = 0; i < slate->best.count; i++)
		least = Min(least, variety_min_score(diversity, scores[slate->best.entries[i].candidate]));
	for (i = 0; i < lists->candidates; i++)
		lists->possible[i] |= (scores[i] >= least);
}

/* Number what was marked; returns how many these are. */
static int
CountPossible(VariedLists *lists)
{
	int			count = 0;
	int			i;

	for (i = 0; i < lists->candidates; i++)
	{
		if (!lists->possible[i])
			continue;
		if (lists->groups)
			lists->groups[count] = lists->from->groups[i];
		lists->numbers[count++] = i;
	}
	return count;
}

/* Read their vectors. */
static void
PlaceVectors(VariedLists *lists)
{
	Variety    *v = &lists->variety;
	const double *roots = lists->from->similar_roots;
	int			i;
	int			k;

	for (i = 0; i < v->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		ArgMatrixSlice(lists->from->similar_by, &lists->expected, lists->numbers[i], 1,
					   lists->vector);
		for (k = 0; roots && k < v->dim; k++)
			lists->vector[k] *= roots[k];
		variety_set_vector(v, i, lists->vector);
	}
	variety_start(v);
}

/* Room for so many of which lists are made, in the current memory context. */
static Variety
MakeVariety(const VariedLists *lists, int count, int draws)
{
	const Candidates *from = lists->from;
	Size		rounded = variety_rounded(count);
	Variety		v = {.count = count, .dim = lists->expected.len,
		.diversity = from->rules.diversity, .numbers = lists->numbers,
	.groups = lists->groups, .cap = from->rules.cap};

	Assert(count > 0);			/* the best are possible */
	v.max_rows = (int) Min(Max(MOST_NUMBERS / Max(rounded, 1), 1),
							(Size) draws * Min(from->rules.k, count) + 1);
	v.units = AllocateMany(sizeof(float) * rounded, v.dim);
	v.unit = palloc(sizeof(float) * v.dim);
	v.rows = AllocateMany(sizeof(float) * rounded, v.max_rows);
	v.row_of = AllocateMany(sizeof(int), rounded);
	v.taken = AllocateMany(sizeof(int), from->group_count);
	v.scores = AllocateNumbers(rounded);
	v.closest = AllocateNumbers(rounded);
	v.peaks = AllocateNumbers(rounded / VARIETY_STRIP);
	return v;
}

/* All have scores under these draws, whose best are in the slates. */
void
VariedListsNarrow(VariedLists *lists, const Slate *slates, int draws)
{
	MemoryContext caller = MemoryContextSwitchTo(lists->context);
	int			draw;

	MemoryContextReset(lists->context);
	memset(lists->possible, 0, lists->candidates);
	for (draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		MarkPossible(lists, draw, &slates[draw]);
	}
	lists->variety = MakeVariety(lists, CountPossible(lists), draws);
	PlaceVectors(lists);
	MemoryContextSwitchTo(caller);
}

/* ---------- lists ---------- */

/* Choose at most k under a draw, best first; returns how many these are. */
int
VariedListsChoose(VariedLists *lists, int draw, uint64 seed, int *chosen)
{
	Variety    *v = &lists->variety;
	const double *scores = ScoresUnder(lists, draw);
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
