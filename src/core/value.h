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

/*
 * Between which bounds the mean of bounded numbers lies, whenever one looks.
 *
 * Who says that the mean of numbers z from 0 to 1 is m may be bet against: with
 * x = z - m, or m - z for the other side, and a stake s below 1,
 *
 *		the product of exp(s x - g(s) x^2),		g(s) = -ln(1 - s) - s
 *
 * is no more than what betting a share s of all that one has would have won
 * (Fan, Grama and Liu 2015, for x >= -1).  In a fair game that exceeds 1/a at
 * any time with probability a at most (Ville), and so does the mean over stakes.
 * The bound is the m nearest to what was seen at which it does.  Count, mean
 * and squares are all that enters, whatever the order in which they came.
 */
extern double bounds_distance(double count, double squares, double room,
							  double doubt);

#endif							/* DLINTS_VALUE_H */
