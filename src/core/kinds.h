/*
 * kinds.h
 *		Kinds of models: the map from features x and an optional profile u, n
 *		numbers each, to the reduced features z in which the model is linear.
 *
 * With a projection matrix P, the kinds are
 *
 *		plain	[x ; 1]						[P x ; 1] with a projection
 *		matched	[x/4 ; x o u ; 4 x'u ; 1]	[P x/4 ; 4 x'u ; 1] with a projection
 *
 * where the 1 exists only with an intercept.  z is linear in x.  For a given u, one vector w of
 * weights of features therefore scores all candidates: psi'z = w'x + psi_last.
 *
 * The products x o u are not projected.  Two users have few nonzero products in common; a random
 * projection would mix these with all others.
 */
#ifndef DLINTS_KINDS_H
#define DLINTS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interactions of features and profile.  The values are stored, so new ones go to the end. */
typedef enum Interactions
{
	INTERACTIONS_NONE,			/* the model does not use profiles */
	INTERACTIONS_MATCHED
} Interactions;

#define INTERACTIONS_COUNT	2

/*
 * The factor 4 in the matched features x/4 and 4 x'u.  Compared with the weights of x o u, it gives
 * the weights of x a narrower prior, and the weight of x'u a wider one.
 */
#define MATCHED_SCALE		4.0

typedef struct Kind
{
	Interactions interactions;
	int			feature_dim;	/* number of features, n */
	int			reduced_dim;	/* number of projected features, d; 0 without a projection */
	bool		intercept;
} Kind;

/* SQL names of the values of Interactions; NULL for INTERACTIONS_NONE */
extern const char *const interactions_names[INTERACTIONS_COUNT];

extern int64_t kind_coordinates(const Kind *kind);
extern void kind_fill(const Kind *kind, int count, const double *features,
					  const double *profiles, double *reduced);
extern void kind_lift(const Kind *kind, int count, const double *parameters,
					  const double *profile, double *lifted);

/* Number of reduced features z.  The caller has checked kind_coordinates() against the limit. */
static inline int
kind_reduced_len(const Kind *kind)
{
	return (int) kind_coordinates(kind) + (kind->intercept ? 1 : 0);
}

/* Number of weights of features: n, and one for the intercept */
static inline int
kind_lifted_len(const Kind *kind)
{
	return kind->feature_dim + (kind->intercept ? 1 : 0);
}

/*
 * The random matrix P of independent N(0, scale^2) entries, d by n (Ghoorchian et al., Algorithm 1,
 * "Calculate z").  P is never stored: any range of its rows can be generated from the seed.
 * Functions take a range of rows, so that callers may hold the whole matrix or process it in
 * pieces.
 */
typedef struct Projection
{
	uint64_t	seed;
	double		scale;			/* standard deviation of the entries of P */
	int			feature_dim;	/* n, number of columns */
	int			reduced_dim;	/* d, number of rows */
} Projection;

/* Consecutive rows of the projection matrix, from projection_generate() */
typedef struct ProjectionRows
{
	int			first;
	int			count;
	const double *numbers;
} ProjectionRows;

extern void projection_generate(const Projection *p, int first, int count, double *numbers);
extern void projection_apply(const Projection *p, const ProjectionRows *rows,
							 int count, const double *features, double *reduced, int reduced_len);
extern void projection_lift(const Projection *p, const ProjectionRows *rows,
							int count, const double *parameters, int parameter_len, double *lifted,
							int lifted_len);

#endif							/* DLINTS_KINDS_H */
