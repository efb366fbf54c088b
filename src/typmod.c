/*
 * typmod.c
 *		dlints(n, d, m, intercept) as the type of a column, which accepts
 *		models of these sizes only.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "model.h"

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
ColumnTypeOf(const DlintsHeader *header)
{
	ColumnType	type;

	type.context_dim = header->context_dim;
	type.reduced_dim = header->reduced_dim;
	type.shared_dim = header->shared_dim;
	type.intercept = header->intercept != 0;
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
/* The same for a model, for errors that tell what it expects. */
char *
ModelShape(const DlintsHeader *header)
{
	ColumnType	type = ColumnTypeOf(header);

	return ColumnTypeText(&type);
}

bool
ModelFitsTypmod(const DlintsHeader *header, int32 typmod, Problem *problem)
{
	ColumnType	actual = ColumnTypeOf(header);
	ColumnType	expected;

	if (typmod == -1)
		return true;
	expected = ColumnTypeFromTypmod(typmod);
	if (expected.context_dim == actual.context_dim &&
		expected.reduced_dim == actual.reduced_dim &&
		expected.shared_dim == actual.shared_dim &&
		expected.intercept == actual.intercept)
		return true;
	return ProblemIs(problem, ERRCODE_DATA_EXCEPTION,
					 psprintf("expected dlints%s, not dlints%s",
							  ColumnTypeText(&expected),
							  ColumnTypeText(&actual)),
					 NULL);
}

/* Can a model have these sizes, so many of which were given? */
static void
CheckColumnType(const ColumnType *type, int given)
{
	DlintsHeader header;
	Problem		problem;

	memset(&header, 0, sizeof(header));
	header.version = DLINTS_FORMAT_VERSION;
	header.discount = 1.0;
	header.ridge = 1.0;
	header.context_dim = type->context_dim;
	header.reduced_dim = type->reduced_dim;
	header.shared_dim = type->shared_dim;
	header.projection_scale = type->reduced_dim == 0 ? 0.0 : 1.0;
	if (given > 1 && type->reduced_dim == 0)
		problem.message = "reduced_dim must be at least 1";
	else if (ModelParametersAreValid(&header, &problem))
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
	type.context_dim = sizes[0];
	type.reduced_dim = sizes[1];
	type.shared_dim = sizes[2];
	CheckColumnType(&type, count);
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
	DlintsHeader header = ModelHeaderFromDatum(PG_GETARG_DATUM(0));
	Problem		problem;

	if (!ModelFitsTypmod(&header, PG_GETARG_INT32(1), &problem))
		ProblemRaise(&problem);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
