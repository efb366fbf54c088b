/*
 * panel.c
 *		Products of a sparse matrix with a panel, and of two panels.
 *
 * Functions process cells and items in pieces, and call pause() after each.
 */
#include "panel.h"

#include <string.h>

#include "clones.h"
#include "linalg.h"

/* cells between two calls of pause() */
#define CELLS_PER_PAUSE			4096

/* Add the vectors of the cells' items, times the cells' weights, to "sum". */
CPU_CLONES
static void
gather(size_t columns, size_t count, const SvdCell *cells,
	   const double *restrict panel, double *restrict sum)
{
	for (size_t c = 0; c < count; c++)
	{
		const double *restrict vector = panel + cells[c].item * columns;
		double		weight = cells[c].weight;

		for (size_t j = 0; j < columns; j++)
			sum[j] += weight * vector[j];
	}
}

/* Add "sum", times the cells' weights, to the vectors of the cells' items. */
CPU_CLONES
static void
scatter(size_t columns, size_t count, const SvdCell *cells,
		const double *restrict sum, double *restrict panel)
{
	for (size_t c = 0; c < count; c++)
	{
		double	   *restrict vector = panel + cells[c].item * columns;
		double		weight = cells[c].weight;

		for (size_t j = 0; j < columns; j++)
			vector[j] += weight * sum[j];
	}
}

/* out <- A'A panel; "sum" is work space for one vector */
void
panel_multiply(const SvdMatrix *matrix, size_t columns, const double *panel,
			   double *out, double *sum)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		memset(out + item * columns, 0, sizeof(double) * columns);
		matrix->pause();
	}
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		size_t		start = matrix->starts[user];
		size_t		end = matrix->starts[user + 1];
		size_t		i;

		memset(sum, 0, sizeof(double) * columns);
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			gather(columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
				   matrix->cells + i, panel, sum);
			matrix->pause();
		}
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			scatter(columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
					matrix->cells + i, sum, out);
			matrix->pause();
		}
	}
}

/* Number of vectors in the chunk of a panel that starts at "item" */
int
panel_chunk(const SvdMatrix *matrix, uint32_t item)
{
	return matrix->items - item < PANEL_CHUNK ? (int) (matrix->items - item) : PANEL_CHUNK;
}

/* full <- left' right, summed chunk by chunk */
void
panel_cross(const SvdMatrix *matrix, int columns, const double *left,
			const double *right, double *full)
{
	memset(full, 0, sizeof(double) * (size_t) columns * (size_t) columns);
	for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		size_t		offset = (size_t) item * (size_t) columns;

		linalg_cross(columns, panel_chunk(matrix, item), left + offset, right + offset, full);
		matrix->pause();
	}
}

/*
 * panel <- panel times "full", a matrix by columns; "chunk" is work space for
 * PANEL_CHUNK vectors
 */
void
panel_transform(const SvdMatrix *matrix, int columns, double *panel,
				const double *full, double *chunk)
{
	for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		int			count = panel_chunk(matrix, item);
		double	   *vectors = panel + (size_t) item * (size_t) columns;

		linalg_project(columns, columns, full, count, vectors, chunk, columns);
		memcpy(vectors, chunk, sizeof(double) * (size_t) count * (size_t) columns);
		matrix->pause();
	}
}
