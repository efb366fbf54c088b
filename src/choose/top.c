/*
 * top.c
 *		dlints_top, the aggregate that ranks by a given score.
 */
#include "postgres.h"

#include "choose/topk.h"
#include "sql/args.h"

PG_FUNCTION_INFO_V1(dlints_top_transfn);

/*
 * dlints_top(item, score, k): the k items with the highest scores, best first;
 * among equal scores those that come first
 */
Datum
dlints_top_transfn(PG_FUNCTION_ARGS)
{
	TopK	   *top;
	int			k;

	if (PG_ARGISNULL(2))
		return AggregateSameState(fcinfo);
	k = ArgCount(fcinfo, 3);
	top = PG_ARGISNULL(0) ?
		TopKCreate(fcinfo, AggregateContext(fcinfo), 1, k) :
		(TopK *) PG_GETARG_POINTER(0);
	TopKCheckCount(top, k);
	TopKOffer(top, ArgFinite(PG_GETARG_FLOAT8(2), "score"), fcinfo->args[1]);
	PG_RETURN_POINTER(top);
}

PG_FUNCTION_INFO_V1(dlints_top_combinefn);

/* combine function of dlints_top */
Datum
dlints_top_combinefn(PG_FUNCTION_ARGS)
{
	MemoryContext context = AggregateContext(fcinfo);
	TopK	   *top;
	TopK	   *other;

	if (PG_ARGISNULL(1))
		return AggregateSameState(fcinfo);
	other = (TopK *) PG_GETARG_POINTER(1);
	top = PG_ARGISNULL(0) ?
		TopKCreateOfType(context, other->item_type, other->k) :
		(TopK *) PG_GETARG_POINTER(0);
	TopKCheckCount(top, other->k);
	TopKMerge(top, other);
	PG_RETURN_POINTER(top);
}

PG_FUNCTION_INFO_V1(dlints_top_serialfn);

Datum
dlints_top_serialfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	PG_RETURN_BYTEA_P(TopKSerialize((TopK *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(dlints_top_deserialfn);

Datum
dlints_top_deserialfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	PG_RETURN_POINTER(TopKDeserialize(PG_GETARG_BYTEA_PP(0)));
}

PG_FUNCTION_INFO_V1(dlints_top_finalfn);

Datum
dlints_top_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(TopKArray((TopK *) PG_GETARG_POINTER(0)));
}
