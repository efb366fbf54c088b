/*
 * kinds.c
 *		Compute a model's features from item features and a user profile.
 */
#include "kinds.h"

#include <string.h>

#include "numbers.h"
#include "random.h"

/* ---------- features of one item ---------- */

const char *const interactions_names[INTERACTIONS_COUNT] = {
	NULL, "matched"
};

static bool
has_projection(const Kind *kind)
{
	return kind->reduced_dim > 0;
}

/* Number of features of the model without the intercept */
int64_t
kind_feature_count(const Kind *kind)
{
	int64_t		base = has_projection(kind) ? kind->reduced_dim : kind->feature_dim;
	int64_t		n = kind->feature_dim;

	switch (kind->interactions)
	{
		case INTERACTIONS_MATCHED:
			return has_projection(kind) ? base + 1 : n + n + 1;
		case INTERACTIONS_NONE:
			break;
	}
	return base;
}

/* Compute a model's features for one item, except projected ones. */
static void
fill_one(const Kind *kind, const double *x, const double *u, double *z)
{
	int			n = kind->feature_dim;

	if (kind->interactions == INTERACTIONS_MATCHED)
	{
		if (!has_projection(kind))
			for (int i = 0; i < n; i++)
			{
				z[i] = x[i] / MATCHED_SCALE;
				z[n + i] = x[i] * u[i];
			}
		z[kind_feature_count(kind) - 1] = MATCHED_SCALE * dot_double(n, x, u);
	}
	else if (!has_projection(kind))
		memcpy(z, x, sizeof(double) * (size_t) n);
}

/*
 * Compute a model's features for "count" items, except projected ones.  "reduced" gets
 * kind_reduced_len() numbers for each item.
 */
void
kind_fill(const Kind *kind, int count, const double *features,
		  const double *profiles, double *reduced)
{
	int			len = kind_reduced_len(kind);

	for (int c = 0; c < count; c++)
	{
		fill_one(kind, features, profiles, reduced);
		if (kind->intercept)
			reduced[len - 1] = 1.0;
		features += kind->feature_dim;
		if (kind->interactions == INTERACTIONS_MATCHED)
			profiles += kind->feature_dim;
		reduced += len;
	}
}

static void
lift_matched(const Kind *kind, const double *psi, const double *u, double *w)
{
	int			n = kind->feature_dim;
	double		similarity = MATCHED_SCALE * psi[kind_feature_count(kind) - 1];

	for (int i = 0; i < n; i++)
		w[i] = similarity * u[i];
	if (!has_projection(kind))
		for (int i = 0; i < n; i++)
			w[i] += psi[i] / MATCHED_SCALE + psi[n + i] * u[i];
}

static void
lift_one(const Kind *kind, const double *psi, const double *u, double *w)
{
	size_t		size = sizeof(double) * (size_t) kind->feature_dim;

	if (kind->interactions == INTERACTIONS_MATCHED)
		lift_matched(kind, psi, u, w);
	else if (has_projection(kind))
		memset(w, 0, size);
	else
		memcpy(w, psi, size);
}

/*
 * Convert coefficients to weights of item features, for a user profile.  The last weight is that of
 * the intercept.  With a projection, the caller adds the coefficients times the transposed
 * projection matrix.
 */
void
kind_lift(const Kind *kind, int count, const double *parameters,
		  const double *profile, double *lifted)
{
	int			reduced_len = kind_reduced_len(kind);
	int			lifted_len = kind_lifted_len(kind);

	for (int c = 0; c < count; c++)
	{
		lift_one(kind, parameters, profile, lifted);
		if (kind->intercept)
			lifted[lifted_len - 1] = parameters[reduced_len - 1];
		parameters += reduced_len;
		lifted += lifted_len;
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

		random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) (first + r), len, numbers);
		for (j = 0; j < len; j++)
			numbers[j] *= p->scale;
		numbers += len;
	}
}
