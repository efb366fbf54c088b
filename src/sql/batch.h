/*
 * batch.h
 *		Observations that come as arrays, of which rows are read some at a
 *		time.
 */
#ifndef DLINTS_BATCH_H
#define DLINTS_BATCH_H

#include "fmgr.h"
#include "utils/array.h"

#include "sql/arrays.h"
#include "sql/observation.h"

/* An array with rows of one kind, and some of them as numbers. */
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

#endif							/* DLINTS_BATCH_H */
