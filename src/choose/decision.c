/*
 * decision.c
 *		Choose among candidates, and compute the probability (propensity) of each choice.
 *
 * The first posterior draw makes the decision, which a random list replaces with probability
 * epsilon.  A candidate's propensity is the fraction of the posterior draws that choose the
 * candidate, times 1 - epsilon, plus the probability of being on a random list, times epsilon.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "choose/decision.h"
#include "choose/request.h"
#include "core/score.h"
#include "sql/args.h"

/* maximum number of entries (24 MB) in the slates of the posterior draws scored at a time */
#define MAX_ENTRIES	((Size) 1 << 20)

/* minimum number of tied candidates from which we conclude that the shortlist lacks tied items */
#define MIN_CUT_TIE		8

typedef struct DecisionState
{
	Decision   *decision;
	uint64		tie_seed;		/* seed of the random tie-break keys */
	int			first_draw;		/* index of the first posterior draw that is being scored */
	Slate	   *slates;			/* best candidates under each posterior draw */
	VariedLists *varied;		/* state of lists with diversity; NULL without diversity */
	int		   *list;			/* work space: indexes of the candidates that a draw chooses */
	double	   *tie_shares;		/* result of TieShare() for each draw */
} DecisionState;

/* Return the number of posterior draws that are scored at a time, limited by memory. */
static int
DrawsPerPass(const Candidates *from, Size entries)
{
	Size		kept = from->similar_by ? ScoresCount(from->scores) : 0;
	Size		limit = Max(MAX_ENTRIES / Max(entries + kept, 1), kept > 0 ? SCORE_LANES : 1);

	return (int) Min(Min(limit, from->rules.draws), ScoresMaxDraws(from->scores));
}

static Slate *
MakeSlates(const Candidates *from, int k, int draws, Size entries, const int *sizes)
{
	int			groups = from->group_count;
	Slate	   *slates = AllocateMany(sizeof(Slate), draws);
	SlateHeap  *caps = AllocateMany(sizeof(SlateHeap), (Size) draws * groups);
	SlateEntry *all = AllocateMany(sizeof(SlateEntry), mul_size(draws, entries));

	for (int i = 0; i < draws; i++)
		slate_bind(&slates[i], ScoresCount(from->scores), k, from->groups, groups,
				   sizes, caps + (Size) i * groups, all + i * entries);
	return slates;
}

/* Offer candidates, with their scores under a posterior draw, to the slate of the draw. */
static void
OfferScores(void *consumer, int draw, const ScoresStrip *strip)
{
	DecisionState   *state = consumer;
	Slate	   *slate = &state->slates[draw - state->first_draw];

	if (strip->peak >= slate_least(slate))
		slate_offer(slate, strip->first, strip->count, strip->scores, strip->step);
	if (state->varied)
		VariedListsStore(state->varied, draw - state->first_draw, strip);
	if (draw == 0)
		state->decision->level = strip->level;
	for (int i = 0; draw == 0 && i < strip->count; i++)
		state->decision->scores[strip->first + i] = strip->scores[(Size) i * strip->step];
}

static int
ListSlate(const Slate *slate, int *list)
{
	for (int i = 0; i < slate->best.count; i++)
		list[i] = slate->best.entries[i].candidate;
	return slate->best.count;
}

/*
 * Can we compute the probabilities with which tied candidates are chosen?  With a cap or diversity,
 * we instead count the posterior draws that choose them, each with other tie-break keys.
 */
static bool
SharesTies(const Candidates *from)
{
	return !from->similar_by && !from->groups;
}

/*
 * Return the probability with which each tied candidate is on the list; 0 without a tie.
 *
 * If T candidates tie for r positions, the probability is r / T.  A shortlist may contain only the
 * n tied candidates with the lowest tie-break keys, which are uniform in (0, 1).  We then estimate
 * T as (n - 1) / t, where t is the highest of these keys.
 */
static double
TieShare(Slate *slate)
{
	const SlateHeap *best = &slate->best;
	double		score = best->entries[0].score;
	int			kept = 0;
	int			tied;

	if (best->lost_count == 0 || best->lost.score != score)
		return 0.0;
	for (int i = 0; i < best->count; i++)
		kept += best->entries[i].score == score;
	tied = kept + best->lost_count;
	if (!slate->keys || tied < MIN_CUT_TIE)
		return (double) kept / tied;
	return ldexp((double) slate_lost_key(slate), -64) * kept / (tied - 1);
}

/* Add each tied candidate's probability to the number of draws that choose the candidate. */
static void
CountStripTies(void *consumer, int draw, const ScoresStrip *strip)
{
	DecisionState   *state = consumer;
	int			slate = draw - state->first_draw;
	double		share = state->tie_shares[slate];
	double		score = state->slates[slate].best.entries[0].score;

	for (int i = 0; share > 0.0 && strip->peak >= score && i < strip->count; i++)
		if (strip->scores[(Size) i * strip->step] == score)
			state->decision->counts[strip->first + i] += share;
}

