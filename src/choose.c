/*
 * choose.c
 *		Draws from the posterior and what is chosen with them.
 *
 * One draw scores all candidates of a group.  A draw for each row would not
 * be Thompson sampling: candidates share the parameter, and their scores must
 * move together.  The other policies score by the posterior mean, and by its
 * width.
 */
#include "dlints.h"

#include "args.h"
#include "core/random.h"
#include "miscadmin.h"
#include "prepared.h"
#include "projcache.h"
#include "topk.h"

/*
 * A seed independent of that of any other draw, on any server.  Each process
 * takes a random key once and counts under it, because asking the system each
 * time would cost as much as the draw.
 */
static uint64
FreshSeed(void)
{
	static struct
	{
		int			pid;		/* a forked process takes a key of its own */
		uint32		counter[4];
		uint32		key[2];
	}			state;
	uint32		bits[4];

	if (state.pid != MyProcPid)
	{
		if (!pg_strong_random(state.counter, sizeof(state.counter)) ||
			!pg_strong_random(state.key, sizeof(state.key)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not obtain random numbers")));
		state.pid = MyProcPid;
	}
	if (++state.counter[0] == 0)
		state.counter[1]++;
	random_philox(state.counter, state.key, bits);
	return ((uint64) bits[1] << 32) | bits[0];
}

/* The seed argument, or an independent one. */
static uint64
SeedArgument(FunctionCallInfo fcinfo, int argno)
{
	return PG_ARGISNULL(argno) ? FreshSeed() :
		(uint64) PG_GETARG_INT64(argno);
}

/* psi-tilde (Algorithm 1) */
static double *
DrawParameter(PreparedModel *prepared, uint64 seed)
{
	int			dim = prepared->evidence.dim;
	double	   *normals = palloc(sizeof(double) * dim);
	double	   *draw = palloc(sizeof(double) * dim);
	double	   *work = palloc(sizeof(double) * posterior_draw_work(dim));

	random_normals(seed, RANDOM_DRAW, 0, dim, normals);
	posterior_draw(&prepared->evidence, PreparedFactor(prepared),
				   prepared->model->exploration, normals, draw, work);
	pfree(work);
	pfree(normals);
	return draw;
}

/*
 * Weights are read with every candidate, faster if no vector register's worth
 * of them lies across two cache lines.
 */
static double *
AllocateWeights(int count)
{
	const Size	line = 64;

	return (double *) TYPEALIGN(line, palloc(sizeof(double) * count + line));
}

/*
 * psi-tilde carried back to context space, under a shared context if the model
 * has one: in the current memory context
 */
static double *
DrawWeights(PreparedModel *prepared, uint64 seed, const Datum *shared)
{
	const Dlints *model = prepared->model;
	double	   *numbers = ArgSharedNumbers(shared, model->shared_dim);
	double	   *draw = DrawParameter(prepared, seed);
	double	   *weights = AllocateWeights(ModelLiftedLen(model));

	LiftParameters(model, 1, draw, numbers, weights);
	pfree(draw);
	pfree(numbers);
	return weights;
}

PG_FUNCTION_INFO_V1(dlints_draw);

/*
 * dlints_draw(model dlints, seed bigint DEFAULT NULL) -> double precision[]
 *
 * One perturbed estimate psi-tilde of reduced_dim numbers (Algorithm 1),
 * followed by that of the intercept if there is one: normal with mean psi-hat
 * and covariance xi^2 Z^-1 Z~ Z^-1.  With a seed the same for the same model;
 * without, independent of every other draw.
 */
Datum
dlints_draw(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;
	uint64		seed;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	seed = SeedArgument(fcinfo, 1);
	prepared = PrepareModel(fcinfo, 0);
	PG_RETURN_DATUM(ResultVector(DrawParameter(prepared, seed),
								 prepared->evidence.dim));
}

PG_FUNCTION_INFO_V1(dlints_draw_weights);

/*
 * dlints_draw_weights(model dlints
 *					   [, shared real[] | double precision[]],
 *					   seed bigint DEFAULT NULL) -> double precision[]
 *
 * A draw carried back to context space, P' psi-tilde, context_dim numbers;
 * under a shared context u, P' psi-tilde + Q' (psi-tilde o R u).  Its dot
 * product with a context is the score of that context under the draw, up to
 * the intercept, which is the same for all.
 */
Datum
dlints_draw_weights(PG_FUNCTION_ARGS)
{
	PreparedModel *prepared;

	/* the model and, in front of the seed, perhaps the shared context */
	if (PG_ARGISNULL(0) || PG_ARGISNULL(PG_NARGS() - 2))
		PG_RETURN_NULL();
	prepared = PrepareModel(fcinfo, 0);
	PG_RETURN_DATUM(ResultVector(DrawWeights(prepared,
											 SeedArgument(fcinfo,
														  PG_NARGS() - 1),
											 ArgSharedDatum(fcinfo, 1, 2)),
								 prepared->model->context_dim));
}

PG_FUNCTION_INFO_V1(dlints_dot);

/*
 * dlints_dot(weights double precision[], context real[] | double precision[])
 *		-> double precision
 *
 * The score of a context under a weight vector of the same length.
 */
Datum
dlints_dot(PG_FUNCTION_ARGS)
{
	ArrayType  *weights = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *context = PG_GETARG_ARRAYTYPE_P(1);

	PG_RETURN_FLOAT8(ArgDot(context, ArgVectorLength(weights),
							(const float8 *) ARR_DATA_PTR(weights)));
}

static TopK *
CreateRanking(FunctionCallInfo fcinfo, MemoryContext context, int item_argno,
			  int k)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, item_argno);

	if (!OidIsValid(type))
		elog(ERROR, "could not determine the type of the item");
	return TopKCreate(context, type, k);
}

