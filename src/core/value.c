/*
 * value.c
 *		Sums that tell a policy's value, and their standard errors.
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
