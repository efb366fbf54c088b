/*
 * bounds.c
 *		Bets against a mean.
 */
#include "bounds.h"

#include <math.h>

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
