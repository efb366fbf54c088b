/*
 * learned.h
 *		What follows when a model's evidence has changed.
 */
#ifndef DLINTS_LEARNED_H
#define DLINTS_LEARNED_H

#include "postgres.h"

#include "model/layout.h"

extern int64 TimeBetween(int64 earlier, int64 later);
extern void ModelCheckCount(int64 updates, int64 more);
extern void ModelRebase(Dlints *model, double reference);
extern void ModelKeepReference(Dlints *model);
extern int64 ModelLastChoice(const DlintsHeader *header, int64 more);
extern void ModelLearned(Dlints *model);
extern void ModelCheckPosteriors(Dlints *model);
extern void ModelSummed(Dlints *model);
extern void ModelRevised(Dlints *model);
extern bool ModelIsModerate(Dlints *model);

#endif							/* DLINTS_LEARNED_H */
