/*
 * type.c
 *		The type dlints: text and binary forms, casts, equality, and the
 *		functions that make a model.
 */
#include "dlints.h"

#include <math.h>

#include "args.h"
#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/*
 * Text to jsonb.  What is wrong with the text is reported as this type's
 * error, with what the JSON parser found in the detail.
 */
static Datum
ParseJson(char *text)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		jsonb = (Datum) 0;

	PG_TRY();
	{
		jsonb = DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
	}
	PG_CATCH();
	{
		ErrorData  *error;

		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type dlints"),
				 errdetail("%s", error->detail ? error->detail : error->message)));
	}
	PG_END_TRY();
	return jsonb;
}

PG_FUNCTION_INFO_V1(dlints_in);

Datum
dlints_in(PG_FUNCTION_ARGS)
{
	Dlints	   *model = ModelFromJson(ParseJson(PG_GETARG_CSTRING(0)));

	ModelCheckTypmod(model, PG_GETARG_INT32(2));
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_out);

Datum
dlints_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(ModelToJson(PG_GETARG_DLINTS_P(0)));
}

PG_FUNCTION_INFO_V1(dlints_to_jsonb);

Datum
dlints_to_jsonb(PG_FUNCTION_ARGS)
{
	char	   *text = ModelToJson(PG_GETARG_DLINTS_P(0));

	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

PG_FUNCTION_INFO_V1(dlints_from_jsonb);

Datum
dlints_from_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_DLINTS_P(ModelFromJson(PG_GETARG_DATUM(0)));
}

/* The external binary form: the stored fields in order, in network order. */
void
ModelSend(StringInfo buf, const Dlints *model)
{
	Size		count = evidence_value_count(ModelCoordinates(model),
											 model->discount);
	Size		i;

	pq_sendint16(buf, model->version);
	pq_sendint8(buf, model->policy);
	pq_sendint8(buf, model->projection);
	pq_sendint8(buf, model->generator);
	pq_sendint8(buf, model->flags);
	pq_sendint16(buf, model->unused1);
	pq_sendint32(buf, model->context_dim);
	pq_sendint32(buf, model->reduced_dim);
	pq_sendint32(buf, model->shared_dim);
	pq_sendfloat8(buf, model->discount);
	pq_sendfloat8(buf, model->ridge);
	pq_sendfloat8(buf, model->exploration);
	pq_sendfloat8(buf, model->projection_scale);
	pq_sendint64(buf, model->seed);
	pq_sendint64(buf, model->updates);
	pq_sendfloat8(buf, model->weight_sum);
	pq_sendfloat8(buf, model->reward_sum);
	pq_sendfloat8(buf, model->reward_square_sum);
	for (i = 0; i < lengthof(model->unused2); i++)
		pq_sendfloat8(buf, model->unused2[i]);
	for (i = 0; i < count; i++)
		pq_sendfloat8(buf, model->values[i]);
}

#define INVALID_BINARY	"invalid dlints in external value"

static void
RejectBinary(ModelProblem *problem)
{
	ModelReject(problem, ERRCODE_INVALID_BINARY_REPRESENTATION, INVALID_BINARY);
}

static void
RejectLength(void)
{
	ModelProblem problem = {
		.message = "The value does not have the length that its header implies"
	};

	RejectBinary(&problem);
}

static void
ReceiveHeader(StringInfo buf, Dlints *header)
{
	int			i;

	memset(header, 0, DLINTS_HEADER_SIZE);
	header->version = pq_getmsgint(buf, 2);
	header->policy = pq_getmsgint(buf, 1);
	header->projection = pq_getmsgint(buf, 1);
	header->generator = pq_getmsgint(buf, 1);
	header->flags = pq_getmsgint(buf, 1);
	header->unused1 = pq_getmsgint(buf, 2);
	header->context_dim = pq_getmsgint(buf, 4);
	header->reduced_dim = pq_getmsgint(buf, 4);
	header->shared_dim = pq_getmsgint(buf, 4);
	header->discount = pq_getmsgfloat8(buf);
	header->ridge = pq_getmsgfloat8(buf);
	header->exploration = pq_getmsgfloat8(buf);
	header->projection_scale = pq_getmsgfloat8(buf);
	header->seed = pq_getmsgint64(buf);
	header->updates = pq_getmsgint64(buf);
	header->weight_sum = pq_getmsgfloat8(buf);
	header->reward_sum = pq_getmsgfloat8(buf);
	header->reward_square_sum = pq_getmsgfloat8(buf);
	for (i = 0; i < lengthof(header->unused2); i++)
		header->unused2[i] = pq_getmsgfloat8(buf);
}

