/*
 * model.h
 *		The stored value: parameters and counts, then the evidence, then what was
 *		known beforehand.
 *
 * One validator serves every door; what a problem is called depends on the
 * door, and so does who is told:
 *
 *		a user's parameters		ModelCheckParameters	22023, 54000
 *		text, jsonb, binary		ModelExternalIsValid	22P02, 22P03 (type's words)
 *		a table's value			Model...FromDatum		XX001, 0A000
 *		what was learned		ModelLearned			22003
 *
 * A model in memory always has all its numbers.  A stored one that has seen
 * nothing has none of its evidence, whatever its size would be: ModelFromDatum
 * and ModelGetDatum are where the two forms meet.
 */
#ifndef DLINTS_MODEL_H
#define DLINTS_MODEL_H

#include "fmgr.h"
#include "nodes/nodes.h"

#include "core/linalg.h"
#include "model/layout.h"

/*
 * What is wrong with a value, found by a check.  The check's caller raises it in
 * words of its own, or only answers no; one that passes NULL for it has the error
 * in the words of the check.
 */
typedef struct Problem
{
	int			sqlerrcode;
	const char *message;
	const char *detail;			/* may be NULL, as may the hint */
	const char *hint;
} Problem;

extern void ProblemRaise(const Problem *problem);
extern bool ProblemIs(Problem *problem, int sqlerrcode, const char *message,
					  const char *detail, const char *hint);

/*
 * Comes before whatever calls BLAS.  OpenBLAS takes 128 MB of address space at
 * its first product, and where there is none it tries again for ever, deaf to
 * every signal but SIGQUIT.
 */
static inline void
BlasReady(void)
{
	if (unlikely(!linalg_ready()))
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("BLAS needs 128 MB of address space for each process that computes."),
				 errhint("Raise or remove the limit on the server's address space (ulimit -v).")));
}

/* What scores a candidate: a draw or the mean, and perhaps the width at it. */
typedef struct Policy
{
	const char *name;
	bool		draws;			/* score under a draw, else under the mean */
	bool		widens;			/* add exploration times the width */
} Policy;

/* policy.c */
extern bool PolicyIsKnown(uint8 number);
extern const Policy *PolicyGet(uint8 number);
extern bool PolicyFromName(const char *name, uint8 *number);
extern char *PolicyHint(void);

/* validate.c: what is a valid model */
extern bool ModelCheckParameters(const DlintsHeader *header, Problem *problem);
extern bool ModelCheckHalfLife(double seconds, Problem *problem);
extern bool ModelCheckReducedDim(int reduced_dim, Problem *problem);
extern bool ModelCheckMemories(int memories, Problem *problem);
extern bool ModelHistoryIsValid(const DlintsHeader *header, Problem *problem);
extern bool ModelEvidenceIsValid(Dlints *model);
extern bool ModelPosteriorsExist(Dlints *model);
extern bool ModelExternalIsValid(Dlints *model, Problem *problem);
extern void ModelCheckSameEvidence(const DlintsHeader *left,
								   const DlintsHeader *right);

/* learned.c: what follows when a model's evidence has changed */
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

/* model.c */
extern Dlints *ModelAllocate(const DlintsHeader *header);
extern Dlints *ModelCreate(const DlintsHeader *header);
extern void ModelForget(Dlints *model);
extern Dlints *ModelFromDatum(Datum datum);
extern Dlints *ModelCopyFromDatum(Datum datum);
extern DlintsHeader ModelHeaderFromDatum(Datum datum);
extern Datum ModelGetDatum(Dlints *model);
extern bool ModelEquals(Datum left, Datum right);
extern uint64 ModelHash(Datum datum, uint64 salt);

/* parts of a value that need not be read as a whole */
extern Prior ModelPriorFromDatum(Datum datum, const DlintsHeader *header);
extern double ModelPriorSize(Datum datum, const DlintsHeader *header);
extern Evidence ModelMemoryFromDatum(Datum datum, const DlintsHeader *header,
									 bool with_squares);
extern Evidence ModelMemorySums(Datum datum, const DlintsHeader *header);

/* json.c, typmod.c */
extern char *ModelToJson(Dlints *model);
extern Dlints *ModelFromJson(Datum jsonb, Node *escontext);
extern bool ModelCheckTypmod(const DlintsHeader *header, int32 typmod,
							 Problem *problem);

#define PG_GETARG_DLINTS_P(n)		ModelFromDatum(PG_GETARG_DATUM(n))
#define PG_GETARG_DLINTS_P_COPY(n)	ModelCopyFromDatum(PG_GETARG_DATUM(n))
#define PG_RETURN_DLINTS_P(model)	PG_RETURN_DATUM(ModelGetDatum(model))

#endif							/* DLINTS_MODEL_H */
