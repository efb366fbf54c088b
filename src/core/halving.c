/*
 * halving.c
 *		Divide vectors into groups of equal size by repeated halving.
 */
#include "halving.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "numbers.h"

/* Number of power iterations, which give a rough estimate of a principal axis */
#define AXIS_STEPS		4

/* Compute a weight for each element of the vectors: its typical effect on a score. */
void
halving_weights(int count, int width, const float *vectors, const float *scale, float *weights)
{
	float		largest = 0.0f;

	for (int i = 0; i < width; i++)
	{
		double		square = 0.0;

		for (int c = 0; c < count; c++)
			square += (double) vectors[(int64_t) c * width + i] *
				vectors[(int64_t) c * width + i] / count;
		weights[i] = (float) fmin(fabs((double) scale[i]) * sqrt(square), 1e18);
		largest = fmaxf(largest, weights[i]);
	}

	/* raise small weights to 0.1, because models may have large coefficients of small elements */
	for (int i = 0; i < width; i++)
		weights[i] = largest > 0.0f ? fmaxf(weights[i] / largest, 0.1f) : 1.0f;
}

/* ---------- the principal axis ---------- */

/* Copy a sample of weighted vectors, and subtract their mean.  Returns its size. */
CPU_CLONES
static int
sample_rows(const HalvingSet *set, int count, const int *order)
{
	int			sampled = count < HALVING_ROWS ? count : HALVING_ROWS;
	int			width = set->width;
	double	   *mean = set->axis;

	memset(mean, 0, sizeof(double) * (size_t) width);
	for (int r = 0; r < sampled; r++)
	{
		const float *vector = set->vectors + (int64_t) order[(int64_t) r * count / sampled] * width;
		float	   *row = set->rows + (int64_t) r * width;

		for (int i = 0; i < width; i++)
			row[i] = vector[i] * set->weights[i];
		for (int i = 0; i < width; i++)
			mean[i] += row[i];
	}
	for (int r = 0; r < sampled; r++)
	{
		float	   *row = set->rows + (int64_t) r * width;

		for (int i = 0; i < width; i++)
			row[i] -= (float) (mean[i] / sampled);
	}
	return sampled;
}

/* Find the vector that is farthest from zero, the mean of all vectors. */
static const float *
farthest_row(int count, int width, const float *rows)
{
	const float *result = rows;
	double		largest = -1.0;

	for (int r = 0; r < count; r++)
	{
		const float *row = rows + (int64_t) r * width;
		double		square = 0.0;

		for (int i = 0; i < width; i++)
			square += (double) row[i] * row[i];
		if (square > largest)
		{
			largest = square;
			result = row;
		}
	}
	return result;
}

static void
scale_axis(int width, double *axis)
{
	double		largest = largest_magnitude((size_t) width, axis);

	for (int i = 0; i < width && largest > 0.0; i++)
		axis[i] /= largest;
}

/* sum <- sum + weight * row */
CPU_CLONES
static void
add_row(int width, double weight, const float *restrict row, double *restrict sum)
{
	for (int i = 0; i < width; i++)
		sum[i] += weight * row[i];
}

/*
 * Estimate the principal axis of centered vectors, along which the vectors vary most.  "axis" has
 * room for two vectors.
 */
static void
find_axis(int count, int width, const float *rows, double *axis)
{
	const float *start = farthest_row(count, width, rows);
	double	   *next = axis + width;

	for (int i = 0; i < width; i++)
		axis[i] = start[i];
	scale_axis(width, axis);
	for (int step = 0; step < AXIS_STEPS; step++)
	{
		memset(next, 0, sizeof(double) * (size_t) width);
		for (int r = 0; r < count; r++)
		{
			const float *row = rows + (int64_t) r * width;

			add_row(width, dot_float(width, axis, row), row, next);
		}
		memcpy(axis, next, sizeof(double) * (size_t) width);
		scale_axis(width, axis);
	}
}

/*
 * Remove the principal axis from centered vectors.  "axis" gets the axis, with the standard
 * deviation along the axis as its length.  "work" has room for two vectors.
 */
void
halving_split_axis(int count, int width, float *rows, double *work, float *axis)
{
	double		length;
	double		square = 0.0;

	find_axis(count, width, rows, work);
	length = dot_double(width, work, work);
	for (int r = 0; r < count && length > 0.0; r++)
	{
		float	   *row = rows + (int64_t) r * width;
		double		projection = dot_float(width, work, row) / length;

		square += projection * projection;
		for (int i = 0; i < width; i++)
			row[i] -= (float) (projection * work[i]);
	}
	for (int i = 0; i < width; i++)
		axis[i] = (float) (work[i] * sqrt(square / count));
}

/* ---------- halving ---------- */

/* Divide a group of vectors at the median of the projections on its principal axis. */
static const double *
halve(const HalvingSet *set, int count, int *order, int half)
{
	double	   *axis = set->axis;

	find_axis(sample_rows(set, count, order), set->width, set->rows, axis);
	for (int i = 0; i < set->width; i++)
		axis[i] *= set->weights[i];
	for (int i = 0; i < count; i++)
		set->projections[order[i]] = dot_float(set->width, axis,
											   set->vectors + (int64_t) order[i] * set->width);
	select_smallest(set->projections, count, order, half);
	return axis;
}

static float
project(int width, const float *axis, const float *vector)
{
	float		sum = 0.0f;

	for (int i = 0; i < width; i++)
		sum += axis[i] * vector[i];
	return sum;
}

/* Write the subtree of "levels" levels whose root has the index "node". */
static void
add_node(const HalvingSet *set, int count, int *order, /* NOLINT(misc-no-recursion) */
		 int node, int levels, float *tree)
{
	float	   *row = tree + (int64_t) node * (set->width + 1);
	int			half = count / 2;
	const double *axis;

	memset(row, 0, sizeof(float) * (size_t) (set->width + 1));
	if (count > 1)
	{
		axis = halve(set, count, order, half);
		for (int i = 0; i < set->width; i++)
			row[i] = (float) axis[i];
		row[set->width] =
			project(set->width, row, set->vectors + (int64_t) order[half] * set->width);
	}
	if (levels > 1)
	{
		add_node(set, half, order, 2 * node + 1, levels - 1, tree);
		add_node(set, count - half, order + half, 2 * node + 2, levels - 1, tree);
	}
}

/* Build a binary tree that divides vectors into groups of similar vectors. */
void
halving_tree(const HalvingSet *set, int count, int *order, int depth, float *tree)
{
	add_node(set, count, order, 0, depth, tree);
}

/* Find the leaf of the tree to which a vector belongs.  Random bits break ties. */
int
halving_part(int width, int depth, const float *tree, const float *vector, uint64_t bits)
{
	int			node = 0;

	for (int level = 0; level < depth; level++, bits >>= 1)
	{
		const float *row = tree + (int64_t) node * (width + 1);
		float		projection = project(width, row, vector);

		node = 2 * node + 1 +
			(projection > row[width] || (!(projection < row[width]) && (bits & 1)));
	}
	return node + 1 - (1 << depth);
}

/* Sort vectors so that each run of "group" successive vectors contains similar vectors. */
void
halving_order(const HalvingSet *set, int count, int *order, /* NOLINT(misc-no-recursion) */
			  int group)
{
	while (count > group)
	{
		int			half = ((count + group - 1) / group + 1) / 2 * group;

		halve(set, count, order, half);
		halving_order(set, half, order, group);
		order += half;
		count -= half;
	}
}
