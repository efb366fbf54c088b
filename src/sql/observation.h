/*
 * observation.h
 *		Read training examples from the arguments of SQL functions.
 */
#ifndef DLINTS_OBSERVATION_H
#define DLINTS_OBSERVATION_H

#include "sql/arrays.h"

/* Positions of a function's arguments; 0: the function lacks the argument */
typedef struct ObservationForm
{
	int			features;
	int			reward;
	int			profile;
	int			at;
	int			weight;
} ObservationForm;

/* arguments of dlints_update */
extern const ObservationForm update_form;

/* A training example, whose vectors the caller allocates */
typedef struct Observation
{
	double	   *features;
	double	   *profile;
	double		reward;
	int64		time;			/* time, or TIME_UNKNOWN for a model without a half-life */
	double		weight;
} Observation;

extern Observation ObservationCreate(const DlintsHeader *model);
extern bool FeaturesAreMissing(FunctionCallInfo fcinfo, const ObservationForm *form);
extern bool ObservationIsMissing(FunctionCallInfo fcinfo, const ObservationForm *form);
extern bool ReadObservation(FunctionCallInfo fcinfo, const ObservationForm *form,
							const DlintsHeader *model, Observation *observation, Problem *problem);

/* functions that read the profile argument alone */
extern Datum ProfileArgument(FunctionCallInfo fcinfo, int argno);
extern double *ReadProfile(Datum profile, const DlintsHeader *model);

/* functions that return false for an invalid value, or raise an error if "problem" is NULL */
extern bool CheckWeight(double weight, Problem *problem);
extern bool CheckTime(int64 time, Problem *problem);

/* Features or user profiles of a batch of observations */
typedef struct BatchPart
{
	ArrayType  *array;			/* array argument of the SQL function, or NULL */
	ArgSpec		spec;
	double	   *numbers;
} BatchPart;

typedef struct Batch
{
	int			rows;
	BatchPart	features;
	BatchPart	profiles;
	BatchPart	rewards;
	int64	   *times;
	double	   *weights;
} Batch;

extern Batch BatchBegin(FunctionCallInfo fcinfo, const ObservationForm *form,
						const DlintsHeader *model);
extern void BatchRead(Batch *batch, int first, int count);

#endif							/* DLINTS_OBSERVATION_H */
