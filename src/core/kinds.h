/*
 * kinds.h
 *		How a feature vector x of n numbers, and perhaps a profile u of n
 *		numbers, become the vector z that a model is linear in, and how a parameter psi over z
 *		becomes weights over x.
 *
 * z is a few parts in this order, P x being what a projection makes of x:
 *
 *		plain		[x ; 1]
 *					[P x ; 1]					with a projection
 *		matched		[x/4 ; x o u ; 4 x'u ; 1]
 *					[P x/4 ; 4 x'u ; 1]			with a projection
 *
 * the 1 only with an intercept.  z is linear in x, so that for a given u one
 * vector w over feature vectors scores them all: psi'z = w'x + psi_last.
 *
 * Products are not projected.  What two people share stands in few coordinates,
 * and a random projection would mix it with all the others.
 */
#ifndef DLINTS_KINDS_H
#define DLINTS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are stored: new ones go to the end. */
typedef enum Interactions
{
	INTERACTIONS_NONE,			/* no profile */
	INTERACTIONS_MATCHED
} Interactions;

#define INTERACTIONS_COUNT	2

/* by how much the parts of matched feature vectors differ from x o u */
#define MATCHED_SCALE		4.0

typedef struct Kind
{
	Interactions interactions;
	int			feature_dim;	/* n */
	int			reduced_dim;	/* d; 0 without a projection */
	bool		intercept;
} Kind;

/* what users call them; NULL where there are none */
extern const char *const interactions_names[INTERACTIONS_COUNT];

extern int64_t kind_coordinates(const Kind *kind);
extern void kind_fill(const Kind *kind, int count, const double *features,
					  const double *profiles, double *reduced);
extern void kind_lift(const Kind *kind, int count, const double *parameters,
					  const double *profile, double *lifted);

/* coordinates of z, of a kind whose coordinates are known to be few enough */
static inline int
kind_reduced_len(const Kind *kind)
{
	return (int) kind_coordinates(kind) + (kind->intercept ? 1 : 0);
}

/* weights that a parameter lifts to: n, followed by that of the intercept */
static inline int
kind_lifted_len(const Kind *kind)
{
	return kind->feature_dim + (kind->intercept ? 1 : 0);
}

/*
 * The random matrix P: how it reduces feature vectors (Algorithm 1, "Calculate
 * z"), and how it carries a parameter over reduced features back to weights over
 * feature vectors.
 *
 * P is a d by n matrix of independent N(0, scale^2) entries.  It is never stored:
 * any range of its rows can be generated from the seed alone.  The functions
 * below therefore take a range of rows, so that a caller may hold the matrix as a
 * whole or walk through it in pieces.
 */
typedef struct Projection
{
	uint64_t	seed;
	double		scale;			/* of the entries */
	int			feature_dim;	/* n, columns */
	int			reduced_dim;	/* d, rows */
} Projection;

/* A range of rows, as projection_generate left them in "numbers". */
typedef struct ProjectionRows
{
	int			first;
	int			count;
	const double *numbers;
} ProjectionRows;

extern void projection_generate(const Projection *p, int first, int count,
								double *numbers);
extern void projection_apply(const Projection *p, const ProjectionRows *rows,
							 int count, const double *features,
							 double *reduced, int reduced_len);
extern void projection_lift(const Projection *p, const ProjectionRows *rows,
							int count, const double *parameters,
							int parameter_len, double *lifted,
							int lifted_len);

#endif							/* DLINTS_KINDS_H */
