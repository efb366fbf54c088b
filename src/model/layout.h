/*
 * layout.h
 *		What is stored where: the header, its bounds, and the numbers after it.
 */
#ifndef DLINTS_LAYOUT_H
#define DLINTS_LAYOUT_H

#include "compat.h"
#include "core/evidence.h"
#include "core/kinds.h"
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
	uint8		policy;			/* see policy.c */
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
extern Size ModelSizeWith(Size count);
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

#endif							/* DLINTS_LAYOUT_H */
