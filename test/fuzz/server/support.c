/*
 * support.c
 *		Call the support functions of aggregates with arguments that no
 *		aggregate passes.  SQL cannot call them, because they have arguments
 *		of type internal.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"

#include "readers.h"

#define MOST_ARGUMENTS 10

/* Create a node that the function takes for its aggregate, in the current memory context. */
Node *
SomeAggregate(void)
{
	AggState   *aggregate = makeNode(AggState);

	aggregate->curaggcontext = makeNode(ExprContext);
	aggregate->curaggcontext->ecxt_per_tuple_memory = CurrentMemoryContext;
	return (Node *) aggregate;
}

/*
 * Call a function without arguments.  A strict function, which relies on its
 * arguments, gets the addresses of zeros.
 */
static Datum
CallWithNothing(Oid oid, Node *context)
{
	LOCAL_FCINFO(fcinfo, MOST_ARGUMENTS);
	FmgrInfo	function;

	fmgr_info(oid, &function);
	InitFunctionCallInfoData(*fcinfo, &function, function.fn_nargs, InvalidOid, context, NULL);
	for (int i = 0; i < function.fn_nargs; i++)
	{
		fcinfo->args[i].value = PointerGetDatum(palloc0(BLCKSZ));
		fcinfo->args[i].isnull = !function.fn_strict;
	}
	FunctionCallInvoke(fcinfo);
	return BoolGetDatum(fcinfo->isnull);
}

PG_FUNCTION_INFO_V1(dlints_call_alone);

/* dlints_call_alone(regprocedure) -> boolean: was the result NULL? */
Datum
dlints_call_alone(PG_FUNCTION_ARGS)
{
	return CallWithNothing(PG_GETARG_OID(0), NULL);
}

PG_FUNCTION_INFO_V1(dlints_call_as_aggregate);

/* dlints_call_as_aggregate(): the same for functions that are not strict */
Datum
dlints_call_as_aggregate(PG_FUNCTION_ARGS)
{
	return CallWithNothing(PG_GETARG_OID(0), SomeAggregate());
}
