/*
 * decision.c
 *		Choose among candidates, and compute the probability of each choice.
 *
 * M parameters are drawn and the first of them acts.  A candidate's probability is
 * the share of the M draws that choose it: given all draws, their order is random, so
 * that this is the exact probability of the decision.
 *
 * If T candidates tie for the last r positions of a draw, each of them counts r / T:
 * the probability over random tie-breaks rather than that of the tie-break made.
 *
 * A shortlist has cut off other items of the tie.  Its items come with their tie-break
 * keys, uniform in (0, 1) over all items, and the T candidates are those with the
 * lowest keys of the tie.  Given all other keys, an item has one of the T - 1 lowest
 * keys if its own is below t, the highest of the T, and then each order of these is
 * equally probable.  So a candidate counts t * r / (T - 1), and the mean of 1 / probability
 * over the pages that show an item is exactly 1 if the item ties with the same items
 * in all draws.  If other conditions leave out items of the tie, the mean differs from 1
 * by a part of at most some 1 / T.
 *
 * With a cap or diversity ties count as they were broken.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "choose/decision.h"
#include "core/numbers.h"
#include "core/random.h"
#include "core/score.h"
#include "sql/args.h"

/* entries of slates that are filled at once: 24 MB */
#define MOST_ENTRIES	((Size) 1 << 20)

/*
 * Minimum candidates of a tie that a shortlist may have cut off.  A shortlist has at least
 * 25 items of such a tie; smaller ties are complete, unless conditions left out most of
 * the items.
 */
#define MIN_CUT_TIE		8

/* A decision while it is made. */
typedef struct Deciding
{
	Decision   *decision;
	uint64		lots;			/* seed of random tie-break keys */
	int			first_draw;		/* of those that are decided under at once */
	Slate	   *slates;			/* of each of them */
	VariedLists *varied;		/* NULL without diversity */
	int		   *list;			/* room for one */
	double	   *tie_shares;		/* of each draw: what a candidate with the lowest score on the slate counts; 0: one */
} Deciding;

/*
 * How many draws to decide under at once.  As many as are scored together take
 * no longer than one.
 */
static int
DrawsAtOnce(const Candidates *from, Size entries)
{
	Size		kept = from->similar_by ? ScoresCount(from->scores) : 0;
	Size		most = Max(MOST_ENTRIES / Max(entries + kept, 1), kept > 0 ? SCORE_LANES : 1);

	return (int) Min(Min(most, from->rules.draws),
					 ScoresMostDraws(from->scores));
}

/* Slates for so many draws, each with so many entries. */
static Slate *
MakeSlates(const Candidates *from, int k, int draws, Size entries,
		   const int *sizes)
{
	int			groups = from->group_count;
	Slate	   *slates = AllocateMany(sizeof(Slate), draws);
	SlateHeap  *caps = AllocateMany(sizeof(SlateHeap), (Size) draws * groups);
	SlateEntry *all = AllocateMany(sizeof(SlateEntry), mul_size(draws, entries));
	int			i;

	for (i = 0; i < draws; i++)
		slate_bind(&slates[i], ScoresCount(from->scores), k, from->groups, groups,
				   sizes, caps + (Size) i * groups, all + i * entries);
	return slates;
}

/* Is this one of the choices that are not the policy's? */
static bool
IsRandom(double epsilon)
{
	return (double) (FreshSeed() >> 11) < epsilon * 9007199254740992.0;
}

/* Takes what candidates score under a draw. */
static void
TakeScores(void *taker, int draw, const ScoresStrip *strip)
{
	Deciding   *deciding = taker;
	Slate	   *slate = &deciding->slates[draw - deciding->first_draw];
	int			i;

	if (!slate_is_beyond(slate, strip->peak))
		slate_offer(slate, strip->first, strip->count, strip->scores, strip->step);
	if (deciding->varied)
		VariedListsTake(deciding->varied, draw - deciding->first_draw, strip);
	if (draw == 0)
		deciding->decision->level = strip->level;
	for (i = 0; draw == 0 && i < strip->count; i++)
		deciding->decision->scores[strip->first + i] = strip->scores[(Size) i * strip->step];
}

/* Lists what is in a slate; returns how many these are. */
static int
ListSlate(const Slate *slate, int *list)
{
	int			i;

	for (i = 0; i < slate->best.count; i++)
		list[i] = slate->best.entries[i].candidate;
	return slate->best.count;
}

/* Are ties counted by their probability rather than as they were broken? */
static bool
SharesTies(const Candidates *from)
{
	return !from->similar_by && !from->groups;
}

/* Count of a candidate that ties for the last positions of a slate; 0 without a tie */
static double
TieShare(const Candidates *from, const Slate *slate)
{
	const SlateHeap *best = &slate->best;
	double		score = best->entries[0].score;
	int			kept = 0;
	int			tied;
	int			i;

	if (best->lost_count == 0 || best->lost_score != score)
		return 0.0;
	for (i = 0; i < best->count; i++)
		kept += best->entries[i].score == score;
	tied = kept + best->lost_count;
	if (!from->tie_keys || tied < MIN_CUT_TIE)
		return (double) kept / tied;
	return ldexp((double) best->lost_key, -64) * kept / (tied - 1);
}

