/*
 * value.c
 *		Off-policy estimates: sums, standard errors and anytime-valid bounds.
 */
#include "value.h"

#include <math.h>

/* Evaluation sums (see value.h) of a single decision */
PolicyValue
value_of(double reward, double weight)
{
	PolicyValue v = {.count = 1.0};

	v.reward.mean = reward;
	v.weight.mean = weight;
	v.weighted.mean = weight * reward;
	v.max_weight = weight;
	v.weight_squares = weight * weight;
	if (weight > 0.0)
		v.snips = reward;
	if (v.weight_squares > 0.0)
		v.by_squares.mean = reward;
	return v;
}

/* Evaluation sums of a single decision, with a model's predicted and expected rewards */
PolicyValue
value_of_modelled(double reward, double weight, double predicted, double expected)
{
	PolicyValue v = value_of(reward, weight);

	v.doubly.mean = expected + weight * (reward - predicted);
	return v;
}

/* Return the share of "more" in the sum of both counts. */
static double
fraction_of(double count, double more)
{
	return more > 0.0 ? more / (count + more) : 0.0;
}

/*
 * Merge the moments of two weighted samples (Chan, Golub and LeVeque).  If
 * the other sample is one observation, this is Welford's update.
 */
static void
merge_moments(Moments *m, double count, Moments other, double other_count)
{
	double		share = fraction_of(count, other_count);
	double		distance = other.mean - m->mean;

	m->squares += other.squares + distance * distance * count * share;
	m->mean += distance * share;
}

/* Merge the evaluation sums "other" into v. */
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

/*
 * Compute the standard error of the estimate "snips" (see value.h) by linearization: the standard
 * error of the mean of w (r - snips), divided by the mean weight.
 */
double
value_snips_stderr(const PolicyValue *v)
{
	double		distance = v->by_squares.mean - v->snips;
	Moments		linear = {0.0, v->by_squares.squares +
	distance * distance * v->weight_squares};

	return value_stderr(v, linear) / v->weight.mean;
}

/* Effective sample size: the squared sum of the weights over the sum of their squares */
double
value_sample_size(const PolicyValue *v)
{
	double		sum = v->count * v->weight.mean;

	return v->weight_squares > 0.0 ? sum / v->weight_squares * sum : 0.0;
}

/* ---------- bets against a mean ---------- */

/* Bet sizes: the grid 0.97 * 2^-k for k = 0..15.  The smallest suits about 1e10 observations. */
#define N_BETS			16
#define MAX_BET	0.97

/* Number of bisection steps; 60 reach the precision of a double. */
#define BISECTION_STEPS		60

/*
 * Return a lower bound of the log wealth after bets against an expectation at "distance" from the
 * mean (see value.h).  Wealth increases with the distance.  Beyond its maximum the bound decreases,
 * so we return the maximum.
 */
static double
log_wealth(double bet, double count, double squares, double distance)
{
	double		penalty = -log1p(-bet) - bet;
	double		d = fmin(distance, bet / (2.0 * penalty));

	return bet * count * d - penalty * (squares + count * d * d);
}

/* Return the log of the mean wealth of gamblers with all bet sizes (see value.h). */
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
 * Return a confidence bound for the expectation of numbers in [0, 1], as its distance from their
 * mean, at most "room".  "squares" is the sum of squared deviations from the mean, and "alpha" the
 * probability of error.  The bound is valid at any time, so that repeated looks need no correction.
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
