/*
 * lanes.c
 *		Scores of the rows of "block" and "centroid" under many rankings.
 */
#include "postgres.h"

#include <math.h>

#include "utils/array.h"

#include "core/numbers.h"
#include "core/score.h"
#include "page/lanes.h"
#include "page/neighbours.h"
#include "sql/arrays.h"

/* ---------- weights ---------- */

/* The power of two that makes the largest weight about 1: single precision has room then. */
static double
unit_of(const double *weights, int count)
{
	double		largest = 0.0;
	int			exponent;

	for (int i = 0; i < count; i++)
		largest = Max(largest, fabs(weights[i]));
	frexp(largest, &exponent);
	return ldexp(1.0, Max(Min(-exponent, 1000), -1000));
}

static float
length_of(const double *weights, int count)
{
	double		square = 0.0;

	for (int i = 0; i < count; i++)
		square += weights[i] * weights[i];
	return (float) sqrt(square);
}

/* Pack rankings from "first" on, as many as there are lanes. */
static void
pack_lanes(const BlockRows *rows, const Rankings *rankings, int first, Lanes *lanes)
{
	int			width = rankings->width;
	int			liked = rows->n_factors + rows->n_columns;
	double	   *weights;

	memset(lanes, 0, sizeof(*lanes));
	lanes->count = Min(BYTE_LANES, rankings->count - first);
	lanes->lengths = AllocateZeros(sizeof(float), (Size) BYTE_LANES * (N_SPREADS + rows->n_narrow));
	lanes->narrow = lanes->lengths + BYTE_LANES * N_SPREADS;
	weights = AllocateNumbers((Size) lanes->count * width);
	for (int r = 0; r < lanes->count; r++)
	{
		const double *from = rankings->weights + (Size) (first + r) * width;
		double	   *to = weights + (Size) r * width;

		lanes->units[r] = unit_of(from, width);
		for (int i = 0; i < width; i++)
			to[i] = from[i] * lanes->units[r];
		lanes->lengths[r] = length_of(to, rows->n_factors);
		lanes->lengths[BYTE_LANES + r] = length_of(to + rows->n_factors, rows->n_columns);
	}
	byte_pack_weights(rows->n_factors, lanes->count, weights, width,
					  palloc(byte_padded(rows->n_factors) * BYTE_LANES + 1), &lanes->factors);
	byte_pack_weights(rows->n_columns, lanes->count, weights + rows->n_factors, width,
					  palloc(byte_padded(rows->n_columns) * BYTE_LANES + 1), &lanes->columns);
	score_pack_float(rows->n_narrow, lanes->count, weights + liked, width, lanes->narrow);
	pfree(weights);
}

/* Prepare to score rows under rankings. */
BlockRows *
CreateBlockRows(PageRequest *page, const Rankings *rankings)
{
	BlockRows  *rows = AllocateZeros(sizeof(BlockRows), 1);

	rows->page = page;
	rows->n_factors = page->settings.factors;
	rows->n_columns = page->settings.liked - page->settings.factors;
	rows->n_costs = page->settings.constraints;
	rows->n_dates = page->settings.aged / AGES_PER_DATE;
	rows->n_ranked_costs = rankings->width - page->settings.size - 1;
	rows->n_narrow = 1 + page->settings.aged + 2 + rows->n_ranked_costs;
	rows->now = UnixTime(page->settings.now);
	rows->n_lanes = (rankings->count + BYTE_LANES - 1) / BYTE_LANES;
	rows->lanes = AllocateMany(sizeof(Lanes), rows->n_lanes);
	for (int p = 0; p < rows->n_lanes; p++)
		pack_lanes(rows, rankings, p * BYTE_LANES, &rows->lanes[p]);
	rows->narrow = AllocateMany(sizeof(float), (Size) MAX_ITEMS * rows->n_narrow);
	return rows;
}

/* ---------- rows ---------- */

/*
 * Read a row of "count" items, or of as many centroids; false if its values are not
 * those of the present settings.  Items have neighbour scores if their keys are given.
 */
bool
ReadBlockRow(BlockRows *rows, int count, Datum codes, Datum numbers, Datum *keys)
{
	bytea	   *bytes = DatumGetByteaPP(codes);
	ArrayType  *array = DatumGetArrayTypeP(numbers);
	Size		step = item_bytes(rows->n_factors, rows->n_columns);
	int			width = FIRST_COST + rows->n_costs + rows->n_dates;
	const uint8 *code = (const uint8 *) VARDATA_ANY(bytes);
	const float4 *number = (float4 *) ARR_DATA_PTR(array);

	if (count < 1 || count > MAX_ITEMS || VARSIZE_ANY_EXHDR(bytes) != count * step ||
		ARR_HASNULL(array) || ARR_NDIM(array) != 2 || ARR_DIMS(array)[0] != count ||
		ARR_DIMS(array)[1] != width)
		return false;
	rows->count = count;
	rows->codes = code + SCALE_BYTES;
	rows->numbers = number;
	for (int i = 0; i < count; i++, number += width)
	{
		float	   *narrow = rows->narrow + (Size) i * rows->n_narrow;

		memcpy(rows->scales + i * N_SCALES, code + i * step, SCALE_BYTES);
		*narrow++ = number[0];
		for (int d = 0; d < rows->n_dates; d++, narrow += AGES_PER_DATE)
			WriteAges(number[FIRST_COST + rows->n_costs + d], rows->page->settings.now, narrow);
		*narrow++ = keys == NULL ? 0.0f : NeighbourScore(rows->page, keys[i]);
		*narrow++ = number[1];
		memcpy(narrow, number + FIRST_COST, sizeof(float) * rows->n_ranked_costs);
	}
	return true;
}

/* Score the row that was read last: BYTE_LANES scores per item. */
void
ScoreBlockRow(BlockRows *rows, const Lanes *lanes)
{
	int			step = (int) item_bytes(rows->n_factors, rows->n_columns);

	score_lanes_float(rows->n_narrow, lanes->narrow, rows->count, rows->narrow, rows->n_narrow,
					  rows->scores, BYTE_LANES);
	byte_sums(&lanes->factors, rows->count, rows->codes, step, rows->sums);
	byte_add_scores(&lanes->factors, rows->count, rows->sums, rows->scales, N_SCALES, rows->scores);
	byte_sums(&lanes->columns, rows->count, rows->codes + byte_padded(rows->n_factors), step,
			  rows->sums);
	byte_add_scores(&lanes->columns, rows->count, rows->sums, rows->scales + 1, N_SCALES,
					rows->scores);
}
