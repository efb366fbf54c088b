/*
 * observation.h
 *		Read observations from function arguments and check them against the
 *		model to be trained.
 */
#ifndef DLINTS_OBSERVATION_H
#define DLINTS_OBSERVATION_H

#include "fmgr.h"
#include "utils/array.h"

#include "model/model.h"
#include "sql/arrays.h"

/*
 * Positions of a function's arguments.  0 means that the function lacks the
 * argument; position 0 itself holds the model or the aggregate's state.
 */
typedef struct ObservationForm
{
	int			features;
	int			reward;
	int			profile;
	int			at;
	int			weight;
} ObservationForm;

/* Arguments of dlints_update, and of functions with the same arguments */
extern const ObservationForm update_form;

/* One observation.  The caller allocates both vectors. */
typedef struct Observation
{
	double	   *features;		/* feature vector: feature_dim numbers */
	double	   *profile;		/* profile: profile_dim numbers */
	double		reward;
	int64		time;			/* time; TIME_UNKNOWN for a model without a half-life */
	double		weight;
} Observation;

extern Observation ObservationCreate(const DlintsHeader *model);
extern bool FeaturesAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form);
extern bool ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form);
extern bool ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
							const DlintsHeader *model, Observation *observation, Problem *problem);

/* reading the profile alone, for functions without a reward */
extern Datum ProfileArgument(FunctionCallInfo fcinfo, int argno);
extern double *ReadProfile(Datum profile, const DlintsHeader *model);

/*
 * functions that return false and fill "problem" for an invalid value; if "problem" is NULL, they
 * raise an error instead
 */
extern bool CheckWeight(double weight, Problem *problem);
extern bool CheckTime(int64 time, Problem *problem);

/* One array argument of a batch, with a buffer for the block of rows that was read last. */
typedef struct BatchPart
{
	ArrayType  *array;			/* array argument; NULL if the batch has no such argument */
	ArgSpec		spec;
	double	   *numbers;
} BatchPart;

typedef struct Batch
{
	int			rows;
	BatchPart	features;
	BatchPart	profiles;
	BatchPart	rewards;
	int64	   *times;			/* time of each row */
	double	   *weights;
} Batch;

extern Batch BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
						const DlintsHeader *model);
extern void BatchRead(Batch *batch, int first, int count);

#endif							/* DLINTS_OBSERVATION_H */
