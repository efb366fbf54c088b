/*
 * value.h
 *		Estimate the mean reward of a policy from decisions that another policy made.
 *
 * Each decision has a reward r and an importance weight w, the ratio of the two policies'
 * probabilities.  A model predicts the reward q of the decision, and the mean reward e under the
 * evaluated policy.  The estimators are
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

/* Statistics of decisions, without padding, because callers store them as an array of doubles */
typedef struct PolicyValue
{
	double		count;
	Moments		reward;
	Moments		weight;
	Moments		weighted;		/* moments of rewards times importance weights */
	double		snips;
	double		weight_squares;
	Moments		by_squares;		/* moments of rewards, weighted by squared importance weights */
	double		max_weight;
	Moments		doubly;			/* moments for the doubly robust estimator */
} PolicyValue;

extern PolicyValue value_of(double reward, double weight, double predicted, double expected);
extern void value_merge(PolicyValue *v, const PolicyValue *other);
extern double value_stderr(const PolicyValue *v, Moments moments);
extern double value_snips_stderr(const PolicyValue *v);
extern double value_sample_size(const PolicyValue *v);

/*
 * Confidence bounds for the mean of numbers z in [0, 1].  They stay valid if callers compute them
 * again after each new number.
 *
 * To test whether the mean can be m, we play a game.  The player starts with a wealth of 1, and
 * bets a fraction s of it on z > m, for each number z.  With x = z - m, the wealth is at least
 *
 *		the product of exp(s x - g(s) x^2),		g(s) = -ln(1 - s) - s
 *
 * (Fan, Grama and Liu 2015).  If the mean is m, the wealth ever exceeds 1/alpha with probability at
 * most alpha (Ville's inequality), so we reject m if the wealth, averaged over several s, exceeds
 * 1/alpha.  The lower bound is the largest rejected m.  For upper bounds, the player bets on z < m.
 */
extern double bounds_distance(double count, double squares, double room, double alpha);

#endif							/* DLINTS_VALUE_H */
