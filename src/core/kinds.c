/*
 * kinds.c
 *		Feature vectors to z, and a parameter to weights over them.
 */
#include "kinds.h"

#include <string.h>

#include "linalg.h"
#include "numbers.h"
#include "random.h"

/* ---------- what no matrix makes ---------- */

const char *const interactions_names[INTERACTIONS_COUNT] = {
	NULL, "matched"
};

/* Is the first part of z what a projection makes? */
static bool
has_projection(const Kind *kind)
{
	return kind->reduced_dim > 0;
}

/* numbers in that part */
static int
base_len(const Kind *kind)
{
	return has_projection(kind) ? kind->reduced_dim : kind->feature_dim;
}

/*
 * Coordinates of z but for the intercept's.  There may be too many for a
 * model, and for an int: whoever takes sizes from outside asks here first.
 */
int64_t
kind_coordinates(const Kind *kind)
{
	int64_t		base = base_len(kind);
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

/*
 * What is learned of one pair of feature vectors, the projected part left out.
 */
static void
fill(const Kind *kind, const double *x, const double *u, double *z)
{
	int			n = kind->feature_dim;
	int			i;

	if (kind->interactions == INTERACTIONS_MATCHED)
	{
		if (!has_projection(kind))
			for (i = 0; i < n; i++)
			{
				z[i] = x[i] / MATCHED_SCALE;
				z[n + i] = x[i] * u[i];
			}
		z[kind_coordinates(kind) - 1] = MATCHED_SCALE * dot_double(n, x, u);
	}
	else if (!has_projection(kind))
		memcpy(z, x, sizeof(double) * (size_t) n);
}

/*
 * "count" feature vectors of n numbers each and, where the kind has profiles,
 * as many of n numbers, into vectors of kind_reduced_len numbers.  With a
 * projection the first reduced_dim numbers of each are left as they are.
 */
void
kind_fill(const Kind *kind, int count, const double *features,
		  const double *profiles, double *reduced)
{
	int			len = kind_reduced_len(kind);
	int			c;

	for (c = 0; c < count; c++)
	{
		fill(kind, features, profiles, reduced);
		if (kind->intercept)
			reduced[len - 1] = 1.0;
		features += kind->feature_dim;
		if (kind->interactions == INTERACTIONS_MATCHED)
			profiles += kind->feature_dim;
		reduced += len;
	}
}

/* w <- psi1/4 + psi2 o u + 4 psi3 u, the first two only without a projection */
static void
lift_matched(const Kind *kind, const double *psi, const double *u, double *w)
{
	int			n = kind->feature_dim;
	double		similarity = MATCHED_SCALE * psi[kind_coordinates(kind) - 1];
	int			i;

	for (i = 0; i < n; i++)
		w[i] = similarity * u[i];
	if (!has_projection(kind))
		for (i = 0; i < n; i++)
			w[i] += psi[i] / MATCHED_SCALE + psi[n + i] * u[i];
}

static void
lift(const Kind *kind, const double *psi, const double *u, double *w)
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
 * "count" parameters of kind_reduced_len numbers into as many lists of
 * kind_lifted_len weights under one profile; the last weight is the
 * intercept's, if there is one.  What a projected part contributes is still to
 * be added.
 */
void
kind_lift(const Kind *kind, int count, const double *parameters,
		  const double *profile, double *lifted)
{
	int			reduced_len = kind_reduced_len(kind);
	int			lifted_len = kind_lifted_len(kind);
	int			c;

	for (c = 0; c < count; c++)
	{
		lift(kind, parameters, profile, lifted);
		if (kind->intercept)
			lifted[lifted_len - 1] = parameters[reduced_len - 1];
		parameters += reduced_len;
		lifted += lifted_len;
	}
}

/* ---------- projections ---------- */

/*
 * Rows first to first + count - 1, dim numbers each.  An entry depends
 * on the seed, its row and its column alone, and on the scale that multiplies
 * it.
 */
void
projection_generate(const Projection *p, int first, int count,
					double *numbers)
{
	size_t		len = (size_t) p->feature_dim;
	int			r;

	for (r = 0; r < count; r++)
	{
		size_t		j;

		random_normals(p->seed, RANDOM_PROJECTION, (uint32_t) (first + r), len,
					   numbers);
		for (j = 0; j < len; j++)
			numbers[j] *= p->scale;
		numbers += len;
	}
}

/*
 * Reduce "count" feature vectors of n numbers each into vectors of reduced_len
 * numbers.  Writes the coordinates that the given rows produce.
 */
void
projection_apply(const Projection *p, const ProjectionRows *rows, int count,
				 const double *features, double *reduced, int reduced_len)
{
	linalg_project(p->feature_dim, rows->count, rows->numbers, count,
				   features, reduced + rows->first, reduced_len);
}

/*
 * w <- w + P' psi, so that psi'z = w'x: a candidate then costs one dot product
 * of n numbers.  "count" parameters of parameter_len numbers add to as many
 * lists of lifted_len weights the part of the given rows.
 */
void
projection_lift(const Projection *p, const ProjectionRows *rows, int count,
				const double *parameters, int parameter_len,
				double *lifted, int lifted_len)
{
	linalg_combine(p->feature_dim, rows->count, rows->numbers, count,
				   parameters + rows->first, parameter_len, lifted, lifted_len);
}