/*
 * Add the probabilities of tied candidates under "draws" posterior draws to the counts.  If any
 * draw has a tie, this needs a second pass over the scores.
 */
static void
CountTies(DecisionState *state, int draws)
{
	const Candidates *from = state->decision->from;
	bool		has_tie = false;

	for (int draw = 0; draw < draws; draw++)
	{
		double		share = SharesTies(from) ? TieShare(&state->slates[draw]) : 0.0;

		state->tie_shares[draw] = share;
		has_tie = has_tie || share > 0.0;
	}
	if (has_tie)
		ScoreUnderDraws(from->scores, state->first_draw, draws, CountStripTies, state);
}

/* Add 1 to the count of each candidate that a posterior draw chooses, except tied candidates. */
static void
CountChosen(DecisionState *state, int draw)
{
	Decision   *decision = state->decision;
	Slate	   *slate = &state->slates[draw];
	bool		acts = state->first_draw + draw == 0;
	bool		has_tie = state->tie_shares[draw] > 0.0;
	double		score = slate->best.entries[0].score;	/* lowest chosen score */
	int		   *list = acts ? decision->chosen : state->list;
	int			count;

	if (acts)
		slate_sort(slate);
	count = state->varied ?
		VariedListsChoose(state->varied, draw, slate->seed, list) :
		ListSlate(slate, list);
	for (int i = 0; i < count; i++)
		if (!has_tie || slate->best.entries[i].score > score)
			decision->counts[list[i]] += 1.0;
	if (acts)
		decision->chosen_count = count;
}

static void
DecideUnder(DecisionState *state, int draws)
{
	const Candidates *from = state->decision->from;

	for (int draw = 0; draw < draws; draw++)
	{
		slate_begin(&state->slates[draw], random_bits(state->tie_seed, state->first_draw + draw));
		state->slates[draw].keys = SharesTies(from) ? from->tie_keys : NULL;
	}
	ScoreUnderDraws(from->scores, state->first_draw, draws, OfferScores, state);
	for (int draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		slate_end(&state->slates[draw]);
	}
	if (state->varied)
		VariedListsPrune(state->varied, state->slates, draws);
	CountTies(state, draws);
	for (int draw = 0; draw < draws; draw++)
	{
		CHECK_FOR_INTERRUPTS();
		CountChosen(state, draw);
	}
}

/* Replace the chosen candidates by a random subset in random order. */
static void
ChooseAtRandom(Decision *decision, Slate *slate)
{
	static const double equal[1024] = {0.0};

	slate_begin(slate, FreshSeed());
	slate->keys = NULL;
	for (int first = 0; first < decision->candidates; first += lengthof(equal))
	{
		CHECK_FOR_INTERRUPTS();
		slate_offer(slate, first,
					Min((int) lengthof(equal), decision->candidates - first), equal, 1);
	}
	slate_end(slate);
	slate_sort(slate);
	decision->chosen_count = ListSlate(slate, decision->chosen);
}

/* Choose among at least one candidate, and compute propensities. */
Decision
Decide(const Candidates *from)
{
	const Rules *rules = &from->rules;
	int			candidates = ScoresCount(from->scores);
	int			k = Min(rules->k, candidates);
	int		   *sizes = AllocateMany(sizeof(int), from->group_count);
	Size		entries = slate_entries(candidates, k, from->groups, rules->cap,
										from->group_count, sizes);
	int			step = DrawsPerPass(from, entries);
	Decision	decision = {.from = from, .candidates = candidates};
	DecisionState	state = {.decision = &decision, .tie_seed = FreshSeed()};

	decision.chosen = AllocateMany(sizeof(int), k);
	decision.scores = AllocateNumbers(candidates);
	decision.counts = AllocateZeros(sizeof(double), candidates);
	state.list = AllocateMany(sizeof(int), k);
	if (from->similar_by)
		state.varied = VariedListsCreate(from, step);
	state.tie_shares = AllocateNumbers(step);
	state.slates = MakeSlates(from, k, step, entries, sizes);
	for (; state.first_draw < rules->draws; state.first_draw += step)
		DecideUnder(&state, Min(step, rules->draws - state.first_draw));
	for (int i = 0; i < candidates; i++)
		decision.scores[i] += decision.level;
	ResultFinite(peak_of(candidates, decision.scores));
	if ((double) (FreshSeed() >> 11) < rules->epsilon * 9007199254740992.0)
		ChooseAtRandom(&decision, &state.slates[0]);
	return decision;
}

double
DecisionProbability(const Decision *decision, int candidate)
{
	const Rules *rules = &decision->from->rules;
	int			k = Min(rules->k, decision->candidates);

	/* rounding errors may raise the probability above 1 */
	return Min(1.0, (1.0 - rules->epsilon) * decision->counts[candidate] / rules->draws +
			   rules->epsilon * k / decision->candidates);
}
