/*
 * panel.c
 *		Products of a sparse matrix with a panel, and of panels with each other.
 *
 * They walk through cells and items in pieces, with pauses between them.
 */
#include "panel.h"

#include <string.h>

#include "clones.h"
#include "linalg.h"

/* cells between pauses */
#define CELLS			4096

/* sum <- sum + the vectors of some cells, times their weights */
CPU_CLONES
static void
gather(size_t columns, size_t count, const SvdCell *cells,
	   const double *restrict panel, double *restrict sum)
{
	size_t		c;
	size_t		j;

	for (c = 0; c < count; c++)
	{
		const double *restrict vector = panel + cells[c].item * columns;
		double		weight = cells[c].weight;

		for (j = 0; j < columns; j++)
			sum[j] += weight * vector[j];
	}
}

/* the vectors of some cells <- themselves + sum times their weights */
CPU_CLONES
static void
scatter(size_t columns, size_t count, const SvdCell *cells,
		const double *restrict sum, double *restrict panel)
{
	size_t		c;
	size_t		j;

	for (c = 0; c < count; c++)
	{
		double	   *restrict vector = panel + cells[c].item * columns;
		double		weight = cells[c].weight;

		for (j = 0; j < columns; j++)
			vector[j] += weight * sum[j];
	}
}

/* out <- A'A panel; "sum" is work space for one vector */
void
panel_multiply(const SvdMatrix *matrix, size_t columns, const double *panel,
			   double *out, double *sum)
{
	uint32_t	user;
	uint32_t	item;

	for (item = 0; item < matrix->items; item++)
	{
		memset(out + item * columns, 0, sizeof(double) * columns);
		matrix->pause();
	}
	for (user = 0; user < matrix->users; user++)
	{
		size_t		start = matrix->starts[user];
		size_t		end = matrix->starts[user + 1];
		size_t		i;

		memset(sum, 0, sizeof(double) * columns);
		for (i = start; i < end; i += CELLS)
		{
			gather(columns, end - i < CELLS ? end - i : CELLS,
				   matrix->cells + i, panel, sum);
			matrix->pause();
		}
		for (i = start; i < end; i += CELLS)
		{
			scatter(columns, end - i < CELLS ? end - i : CELLS,
					matrix->cells + i, sum, out);
			matrix->pause();
		}
	}
}

/* how many vectors of a panel, from this item on, go into one product */
int
panel_chunk(const SvdMatrix *matrix, uint32_t item)
{
	return matrix->items - item < PANEL_CHUNK ? (int) (matrix->items - item) : PANEL_CHUNK;
}

/* full <- left' right; the panel of a chunk of items is a list of vectors */
void
panel_cross(const SvdMatrix *matrix, int columns, const double *left,
			const double *right, double *full)
{
	uint32_t	item;

	memset(full, 0, sizeof(double) * (size_t) columns * (size_t) columns);
	for (item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		size_t		offset = (size_t) item * (size_t) columns;

		linalg_cross(columns, panel_chunk(matrix, item), left + offset,
					 right + offset, full);
		matrix->pause();
	}
}

/* panel <- panel times the matrix in "full", given by columns */
void
panel_transform(const SvdMatrix *matrix, int columns, double *panel,
				const double *full, double *chunk)
{
	uint32_t	item;

	for (item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		int			count = panel_chunk(matrix, item);
		double	   *vectors = panel + (size_t) item * (size_t) columns;

		linalg_project(columns, columns, full, count, vectors, chunk, columns);
		memcpy(vectors, chunk,
			   sizeof(double) * (size_t) count * (size_t) columns);
		matrix->pause();
	}
}