/* bytes of the external header: the stored one without the varlena word */
#define EXTERNAL_HEADER_SIZE	(DLINTS_HEADER_SIZE - sizeof(int32))

StaticAssertDecl(EXTERNAL_HEADER_SIZE == 124, "external header changed");

/*
 * Nothing of this can be trusted: sizes are checked before memory is taken
 * for them, and numbers before the value is used.
 */
Dlints *
ModelReceive(StringInfo buf)
{
	Dlints		header;
	ModelProblem problem;
	Dlints	   *model;
	Size		count;
	Size		i;

	if (buf->len - buf->cursor < EXTERNAL_HEADER_SIZE)
		RejectLength();
	ReceiveHeader(buf, &header);
	if (!ModelParametersAreValid(&header, &problem))
		RejectBinary(&problem);

	count = evidence_value_count(ModelCoordinates(&header), header.discount);
	if (buf->len - buf->cursor != count * sizeof(float8))
		RejectLength();

	model = ModelCreate(&header);
	model->updates = header.updates;
	model->weight_sum = header.weight_sum;
	model->reward_sum = header.reward_sum;
	model->reward_square_sum = header.reward_square_sum;
	for (i = 0; i < count; i++)
		model->values[i] = pq_getmsgfloat8(buf);
	ModelAccept(model, ERRCODE_INVALID_BINARY_REPRESENTATION, INVALID_BINARY);
	return model;
}

PG_FUNCTION_INFO_V1(dlints_recv);

Datum
dlints_recv(PG_FUNCTION_ARGS)
{
	Dlints	   *model = ModelReceive((StringInfo) PG_GETARG_POINTER(0));

	ModelCheckTypmod(model, PG_GETARG_INT32(2));
	PG_RETURN_DLINTS_P(model);
}

PG_FUNCTION_INFO_V1(dlints_send);

Datum
dlints_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	pq_begintypsend(&buf);
	ModelSend(&buf, PG_GETARG_DLINTS_P(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/*
 * Equality is that of the representation: parameters, counts and evidence.
 * It makes rows that hold a model comparable (IS DISTINCT FROM, DISTINCT,
 * replica identity full); there is no order.
 */
static bool
SameModel(FunctionCallInfo fcinfo)
{
	Dlints	   *left = PG_GETARG_DLINTS_P(0);
	Dlints	   *right = PG_GETARG_DLINTS_P(1);

	return VARSIZE(left) == VARSIZE(right) &&
		memcmp(left, right, VARSIZE(left)) == 0;
}

PG_FUNCTION_INFO_V1(dlints_eq);

Datum
dlints_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SameModel(fcinfo));
}

PG_FUNCTION_INFO_V1(dlints_ne);

Datum
dlints_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!SameModel(fcinfo));
}

PG_FUNCTION_INFO_V1(dlints_hash);

Datum
dlints_hash(PG_FUNCTION_ARGS)
{
	Dlints	   *model = PG_GETARG_DLINTS_P(0);

	return hash_any((unsigned char *) VARDATA(model),
					VARSIZE(model) - VARHDRSZ);
}

PG_FUNCTION_INFO_V1(dlints_hash_extended);

Datum
dlints_hash_extended(PG_FUNCTION_ARGS)
{
	Dlints	   *model = PG_GETARG_DLINTS_P(0);

	return hash_any_extended((unsigned char *) VARDATA(model),
							 VARSIZE(model) - VARHDRSZ, PG_GETARG_INT64(1));
}

static uint8
PolicyArgument(FunctionCallInfo fcinfo, int argno)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(argno));
	uint8		policy;

	if (!PolicyFromName(name, &policy))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown policy \"%s\"", name),
				 errhint("The policies are \"thompson\", \"ucb\" and \"greedy\".")));
	return policy;
}

PG_FUNCTION_INFO_V1(dlints_new);

