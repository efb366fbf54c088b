/*
 * panel.c
 *		Multiply dense matrices by a sparse matrix.
 *
 * Products replace the dense matrix, a group of columns at a time, to save memory.
 */
#include "panel.h"

#include <string.h>

#include "clones.h"
#include "linalg.h"

/* Maximum size in bytes of the group of columns that panel_filter() processes at a time */
#define MAX_GROUP_BYTES	(8 * 1024 * 1024)

/* Number of matrix elements that are processed between two calls of pause() */
#define CELLS_PER_PAUSE	4096

/* Number of matrix elements by which load_ahead() is ahead of the multiplication */
#define CELLS_AHEAD		4

/* Return how many items are processed in one step, beginning with item number "item". */
static int
panel_chunk(const SvdMatrix *matrix, uint32_t item)
{
	return matrix->items - item < PANEL_CHUNK ? (int) (matrix->items - item) : PANEL_CHUNK;
}

/*
 * Replace some columns of a dense matrix by the array "chunk".  Adds the dot products of old
 * columns with the new columns to "full", unless NULL.
 */
static void
replace_columns(const SvdMatrix *matrix, size_t columns, size_t first, size_t count,
				uint32_t item, const double *chunk, double *panel, double *full)
{
	int			items = panel_chunk(matrix, item);
	double	   *vectors = panel + item * columns + first;

	if (full)
		linalg_cross((int) (columns - first), (int) count, items, vectors, (int) columns,
					 chunk, (int) count, full + first * columns + first, (int) columns);
	for (int i = 0; i < items; i++)
		memcpy(vectors + (size_t) i * columns, chunk + (size_t) i * count,
			   sizeof(double) * count);
	matrix->pause();
}

/* Prefetch the row of the dense matrix that a later element of the sparse matrix needs. */
static inline void
load_ahead(const SvdCell *cells, size_t c, size_t count, const void *panel, size_t size)
{
	if (c + CELLS_AHEAD < count)
		for (size_t i = 0; i < size; i += CACHE_LINE)
			PREFETCH((const char *) panel + cells[c + CELLS_AHEAD].item * size + i);
}

#define NUMBER double
#define FOR_NUMBER(name) name##_double
#include "panel_product.h"

#define NUMBER float
#define FOR_NUMBER(name) name##_float
#include "panel_product.h"

/* Return the number of columns that panel_filter() processes at a time in double precision. */
static size_t
group_width(const SvdMatrix *matrix, size_t columns)
{
	size_t		line = CACHE_LINE / sizeof(double);
	size_t		lines = MAX_GROUP_BYTES / CACHE_LINE / (matrix->items > 0 ? matrix->items : 1);
	size_t		width = line * (lines > 1 ? lines : 1);

	return width < columns ? width : columns;
}

/* Return the number of doubles of work space for panel_filter(). */
size_t
panel_spare(const SvdMatrix *matrix, size_t columns)
{
	return 2 * (size_t) matrix->items * group_width(matrix, columns);
}

/*
 * Multiply the dense matrix "panel" by the Chebyshev polynomial T_n of scale A'A + shift.  Writes
 * the product of the old matrix, transposed, and the new matrix to "full", unless NULL.
 *
 * With is_fast, products are in single precision, which takes a third of the time.
 */
void
panel_filter(const SvdMatrix *matrix, size_t columns, bool is_fast, double scale, double shift,
			 int n, double *panel, double *spare, double *full, double *chunk)
{
	size_t		width = group_width(matrix, columns);

	if (full)
		memset(full, 0, sizeof(double) * columns * columns);
	if (is_fast)
		filter_float(matrix, columns, 2 * width, scale, shift, n, panel, spare, full, chunk);
	else
		filter_double(matrix, columns, width, scale, shift, n, panel, spare, full, chunk);
}

void
panel_cross(const SvdMatrix *matrix, int columns, const double *left,
			const double *right, double *full)
{
	memset(full, 0, sizeof(double) * (size_t) columns * (size_t) columns);
	for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
	{
		size_t		offset = (size_t) item * (size_t) columns;

		linalg_cross(columns, columns, panel_chunk(matrix, item), left + offset, columns,
					 right + offset, columns, full, columns);
		matrix->pause();
	}
}

/* Multiply a dense matrix by the matrix "full" from the right.  "chunk" is work space. */
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
