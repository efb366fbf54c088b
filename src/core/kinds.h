/*
 * kinds.h
 *		Compute the features z on which a model is trained from item features x and a profile u.
 *
 * A model's coefficients belong to z ("reduced" features).  For a given user, they are converted to
 * weights of x ("lifted" coefficients).  With a random projection P and the elementwise product
 * x o u, the features z are
 *
 *		plain	[x ; 1]						[P x ; 1] with a projection
 *		matched	[x/4 ; x o u ; 4 x'u ; 1]	[P x/4 ; 4 x'u ; 1] with a projection
 *
 * Models with the parameter interactions = 'matched' use the profile.  The last 1 exists only in
 * models with an intercept.
 */
#ifndef DLINTS_KINDS_H
#define DLINTS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a model combines item features and the user profile.  Models contain these values. */
typedef enum Interactions
{
	INTERACTIONS_NONE,			/* without a profile */
	INTERACTIONS_MATCHED
} Interactions;

#define INTERACTIONS_COUNT	2

/* Divisor of x, and factor of x'u, in the features of matched models (see above) */
#define MATCHED_SCALE		4.0

typedef struct Kind
{
	Interactions interactions;
	int			feature_dim;
	int			reduced_dim;	/* dimension of projected features; 0: no projection */
	bool		intercept;
} Kind;

extern const char *const interactions_names[INTERACTIONS_COUNT];

extern int64_t kind_feature_count(const Kind *kind);
extern void kind_fill(const Kind *kind, int count, const double *x, const double *u,
					  double *reduced);
extern void kind_lift(const Kind *kind, int count, const double *parameters, const double *u,
					  double *lifted);

/* Return the number of features with the intercept.  Callers ensure that it fits in an int. */
static inline int
kind_reduced_len(const Kind *kind)
{
	return (int) kind_feature_count(kind) + (kind->intercept ? 1 : 0);
}

/* Return the number of weights of item features, including the intercept. */
static inline int
kind_lifted_len(const Kind *kind)
{
	return kind->feature_dim + (kind->intercept ? 1 : 0);
}

/*
 * The random projection matrix (Ghoorchian et al., Algorithm 1, "Calculate z").  The matrix is not
 * stored, because its rows can be generated from the seed.
 */
typedef struct Projection
{
	uint64_t	seed;
	double		scale;			/* standard deviation of the matrix's entries */
	int			feature_dim;	/* number of columns */
	int			reduced_dim;	/* number of rows */
} Projection;

typedef struct ProjectionRows
{
	int			first;
	int			count;
	const double *numbers;
} ProjectionRows;

extern void projection_generate(const Projection *p, int first, int count, double *numbers);

#endif							/* DLINTS_KINDS_H */
