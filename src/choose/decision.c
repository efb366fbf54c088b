/*
 * decision.c
 *		Choose among candidates, and compute the probability of each choice.
 *
 * M parameters are drawn and the first of them acts.  A candidate's
 * probability is how often the M draws choose it: given all of them, which one
 * comes first is chance, so that this is the exact probability of the decision,
 * whatever is done to the scores inside each draw.
 */
#include "postgres.h"

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

/* A decision while it is made. */
typedef struct Deciding
{
	Decision   *decision;
	uint64		lots;			/* seed of those of what decides among equal scores */
	int			first_draw;		/* of those that are decided under at once */
	Slate	   *slates;			/* of each of them */
	VariedLists *varied;		/* NULL without diversity */
	int		   *list;			/* room for one */
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

/* Count what a draw chooses; the first one acts. */
static void
CountChosen(Deciding *deciding, int draw)
{
	Decision   *decision = deciding->decision;
	Slate	   *slate = &deciding->slates[draw];
	bool		acts = deciding->first_draw + draw == 0;
	int		   *list = acts ? decision->chosen : deciding->list;
	int			count;
	int			i;

	if (acts)
		slate_sort(slate);
	count = deciding->varied ?
		VariedListsChoose(deciding->varied, draw, slate->seed, list) :
		ListSlate(slate, list);
	for (i = 0; i < count; i++)
		decision->counts[list[i]]++;
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
	ScoreUnderDraws(deciding->decision->from->scores, deciding->first_draw, draws,
				TakeScores, deciding);
	for (draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		slate_end(&deciding->slates[draw]);
	}
	if (deciding->varied)
		VariedListsNarrow(deciding->varied, deciding->slates, draws);
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
	decision.counts = AllocateZeros(sizeof(int), candidates);
	deciding.list = AllocateMany(sizeof(int), k);
	if (from->similar_by)
		deciding.varied = VariedListsCreate(from, step);
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
