/*
 * working.h
 *		The working form of a model: the state of dlints_evidence, which learns
 *		many observations without being copied for each.
 */
#ifndef DLINTS_WORKING_H
#define DLINTS_WORKING_H

#include "utils/expandeddatum.h"

#include "model/model.h"
#include "posterior/kept_models.h"
#include "sql/observation.h"

/*
 * An expanded object: a model, and a block of observations that wait until it
 * is full or somebody looks.
 */
typedef struct WorkingModel
{
	ExpandedObjectHeader object;	/* must be first */
	ValueKey	key;			/* of the model argument seen last */
	Dlints	   *model;			/* parameters, and the evidence but for: */
	int			pending;		/* observations that wait */
	int			capacity;		/* observations that the arrays can hold */
	double	   *features;
	double	   *profiles;
	double		rewards[EVIDENCE_BLOCK];
	int64		times[EVIDENCE_BLOCK];
	double		weights[EVIDENCE_BLOCK];
} WorkingModel;

extern WorkingModel *WorkingInPlace(Datum datum);
extern void WorkingLearnPending(WorkingModel *working);

#endif							/* DLINTS_WORKING_H */
