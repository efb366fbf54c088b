/*
 * panel_product.h
 *		Products with some columns of a dense matrix, for one type of number.
 *
 * panel.c includes this file once per type.
 */

/* Multiply a row of the sparse matrix by the dense matrix, and add the product to "sum". */
CPU_CLONES
static void
GATHER(size_t columns, size_t count, const SvdCell *cells,
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
SCATTER(size_t columns, size_t count, const SvdCell *cells,
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

/* Multiply a row of a dense matrix by "shift", and subtract the previous content of "out". */
CPU_CLONES
static void
SHIFT(size_t columns, NUMBER shift, bool has_before,
	  const NUMBER *restrict panel, NUMBER *restrict out)
{
	for (size_t j = 0; j < columns; j++)
		out[j] = shift * panel[j] - (has_before ? out[j] : 0);
}

/*
 * Multiply a dense matrix by scale A'A + shift, for the sparse matrix A.
 *
 * If has_before is true, the previous content of "out" is subtracted from the product.
 */
static void
PRODUCT(const SvdMatrix *matrix, size_t columns, double scale, double shift, bool has_before,
		const NUMBER *panel, NUMBER *out, NUMBER *sum)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		size_t		offset = item * columns;

		SHIFT(columns, (NUMBER) shift, has_before, panel + offset, out + offset);
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
		for (size_t j = 0; j < columns; j++)
			sum[j] *= (NUMBER) scale;
		for (i = start; i < end; i += CELLS_PER_PAUSE)
		{
			SCATTER(columns, end - i < CELLS_PER_PAUSE ? end - i : CELLS_PER_PAUSE,
					matrix->cells + i, sum, out);
			matrix->pause();
		}
	}
}

/*
 * Multiply a dense matrix by T_n(A'A / center - 1), for the Chebyshev polynomial T_n.
 *
 * We use T_i(x) = 2 x T_(i-1)(x) - T_(i-2)(x).
 */
static void
FILTER(const SvdMatrix *matrix, size_t columns, double center, int n,
	   NUMBER **panel, NUMBER **spare, NUMBER *sum)
{
	for (int i = 1; i <= n; i++)
	{
		double		factor = i == 1 ? 1.0 : 2.0;
		NUMBER	   *next = *spare;

		PRODUCT(matrix, columns, factor / center, -factor, i > 1, *panel, next, sum);
		*spare = *panel;
		*panel = next;
	}
}

/* Copy some columns of a dense matrix to contiguous memory. */
static void
LOAD(const SvdMatrix *matrix, size_t columns, size_t first, size_t count,
	 const double *panel, NUMBER *group)
{
	for (uint32_t item = 0; item < matrix->items; item++)
	{
		for (size_t j = 0; j < count; j++)
			group[item * count + j] = (NUMBER) panel[item * columns + first + j];
		matrix->pause();
	}
}

static void
WIDEN(size_t len, const NUMBER *group, double *chunk)
{
	for (size_t i = 0; i < len; i++)
		chunk[i] = group[i];
}

/* Replace a dense matrix by its product with A'A, "width" columns at a time. */
static void
MULTIPLY(const SvdMatrix *matrix, size_t columns, size_t width, double *panel, double *spare,
		 double *full, double *chunk)
{
	NUMBER	   *from = (void *) spare;
	NUMBER	   *to = from + matrix->items * width;

	for (size_t first = 0; first < columns; first += width)
	{
		size_t		count = columns - first < width ? columns - first : width;

		LOAD(matrix, columns, first, count, panel, from);
		PRODUCT(matrix, count, 1.0, 0.0, false, from, to, (void *) chunk);
		for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
		{
			WIDEN((size_t) panel_chunk(matrix, item) * count, to + item * count, chunk);
			replace_columns(matrix, columns, first, count, item, chunk, panel, full);
		}
	}
}

/* Call FILTER for "width" columns at a time.  "spare" has room for twice as many. */
static void
FILTER_GROUPS(const SvdMatrix *matrix, size_t columns, size_t width, double center, int n,
			  double *panel, double *spare, double *chunk)
{
	for (size_t first = 0; first < columns; first += width)
	{
		size_t		count = columns - first < width ? columns - first : width;
		NUMBER	   *from = (void *) spare;
		NUMBER	   *to = from + matrix->items * width;

		LOAD(matrix, columns, first, count, panel, from);
		FILTER(matrix, count, center, n, &from, &to, (void *) chunk);
		for (uint32_t item = 0; item < matrix->items; item += PANEL_CHUNK)
		{
			WIDEN((size_t) panel_chunk(matrix, item) * count, from + item * count, chunk);
			replace_columns(matrix, columns, first, count, item, chunk, panel, NULL);
		}
	}
}

#undef NUMBER
#undef PRODUCT
#undef FILTER
#undef SHIFT
#undef GATHER
#undef SCATTER
#undef LOAD
#undef WIDEN
#undef MULTIPLY
#undef FILTER_GROUPS
