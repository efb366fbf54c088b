/*
 * panel_product.h
 *		Products of a sparse matrix with some columns of a dense matrix.
 *
 * panel.c includes this file twice, for double and for float.  Before each inclusion, it defines
 * NUMBER as the type, and FOR_NUMBER() as a macro that appends the type to the name of a function.
 */

/* Multiply a row of the sparse matrix by the dense matrix, and add the product to "sum". */
CPU_CLONES
static void
FOR_NUMBER(gather) (size_t columns, size_t count, const SvdCell *cells,
					const NUMBER *restrict panel, NUMBER *restrict sum)
{
	for (size_t c = 0; c < count; c++)
	{
		const NUMBER *restrict vector = panel + cells[c].item * columns;
		NUMBER		weight = (NUMBER) cells[c].weight;

		load_ahead(cells, c, count, panel, sizeof(NUMBER) * columns);
		for (size_t j = 0; j < columns; j++)
			sum[j] += weight * vector[j];
	}
}

/* Add the outer product of a row of the sparse matrix and the vector "sum" to "panel". */
CPU_CLONES
static void
FOR_NUMBER(scatter) (size_t columns, size_t count, const SvdCell *cells,
					 const NUMBER *restrict sum, NUMBER *restrict panel)
{
	for (size_t c = 0; c < count; c++)
	{
		NUMBER	   *restrict vector = panel + cells[c].item * columns;
		NUMBER		weight = (NUMBER) cells[c].weight;

		load_ahead(cells, c, count, panel, sizeof(NUMBER) * columns);
		for (size_t j = 0; j < columns; j++)
			vector[j] += weight * sum[j];
	}
}

/* out <- shift * row of the dense matrix, minus the previous "out" if has_before is true */
CPU_CLONES
static void
FOR_NUMBER(shift_row) (size_t columns, NUMBER shift, bool has_before,
					   const NUMBER *restrict panel, NUMBER *restrict out)
{
	for (size_t j = 0; j < columns; j++)
		out[j] = shift * panel[j] - (has_before ? out[j] : 0);
}

/*
 * Multiply a dense matrix by scale A'A + shift, where A is sparse.  Subtracts the previous content
 * of "out" if has_before is true.
 */
static void
FOR_NUMBER(multiply) (const SvdMatrix *matrix, size_t columns, double scale, double shift,
					  bool has_before, const NUMBER *panel, NUMBER *out, NUMBER *sum)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		size_t		offset = item * columns;

		FOR_NUMBER(shift_row) (columns, (NUMBER) shift, has_before, panel + offset, out + offset);
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
			FOR_NUMBER(gather) (columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
								matrix->cells + i, panel, sum);
			matrix->pause();
		}
		for (size_t j = 0; j < columns; j++)
			sum[j] *= (NUMBER) scale;
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			FOR_NUMBER(scatter) (columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
								 matrix->cells + i, sum, out);
			matrix->pause();
		}
	}
}

/* Filter "width" columns at a time, for panel_filter().  "spare" holds twice as many columns. */
static void
FOR_NUMBER(filter) (const SvdMatrix *matrix, size_t columns, size_t width, double scale,
					double shift, int n, double *panel, double *spare, double *full, double *chunk)
{
	for (size_t first = 0; first < columns; first += width)
	{
		size_t		count = columns - first < width ? columns - first : width;
		NUMBER	   *group = (void *) spare;
		NUMBER	   *next = group + matrix->items * width;

		for (uint32_t item = 0; item < matrix->items; item++)
		{
			for (size_t j = 0; j < count; j++)
				group[item * count + j] = (NUMBER) panel[item * columns + first + j];
			matrix->pause();
		}
		/* Chebyshev polynomials: T_i(x) = 2 x T_(i-1)(x) - T_(i-2)(x) */
		for (int i = 1; i <= n; i++)
		{
			double		factor = i == 1 ? 1.0 : 2.0;
			NUMBER	   *before = group;

			FOR_NUMBER(multiply) (matrix, count, factor * scale, factor * shift, i > 1, group, next,
								  (void *) chunk);
			group = next;
			next = before;
		}
		for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
		{
			size_t		len = (size_t) panel_chunk(matrix, item) * count;

			for (size_t i = 0; i < len; i++)
				chunk[i] = group[item * count + i];
			replace_columns(matrix, columns, first, count, item, chunk, panel, full);
		}
	}
}

#undef NUMBER
#undef FOR_NUMBER
