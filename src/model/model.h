/*
 * model.h
 *		The stored value: parameters and counts, then the evidence, then what was
 *		known beforehand.
 *
 * One validator serves every door; what a problem is called depends on the
 * door, and so does who is told:
 *
 *		a user's parameters		ModelCheckParameters	22023, 54000
 *		text, jsonb, binary		ModelExternalIsValid	22P02, 22P03 (type's words)
 *		a table's value			Model...FromDatum		XX001, 0A000
 *		what was learned		ModelLearned			22003
 *
 * A model in memory always has all its numbers.  A stored one that has seen
 * nothing has none of its evidence, whatever its size would be: ModelFromDatum
 * and ModelGetDatum are where the two forms meet.
 */
#ifndef DLINTS_MODEL_H
#define DLINTS_MODEL_H

#include "postgres.h"

#include "fmgr.h"

#include "model/blas.h"
#include "model/layout.h"
#include "model/learned.h"
#include "model/policy.h"
#include "model/problem.h"
#include "model/validate.h"

extern Dlints *ModelAllocate(const DlintsHeader *header);
extern Dlints *ModelCreate(const DlintsHeader *header);
extern void ModelForget(Dlints *model);
extern Dlints *ModelFromDatum(Datum datum);
extern Dlints *ModelCopyFromDatum(Datum datum);
extern DlintsHeader ModelHeaderFromDatum(Datum datum);
extern Datum ModelGetDatum(Dlints *model);
extern bool ModelEquals(Datum left, Datum right);
extern uint64 ModelHash(Datum datum, uint64 salt);

/* model.c: parts of a value that need not be read as a whole */
extern Prior ModelPriorFromDatum(Datum datum, const DlintsHeader *header);
extern void ModelPriorFree(const Prior *prior);
extern double ModelPriorSize(Datum datum, const DlintsHeader *header);
extern Evidence ModelMemoryFromDatum(Datum datum, const DlintsHeader *header);
extern Evidence ModelMemoryForMean(Datum datum, const DlintsHeader *header);
extern Evidence ModelMemorySums(Datum datum, const DlintsHeader *header);
extern void ModelMemoryFree(const Evidence *evidence);

/* json.c, typmod.c */
extern char *ModelToJson(Dlints *model);
extern Dlints *ModelFromJson(Datum jsonb, Node *escontext);
extern bool ModelFitsTypmod(const DlintsHeader *header, int32 typmod,
							Problem *problem);

#define PG_GETARG_DLINTS_P(n)		ModelFromDatum(PG_GETARG_DATUM(n))
#define PG_GETARG_DLINTS_P_COPY(n)	ModelCopyFromDatum(PG_GETARG_DATUM(n))
#define PG_RETURN_DLINTS_P(model)	PG_RETURN_DATUM(ModelGetDatum(model))

#endif							/* DLINTS_MODEL_H */
