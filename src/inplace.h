/*
 * inplace.h
 *		Variables that learn where they stand.
 */
#ifndef DLINTS_INPLACE_H
#define DLINTS_INPLACE_H

#include "postgres.h"

#include "fmgr.h"

#include "expanded.h"

extern WorkingModel *WorkingVariable(FunctionCallInfo fcinfo, int more);

#endif							/* DLINTS_INPLACE_H */
