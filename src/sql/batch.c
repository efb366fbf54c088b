/*
 * batch.c
 *		Read observations that come as arrays.
 */
#include "postgres.h"

#include "sql/batch.h"

static BatchPart
BeginPart(ArrayType *array, ArgSpec spec, int rows)
{
	BatchPart	part = {array, spec, NULL};

	/* zeros stand for what there is none of */
	part.numbers = palloc0(sizeof(double) * Min(rows, EVIDENCE_BLOCK) * (Size) spec.len);
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
	ArgSpec		spec = {"array of times", rows, model};
	ArrayType  *array;
	int64	   *times;
	int			i;

	CheckTimeIsGiven(!PG_ARGISNULL(argno), model, NULL);
	if (!ModelIsByTime(model))
	{
		times = palloc(sizeof(int64) * Max(rows, 1));
		for (i = 0; i < rows; i++)
			times[i] = TIME_UNKNOWN;
		return times;
	}
	array = PG_GETARG_ARRAYTYPE_P(argno);
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "times");
	times = (int64 *) ARR_DATA_PTR(array);
	for (i = 0; i < rows; i++)
		CheckTime(times[i], NULL);
	return times;
}

/* Weights of all rows, 1 where none are given. */
static double *
ReadWeights(FunctionCallInfo fcinfo, int argno, int rows)
{
	ArgSpec		spec = {"array of weights", rows, NULL};
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
	ArgCheckCount(rows, ArgVectorLength(array, &spec), "weights");
	ArgVector(array, &spec, weights);
	for (i = 0; i < rows; i++)
		CheckWeight(weights[i], NULL);
	return weights;
}

/*
 * A batch with all of it checked but the numbers of feature vectors and
 * rewards, which are read a block at a time.
 */
Batch
BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
		   const DlintsHeader *model)
{
	ArgSpec		features = ArgFeatureSpec(model);
	ArgSpec		profiles = ArgProfileSpec(model);
	ArgSpec		rewards = {"array of rewards", 1, model};
	Batch		batch;
	ArrayType  *array = ArgArray(fcinfo, form->features);

	features.name = "array of features";
	batch.rows = ArgMatrixRows(array, &features);
	batch.features = BeginPart(array, features, batch.rows);

	array = ArgArray(fcinfo, form->profile);
	profiles.name = "array of profiles";
	if (ARR_NDIM(array) == 0)
		array = NULL;
	if (array)
	{
		CheckProfileIsTaken("profiles", model, NULL);
		ArgCheckCount(batch.rows, ArgMatrixRows(array, &profiles), "profiles");
	}
	batch.profiles = BeginPart(array, profiles, batch.rows);

	array = ArgArray(fcinfo, form->reward);
	ArgCheckCount(batch.rows, ArgVectorLength(array, &rewards), "rewards");
	batch.rewards = BeginPart(array, rewards, batch.rows);
	batch.times = ReadTimes(fcinfo, form->at, model, batch.rows);
	batch.weights = ReadWeights(fcinfo, form->weight, batch.rows);
	return batch;
}

/* Some rows, at most EVIDENCE_BLOCK, as numbers, into their parts. */
void
BatchRead(Batch *batch, int first, int count)
{
	ReadPart(&batch->features, first, count);
	ReadPart(&batch->profiles, first, count);
	ReadPart(&batch->rewards, first, count);
}
