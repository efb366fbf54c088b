/*
 * value.h
 *		Estimate the mean reward of a policy from decisions that another policy made.
 *
 * Each decision has a reward r and an importance weight w, the ratio of the two policies'
 * probabilities.  A model predicts a reward q, and a reward e under the other policy.  The
 * estimators are
 *
 *		ips = mean of w r		snips = sum of w r / sum of w
 *		dr  = mean of e + w (r - q)
 */
#ifndef DLINTS_VALUE_H
#define DLINTS_VALUE_H

/* A mean, and the sum of squared deviations from it */
typedef struct Moments
{
	double		mean;
	double		squares;
} Moments;

/* Sums over decisions.  Callers store the doubles as an array. */
typedef struct PolicyValue
{
	double		count;
	Moments		reward;
	Moments		weight;
	Moments		weighted;		/* mean and squared deviations of w r */
	double		snips;
	double		weight_squares;
	Moments		by_squares;		/* moments of rewards with weights w^2 */
	double		max_weight;
	Moments		doubly;			/* terms of dr */
} PolicyValue;

extern PolicyValue value_of(double reward, double weight, double predicted, double expected);
extern void value_merge(PolicyValue *v, const PolicyValue *other);
extern double value_stderr(const PolicyValue *v, Moments moments);
extern double value_snips_stderr(const PolicyValue *v);
extern double value_sample_size(const PolicyValue *v);

/*
 * Confidence bounds that are valid at any time, for the mean of bounded numbers.
 *
 * To test whether numbers z in [0, 1] have expectation m, let x = z - m, or m - z for the other
 * side.  For a bet s < 1 and x >= -1,
 *
 *		the product of exp(s x - g(s) x^2),		g(s) = -ln(1 - s) - s
 *
 * is at most the wealth of a gambler who bets a fraction s of it each time (Fan, Grama and Liu
 * 2015).  If m is the expectation, wealth exceeds 1/alpha at any time with probability at most
 * alpha (Ville).  The bound is the m closest to the sample mean at which the mean wealth over
 * several bets exceeds 1/alpha.
 */
extern double bounds_distance(double count, double squares, double room, double alpha);

#endif							/* DLINTS_VALUE_H */
