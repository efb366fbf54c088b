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

#include "compat.h"
#include "core/evidence.h"
#include "core/kinds.h"
#include "core/linalg.h"
#include "core/memories.h"
#include "core/posterior.h"

#define DLINTS_FORMAT_VERSION	1

/*
 * Caps.  The largest model has eight memories and a prior of order 1025, each
 * with a packed matrix: 38 MB.  The largest projection matrix has 512 MB.
 */
#define DLINTS_MAX_FEATURE_DIM	65536
#define DLINTS_MAX_DIM			1024

/*
 * Bounds of the parameters.  The square of a discount weighs H, and must stay
 * a normal number.  A ridge within its bounds keeps factors, means and widths
 * of any evidence within reach of double precision.  Scales within theirs keep
 * sums of squares of reduced features finite (see numbers.h).
 */
#define DLINTS_MIN_DISCOUNT		1e-100
#define DLINTS_MIN_RIDGE		1e-100
#define DLINTS_MAX_RIDGE		1e100
#define DLINTS_MAX_EXPLORATION	1e100
#define DLINTS_MIN_NOISE		1e-100
#define DLINTS_MAX_NOISE		1e100
#define DLINTS_MIN_HALF_LIFE	1e-3	/* seconds */
#define DLINTS_MAX_HALF_LIFE	1e12
#define DLINTS_MAX_WEIGHT		1e10
#define DLINTS_MIN_SCALE		1e-10
#define DLINTS_MAX_SCALE		1e10

/*
 * Parameters and counts, with the varlena word that a whole value begins with.
 * Fields named "unused" are zero and readers insist on it, which leaves them
 * free for later versions.  Values are in the machine's byte order, like all
 * of PostgreSQL's data files; the external binary form is portable.  The
 * version also says which generator makes the projection (core/random.c).
 */
typedef struct DlintsHeader
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint16		version;		/* DLINTS_FORMAT_VERSION */
	uint8		policy;			/* see Policy */
	uint8		intercept;		/* 1: z has one more coordinate, always 1 */
	uint8		memories;		/* how many */
	uint8		memory;			/* the one in use, 1 is the fastest */
	uint8		interactions;	/* with a profile, see core/kinds.h */
	uint8		unused1;
	int32		feature_dim;	/* n */
	int32		reduced_dim;	/* d; 0 without projection */
	int32		profile_dim;	/* n where matched, 0 without a profile */
	float8		discount;		/* gamma of the fastest memory; 0: by time */
	float8		half_life;		/* of the fastest memory, seconds; 0: by count */
	float8		ridge;			/* lambda as given; 0: found */
	float8		lambda;			/* ridge in use */
	float8		exploration;	/* xi */
	float8		noise;			/* sigma as given; 0: estimated */
	float8		prior_weight;	/* 0: there is no prior */
	float8		projection_scale;	/* kappa; 0 without projection */
	int64		seed;			/* of the projection */
	int64		updates;		/* observations learned */
	int64		newest;			/* time of the newest, see TIME_UNKNOWN */
	float8		reference;		/* reward about which R and S are sums */
	float8		sigma;			/* standard deviation of the noise */
	int64		chosen;			/* updates when memory, lambda, sigma were found */
	Totals		totals;			/* of all that was ever learned */
	float8		unused2[3];
} DlintsHeader;

/* newest of a model by count, and of one that has seen nothing */
#define TIME_UNKNOWN	PG_INT64_MIN

/*
 * The whole value: after the header the memories, the fastest first, each as
 * core/evidence.h lays it out (its matrices packed, see core/linalg.h), and then
 * the prior, if there is one: N, sigma, p and P, before they are weighed.
 */
typedef struct Dlints
{
	DlintsHeader header;
	float8		values[FLEXIBLE_ARRAY_MEMBER];
} Dlints;

StaticAssertDecl(sizeof(DlintsHeader) == 192, "stored header changed");
StaticAssertDecl(offsetof(Dlints, values) == 192, "stored values moved");
StaticAssertDecl(sizeof(float8) == sizeof(double), "float8 is not double");

/* The memories of a model; their numbers are the model's own. */
typedef struct Memories
{
	int			count;
	Evidence	memory[MEMORY_MAX];
} Memories;

static inline bool
ModelIsByTime(const DlintsHeader *header)
{
	return header->half_life > 0.0;
}

static inline bool
ModelHasProjection(const DlintsHeader *header)
{
	return header->reduced_dim > 0;
}

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

/* What scores a candidate.  The numbers are stored: new ones go to the end. */
typedef enum Policy
{
	POLICY_THOMPSON,			/* a draw */
	POLICY_UCB,					/* the mean, and exploration times the width at it */
	POLICY_GREEDY				/* the mean */
} Policy;

#define POLICY_COUNT	3

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

/* what a header says: the kind of feature vectors, rates, and where numbers are */
extern Kind ModelKind(const DlintsHeader *header);
extern Projection ModelProjection(const DlintsHeader *header);
extern int	ModelCoordinates(const DlintsHeader *header);
extern int	ModelLiftedLen(const DlintsHeader *header);
extern bool ModelMemoryFades(const DlintsHeader *header, int j);
extern Squares ModelMemorySquares(const DlintsHeader *header, int j);
extern double ModelMemoryDecay(const DlintsHeader *header, int j,
							   int64 updates, int64 time);
extern Size ModelMemoriesCount(const DlintsHeader *header, int memories);
extern Size ModelPriorCount(const DlintsHeader *header);
extern Size ModelStoredCount(const DlintsHeader *header);
extern Size ModelStoredSize(const DlintsHeader *header);
extern char *ModelShape(const DlintsHeader *header);
extern Memories ModelMemories(Dlints *model);
extern double *ModelPriorNumbers(Dlints *model);
extern double *ModelStoredNumbers(Dlints *model);
extern Prior ModelPrior(const DlintsHeader *header, const double *numbers);
extern double ModelFirstRidge(const DlintsHeader *header);
extern double ModelFirstSigma(Dlints *model);
extern Rewards ModelRewards(const DlintsHeader *header);

/* how a model is made, read and put back */
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

/* json.c */
extern char *ModelToJson(Dlints *model);
extern Dlints *ModelFromJson(Datum jsonb, Node *escontext);

#define PG_GETARG_DLINTS_P(n)		ModelFromDatum(PG_GETARG_DATUM(n))
#define PG_GETARG_DLINTS_P_COPY(n)	ModelCopyFromDatum(PG_GETARG_DATUM(n))
#define PG_RETURN_DLINTS_P(model)	PG_RETURN_DATUM(ModelGetDatum(model))

#endif							/* DLINTS_MODEL_H */
