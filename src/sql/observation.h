/*
 * observation.h
 *		The one reader of observations: what a call says was seen, checked
 *		against the model that is to learn it.
 */
#ifndef DLINTS_OBSERVATION_H
#define DLINTS_OBSERVATION_H

#include "fmgr.h"
#include "utils/array.h"

#include "model/model.h"
#include "sql/arrays.h"

/*
 * Where a function finds what it is told, by argument.  The first argument is
 * never part of an observation: 0 says that the function is not told.
 */
typedef struct ObservationForm
{
	int			features;
	int			reward;
	int			profile;
	int			at;
	int			weight;
} ObservationForm;

/* What was seen; the caller has room for the two vectors. */
typedef struct Observation
{
	double	   *features;		/* dim numbers */
	double	   *profile;		/* profile_dim numbers */
	double		reward;
	int64		time;			/* TIME_UNKNOWN for a model by count */
	double		weight;
} Observation;

extern Observation ObservationCreate(const DlintsHeader *model);
extern bool FeaturesAreMissing(FunctionCallInfo fcinfo,
							   const ObservationForm *form);
extern bool ObservationIsMissing(FunctionCallInfo fcinfo,
								 const ObservationForm *form);
extern bool ReadObservation(FunctionCallInfo fcinfo,
							const ObservationForm *form,
							const DlintsHeader *model,
							Observation *observation, Problem *problem);

/* parts of it, for functions that are told no more */
extern Datum ProfileArgument(FunctionCallInfo fcinfo, int argno);
extern double *ReadProfile(Datum profile, const DlintsHeader *model);

/* checks that raise what is wrong where "problem" is NULL */
extern bool CheckWeight(double weight, Problem *problem);
extern bool CheckTime(int64 time, Problem *problem);

/*
 * Observations that come as arrays, of which rows are read some at a time: an
 * array with rows of one kind, and some of them as numbers.
 */
typedef struct BatchPart
{
	ArrayType  *array;			/* NULL: the batch has no such part */
	ArgSpec		spec;
	double	   *numbers;
} BatchPart;

typedef struct Batch
{
	int			rows;
	BatchPart	features;
	BatchPart	profiles;
	BatchPart	rewards;
	int64	   *times;			/* of all rows, as are weights */
	double	   *weights;
} Batch;

extern Batch BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
						const DlintsHeader *model);
extern void BatchRead(Batch *batch, int first, int count);

#endif							/* DLINTS_OBSERVATION_H */
