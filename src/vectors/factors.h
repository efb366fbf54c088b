/*
 * factors.h
 *		Item vectors from a click log: what dlints.factors_memory bounds.
 */
#ifndef DLINTS_FACTORS_H
#define DLINTS_FACTORS_H

extern int	factors_memory;		/* the setting, in kilobytes */

#endif							/* DLINTS_FACTORS_H */
