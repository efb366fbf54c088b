/*
 * value.c
 *		Estimate the mean reward of a policy from the log of another policy.
 */
#include "value.h"

#include <math.h>

/* Return the statistics of one decision (see value.h).  Without a model, predictions are 0. */
PolicyValue
value_of(double reward, double weight, double predicted, double expected)
{
	PolicyValue v = {.count = 1.0};

	v.reward.mean = reward;
	v.weight.mean = weight;
	v.weighted.mean = weight * reward;
	v.max_weight = weight;
	v.weight_squares = weight * weight;
	v.doubly.mean = expected + weight * (reward - predicted);
	if (weight > 0.0)
		v.snips = reward;
	if (v.weight_squares > 0.0)
		v.by_squares.mean = reward;
	return v;
}

/* Return more / (count + more), or 0 if both numbers are 0. */
static double
fraction_of(double count, double more)
{
	return more > 0.0 ? more / (count + more) : 0.0;
}

/* Merge the means and squared deviations of two samples (Chan, Golub and LeVeque). */
static void
merge_moments(Moments *m, double count, Moments other, double other_count)
{
	double		share = fraction_of(count, other_count);
	double		distance = other.mean - m->mean;

	m->squares += other.squares + distance * distance * count * share;
	m->mean += distance * share;
}

void
value_merge(PolicyValue *v, const PolicyValue *other)
{
	double		share = fraction_of(v->count * v->weight.mean, other->count * other->weight.mean);

	v->snips += (other->snips - v->snips) * share;
	merge_moments(&v->by_squares, v->weight_squares, other->by_squares, other->weight_squares);
	v->weight_squares += other->weight_squares;
	v->max_weight = fmax(v->max_weight, other->max_weight);

	merge_moments(&v->reward, v->count, other->reward, other->count);
	merge_moments(&v->weight, v->count, other->weight, other->count);
	merge_moments(&v->weighted, v->count, other->weighted, other->count);
	merge_moments(&v->doubly, v->count, other->doubly, other->count);
	v->count += other->count;
}

/* Return the standard error of a mean over at least two decisions. */
double
value_stderr(const PolicyValue *v, Moments moments)
{
	return sqrt(moments.squares / (v->count - 1.0) / v->count);
}

/* Compute the standard error of the estimate "snips" by linearization. */
double
value_snips_stderr(const PolicyValue *v)
{
	double		distance = v->by_squares.mean - v->snips;
	Moments		linear = {0.0, v->by_squares.squares +
	distance * distance * v->weight_squares};

	return value_stderr(v, linear) / v->weight.mean;
}

/* Return the effective sample size: the squared sum of weights over the sum of squared weights. */
double
value_sample_size(const PolicyValue *v)
{
	double		sum = v->count * v->weight.mean;

	return v->weight_squares > 0.0 ? sum / v->weight_squares * sum : 0.0;
}

/* ---------- the betting game of value.h ---------- */

/* Fractions of the wealth that the player bets: 0.97 * 2^-k for k = 0..15 */
#define N_BETS			16
#define MAX_BET	0.97

/* Number of bisection steps, enough for the precision of a double */
#define BISECTION_STEPS		60

/* Return a lower bound of the logarithm of the wealth in the betting game of value.h. */
static double
log_wealth(double bet, double count, double squares, double distance)
{
	double		penalty = -log1p(-bet) - bet;
	double		d = fmin(distance, bet / (2.0 * penalty));

	return bet * count * d - penalty * (squares + count * d * d);
}

/* Return the logarithm of the wealth in the betting game, averaged over N_BETS fractions "bet". */
static double
log_mixture_wealth(double count, double squares, double distance)
{
	double		each[N_BETS];
	double		highest = -INFINITY;
	double		sum = 0.0;
	double		bet = MAX_BET;

	for (int i = 0; i < N_BETS; i++, bet /= 2.0)
	{
		each[i] = log_wealth(bet, count, squares, distance);
		highest = fmax(highest, each[i]);
	}
	for (int i = 0; i < N_BETS; i++)
		sum += exp(each[i] - highest);
	return highest + log(sum / N_BETS);
}

/*
 * Return the distance of a confidence bound from the mean of a sample of numbers in [0, 1].
 * "squares" is the sum of squared deviations, "alpha" the error probability, and "room" the
 * maximum distance.
 */
double
bounds_distance(double count, double squares, double room, double alpha)
{
	double		threshold = -log(alpha);
	double		within = 0.0;
	double		beyond = room;

	if (log_mixture_wealth(count, squares, room) < threshold)
		return room;
	for (int i = 0; i < BISECTION_STEPS; i++)
	{
		double		middle = (within + beyond) / 2.0;

		if (log_mixture_wealth(count, squares, middle) < threshold)
			within = middle;
		else
			beyond = middle;
	}
	return beyond;
}
