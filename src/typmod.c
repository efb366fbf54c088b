/*
 * typmod.c
 *		dlints(n, d, m, intercept) as the type of a column, which accepts
 *		models of these sizes only.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "model.h"

/*
 * What a column fixes is the shape in a header: the sizes, and an intercept if it
 * says so; else models with and without one will do.  31 bits
 * hold it in one of two layouts.  Without a shared context: n above eleven bits
 * of d.  With one: eight bits for m - 1, twelve for n - 1 and nine for d - 1,
 * which is less than models can have.
 */
#define INTERCEPT_BIT		(1 << 29)
#define SHARED_BIT			(1 << 30)

#define PLAIN_DIM_BITS		11
#define PLAIN_CONTEXT_BITS	17

#define SHARED_DIM_BITS		9
#define SHARED_CONTEXT_BITS	12
#define SHARED_SHARED_BITS	8

#define MASK(bits)			((1 << (bits)) - 1)

StaticAssertDecl(DLINTS_MAX_DIM <= MASK(PLAIN_DIM_BITS), "typmod cannot hold d");
StaticAssertDecl(DLINTS_MAX_CONTEXT_DIM <= MASK(PLAIN_CONTEXT_BITS),
				 "typmod cannot hold n");
StaticAssertDecl(PLAIN_DIM_BITS + PLAIN_CONTEXT_BITS <= 29 &&
				 SHARED_DIM_BITS + SHARED_CONTEXT_BITS + SHARED_SHARED_BITS <= 29,
				 "typmod layouts overlap the bits above them");

static int32
TypmodFromShape(const DlintsHeader *shape)
{
	int32		typmod;

	if (shape->shared_dim == 0)
		typmod = shape->context_dim << PLAIN_DIM_BITS | shape->reduced_dim;
	else if (shape->context_dim > (1 << SHARED_CONTEXT_BITS) ||
			 shape->reduced_dim > (1 << SHARED_DIM_BITS) ||
			 shape->shared_dim > (1 << SHARED_SHARED_BITS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("dimensions for type dlints too large for a column type"),
				 errdetail("With a shared context they are at most %d, %d and %d.",
						   1 << SHARED_CONTEXT_BITS, 1 << SHARED_DIM_BITS,
						   1 << SHARED_SHARED_BITS),
				 errhint("Use the type without dimensions, and a CHECK constraint on dlints_info.")));
	else
		typmod = SHARED_BIT |
			(shape->shared_dim - 1) << (SHARED_CONTEXT_BITS + SHARED_DIM_BITS) |
			(shape->context_dim - 1) << SHARED_DIM_BITS |
			(shape->reduced_dim - 1);
	return typmod | (shape->intercept ? INTERCEPT_BIT : 0);
}

static DlintsHeader
ShapeFromTypmod(int32 typmod)
{
	DlintsHeader shape;

	memset(&shape, 0, sizeof(shape));
	shape.intercept = (typmod & INTERCEPT_BIT) != 0;
	if ((typmod & SHARED_BIT) == 0)
	{
		shape.context_dim = (typmod >> PLAIN_DIM_BITS) & MASK(PLAIN_CONTEXT_BITS);
		shape.reduced_dim = typmod & MASK(PLAIN_DIM_BITS);
	}
	else
	{
		shape.context_dim = 1 +
			((typmod >> SHARED_DIM_BITS) & MASK(SHARED_CONTEXT_BITS));
		shape.reduced_dim = 1 + (typmod & MASK(SHARED_DIM_BITS));
		shape.shared_dim = 1 +
			((typmod >> (SHARED_CONTEXT_BITS + SHARED_DIM_BITS)) &
			 MASK(SHARED_SHARED_BITS));
	}
	return shape;
}

/* A model must be what its column accepts; typmod -1 accepts all. */
bool
ModelFitsTypmod(const DlintsHeader *header, int32 typmod, Problem *problem)
{
	DlintsHeader shape;

	if (typmod == -1)
		return true;
	shape = ShapeFromTypmod(typmod);
	if (shape.context_dim == header->context_dim &&
		shape.reduced_dim == header->reduced_dim &&
		shape.shared_dim == header->shared_dim &&
		shape.intercept <= header->intercept)
		return true;
	return ProblemIs(problem, ERRCODE_DATA_EXCEPTION,
					 psprintf("expected dlints%s, not dlints%s",
							  ModelShape(&shape), ModelShape(header)),
					 NULL);
}

/* Can a model have these sizes, so many of which were given? */
static void
CheckShape(DlintsHeader shape, int given)
{
	Problem		problem;

	shape.version = DLINTS_FORMAT_VERSION;
	shape.memories = 1;
	shape.discount = 1.0;
	shape.ridge = 1.0;
	shape.projection_scale = ModelHasProjection(&shape) ? 1.0 : 0.0;
	if ((given == 1 ||
		 ModelReducedDimIsValid(shape.reduced_dim, &problem)) &&
		ModelParametersAreValid(&shape, &problem))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("dimensions for type dlints out of range"),
			 errdetail("%s.", problem.message)));
}

PG_FUNCTION_INFO_V1(dlints_typmod_in);

Datum
dlints_typmod_in(PG_FUNCTION_ARGS)
{
	Datum	   *words;
	int			count;
	int			sizes[3] = {0, 0, 0};
	DlintsHeader shape;
	int			i;

	memset(&shape, 0, sizeof(shape));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &words, NULL, &count);
	shape.intercept = count > 0 &&
		strcmp(DatumGetCString(words[count - 1]), "intercept") == 0;
	if (shape.intercept)
		count--;
	if (count < 1 || count > lengthof(sizes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier"),
				 errhint("Write dlints(context_dim), dlints(context_dim, reduced_dim) or dlints(context_dim, reduced_dim, shared_dim), each with \", intercept\" for models that must have one.")));

	for (i = 0; i < count; i++)
	{
		char	   *word = DatumGetCString(words[i]);

		if (strspn(word, "+-0123456789") != strlen(word))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid type modifier"),
					 errdetail("\"%s\" is neither a size nor \"intercept\".",
							   word)));
		sizes[i] = pg_strtoint32(word);
	}
	shape.context_dim = sizes[0];
	shape.reduced_dim = sizes[1];
	shape.shared_dim = sizes[2];
	CheckShape(shape, count);
	PG_RETURN_INT32(TypmodFromShape(&shape));
}

PG_FUNCTION_INFO_V1(dlints_typmod_out);

Datum
dlints_typmod_out(PG_FUNCTION_ARGS)
{
	DlintsHeader shape = ShapeFromTypmod(PG_GETARG_INT32(0));

	PG_RETURN_CSTRING(ModelShape(&shape));
}

PG_FUNCTION_INFO_V1(dlints_enforce_typmod);

/* Coerce a value to a column's type: check, change nothing. */
Datum
dlints_enforce_typmod(PG_FUNCTION_ARGS)
{
	DlintsHeader header = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	Problem		problem;

	if (!ModelFitsTypmod(&header, PG_GETARG_INT32(1), &problem))
		ProblemRaise(&problem);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
