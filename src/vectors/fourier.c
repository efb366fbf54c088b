/*
 * fourier.c
 *		The function dlints_fourier: random Fourier features, with which linear models fit
 *		nonlinear functions (Rahimi and Recht, "Random features for large-scale kernel machines",
 *		2007).
 *
 * Users store the results, which must never change for a seed.
 */
#include "postgres.h"

#include "core/random.h"
#include "posterior/reduce.h"
#include "sql/args.h"
#include "sql/arrays.h"

#define TWO_PI			6.283185307179586476925286766559
#define TWO_POW_MINUS_53	(1.0 / 9007199254740992.0)

/* Compute the random Fourier features for some rows of the random matrix. */
static void
FillRows(const Projection *w, const ProjectionRows *rows, const double *features, float4 *out)
{
	double		amplitude = sqrt(2.0 / w->reduced_dim);

	for (int r = 0; r < rows->count; r++)
	{
		int			row = rows->first + r;
		uint64		bits = random_bits(w->seed, row) >> 11;
		double		angle = dot_double(w->feature_dim, features,
									   rows->numbers + (Size) r * w->feature_dim);

		out[row] = (float4)
			(amplitude * cos(angle + TWO_PI * TWO_POW_MINUS_53 * bits));
	}
}

static double
CheckScale(double scale)
{
	ArgBounded(scale, "scale");
	if (scale <= 0 || 1.0 / scale > WIDEN_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 scale <= 0 ? errmsg("scale must be positive") :
				 errmsg("scale is too small"),
				 errdetail("The value is %g.", scale)));
	return scale;
}

PG_FUNCTION_INFO_V1(dlints_fourier);

/*
 * dlints_fourier(): compute sqrt(2 / k) cos(W x + b) for features x.  Elements of the random
 * matrix W are N(0, 1 / scale^2), and elements of b are uniform in [0, 2 pi).
 *
 * The dot product of two results approximates exp(-|x - y|^2 / (2 scale^2)).
 */
Datum
dlints_fourier(PG_FUNCTION_ARGS)
{
	ArrayType  *features = ArgArray(fcinfo, 0);
	int			k = PG_GETARG_INT32(1);
	uint64		seed = (uint64) PG_GETARG_INT64(2);
	double		scale = CheckScale(PG_GETARG_FLOAT8(3));
	ArgSpec		spec = {"features", 0, NULL};
	Projection	w;
	double	   *numbers;
	ArrayType  *result;
	ProjectionWalk walk;

	spec.len = ArgVectorLength(features, &spec);
	ArgCheckPositive(spec.len, "the number of features");
	ArgCheckPositive(k, "k");
	/* a model may use the argument and the result together as features */
	if (k > DLINTS_MAX_FEATURE_DIM - spec.len)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("dlints cannot have more than %d dimensions",
						DLINTS_MAX_FEATURE_DIM),
				 errdetail("There are %d features, and k is %d.", spec.len, k)));
	numbers = palloc(sizeof(double) * spec.len);
	ArgVector(features, &spec, numbers);

	memset(&w, 0, sizeof(w));
	w.seed = random_bits(seed, 0);
	w.scale = 1.0 / scale;
	w.feature_dim = spec.len;
	w.reduced_dim = k;
	result = ResultReals(k);
	walk = ProjectionBegin(&w);
	while (ProjectionNext(&walk))
		FillRows(&w, &walk.piece, numbers, (float4 *) ARR_DATA_PTR(result));
	PG_RETURN_ARRAYTYPE_P(result);
}
