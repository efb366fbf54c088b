/*
 * model.h
 *		The type dlints in memory and on disk.
 *
 * A value consists of a header, sums over observations ("evidence") for each discount, and a prior.
 * The stored form of an untrained model omits these sums, which are all 0.
 *
 * The source of a model determines the SQLSTATE of errors:
 *
 *		arguments			ModelCheckParameters	22023, 54000
 *		text, jsonb, binary	ModelNormalizeExternal	22P02; 22P03 for binary
 *		stored values		Model...FromDatum		XX001, 0A000
 *		training			ModelFinishTraining		22003
 */
#ifndef DLINTS_MODEL_H
#define DLINTS_MODEL_H

#include "fmgr.h"

#include "compat.h"
#include "core/kinds.h"
#include "core/linalg.h"
#include "core/memories.h"
#include "core/posterior.h"

#define DLINTS_FORMAT_VERSION	1

/* Maximum number of features before and after random projection; models have at most 38 MB */
#define DLINTS_MAX_FEATURE_DIM	65536
#define DLINTS_MAX_DIM			1024

/* Ranges of parameters within which results do not overflow */
#define DLINTS_MIN_DISCOUNT		1e-100
#define DLINTS_MIN_RIDGE		1e-100
#define DLINTS_MAX_RIDGE		1e100
#define DLINTS_MAX_EXPLORATION	1e100
#define DLINTS_MIN_NOISE		1e-100
#define DLINTS_MAX_NOISE		1e100
#define DLINTS_MIN_HALF_LIFE	1e-3	/* in seconds */
#define DLINTS_MAX_HALF_LIFE	1e12	/* in seconds */
#define DLINTS_MAX_WEIGHT		1e10
#define DLINTS_MIN_SCALE		1e-10
#define DLINTS_MAX_SCALE		1e10

/* Header of a model: parameters and counts.  Fields named "unused" must be zero. */
typedef struct DlintsHeader
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint16		version;		/* format version */
	uint8		policy;			/* a value of the enum Policy */
	uint8		intercept;		/* 0 or 1 */
	uint8		memories;		/* number of discount factors */
	uint8		memory;			/* index of the discount factor in use, from 1 */
	uint8		interactions;	/* a value of the enum Interactions */
	uint8		unused1;
	int32		feature_dim;	/* features per vector */
	int32		reduced_dim;	/* 0 without a projection */
	int32		profile_dim;	/* 0 without profiles */
	float8		discount;		/* smallest discount factor per observation; 0 with a half-life */
	float8		half_life;		/* shortest half-life, in seconds */
	float8		ridge;			/* ridge that the user has set; 0: estimated */
	float8		lambda;			/* ridge in use */
	/* factor of standard deviations in posterior draws and UCB scores */
	float8		exploration;
	float8		noise;			/* noise that the user has set; 0: estimated */
	float8		prior_weight;	/* 0 without a prior */
	float8		projection_scale;	/* 0 without a projection */
	int64		seed;			/* seed of the projection */
	int64		updates;		/* number of observations */
	int64		newest;			/* time of the newest observation */
	float8		reference;		/* reference reward, which is subtracted from all rewards */
	float8		sigma;			/* standard deviation of noise */
	/* number of observations when the discount factor was last chosen */
	int64		chosen;
	Totals		totals;
	float8		unused2[3];
} DlintsHeader;

/* Value of DlintsHeader.newest for a model without observations or without a half-life */
#define TIME_UNKNOWN	PG_INT64_MIN

/*
 * A model: the header, sums over observations for each discount factor (the smallest first), and
 * the prior before multiplication by prior_weight
 */
typedef struct Dlints
{
	DlintsHeader header;
	float8		values[FLEXIBLE_ARRAY_MEMBER];
} Dlints;

StaticAssertDecl(sizeof(DlintsHeader) == 192, "stored header changed");
StaticAssertDecl(offsetof(Dlints, values) == 192, "stored values moved");
StaticAssertDecl(sizeof(float8) == sizeof(double), "float8 is not double");

/* A model's sums over observations, with one set for each discount factor */
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

/* Error that a check function found.  If the caller passes NULL, the function raises the error. */
typedef struct Problem
{
	int			sqlerrcode;
	const char *message;
	const char *detail;			/* error detail, or NULL */
	const char *hint;
} Problem;

extern void ProblemRaise(const Problem *problem);
extern void RaiseInvalidInput(const Problem *problem, int sqlerrcode, const char *message);
extern bool ReportProblem(Problem *problem, int sqlerrcode, const char *message,
						  const char *detail, const char *hint);

