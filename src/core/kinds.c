/*
 * kinds.c
 *		Compute a model's features from item features and a user profile.
 */
#include "kinds.h"

#include "numbers.h"
#include "random.h"

const char *const interactions_names[INTERACTIONS_COUNT] = {
	NULL, "matched"
};

static bool
has_projection(const Kind *kind)
{
	return kind->reduced_dim > 0;
}

static bool
is_matched(const Kind *kind)
{
	return kind->interactions == INTERACTIONS_MATCHED;
}

/* Return the number of features of the model without the intercept. */
int64_t
kind_feature_count(const Kind *kind)
{
	int64_t		n = kind->feature_dim;

	if (has_projection(kind))
		return (int64_t) kind->reduced_dim + is_matched(kind);
	return is_matched(kind) ? 2 * n + 1 : n;
}

/* Compute the model's features of "count" items, except features that need a random projection. */
void
kind_fill(const Kind *kind, int count, const double *x, const double *u, double *reduced)
{
	int			n = kind->feature_dim;
	int			len = kind_reduced_len(kind);

	for (int c = 0; c < count; c++, x += n, reduced += len)
	{
		for (int i = 0; !has_projection(kind) && i < n; i++)
			reduced[i] = is_matched(kind) ? x[i] / MATCHED_SCALE : x[i];
		if (is_matched(kind))
		{
			for (int i = 0; !has_projection(kind) && i < n; i++)
				reduced[n + i] = x[i] * u[i];
			reduced[kind_feature_count(kind) - 1] = MATCHED_SCALE * dot_double(n, x, u);
			u += n;
		}
		if (kind->intercept)
			reduced[len - 1] = 1.0;
	}
}

/*
 * Convert coefficients to weights of item features for one user profile.  If the model has a
 * random projection, the caller adds the weights that belong to projected features.
 */
void
kind_lift(const Kind *kind, int count, const double *parameters, const double *u, double *lifted)
{
	int			n = kind->feature_dim;
	int			len = kind_reduced_len(kind);

	for (int c = 0; c < count; c++, parameters += len, lifted += kind_lifted_len(kind))
	{
		double		similarity = MATCHED_SCALE * parameters[kind_feature_count(kind) - 1];

		for (int i = 0; i < n; i++)
			lifted[i] = is_matched(kind) ? similarity * u[i] : 0.0;
		for (int i = 0; !has_projection(kind) && i < n; i++)
			lifted[i] += is_matched(kind) ?
				parameters[i] / MATCHED_SCALE + parameters[n + i] * u[i] : parameters[i];
		if (kind->intercept)
			lifted[n] = parameters[len - 1];
	}
}

/* Generate "count" rows of the projection matrix, beginning with row "first". */
void
projection_generate(const Projection *p, int first, int count, double *numbers)
{
	size_t		len = (size_t) p->feature_dim;

	for (int r = 0; r < count; r++)
	{
		size_t		j;

		random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) (first + r), 0, len, numbers);
		for (j = 0; j < len; j++)
			numbers[j] *= p->scale;
		numbers += len;
	}
}
