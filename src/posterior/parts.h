/*
 * parts.h
 *		Results computed from a model: posterior mean, covariance and draws.
 */
#ifndef DLINTS_PARTS_H
#define DLINTS_PARTS_H

#include "core/posterior.h"
#include "posterior/kept_models.h"

/* results that PrepareParts() computes, as bits */
#define PART_MEAN	0x01
#define PART_ROOT	0x02
#define PART_DRAW	0x04

extern void FactorEvidence(const Evidence *evidence, const Prior *prior, Factor *factor);
extern void PrepareParts(PreparedModel *prepared, int parts);
extern const double *PreparedWeights(PreparedModel *prepared, Datum profile);
extern double PreparedScore(PreparedModel *prepared, double *reduced, double *stddev);
extern void PreparedDraws(PreparedModel *prepared, uint64 seed, int first,
						  int count, double *draws);
extern double *PreparedDraw(PreparedModel *prepared, uint64 seed);
extern bool PreparedIsModerate(PreparedModel *prepared);

#endif							/* DLINTS_PARTS_H */
