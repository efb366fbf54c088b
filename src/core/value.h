/*
 * value.h
 *		What a log says that another policy would have earned.
 *
 * Of each decision the log has the reward r and the weight w: how many times
 * more likely the other policy makes it than the one that did.  With the
 * reward that a model predicted, q, and the one that it expects of the other
 * policy, e, estimates of the reward of that policy are
 *
 *		ips = mean of w r		snips = sum of w r / sum of w
 *		dr  = mean of e + w (r - q)
 *
 * Sums are kept as means and squares about them, which rewards far from zero
 * do not spoil, and two of them make one whatever the order.
 */
#ifndef DLINTS_VALUE_H
#define DLINTS_VALUE_H

/* a mean, and the sum of squared distances from it */
typedef struct Moments
{
	double		mean;
	double		squares;
} Moments;

/* Numbers alone, which callers may store as such. */
typedef struct PolicyValue
{
	double		count;
	Moments		reward;
	Moments		weight;
	Moments		weighted;		/* w r */
	double		snips;			/* mean of r that counts w times */
	double		weight_squares; /* sum of w^2 */
	Moments		by_squares;		/* of r that counts w^2 times */
	double		max_weight;
	Moments		doubly;			/* e + w (r - q), where there is a model */
} PolicyValue;

extern PolicyValue value_of(double reward, double weight);
extern PolicyValue value_of_modelled(double reward, double weight,
									 double predicted, double expected);
extern void value_merge(PolicyValue *v, const PolicyValue *other);
extern double value_stderr(const PolicyValue *v, Moments moments);
extern double value_snips_stderr(const PolicyValue *v);
extern double value_sample_size(const PolicyValue *v);

#endif							/* DLINTS_VALUE_H */
