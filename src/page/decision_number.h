/*
 * decision_number.h
 *		Decision numbers of recommenders and rankers.
 */
#ifndef DLINTS_PAGE_DECISION_NUMBER_H
#define DLINTS_PAGE_DECISION_NUMBER_H

#include "datatype/timestamp.h"

extern int64 NewDecisionNumber(Oid schema, int64 secret, TimestampTz now);

#endif							/* DLINTS_PAGE_DECISION_NUMBER_H */