/* Takes scores under a draw again, to count the candidates of its tie. */
static void
TakeTies(void *taker, int draw, const ScoresStrip *strip)
{
	Deciding   *deciding = taker;
	int			slate = draw - deciding->first_draw;
	double		share = deciding->tie_shares[slate];
	double		score = deciding->slates[slate].best.entries[0].score;
	int			i;

	for (i = 0; share > 0.0 && strip->peak >= score && i < strip->count; i++)
		if (strip->scores[(Size) i * strip->step] == score)
			deciding->decision->counts[strip->first + i] += share;
}

/* Count the candidates of all ties under some draws. */
static void
CountTies(Deciding *deciding, int draws)
{
	const Candidates *from = deciding->decision->from;
	bool		has_tie = false;
	int			draw;

	for (draw = 0; draw < draws; draw++)
	{
		double		share = SharesTies(from) ? TieShare(from, &deciding->slates[draw]) : 0.0;

		deciding->tie_shares[draw] = share;
		has_tie = has_tie || share > 0.0;
	}
	if (has_tie)
		ScoreUnderDraws(from->scores, deciding->first_draw, draws, TakeTies, deciding);
}

/* Count what a draw chooses, apart from ties; the first one acts. */
static void
CountChosen(Deciding *deciding, int draw)
{
	Decision   *decision = deciding->decision;
	Slate	   *slate = &deciding->slates[draw];
	bool		acts = deciding->first_draw + draw == 0;
	bool		has_tie = deciding->tie_shares[draw] > 0.0;
	double		score = slate->best.entries[0].score;	/* before sorting: the lowest */
	int		   *list = acts ? decision->chosen : deciding->list;
	int			count;
	int			i;

	if (acts)
		slate_sort(slate);
	count = deciding->varied ?
		VariedListsChoose(deciding->varied, draw, slate->seed, list) :
		ListSlate(slate, list);
	for (i = 0; i < count; i++)
		if (!has_tie || slate->best.entries[i].score > score)
			decision->counts[list[i]] += 1.0;
	if (acts)
		decision->chosen_count = count;
}

/* Decide under some draws, the first of which is the one that acts. */
static void
DecideUnder(Deciding *deciding, int draws)
{
	int			draw;

	for (draw = 0; draw < draws; draw++)
		slate_begin(&deciding->slates[draw],
					random_bits(deciding->lots, deciding->first_draw + draw));
	for (draw = 0; draw < draws; draw++)
		deciding->slates[draw].keys = deciding->decision->from->tie_keys;
	ScoreUnderDraws(deciding->decision->from->scores, deciding->first_draw, draws,
				TakeScores, deciding);
	for (draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		slate_end(&deciding->slates[draw]);
	}
	if (deciding->varied)
		VariedListsNarrow(deciding->varied, deciding->slates, draws);
	CountTies(deciding, draws);
	for (draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		CountChosen(deciding, draw);
	}
}

/* A random subset in random order: all are equal, and lots decide. */
static void
TakeAny(Decision *decision, Slate *slate)
{
	static const double equal[1024] = {0.0};
	int			first;

	slate_begin(slate, FreshSeed());
	slate->keys = NULL;
	for (first = 0; first < decision->candidates; first += lengthof(equal))
	{
		CHECK_FOR_INTERRUPTS();
		slate_offer(slate, first,
					Min((int) lengthof(equal), decision->candidates - first), equal, 1);
	}
	slate_end(slate);
	slate_sort(slate);
	decision->chosen_count = ListSlate(slate, decision->chosen);
}

/* What all scores have in common is added to them. */
static void
AddLevel(Decision *decision)
{
	int			i;

	for (i = 0; i < decision->candidates; i++)
		decision->scores[i] += decision->level;
	ResultFinite(peak_of(decision->candidates, decision->scores));
}

/* Decide about candidates, of which there is one at least. */
Decision
Decide(const Candidates *from)
{
	const Rules *rules = &from->rules;
	int			candidates = ScoresCount(from->scores);
	int			k = Min(rules->k, candidates);
	int		   *sizes = AllocateMany(sizeof(int), from->group_count);
	Size		entries = slate_entries(candidates, k, from->groups, rules->cap,
										from->group_count, sizes);
	int			step = DrawsAtOnce(from, entries);
	Decision	decision = {.from = from, .candidates = candidates};
	Deciding	deciding = {.decision = &decision, .lots = FreshSeed()};

	decision.chosen = AllocateMany(sizeof(int), k);
	decision.scores = AllocateNumbers(candidates);
	decision.counts = AllocateZeros(sizeof(double), candidates);
	deciding.list = AllocateMany(sizeof(int), k);
	if (from->similar_by)
		deciding.varied = VariedListsCreate(from, step);
	deciding.tie_shares = AllocateNumbers(step);
	deciding.slates = MakeSlates(from, k, step, entries, sizes);
	for (; deciding.first_draw < rules->draws; deciding.first_draw += step)
		DecideUnder(&deciding, Min(step, rules->draws - deciding.first_draw));
	AddLevel(&decision);
	if (IsRandom(rules->epsilon))
		TakeAny(&decision, &deciding.slates[0]);
	return decision;
}

/* The probability that a candidate is chosen. */
double
DecisionProbability(const Decision *decision, int candidate)
{
	const Rules *rules = &decision->from->rules;
	int			k = Min(rules->k, decision->candidates);

	/* two shares of 1 may round to more than 1 */
	return Min(1.0, (1.0 - rules->epsilon) * decision->counts[candidate] / rules->draws +
			   rules->epsilon * k / decision->candidates);
}
