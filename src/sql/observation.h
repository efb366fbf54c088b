/*
 * observation.h
 *		The one reader of observations: what a call says was seen, checked
 *		against the model that is to learn it.
 */
#ifndef DLINTS_OBSERVATION_H
#define DLINTS_OBSERVATION_H

#include "fmgr.h"

#include "model/model.h"

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
	bool		reduced;		/* the features are reduced already */
} ObservationForm;

/* What was seen; the caller has room for the two vectors. */
typedef struct Observation
{
	double	   *features;		/* dim numbers, or as many as z has */
	double	   *profile;			/* profile_dim numbers */
	double		reward;
	int64		time;			/* TIME_UNKNOWN for a model by count */
	double		weight;
} Observation;

extern Observation ObservationCreate(const ObservationForm *form,
									 const DlintsHeader *model);
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
extern bool CheckProfileIsTaken(const char *name, const DlintsHeader *model,
								Problem *problem);
extern bool CheckWeight(double weight, Problem *problem);
extern bool CheckTime(int64 time, Problem *problem);
extern bool CheckTimeIsGiven(bool given, const DlintsHeader *model,
							 Problem *problem);

#endif							/* DLINTS_OBSERVATION_H */
