/*
 * value.h
 *		Off-policy evaluation: estimates of another policy's mean reward from
 *		logged decisions.
 *
 * Each logged decision has a reward r and an importance weight w, the ratio
 * of the two policies' probabilities.  With a model's predicted reward q and
 * its expected reward e under the other policy, the estimators are
 *
 *		ips = mean of w r		snips = sum of w r / sum of w
 *		dr  = mean of e + w (r - q)
 *
 * We keep means and squared deviations instead of sums, so that rewards far
 * from zero lose no digits.  Two sets of decisions merge in any order.
 */
#ifndef DLINTS_VALUE_H
#define DLINTS_VALUE_H

/* A mean, and the sum of squared deviations from it */
typedef struct Moments
{
	double		mean;
	double		squares;
} Moments;

/* Sums of an evaluation; doubles only, so that callers can store them as an array */
typedef struct PolicyValue
{
	double		count;
	Moments		reward;
	Moments		weight;
	Moments		weighted;		/* moments of weighted rewards w r */
	double		snips;			/* mean reward with weights w, the estimate snips */
	double		weight_squares; /* sum of squared weights w */
	Moments		by_squares;		/* moments of rewards with weights w^2 */
	double		max_weight;
	Moments		doubly;			/* moments of e + w (r - q), the terms of the estimate dr */
} PolicyValue;

extern PolicyValue value_of(double reward, double weight);
extern PolicyValue value_of_modelled(double reward, double weight,
									 double predicted, double expected);
extern void value_merge(PolicyValue *v, const PolicyValue *other);
extern double value_stderr(const PolicyValue *v, Moments moments);
extern double value_snips_stderr(const PolicyValue *v);
extern double value_sample_size(const PolicyValue *v);

/*
 * Anytime-valid confidence bounds for the mean of bounded numbers, by betting.
 *
 * To test whether numbers z in [0, 1] have expectation m, let x = z - m, or m - z for the other
 * side.  For a bet s < 1 and x >= -1,
 *
 *		the product of exp(s x - g(s) x^2),		g(s) = -ln(1 - s) - s
 *
 * is at most the wealth of a gambler who bets a fraction s of it each time (Fan, Grama and Liu
 * 2015).  If m is the expectation, wealth exceeds 1/alpha at any time with probability at most
 * alpha (Ville).  This also holds for the mean wealth over several bets.  The bound is the m
 * closest to the sample mean at which the mean wealth exceeds 1/alpha.
 */
extern double bounds_distance(double count, double squares, double room, double alpha);

#endif							/* DLINTS_VALUE_H */