/*
 * Prepare BLAS before the first call of a BLAS function.  If memory is short, OpenBLAS would retry
 * forever and ignore most signals.
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

/* How a model scores candidates.  Models store the numbers, so add new policies at the end. */
typedef enum Policy
{
	POLICY_THOMPSON,			/* random draw from the posterior of the score */
	POLICY_UCB,					/* mean plus a multiple of the standard error of the score */
	POLICY_GREEDY
} Policy;

#define POLICY_COUNT	3

/* functions in validate.c */
extern bool ModelCheckParameters(const DlintsHeader *header, Problem *problem);
extern bool ModelCheckHalfLife(double seconds, Problem *problem);
extern bool ModelCheckReducedDim(int reduced_dim, Problem *problem);
extern bool ModelCheckMemories(int memories, Problem *problem);
extern bool ModelCheckHistory(const DlintsHeader *header, Problem *problem);
extern bool ModelEvidenceIsValid(Dlints *model);
extern bool ModelPosteriorsExist(Dlints *model);
extern bool ModelNormalizeExternal(Dlints *model, Problem *problem);
extern void ModelCheckSameEvidence(const DlintsHeader *left, const DlintsHeader *right);

/* functions in learned.c */
extern int64 TimeBetween(int64 earlier, int64 later);
extern void ModelCheckCount(int64 updates, int64 more);
extern void ModelRebase(Dlints *model, double reference);
extern void ModelKeepReference(Dlints *model);
extern int64 ModelLastChoice(const DlintsHeader *header, int64 more);
extern void ModelFinishTraining(Dlints *model);
extern void ModelCheckPosteriors(Dlints *model);
extern void ModelFinishSum(Dlints *model);
extern void ModelFinishRevision(Dlints *model);
extern bool ModelIsModerate(Dlints *model);

/* functions in layout.c */
extern Kind ModelKind(const DlintsHeader *header);
extern Projection ModelProjection(const DlintsHeader *header);
extern int	ModelCoefficientCount(const DlintsHeader *header);
extern int	ModelLiftedLen(const DlintsHeader *header);
extern bool ModelMemoryFades(const DlintsHeader *header, int j);
extern Squares ModelMemorySquares(const DlintsHeader *header, int j);
extern double ModelMemoryDecay(const DlintsHeader *header, int j, int64 updates, int64 time);
extern Size ModelMemoriesCount(const DlintsHeader *header, int memories);
extern Size ModelPriorCount(const DlintsHeader *header);
extern Size ModelStoredCount(const DlintsHeader *header);
extern Size ModelSizeOf(Size count);
extern Size ModelStoredSize(const DlintsHeader *header);
extern char *ModelShape(const DlintsHeader *header);
extern Memories ModelMemories(Dlints *model);
extern double *ModelPriorNumbers(Dlints *model);
extern double *ModelStoredNumbers(Dlints *model);
extern Prior ModelPrior(const DlintsHeader *header, const double *numbers);
extern double ModelFirstRidge(const DlintsHeader *header);
extern double ModelFirstSigma(Dlints *model);
extern Rewards ModelRewards(const DlintsHeader *header);

/* functions in model.c */
extern Dlints *ModelAllocate(const DlintsHeader *header);
extern Dlints *ModelCreate(const DlintsHeader *header);
extern void ModelReset(Dlints *model);
extern Dlints *ModelFromDatum(Datum datum);
extern Dlints *ModelCopyFromDatum(Datum datum);
extern DlintsHeader ModelHeaderFromDatum(Datum datum);
extern Datum ModelGetDatum(Dlints *model);
extern bool ModelEquals(Datum left, Datum right);
extern uint32 ModelHash(Datum datum);

extern Prior ModelPriorFromDatum(Datum datum, const DlintsHeader *header);
extern double ModelPriorSize(Datum datum, const DlintsHeader *header);
extern Evidence ModelMemoryFromDatum(Datum datum, const DlintsHeader *header, bool with_squares);
extern Evidence ModelMemorySums(Datum datum, const DlintsHeader *header);

/* functions in json.c */
extern char *ModelToJson(Dlints *model);
extern Dlints *ModelFromJson(Datum jsonb);

#define PG_GETARG_DLINTS_P(n)		ModelFromDatum(PG_GETARG_DATUM(n))
#define PG_GETARG_DLINTS_P_COPY(n)	ModelCopyFromDatum(PG_GETARG_DATUM(n))
#define PG_RETURN_DLINTS_P(model)	PG_RETURN_DATUM(ModelGetDatum(model))

#endif							/* DLINTS_MODEL_H */
