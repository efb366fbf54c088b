/*
 * bounds.h
 *		Between which bounds the mean of bounded numbers lies, whenever one looks.
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
#ifndef DLINTS_BOUNDS_H
#define DLINTS_BOUNDS_H

extern double bounds_distance(double count, double squares, double room,
							  double doubt);

#endif							/* DLINTS_BOUNDS_H */
