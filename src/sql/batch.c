/*
 * batch.c
 *		Read observations that come as arrays.
 */
#include "postgres.h"

#include "sql/batch.h"

static void
CheckSameCount(const char *what, int contexts, int others)
{
	if (others != contexts)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("expected as many %s as contexts", what),
				 errdetail("Contexts: %d, %s: %d.", contexts, what, others)));
}

static BatchPart
BeginPart(ArrayType *array, ArgSpec spec, int most)
{
	BatchPart	part = {array, spec, NULL};

	part.numbers = palloc(sizeof(double) * most * (Size) spec.len);
	return part;
}

static void
ReadPart(BatchPart *part, int first, int count)
{
	if (part->array)
		ArgMatrixSlice(part->array, &part->spec, first, count, part->numbers);
}

/* Times of all rows, which models by count do not ask for. */
static int64 *
ReadTimes(FunctionCallInfo fcinfo, int argno, const DlintsHeader *model,
		  int rows)
{
	ArgSpec		spec = {"array of times", rows, model, false};
	ArrayType  *array;
	int64	   *times;
	int			i;

	if (!CheckTimeIsGiven(!PG_ARGISNULL(argno), model))
	{
		times = palloc(sizeof(int64) * Max(rows, 1));
		for (i = 0; i < rows; i++)
			times[i] = TIME_UNKNOWN;
		return times;
	}
	array = PG_GETARG_ARRAYTYPE_P(argno);
	CheckSameCount("times", rows, ArgVectorLength(array, &spec));
	times = (int64 *) ARR_DATA_PTR(array);
	for (i = 0; i < rows; i++)
		CheckTime(times[i]);
	return times;
}

/* Weights of all rows, 1 where none are given. */
static double *
ReadWeights(FunctionCallInfo fcinfo, int argno, int rows)
{
	ArgSpec		spec = {"array of weights", rows, NULL, false};
	ArrayType  *array;
	double	   *weights = palloc(sizeof(double) * Max(rows, 1));
	int			i;

	if (PG_ARGISNULL(argno))
	{
		for (i = 0; i < rows; i++)
			weights[i] = 1.0;
		return weights;
	}
	array = ArgArray(fcinfo, argno);
	CheckSameCount("weights", rows, ArgVectorLength(array, &spec));
	ArgVector(array, &spec, weights);
	for (i = 0; i < rows; i++)
		CheckWeight(weights[i]);
	return weights;
}

/*
 * A batch with all of it checked but the numbers of contexts and rewards, of
 * which at most so many rows will be read at a time.
 */
Batch
BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
		   const DlintsHeader *model, int most)
{
	ArgSpec		contexts = ArgContextSpec(model);
	ArgSpec		shareds = ArgSharedSpec(model);
	ArgSpec		rewards = {"array of rewards", 1, model, false};
	Batch		batch;
	ArrayType  *array = ArgArray(fcinfo, form->context);

	contexts.name = "array of contexts";
	batch.rows = ArgMatrixRows(array, &contexts);
	most = Min(most, batch.rows);
	batch.contexts = BeginPart(array, contexts, most);

	array = form->shared ? ArgArray(fcinfo, form->shared) : NULL;
	shareds.name = "array of shared contexts";
	CheckSharedIsGiven(array != NULL, "shareds", model);
	if (array)
		CheckSameCount("shared contexts", batch.rows,
					   ArgMatrixRows(array, &shareds));
	batch.shareds = BeginPart(array, shareds, most);

	array = ArgArray(fcinfo, form->reward);
	CheckSameCount("rewards", batch.rows, ArgVectorLength(array, &rewards));
	batch.rewards = BeginPart(array, rewards, most);
	batch.times = ReadTimes(fcinfo, form->at, model, batch.rows);
	batch.weights = ReadWeights(fcinfo, form->weight, batch.rows);
	return batch;
}

/* Some rows, as numbers, into their parts. */
void
BatchRead(Batch *batch, int first, int count)
{
	ReadPart(&batch->contexts, first, count);
	ReadPart(&batch->shareds, first, count);
	ReadPart(&batch->rewards, first, count);
}
