/*
 * value.c
 *		Sums that tell a policy's value, their standard errors, and bounds.
 */
#include "value.h"

#include <math.h>

/* One decision */
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

/* The same with what a model says */
PolicyValue
value_of_modelled(double reward, double weight, double predicted,
				  double expected)
{
	PolicyValue v = value_of(reward, weight);

	v.doubly.mean = expected + weight * (reward - predicted);
	return v;
}

/* What all of it counts of which "more" is that of the other part: its share. */
static double
share_of(double count, double more)
{
	return more > 0.0 ? more / (count + more) : 0.0;
}

/*
 * Chan, Golub and LeVeque: the moments of two samples that count so much, as
 * those of one.  With an "other" of one observation it is Welford's update.
 */
static void
merge_moments(Moments *m, double count, Moments other, double other_count)
{
	double		share = share_of(count, other_count);
	double		distance = other.mean - m->mean;

	m->squares += other.squares + distance * distance * count * share;
	m->mean += distance * share;
}

/* v <- what both say */
void
value_merge(PolicyValue *v, const PolicyValue *other)
{
	double		share;

	/* what distances and shares make of a single side has roundings */
	if (v->count == 0.0)
	{
		*v = *other;
		return;
	}
	share = share_of(v->count * v->weight.mean,
					 other->count * other->weight.mean);
	v->snips += (other->snips - v->snips) * share;
	merge_moments(&v->by_squares, v->weight_squares,
				  other->by_squares, other->weight_squares);
	v->weight_squares += other->weight_squares;
	v->max_weight = fmax(v->max_weight, other->max_weight);

	merge_moments(&v->reward, v->count, other->reward, other->count);
	merge_moments(&v->weight, v->count, other->weight, other->count);
	merge_moments(&v->weighted, v->count, other->weighted, other->count);
	merge_moments(&v->doubly, v->count, other->doubly, other->count);
	v->count += other->count;
}

/* Standard error of a mean, of two decisions or more */
double
value_stderr(const PolicyValue *v, Moments moments)
{
	return sqrt(moments.squares / (v->count - 1.0) / v->count);
}

/*
 * Standard error of snips, linearised: that of the mean of w (r - snips), over
 * the mean weight.  The squares about snips are those about the mean that is
 * kept, moved.
 */
double
value_snips_stderr(const PolicyValue *v)
{
	double		distance = v->by_squares.mean - v->snips;
	Moments		linear = {0.0, v->by_squares.squares +
	distance * distance * v->weight_squares};

	return value_stderr(v, linear) / v->weight.mean;
}

/*
 * How many decisions of equal weight would tell as much: the squared sum of
 * the weights over the sum of their squares.
 */
double
value_sample_size(const PolicyValue *v)
{
	double		sum = v->count * v->weight.mean;

	return v->weight_squares > 0.0 ? sum / v->weight_squares * sum : 0.0;
}

/* ---------- bets against a mean ---------- */

/* from nearly all to what suits some 1e10 numbers; each half of the one before */
#define STAKES			16
#define LARGEST_STAKE	0.97

/* halvings of the distance, which end below the precision of a double */
#define HALVINGS		60

/*
 * The logarithm of what a stake has won against a mean so far from that of the
 * numbers.  True winnings grow with the distance; where their bound does not,
 * the largest one holds.
 */
static double
won(double stake, double count, double squares, double distance)
{
	double		penalty = -log1p(-stake) - stake;
	double		d = fmin(distance, stake / (2.0 * penalty));

	return stake * count * d - penalty * (squares + count * d * d);
}

/* The same of all stakes together. */
static double
won_in_all(double count, double squares, double distance)
{
	double		each[STAKES];
	double		most = -INFINITY;
	double		sum = 0.0;
	double		stake = LARGEST_STAKE;
	int			i;

	for (i = 0; i < STAKES; i++, stake /= 2.0)
	{
		each[i] = won(stake, count, squares, distance);
		most = fmax(most, each[i]);
	}
	for (i = 0; i < STAKES; i++)
		sum += exp(each[i] - most);
	return most + log(sum / STAKES);
}

/*
 * How far below the mean of numbers from 0 to 1, or above it, their expectation
 * may be, "room" at most: beyond, chance would be below "doubt".  "squares" is
 * the sum of squared distances from the mean.
 */
double
bounds_distance(double count, double squares, double room, double doubt)
{
	double		enough = -log(doubt);
	double		within = 0.0;
	double		beyond = room;
	int			i;

	if (won_in_all(count, squares, room) < enough)
		return room;
	for (i = 0; i < HALVINGS; i++)
	{
		double		middle = (within + beyond) / 2.0;

		if (won_in_all(count, squares, middle) < enough)
			within = middle;
		else
			beyond = middle;
	}
	return beyond;
}