/*
 * dlints_new(context_dim integer, reduced_dim integer DEFAULT NULL,
 *			  discount double precision DEFAULT 0.99,
 *			  ridge double precision DEFAULT 1,
 *			  exploration double precision DEFAULT 0.1,
 *			  seed bigint DEFAULT 0,
 *			  projection_scale double precision DEFAULT NULL,
 *			  policy text DEFAULT 'thompson', shared_dim integer DEFAULT 0,
 *			  intercept boolean DEFAULT false) -> dlints
 *
 * A model that has seen nothing (Algorithm 1, "Input" and "Initialize").
 * context_dim is 1 to 65536, reduced_dim 1 to 1024 and at most context_dim;
 * without it there is no projection and context_dim is at most 1024.
 * discount is in (0, 1], ridge > 0, exploration >= 0.  projection_scale is
 * kappa, by default 1/sqrt(reduced_dim) (Theorem 1); seed and
 * projection_scale mean nothing without projection.
 *
 * Beyond the paper: shared_dim, 0 to 65536, is the length of a shared context
 * whose interactions with the context are learned too; it needs reduced_dim,
 * which then is at most context_dim * (1 + shared_dim).  intercept adds a
 * coordinate that is always 1.
 */
Datum
dlints_new(PG_FUNCTION_ARGS)
{
	Dlints		header;

	ArgNotNull(fcinfo, 0, "context_dim");
	ArgNotNull(fcinfo, 2, "discount");
	ArgNotNull(fcinfo, 3, "ridge");
	ArgNotNull(fcinfo, 4, "exploration");
	ArgNotNull(fcinfo, 5, "seed");
	ArgNotNull(fcinfo, 7, "policy");
	ArgNotNull(fcinfo, 8, "shared_dim");
	ArgNotNull(fcinfo, 9, "intercept");

	memset(&header, 0, DLINTS_HEADER_SIZE);
	header.version = DLINTS_FORMAT_VERSION;
	header.generator = DLINTS_GENERATOR_PHILOX;
	header.policy = PolicyArgument(fcinfo, 7);
	header.context_dim = PG_GETARG_INT32(0);
	header.discount = PG_GETARG_FLOAT8(2);
	header.ridge = PG_GETARG_FLOAT8(3);
	header.exploration = PG_GETARG_FLOAT8(4);
	header.seed = PG_GETARG_INT64(5);
	if (PG_ARGISNULL(1))
	{
		header.projection = DLINTS_PROJECTION_NONE;
		header.reduced_dim = header.context_dim;
	}
	else
	{
		header.projection = DLINTS_PROJECTION_GAUSSIAN;
		header.reduced_dim = PG_GETARG_INT32(1);
		header.projection_scale = PG_ARGISNULL(6) ?
			1.0 / sqrt(Max(header.reduced_dim, 1)) : PG_GETARG_FLOAT8(6);
	}
	header.shared_dim = PG_GETARG_INT32(8);
	if (PG_GETARG_BOOL(9))
		header.flags |= DLINTS_FLAG_INTERCEPT;
	ModelCheckParameters(&header);
	PG_RETURN_DLINTS_P(ModelCreate(&header));
}

PG_FUNCTION_INFO_V1(dlints_set);

/*
 * dlints_set(model dlints, ridge double precision DEFAULT NULL,
 *			  exploration double precision DEFAULT NULL,
 *			  policy text DEFAULT NULL) -> dlints
 *
 * The model with other parameters and the same evidence; NULL keeps a
 * parameter.  What defines the evidence (sizes, intercept, seed,
 * projection_scale, discount) cannot be changed.
 */
Datum
dlints_set(PG_FUNCTION_ARGS)
{
	Dlints	   *model;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	model = PG_GETARG_DLINTS_P_COPY(0);
	if (!PG_ARGISNULL(1))
		model->ridge = PG_GETARG_FLOAT8(1);
	if (!PG_ARGISNULL(2))
		model->exploration = PG_GETARG_FLOAT8(2) + 0.0;	/* no negative zero */
	if (!PG_ARGISNULL(3))
		model->policy = PolicyArgument(fcinfo, 3);
	ModelCheckParameters(model);
	PG_RETURN_DLINTS_P(model);
}
