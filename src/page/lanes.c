/*
 * lanes.c
 *		Score items of the table "block", and means in the table "centroid", under many weight
 *		vectors.
 */
#include "postgres.h"

#include "core/ages.h"
#include "core/clones.h"
#include "core/score.h"
#include "page/candidates.h"
#include "page/lanes.h"
#include "sql/arrays.h"

/* Return the power of two that scales the largest weight to about 1. */
static double
unit_of(const double *weights, int count)
{
	int			exponent;

	frexp(largest_magnitude(count, weights), &exponent);
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

/* Interleave BYTE_LANES weight vectors, from index "first" on (see core/score.h). */
static void
pack_lanes(const BlockScorer *scorer, const Rankings *rankings, int first, Lanes *lanes)
{
	int			width = rankings->width;
	int			liked = scorer->n_factors + scorer->n_columns;
	double	   *weights;

	memset(lanes, 0, sizeof(*lanes));
	lanes->count = Min(BYTE_LANES, rankings->count - first);
	lanes->lengths = AllocateZeros(sizeof(float),
								   (Size) BYTE_LANES * (N_SPREADS + scorer->n_narrow));
	lanes->narrow = lanes->lengths + (Size) BYTE_LANES * N_SPREADS;
	weights = AllocateNumbers((Size) lanes->count * width);
	for (int r = 0; r < lanes->count; r++)
	{
		const double *from = rankings->weights + (Size) (first + r) * width;
		double	   *to = weights + (Size) r * width;

		lanes->units[r] = unit_of(from, width);
		for (int i = 0; i < width; i++)
			to[i] = from[i] * lanes->units[r];
		lanes->lengths[r] = length_of(to, scorer->n_factors);
		lanes->lengths[BYTE_LANES + r] = length_of(to + scorer->n_factors, scorer->n_columns);
	}
	byte_pack_weights(scorer->n_factors, lanes->count, weights, width,
					  palloc(byte_padded(scorer->n_factors) * BYTE_LANES + 1), &lanes->factors);
	byte_pack_weights(scorer->n_columns, lanes->count, weights + scorer->n_factors, width,
					  palloc(byte_padded(scorer->n_columns) * BYTE_LANES + 1), &lanes->columns);
	score_pack_float(scorer->n_narrow, lanes->count, weights + liked, width, lanes->narrow);
	pfree(weights);
}

BlockScorer *
CreateBlockScorer(PageRequest *page, const Rankings *rankings)
{
	BlockScorer  *scorer = AllocateZeros(sizeof(BlockScorer), 1);

	scorer->page = page;
	scorer->n_factors = page->settings.factors;
	scorer->n_columns = page->settings.liked - page->settings.factors;
	scorer->n_costs = page->settings.constraints;
	scorer->n_dates = page->settings.aged / AGES_PER_DATE;
	scorer->n_ranked_costs = rankings->width - page->settings.size - 1;
	scorer->n_narrow = 1 + page->settings.aged + 2 + scorer->n_ranked_costs;
	scorer->now = UnixTime(page->settings.now);
	scorer->n_lanes = (rankings->count + BYTE_LANES - 1) / BYTE_LANES;
	scorer->lanes = AllocateMany(sizeof(Lanes), scorer->n_lanes);
	for (int p = 0; p < scorer->n_lanes; p++)
		pack_lanes(scorer, rankings, p * BYTE_LANES, &scorer->lanes[p]);
	scorer->narrow = AllocateMany(sizeof(float), (Size) MAX_ITEMS * scorer->n_narrow);
	return scorer;
}

/*
 * Read a row of the table "block" or "centroid".  Returns false if the row is invalid.
 *
 * Looks up the neighbour scores of the items "keys", unless "keys" is NULL.
 */
bool
ReadBlockRow(BlockScorer *scorer, int count, int n_axes, Datum codes, Datum numbers, Datum *keys)
{
	bytea	   *bytes = DatumGetByteaPP(codes);
	ArrayType  *array = DatumGetArrayTypeP(numbers);
	Size		step = item_bytes(scorer->n_factors, scorer->n_columns);
	int			width = FIRST_COST + scorer->n_costs + scorer->n_dates;
	int			n_vectors = count * (1 + n_axes);
	const uint8 *code = (const uint8 *) VARDATA_ANY(bytes);
	const float4 *number = (float4 *) ARR_DATA_PTR(array);

	if (count < 1 || n_vectors > MAX_ITEMS || VARSIZE_ANY_EXHDR(bytes) != n_vectors * step ||
		ARR_HASNULL(array) || ARR_NDIM(array) != 2 || ARR_DIMS(array)[0] != count ||
		ARR_DIMS(array)[1] != width)
		return false;
	for (Size at = 0; at < n_vectors * step; at += CACHE_LINE)
		PREFETCH(code + at);
	scorer->count = count;
	scorer->n_axes = n_axes;
	scorer->codes = code + SCALE_BYTES;
	scorer->numbers = number;
	for (int i = 0; i < n_vectors; i++)
		memcpy(scorer->scales + (Size) i * N_SCALES, code + (Size) i * step, SCALE_BYTES);
	for (int i = 0; i < count; i++, number += width)
	{
		float	   *narrow = scorer->narrow + (Size) i * scorer->n_narrow;

		*narrow = number[0];
		narrow += 1 + scorer->n_dates * AGES_PER_DATE;
		*narrow++ = keys == NULL ? 0.0f : ScoreNeighbour(scorer->page, keys[i]);
		*narrow++ = number[1];
		for (int c = 0; c < scorer->n_ranked_costs; c++)
			narrow[c] = number[FIRST_COST + c];
	}
	for (int d = 0; d < scorer->n_dates; d++)
		write_ages(count, scorer->numbers + FIRST_COST + scorer->n_costs + d, width, scorer->now,
				   scorer->narrow + 1 + (Size) d * AGES_PER_DATE, scorer->n_narrow);
	return true;
}

/* Score the row of "block" or "centroid" read by ReadBlockRow() under BYTE_LANES weight vectors. */
void
ScoreBlockRow(BlockScorer *scorer, const Lanes *lanes)
{
	int			step = (int) item_bytes(scorer->n_factors, scorer->n_columns);
	int			n_vectors = scorer->count * (1 + scorer->n_axes);

	if (scorer->n_axes > 0)
		memset(scorer->scores, 0, sizeof(float) * n_vectors * BYTE_LANES);
	score_lanes_float(scorer->n_narrow, lanes->narrow, scorer->count, scorer->narrow,
					  scorer->n_narrow, scorer->scores, BYTE_LANES * (1 + scorer->n_axes));
	byte_sums(&lanes->factors, n_vectors, scorer->codes, step, scorer->sums);
	byte_add_scores(&lanes->factors, n_vectors, scorer->sums, scorer->scales, N_SCALES,
					scorer->scores);
	byte_sums(&lanes->columns, n_vectors, scorer->codes + byte_padded(scorer->n_factors), step,
			  scorer->sums);
	byte_add_scores(&lanes->columns, n_vectors, scorer->sums, scorer->scales + 1, N_SCALES,
					scorer->scores);
}
