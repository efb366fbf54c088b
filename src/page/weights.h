/*
 * weights.h
 *		Models of a request, and the weights of features that they give.
 */
#ifndef DLINTS_PAGE_WEIGHTS_H
#define DLINTS_PAGE_WEIGHTS_H

#include "page/blocks.h"
#include "posterior/parts.h"

typedef struct PageModels
{
	Datum		profile;
	PreparedModel *personal;
	PreparedModel *later;		/* model of outcomes after clicks; NULL unless trained */
	PreparedModel *control;
	int			n_draws;
	double	   *draws;			/* draws of the personal model's coefficients; NULL: none */
} PageModels;

extern PageModels *ReadModels(PageRequest *page, ListPolicy policy, Datum profile, int64 seed);
extern double *MeanWeights(const PageRequest *page, const PageModels *models);
extern const double *LaterWeights(const PageModels *models);
extern const double *ReadPenalties(PageRequest *page);
extern Rankings RankItems(PageRequest *page, ListPolicy policy, const PageModels *models,
						  bool is_priced);

#endif							/* DLINTS_PAGE_WEIGHTS_H */