/* Final results; no candidate is NULL, not an empty array. */
static Datum
ReturnBest(FunctionCallInfo fcinfo, const TopK *top)
{
	Datum		item;
	bool		isnull;

	if (!TopKBest(top, &item, &isnull) || isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(item);
}

/* Where the transition functions of dlints_recommend find their arguments. */
#define MODEL_ARGNO		1
#define ITEM_ARGNO		2
#define CONTEXT_ARGNO	3
#define SHARED_ARGNO	4		/* not in all forms */

/* The state of dlints_recommend for one group. */
typedef struct RecommendState
{
	ValueKey	model_key;
	ValueKey	shared_key;		/* empty without a shared context */
	int			context_dim;
	int			shared_dim;
	double	   *weights;		/* of the group's one draw, or of the mean */
	double		width_factor;	/* what the posterior width counts; for ucb */
	TopK	   *top;
} RecommendState;

/* The weights that score all candidates of a group. */
static double *
PolicyWeights(PreparedModel *prepared, const Datum *shared)
{
	int			len = ModelLiftedLen(prepared->model);

	if (prepared->model->policy == DLINTS_POLICY_THOMPSON)
		return DrawWeights(prepared, FreshSeed(), shared);
	return memcpy(AllocateWeights(len), PreparedWeights(prepared, shared),
				  sizeof(double) * len);
}

static RecommendState *
BeginRecommend(FunctionCallInfo fcinfo, MemoryContext context,
			   const Datum *shared, int k)
{
	PreparedModel *prepared = PrepareModel(fcinfo, MODEL_ARGNO);
	const Dlints *model = prepared->model;
	MemoryContext caller = MemoryContextSwitchTo(context);
	RecommendState *state = palloc0(sizeof(RecommendState));

	ValueKeySet(&state->model_key, PG_GETARG_DATUM(MODEL_ARGNO), context);
	state->context_dim = model->context_dim;
	state->shared_dim = model->shared_dim;
	state->weights = PolicyWeights(prepared, shared);
	if (shared)
		ValueKeySet(&state->shared_key, *shared, context);
	if (model->policy == DLINTS_POLICY_UCB)
		state->width_factor = model->exploration;
	state->top = CreateRanking(fcinfo, context, ITEM_ARGNO, k);
	MemoryContextSwitchTo(caller);
	return state;
}

/*
 * The posterior width at a candidate.  What it takes from the model is kept
 * once for the call, not for each group; under a shared context, of which
 * there may be as many as groups, the candidate is reduced instead.
 */
static double
Width(FunctionCallInfo fcinfo)
{
	PreparedModel *prepared = PrepareModel(fcinfo, MODEL_ARGNO);
	const Dlints *model = prepared->model;
	ArrayType  *context = ArgArray(fcinfo, CONTEXT_ARGNO);
	int			dim = prepared->evidence.dim;
	int			len = ModelLiftedLen(model);
	double	   *work = palloc(sizeof(double) * dim);
	double	   *numbers;

	if (model->shared_dim > 0)
		return posterior_stddev(dim, dim, PreparedRoot(prepared),
								ReduceContext(model, context,
											  &fcinfo->args[SHARED_ARGNO].value),
								work);

	numbers = palloc(sizeof(double) * len);
	numbers[len - 1] = 1.0;		/* for the intercept, if there is one */
	ArgVector(context, model->context_dim, numbers);
	return posterior_stddev(len, dim, PreparedLiftedRoot(prepared), numbers,
							work);
}

/*
 * A group has one model.  Another stored copy of it will do (GROUP BY on the
 * model itself brings such together), and is the one to be expected next.
 */
static void
CheckSameModel(FunctionCallInfo fcinfo, RecommendState *state)
{
	if (!IsSameModel(&state->model_key, PG_GETARG_DATUM(MODEL_ARGNO)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dlints_recommend needs the same model for all rows of a group"),
				 errhint("Use GROUP BY to recommend from several models.")));
	ValueKeyReplace(&state->model_key, PG_GETARG_DATUM(MODEL_ARGNO),
					state->top->context);
}

/* The same of the shared context: the same numbers will do. */
static void
CheckSameShared(FunctionCallInfo fcinfo, RecommendState *state)
{
	Datum		shared = PG_GETARG_DATUM(SHARED_ARGNO);
	Datum		expected = PointerGetDatum(state->shared_key.bytes);
	double	   *ours = ArgSharedNumbers(&expected, state->shared_dim);
	double	   *theirs = ArgSharedNumbers(&shared, state->shared_dim);
	int			i;

	for (i = 0; i < state->shared_dim; i++)
		if (theirs[i] != ours[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("dlints_recommend needs the same shared context for all rows of a group"),
					 errhint("Use GROUP BY to recommend to several users.")));
	pfree(theirs);
	pfree(ours);
	ValueKeyReplace(&state->shared_key, shared, state->top->context);
}

/* Score one candidate. */
static Datum
Recommend(FunctionCallInfo fcinfo, RecommendState *state)
{
	double		score;

	if (!ValueKeyMatches(&state->model_key, PG_GETARG_DATUM(MODEL_ARGNO)))
		CheckSameModel(fcinfo, state);
	if (state->shared_key.size > 0 &&
		!ValueKeyMatches(&state->shared_key, PG_GETARG_DATUM(SHARED_ARGNO)))
		CheckSameShared(fcinfo, state);
	score = ArgDot(ArgArray(fcinfo, CONTEXT_ARGNO), state->context_dim,
				   state->weights);
	if (state->width_factor > 0.0)
		score = ResultFinite(score + state->width_factor * Width(fcinfo));
	TopKOffer(state->top, score, PG_ARGISNULL(ITEM_ARGNO) ? (Datum) 0 :
			  PG_GETARG_DATUM(ITEM_ARGNO), PG_ARGISNULL(ITEM_ARGNO));
	PG_RETURN_POINTER(state);
}

/*
 * A NULL model, context or shared context makes no candidate.  Calls without a
 * shared context have "without" arguments.
 */
static bool
IsCandidate(FunctionCallInfo fcinfo, int without)
{
	return !PG_ARGISNULL(MODEL_ARGNO) && !PG_ARGISNULL(CONTEXT_ARGNO) &&
		(PG_NARGS() == without || !PG_ARGISNULL(SHARED_ARGNO));
}

PG_FUNCTION_INFO_V1(dlints_recommend_transfn);

/*
 * dlints_recommend(model dlints, item anyelement,
 *					context real[] | double precision[]
 *					[, shared, of the same type]) -> anyelement, aggregate
 *
 * The item whose context scores best by the model's policy.  thompson: under
 * one draw of the perturbed estimate (Algorithm 1, "Select arm"), a new one
 * for each group of each statement.  ucb: by expected reward plus exploration
 * times dlints_stddev.  greedy: by expected reward.  Model and shared context
 * are the same for all rows of a group.  Candidates with a NULL context are
 * skipped; without candidates the result is NULL.
 */
Datum
dlints_recommend_transfn(PG_FUNCTION_ARGS)
{
	RecommendState *state;

	if (!IsCandidate(fcinfo, 4))
		return AggregateSameState(fcinfo);
	if (PG_ARGISNULL(0))
		state = BeginRecommend(fcinfo, AggregateContext(fcinfo),
							   ArgSharedDatum(fcinfo, SHARED_ARGNO, 4), 1);
	else
		state = (RecommendState *) PG_GETARG_POINTER(0);
	return Recommend(fcinfo, state);
}

PG_FUNCTION_INFO_V1(dlints_recommend_k_transfn);

/*
 * dlints_recommend(model dlints, item anyelement,
 *					context real[] | double precision[]
 *					[, shared, of the same type], k integer)
 *		-> anyarray, aggregate
 *
 * As above, the k best items, best first (fewer if there are fewer
 * candidates).  k is at least 1 and the same for all rows of a group.
 */
Datum
dlints_recommend_k_transfn(PG_FUNCTION_ARGS)
{
	RecommendState *state;
	int			k;

	if (!IsCandidate(fcinfo, 5))
		return AggregateSameState(fcinfo);
	k = ArgCount(fcinfo, PG_NARGS() - 1);
	if (PG_ARGISNULL(0))
		state = BeginRecommend(fcinfo, AggregateContext(fcinfo),
							   ArgSharedDatum(fcinfo, SHARED_ARGNO, 5), k);
	else
		state = (RecommendState *) PG_GETARG_POINTER(0);
	TopKCheckCount(state->top, k);
	return Recommend(fcinfo, state);
}

PG_FUNCTION_INFO_V1(dlints_recommend_finalfn);

Datum
dlints_recommend_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return ReturnBest(fcinfo, ((RecommendState *) PG_GETARG_POINTER(0))->top);
}

