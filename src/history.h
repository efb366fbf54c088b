/*
 * history.h
 *		What learning shares with the algebra of histories.
 */
#ifndef DLINTS_HISTORY_H
#define DLINTS_HISTORY_H

#include "postgres.h"

#include "model.h"

extern void HistoryCheckCount(int64 updates, int64 more);

#endif							/* DLINTS_HISTORY_H */
