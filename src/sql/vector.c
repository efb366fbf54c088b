/*
 * vector.c
 *		The type dlints_vector, which is an array of numbers under another name,
 *		and what spares arrays a conversion that nobody needs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "sql/args.h"
#include "sql/arrays.h"

/*
 * Have an array function read the first argument as double precision[].  It
 * keeps what it looked up where this call would.
 */
static Datum
ReadArray(FunctionCallInfo fcinfo, PGFunction function)
{
	LOCAL_FCINFO(call, 3);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 3, InvalidOid,
							 fcinfo->context, NULL);
	call->args[0] = fcinfo->args[0];
	call->args[1].value = ObjectIdGetDatum(FLOAT8OID);
	call->args[1].isnull = false;
	call->args[2].value = Int32GetDatum(-1);
	call->args[2].isnull = false;
	return function(call);
}

PG_FUNCTION_INFO_V1(dlints_vector_in);

Datum
dlints_vector_in(PG_FUNCTION_ARGS)
{
	return ReadArray(fcinfo, array_in);
}

PG_FUNCTION_INFO_V1(dlints_vector_recv);

Datum
dlints_vector_recv(PG_FUNCTION_ARGS)
{
	return ReadArray(fcinfo, array_recv);
}

/* The argument as double precision[], whatever it is inside. */
static Datum
WriteArray(FunctionCallInfo fcinfo, PGFunction function)
{
	fcinfo->args[0].value = PointerGetDatum(ArgArrayWidened(ArgArray(fcinfo, 0)));
	return function(fcinfo);
}

PG_FUNCTION_INFO_V1(dlints_vector_out);

Datum
dlints_vector_out(PG_FUNCTION_ARGS)
{
	return WriteArray(fcinfo, array_out);
}

PG_FUNCTION_INFO_V1(dlints_vector_send);

Datum
dlints_vector_send(PG_FUNCTION_ARGS)
{
	return WriteArray(fcinfo, array_send);
}

PG_FUNCTION_INFO_V1(dlints_vector);

/* dlints_vector(anyarray) -> dlints_vector */
Datum
dlints_vector(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(ArgArray(fcinfo, 0));
}

/* ---------- planner support ---------- */

PG_FUNCTION_INFO_V1(dlints_vector_support);

/*
 * Support function of casts to dlints_vector: one from real[] or double
 * precision[] has nothing to do.
 */
Datum
dlints_vector_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	FuncExpr   *cast;
	Oid			source;

	if (!IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(NULL);
	cast = ((SupportRequestSimplify *) request)->fcall;
	source = exprType(linitial(cast->args));
	if (source != FLOAT4ARRAYOID && source != FLOAT8ARRAYOID)
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(makeRelabelType(linitial(cast->args),
									  cast->funcresulttype, -1, InvalidOid,
									  COERCE_IMPLICIT_CAST));
}