PG_FUNCTION_INFO_V1(dlints_recommend_k_finalfn);

Datum
dlints_recommend_k_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(TopKArray(((RecommendState *) PG_GETARG_POINTER(0))->top));
}

/* Offer a row to a ranking: arguments are state, item, score. */
static Datum
Rank(FunctionCallInfo fcinfo, TopK *top)
{
	TopKOffer(top, ArgFinite(PG_GETARG_FLOAT8(2), "score"),
			  PG_ARGISNULL(1) ? (Datum) 0 : PG_GETARG_DATUM(1),
			  PG_ARGISNULL(1));
	PG_RETURN_POINTER(top);
}

PG_FUNCTION_INFO_V1(dlints_argmax_transfn);

/*
 * dlints_argmax(item anyelement, score double precision)
 *		-> anyelement, aggregate
 *
 * The item with the highest score; among equal scores the first.  Rows with a
 * NULL score are skipped; without any the result is NULL.  Scores are finite.
 */
Datum
dlints_argmax_transfn(PG_FUNCTION_ARGS)
{
	TopK	   *top;

	if (PG_ARGISNULL(2))
		return AggregateSameState(fcinfo);
	top = PG_ARGISNULL(0) ?
		CreateRanking(fcinfo, AggregateContext(fcinfo), 1, 1) :
		(TopK *) PG_GETARG_POINTER(0);
	return Rank(fcinfo, top);
}

PG_FUNCTION_INFO_V1(dlints_top_transfn);

/*
 * dlints_top(item anyelement, score double precision, k integer)
 *		-> anyarray, aggregate
 *
 * The k items with the highest scores, best first.  k is at least 1 and the
 * same for all rows of a group.
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
		CreateRanking(fcinfo, AggregateContext(fcinfo), 1, k) :
		(TopK *) PG_GETARG_POINTER(0);
	TopKCheckCount(top, k);
	return Rank(fcinfo, top);
}

PG_FUNCTION_INFO_V1(dlints_top_combinefn);

/* combine function of dlints_argmax and dlints_top */
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
		TopKCreate(context, other->item_type, other->k) :
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

PG_FUNCTION_INFO_V1(dlints_argmax_finalfn);

Datum
dlints_argmax_finalfn(PG_FUNCTION_ARGS)
{
	AggregateContext(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return ReturnBest(fcinfo, (TopK *) PG_GETARG_POINTER(0));
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
