/*
 * decision_number.h
 *		Numbers of decisions of recommenders and rankers.
 */
#ifndef DLINTS_PAGE_DECISION_NUMBER_H
#define DLINTS_PAGE_DECISION_NUMBER_H

extern int64 NewDecisionNumber(Oid schema, Oid extension_schema);

#endif							/* DLINTS_PAGE_DECISION_NUMBER_H */
