/*
 * draw.h
 *		What every choice takes: seeds, the weights that a policy scores by,
 *		and one model and one shared context for all candidates.
 */
#ifndef DLINTS_DRAW_H
#define DLINTS_DRAW_H

#include "postgres.h"

#include "policy.h"
#include "prepared.h"

/* Who chooses, in the words of an error. */
typedef struct Chooser
{
	const char *function;
	const char *rows;			/* the candidates of one choice are its ... */
	const char *advice;			/* for several models */
	const char *shared_advice;	/* for several shared contexts */
} Chooser;

/* The model and the shared context that all candidates of a choice bring. */
typedef struct Request
{
	const Chooser *chooser;
	MemoryContext context;		/* that remembers them */
	ValueKey	model_key;
	ValueKey	shared_key;		/* empty without a shared context */
	DlintsHeader model;
} Request;

extern uint64 FreshSeed(void);
extern double *DrawWeights(PreparedModel *prepared, uint64 seed,
						   const Datum *shared);
extern double *PolicyWeights(PreparedModel *prepared, const Policy *policy,
							 const Datum *shared);
extern void RequestBegin(Request *request, const Chooser *chooser,
						 const PreparedModel *prepared, MemoryContext context,
						 Datum model, const Datum *shared);
extern void RequestCheckModel(Request *request, Datum model);
extern void RequestCheckShared(Request *request, Datum shared);

/* Asked with every row, and nearly always answered in place. */
static inline bool
RequestHasModel(const Request *request, Datum model)
{
	return ValueKeyMatches(&request->model_key, model);
}

static inline bool
RequestHasShared(const Request *request, Datum shared)
{
	return ValueKeyMatches(&request->shared_key, shared);
}

#endif							/* DLINTS_DRAW_H */
