/*
 * panel.h
 *		Products of a sparse matrix A of users by items with what has one vector
 *		for each item: a panel, "columns" numbers for each, item after item.
 */
#ifndef DLINTS_PANEL_H
#define DLINTS_PANEL_H

#include <stddef.h>
#include <stdint.h>

/* vectors in a product of matrices */
#define PANEL_CHUNK		64

/* a number of the matrix */
typedef struct SvdCell
{
	uint32_t	user;
	uint32_t	item;
	double		weight;
} SvdCell;

typedef struct SvdMatrix
{
	uint32_t	users;
	uint32_t	items;
	const size_t *starts;		/* of each user's cells; one more says where
								 * the last ends */
	SvdCell    *cells;
	void		(*pause) (void);	/* called every few milliseconds; need not
									 * come back */
} SvdMatrix;

extern int	panel_chunk(const SvdMatrix *matrix, uint32_t item);
extern void panel_multiply(const SvdMatrix *matrix, size_t columns,
						   const double *panel, double *out, double *sum);
extern void panel_cross(const SvdMatrix *matrix, int columns,
						const double *left, const double *right, double *full);
extern void panel_transform(const SvdMatrix *matrix, int columns,
							double *panel, const double *full, double *chunk);

#endif							/* DLINTS_PANEL_H */
