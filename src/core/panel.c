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

#define NUMBER double
#define PRODUCT multiply_double
#define GATHER gather_double
#define SCATTER scatter_double
#include "panel_product.h"

#define NUMBER float
#define PRODUCT multiply_float
#define GATHER gather_float
#define SCATTER scatter_float
#include "panel_product.h"

/* out <- A'A panel; "sum" is work space for one vector */
void
panel_multiply(const SvdMatrix *matrix, size_t columns, const double *panel,
			   double *out, double *sum)
{
	multiply_double(matrix, columns, panel, out, sum);
}

/*
 * out <- A'A panel in single precision, which takes a third of the time.  "out"
 * contains both the rounded panel and the product until the product is converted.
 */
void
panel_multiply_fast(const SvdMatrix *matrix, size_t columns, const double *panel,
					double *out, double *sum)
{
	float	   *from = (void *) out;
	float	   *to = from + matrix->items * columns;

	for (uint32_t item = 0; item < matrix->items; item++)
	{
		for (size_t i = item * columns; i < (item + 1) * columns; i++)
			from[i] = (float) panel[i];
		matrix->pause();
	}
	multiply_float(matrix, columns, from, to, (void *) sum);
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		/* out[i] overwrites converted numbers only */
		for (size_t i = item * columns; i < (item + 1) * columns; i++)
		{
			float		number = to[i];

			out[i] = number;
		}
		matrix->pause();
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
