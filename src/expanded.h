/*
 * expanded.h
 *		The working form of a model: what learns many observations without
 *		being copied for each.
 */
#ifndef DLINTS_EXPANDED_H
#define DLINTS_EXPANDED_H

#include "postgres.h"

#include "utils/expandeddatum.h"

#include "model.h"
#include "prepared.h"

/*
 * An expanded object: a model, and a block of observations that wait until it
 * is full or somebody looks.
 */
typedef struct WorkingModel
{
	ExpandedObjectHeader object;	/* must be first */
	bool		is_state;		/* an aggregate's, or else a variable's */
	ValueKey	key;			/* of the model argument that a state saw last */
	uint64		stamp;			/* another one after each change */
	PreparedModel *prepared;	/* what was made of it since; may be NULL */
	Dlints	   *model;			/* parameters, and the evidence but for: */
	int			pending;		/* observations that wait */
	int			capacity;		/* observations that the arrays can hold */
	bool		reduced;		/* their contexts are reduced already */
	double	   *contexts;
	double	   *shareds;
	double		rewards[EVIDENCE_BLOCK];
	int64		times[EVIDENCE_BLOCK];
	double		weights[EVIDENCE_BLOCK];
} WorkingModel;

extern WorkingModel *WorkingCreate(MemoryContext aggregate,
								   const DlintsHeader *header);
extern WorkingModel *WorkingFromState(Datum state, MemoryContext aggregate);
extern WorkingModel *WorkingFromFlat(Datum datum);
extern WorkingModel *WorkingInPlace(Datum datum);
extern WorkingModel *WorkingFromDatum(Datum datum);
extern DlintsHeader WorkingHeader(Datum datum);
extern const DlintsHeader *WorkingParameters(FunctionCallInfo fcinfo, int argno);
extern PreparedModel *WorkingPrepare(WorkingModel *working);
extern void WorkingCheckModel(WorkingModel *working, Datum datum);
extern void WorkingHold(WorkingModel *working, bool reduced);
extern int	WorkingContextLen(const WorkingModel *working);
extern int	WorkingPlaces(WorkingModel *working, int count);
extern void WorkingLearnPending(WorkingModel *working);
extern void WorkingForget(WorkingModel *working);
extern uint64 WorkingStamp(void);

/* Where in the block the next observation goes. */
static inline int
WorkingNextPlace(WorkingModel *working)
{
	return WorkingPlaces(working, 1);
}

/* The model is another one now: what was made of it is gone. */
static inline void
WorkingChanged(WorkingModel *working)
{
	working->stamp = WorkingStamp();
	if (working->prepared)
		WorkingForget(working);
}

/* Observations are in their places. */
static inline void
WorkingAdded(WorkingModel *working, int count)
{
	working->pending += count;
	WorkingChanged(working);
}

static inline Datum
WorkingGetDatum(WorkingModel *working)
{
	return EOHPGetRWDatum(&working->object);
}

#endif							/* DLINTS_EXPANDED_H */
