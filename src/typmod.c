/*
 * typmod.c
 *		dlints(n, d, m, intercept) as the type of a column, which accepts
 *		models of these sizes only.
 */
#include "dlints.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* What a column fixes. */
typedef struct ColumnType
{
	int			context_dim;
	int			reduced_dim;	/* 0: no projection */
	int			shared_dim;
	bool		intercept;
} ColumnType;

/*
 * 31 bits hold it in one of two layouts.  Without a shared context: n above
 * eleven bits of d.  With one: eight bits for m - 1, twelve for n - 1 and nine
 * for d - 1, which is less than models can have.
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
TypmodFromColumnType(const ColumnType *type)
{
	int32		typmod;

	if (type->shared_dim == 0)
		typmod = type->context_dim << PLAIN_DIM_BITS | type->reduced_dim;
	else if (type->context_dim > (1 << SHARED_CONTEXT_BITS) ||
			 type->reduced_dim > (1 << SHARED_DIM_BITS) ||
			 type->shared_dim > (1 << SHARED_SHARED_BITS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("dimensions for type dlints too large for a column type"),
				 errdetail("With a shared context they are at most %d, %d and %d.",
						   1 << SHARED_CONTEXT_BITS, 1 << SHARED_DIM_BITS,
						   1 << SHARED_SHARED_BITS),
				 errhint("Use the type without dimensions, and a CHECK constraint on dlints_info.")));
	else
		typmod = SHARED_BIT |
			(type->shared_dim - 1) << (SHARED_CONTEXT_BITS + SHARED_DIM_BITS) |
			(type->context_dim - 1) << SHARED_DIM_BITS |
			(type->reduced_dim - 1);
	return typmod | (type->intercept ? INTERCEPT_BIT : 0);
}

static ColumnType
ColumnTypeFromTypmod(int32 typmod)
{
	ColumnType	type;

	type.intercept = (typmod & INTERCEPT_BIT) != 0;
	if ((typmod & SHARED_BIT) == 0)
	{
		type.context_dim = (typmod >> PLAIN_DIM_BITS) & MASK(PLAIN_CONTEXT_BITS);
		type.reduced_dim = typmod & MASK(PLAIN_DIM_BITS);
		type.shared_dim = 0;
	}
	else
	{
		type.context_dim = 1 +
			((typmod >> SHARED_DIM_BITS) & MASK(SHARED_CONTEXT_BITS));
		type.reduced_dim = 1 + (typmod & MASK(SHARED_DIM_BITS));
		type.shared_dim = 1 +
			((typmod >> (SHARED_CONTEXT_BITS + SHARED_DIM_BITS)) &
			 MASK(SHARED_SHARED_BITS));
	}
	return type;
}

static ColumnType
ColumnTypeOf(const Dlints *model)
{
	ColumnType	type;

	type.context_dim = model->context_dim;
	type.reduced_dim = ModelHasProjection(model) ? model->reduced_dim : 0;
	type.shared_dim = model->shared_dim;
	type.intercept = ModelHasIntercept(model);
	return type;
}

/* "(n)", "(n,d)", "(n,d,m)", each perhaps with ",intercept" */
static char *
ColumnTypeText(const ColumnType *type)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "(%d", type->context_dim);
	if (type->reduced_dim > 0)
		appendStringInfo(&buf, ",%d", type->reduced_dim);
	if (type->shared_dim > 0)
		appendStringInfo(&buf, ",%d", type->shared_dim);
	if (type->intercept)
		appendStringInfoString(&buf, ",intercept");
	appendStringInfoChar(&buf, ')');
	return buf.data;
}

/* A model must be what its column accepts; typmod -1 accepts all. */
void
ModelCheckTypmod(const Dlints *model, int32 typmod)
{
	ColumnType	actual = ColumnTypeOf(model);
	ColumnType	expected;

	if (typmod == -1)
		return;
	expected = ColumnTypeFromTypmod(typmod);
	if (expected.context_dim != actual.context_dim ||
		expected.reduced_dim != actual.reduced_dim ||
		expected.shared_dim != actual.shared_dim ||
		expected.intercept != actual.intercept)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected dlints%s, not dlints%s",
						ColumnTypeText(&expected), ColumnTypeText(&actual))));
}

/* Can a model have these sizes: n, perhaps d, perhaps m? */
static void
CheckSizes(int count, const int *sizes)
{
	Dlints		header;
	ModelProblem problem;

	memset(&header, 0, DLINTS_HEADER_SIZE);
	header.version = DLINTS_FORMAT_VERSION;
	header.generator = DLINTS_GENERATOR_PHILOX;
	header.discount = 1.0;
	header.ridge = 1.0;
	header.context_dim = header.reduced_dim = sizes[0];
	if (count > 1)
	{
		header.projection = DLINTS_PROJECTION_GAUSSIAN;
		header.projection_scale = 1.0;
		header.reduced_dim = sizes[1];
	}
	if (count > 2)
		header.shared_dim = sizes[2];
	if (!ModelParametersAreValid(&header, &problem))
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
	ColumnType	type;
	int			i;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &words, NULL, &count);
	type.intercept = count > 0 &&
		strcmp(DatumGetCString(words[count - 1]), "intercept") == 0;
	if (type.intercept)
		count--;
	if (count < 1 || count > lengthof(sizes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid type modifier"),
				 errhint("Write dlints(context_dim), dlints(context_dim, reduced_dim) or dlints(context_dim, reduced_dim, shared_dim), each with \", intercept\" for models that have one.")));

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
	CheckSizes(count, sizes);
	type.context_dim = sizes[0];
	type.reduced_dim = sizes[1];
	type.shared_dim = sizes[2];
	PG_RETURN_INT32(TypmodFromColumnType(&type));
}

PG_FUNCTION_INFO_V1(dlints_typmod_out);

Datum
dlints_typmod_out(PG_FUNCTION_ARGS)
{
	ColumnType	type = ColumnTypeFromTypmod(PG_GETARG_INT32(0));

	PG_RETURN_CSTRING(ColumnTypeText(&type));
}

PG_FUNCTION_INFO_V1(dlints_enforce_typmod);

/* Coerce a value to a column's type: check, change nothing. */
Datum
dlints_enforce_typmod(PG_FUNCTION_ARGS)
{
	Dlints		header = ModelHeaderFromDatum(PG_GETARG_DATUM(0));

	ModelCheckTypmod(&header, PG_GETARG_INT32(1));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
