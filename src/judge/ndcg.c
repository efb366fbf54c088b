/*
 * ndcg.c
 *		The aggregate dlints_ndcg, which measures the quality of a ranking.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "choose/topk.h"
#include "sql/args.h"

/* State of the aggregate: relevances of the k best rows by score, and the k highest relevances */
typedef struct NdcgState
{
	TopK	   *by_score;
	TopK	   *by_relevance;
} NdcgState;

PG_FUNCTION_INFO_V1(dlints_ndcg_transfn);

/*
 * dlints_ndcg(): return the normalized discounted cumulative gain of the k rows with the highest
 * scores (NDCG@k), or NULL if no row has a positive relevance.
 */
Datum
dlints_ndcg_transfn(PG_FUNCTION_ARGS)
{
	NdcgState  *state;
	NullableDatum item = fcinfo->args[1];
	double		relevance;
	double		score;
	int			k;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return AggregateSameState(fcinfo);
	k = ArgCount(fcinfo, 3);
	relevance = ArgBounded(PG_GETARG_FLOAT8(1), "relevance");
	score = ArgFinite(PG_GETARG_FLOAT8(2), "score");
	if (relevance < 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relevance must not be negative"),
				 errdetail("The value is %g.", relevance)));

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = AggregateContext(fcinfo);

		state = MemoryContextAlloc(context, sizeof(NdcgState));
		state->by_score = TopKCreateOfType(context, FLOAT8OID, k, sizeof(TopK));
		state->by_relevance = TopKCreateOfType(context, FLOAT8OID, k, sizeof(TopK));
	}
	else
		state = (NdcgState *) PG_GETARG_POINTER(0);
	CheckSameValue(k == state->by_score->k, "k");
	TopKOffer(state->by_score, score, item);
	TopKOffer(state->by_relevance, relevance, item);
	PG_RETURN_POINTER(state);
}

/* Sum relevance / log2(rank + 1) over ranked rows, where the first rank is 1. */
static double
DiscountedGain(const TopK *relevances)
{
	ArrayType  *array = DatumGetArrayTypeP(TopKArray(relevances));
	const float8 *values = (const float8 *) ARR_DATA_PTR(array);
	int			count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	double		gain = 0.0;

	for (int i = 0; i < count; i++)
		gain += values[i] / log2(i + 2.0);
	return gain;
}

PG_FUNCTION_INFO_V1(dlints_ndcg_finalfn);

Datum
dlints_ndcg_finalfn(PG_FUNCTION_ARGS)
{
	NdcgState  *state;
	double		ideal;

	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (NdcgState *) PG_GETARG_POINTER(0);
	ideal = ResultFinite(DiscountedGain(state->by_relevance));
	if (ideal == 0.0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(DiscountedGain(state->by_score) / ideal);
}
