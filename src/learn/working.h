/*
 * working.h
 *		The working form of a model: the state of dlints_evidence, to which
 *		observations are added in place.
 */
#ifndef DLINTS_WORKING_H
#define DLINTS_WORKING_H

#include "utils/expandeddatum.h"

#include "model/model.h"
#include "posterior/kept_models.h"
#include "sql/observation.h"

/*
 * An expanded object: a model, and a block of pending observations.  The
 * model is trained on them when the block is full or the value is read.
 */
typedef struct WorkingModel
{
	ExpandedObjectHeader object;	/* must be first */
	ValueKey	key;			/* identifies the model argument of the last row */
	Dlints	   *model;			/* trained on all observations except the pending ones */
	int			pending;		/* number of pending observations */
	int			capacity;		/* allocated length of "features" and "profiles", in observations */
	double	   *features;
	double	   *profiles;
	double		rewards[EVIDENCE_BLOCK];
	int64		times[EVIDENCE_BLOCK];
	double		weights[EVIDENCE_BLOCK];
} WorkingModel;

extern WorkingModel *WorkingInPlace(Datum datum);
extern void WorkingLearnPending(WorkingModel *working);

#endif							/* DLINTS_WORKING_H */
