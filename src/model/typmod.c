/*
 * typmod.c
 *		dlints(n, d), dlints(n, d, matched), perhaps with intercept, as the type
 *		of a column, which accepts models of this kind and size only.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "model/model.h"

/*
 * What a column fixes is the shape in a header: sizes and interactions, and an
 * intercept if it says so; else models with and without one will do.  Below the
 * bits for these stand n and, in eleven bits, d.
 */
#define REDUCED_BITS			11
#define FEATURE_BITS		17
#define MATCHED_BIT			(1 << 28)
#define INTERCEPT_BIT		(1 << 29)

#define MASK(bits)			((1 << (bits)) - 1)

StaticAssertDecl(DLINTS_MAX_DIM <= MASK(REDUCED_BITS), "typmod cannot hold d");
StaticAssertDecl(DLINTS_MAX_FEATURE_DIM <= MASK(FEATURE_BITS),
				 "typmod cannot hold n");
StaticAssertDecl(REDUCED_BITS + FEATURE_BITS <= 28,
				 "sizes overlap the bits above them");

/* Of a shape that a model can have. */
static int32
TypmodFromShape(const DlintsHeader *shape)
{
	bool		matched = shape->interactions == INTERACTIONS_MATCHED;

	return shape->feature_dim << REDUCED_BITS | shape->reduced_dim |
		(matched ? MATCHED_BIT : 0) |
		(shape->intercept ? INTERCEPT_BIT : 0);
}

static DlintsHeader
ShapeFromTypmod(int32 typmod)
{
	DlintsHeader shape;

	memset(&shape, 0, sizeof(shape));
	shape.intercept = (typmod & INTERCEPT_BIT) != 0;
	shape.feature_dim = (typmod >> REDUCED_BITS) & MASK(FEATURE_BITS);
	shape.reduced_dim = typmod & MASK(REDUCED_BITS);
	if ((typmod & MATCHED_BIT) != 0)
	{
		shape.interactions = INTERACTIONS_MATCHED;
		shape.profile_dim = shape.feature_dim;
	}
	return shape;
}

/* A model must be what its column accepts; typmod -1 accepts all. */
bool
ModelCheckTypmod(const DlintsHeader *header, int32 typmod, Problem *problem)
{
	DlintsHeader shape;

	if (typmod == -1)
		return true;
	shape = ShapeFromTypmod(typmod);
	if (shape.interactions == header->interactions &&
		shape.feature_dim == header->feature_dim &&
		shape.reduced_dim == header->reduced_dim &&
		shape.intercept <= header->intercept)
		return true;
	return ProblemIs(problem, ERRCODE_DATA_EXCEPTION,
					 psprintf("expected dlints%s, not dlints%s",
							  ModelShape(&shape), ModelShape(header)),
					 NULL, NULL);
}

/* Can a model have this shape? */
static void
CheckShape(DlintsHeader shape, bool reduced)
{
	Problem		problem;

	shape.version = DLINTS_FORMAT_VERSION;
	shape.memories = 1;
	shape.discount = 1.0;
	shape.projection_scale = ModelHasProjection(&shape) ? 1.0 : 0.0;
	if ((!reduced || ModelCheckReducedDim(shape.reduced_dim, &problem)) &&
		ModelCheckParameters(&shape, &problem))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("dimensions for type dlints out of range"),
			 errdetail("%s.", problem.message)));
}

/* Is the last word this one?  Then it is taken away. */
static bool
TakeLastWord(Datum *words, int *count, const char *word)
{
	if (*count == 0 || strcmp(DatumGetCString(words[*count - 1]), word) != 0)
		return false;
	(*count)--;
	return true;
}

static void
ReadSizes(const Datum *words, int count, int *sizes)
{
	int			i;

	for (i = 0; i < count; i++)
	{
		char	   *word = DatumGetCString(words[i]);

		if (strspn(word, "+-0123456789") != strlen(word))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid type modifier"),
					 errdetail("\"%s\" stands where a size is expected.",
							   word)));
		sizes[i] = pg_strtoint32(word);
	}
}

PG_FUNCTION_INFO_V1(dlints_typmod_in);

Datum
dlints_typmod_in(PG_FUNCTION_ARGS)
{
	Datum	   *words;
	int			count;
	int			sizes[2] = {0, 0};
	DlintsHeader shape;

	memset(&shape, 0, sizeof(shape));
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &words, NULL, &count);
	shape.intercept = TakeLastWord(words, &count, "intercept");
	if (TakeLastWord(words, &count, "matched"))
		shape.interactions = INTERACTIONS_MATCHED;
	if (count < 1 || count > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier"),
				 errhint("Write dlints(dim), dlints(dim, reduced_dim), dlints(dim, matched) or dlints(dim, reduced_dim, matched), each with \", intercept\" for models that must have one.")));

	ReadSizes(words, count, sizes);
	shape.feature_dim = sizes[0];
	shape.reduced_dim = sizes[1];
	if (shape.interactions == INTERACTIONS_MATCHED)
		shape.profile_dim = shape.feature_dim;
	CheckShape(shape, count > 1);
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

	ModelCheckTypmod(&header, PG_GETARG_INT32(1), NULL);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
