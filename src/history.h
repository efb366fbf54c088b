/*
 * history.h
 *		The algebra of histories, on models in memory.
 */
#ifndef DLINTS_HISTORY_H
#define DLINTS_HISTORY_H

#include "postgres.h"

#include "model.h"

extern void HistoryCheckCount(int64 updates, int64 more);
extern void HistoryConcat(Dlints *left, Dlints *right);

#endif							/* DLINTS_HISTORY_H */
