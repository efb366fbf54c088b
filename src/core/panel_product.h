/*
 * panel_product.h
 *		The product of A'A with a panel, for panels of a type NUMBER.  panel.c
 *		includes this file once per type, with names for the functions.
 */

/* Cells between two calls of pause() */
#ifndef CELLS_PER_PAUSE
#define CELLS_PER_PAUSE			4096

/* Number of cells by which loads are ahead of the arithmetic */
#define CELLS_AHEAD				4
#endif

/* Add the vectors of the cells' items, times the cells' weights, to "sum". */
CPU_CLONES
static void
GATHER(size_t columns, size_t count, const SvdCell *cells,
	   const NUMBER *restrict panel, NUMBER *restrict sum)
{
	for (size_t c = 0; c < count; c++)
	{
		const NUMBER *restrict vector = panel + cells[c].item * columns;
		NUMBER		weight = (NUMBER) cells[c].weight;

		if (c + CELLS_AHEAD < count)
			for (size_t j = 0; j < columns; j += CACHE_LINE / sizeof(NUMBER))
				PREFETCH(panel + cells[c + CELLS_AHEAD].item * columns + j);
		for (size_t j = 0; j < columns; j++)
			sum[j] += weight * vector[j];
	}
}

/* Add "sum", times the cells' weights, to the vectors of the cells' items. */
CPU_CLONES
static void
SCATTER(size_t columns, size_t count, const SvdCell *cells,
		const NUMBER *restrict sum, NUMBER *restrict panel)
{
	for (size_t c = 0; c < count; c++)
	{
		NUMBER	   *restrict vector = panel + cells[c].item * columns;
		NUMBER		weight = (NUMBER) cells[c].weight;

		if (c + CELLS_AHEAD < count)
			for (size_t j = 0; j < columns; j += CACHE_LINE / sizeof(NUMBER))
				PREFETCH(panel + cells[c + CELLS_AHEAD].item * columns + j);
		for (size_t j = 0; j < columns; j++)
			vector[j] += weight * sum[j];
	}
}

/* out <- A'A panel; "sum" is work space for one vector */
static void
PRODUCT(const SvdMatrix *matrix, size_t columns, const NUMBER *panel, NUMBER *out, NUMBER *sum)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		memset(out + item * columns, 0, sizeof(NUMBER) * columns);
		matrix->pause();
	}
	for (uint32_t user = 0; user < matrix->users; user++)
	{
		size_t		start = matrix->starts[user];
		size_t		end = matrix->starts[user + 1];
		size_t		i;

		memset(sum, 0, sizeof(NUMBER) * columns);
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			GATHER(columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
				   matrix->cells + i, panel, sum);
			matrix->pause();
		}
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			SCATTER(columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
					matrix->cells + i, sum, out);
			matrix->pause();
		}
	}
}

#undef NUMBER
#undef PRODUCT
#undef GATHER
#undef SCATTER
