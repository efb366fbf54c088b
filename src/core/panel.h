/*
 * panel.h
 *		Multiply dense matrices, called panels, by a sparse matrix of users by items.
 *
 * A panel has one row per item.
 */
#ifndef DLINTS_PANEL_H
#define DLINTS_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of items in one BLAS call */
#define PANEL_CHUNK		64

/* A nonzero element of a sparse matrix of users by items */
typedef struct SvdCell
{
	uint32_t	user;			/* index of the user; used only outside src/core */
	uint32_t	item;
	double		weight;
} SvdCell;

typedef struct SvdMatrix
{
	uint32_t	users;
	uint32_t	items;
	size_t	   *starts;			/* index of each user's first cell */
	SvdCell    *cells;
	/* called between steps; may raise an error to cancel the computation */
	void		(*pause) (void);
} SvdMatrix;

extern size_t panel_spare(const SvdMatrix *matrix, size_t columns);
extern void panel_filter(const SvdMatrix *matrix, size_t columns, bool is_fast, double scale,
						 double shift, int n, double *panel, double *spare, double *full,
						 double *chunk);
extern void panel_cross(const SvdMatrix *matrix, int columns,
						const double *left, const double *right, double *full);
extern void panel_transform(const SvdMatrix *matrix, int columns,
							double *panel, const double *full, double *chunk);

#endif							/* DLINTS_PANEL_H */
