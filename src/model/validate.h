/*
 * validate.h
 *		What is a valid model; who is told, and in what words, is the caller's.
 */
#ifndef DLINTS_VALIDATE_H
#define DLINTS_VALIDATE_H

#include "postgres.h"

#include "model/layout.h"
#include "model/problem.h"

extern bool ModelParametersAreValid(const DlintsHeader *header,
									Problem *problem);
extern bool ModelReducedDimIsValid(int reduced_dim, Problem *problem);
extern void ModelCheckReducedDim(int reduced_dim);
extern void ModelCheckHalfLife(double seconds);
extern void ModelCheckMemories(int memories);
extern void ModelCheckParameters(const DlintsHeader *header);
extern bool ModelHistoryIsValid(const DlintsHeader *header, Problem *problem);
extern bool ModelEvidenceIsValid(Dlints *model);
extern bool ModelPosteriorsExist(Dlints *model);
extern bool ModelExternalIsValid(Dlints *model, Problem *problem);
extern void ModelCheckSameEvidence(const DlintsHeader *left,
								   const DlintsHeader *right);

#endif							/* DLINTS_VALIDATE_H */
