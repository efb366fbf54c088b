/*
 * dlints.h
 *		The stored model and its accessors.
 */
#ifndef DLINTS_H
#define DLINTS_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "compat.h"
#include "core/posterior.h"
#include "core/projection.h"

#define DLINTS_FORMAT_VERSION	1

/*
 * Caps.  The largest model has two packed matrices of order 1025, a little
 * over 8 MB; the largest projection matrix has 512 MB, and there are three
 * with a shared context.
 */
#define DLINTS_MAX_CONTEXT_DIM	65536
#define DLINTS_MAX_SHARED_DIM	65536
#define DLINTS_MAX_DIM			1024

/* policy: how dlints_recommend turns the posterior into a choice */
#define DLINTS_POLICY_THOMPSON	0	/* score under a draw */
#define DLINTS_POLICY_UCB		1	/* mean + exploration * width */
#define DLINTS_POLICY_GREEDY	2	/* mean */
#define DLINTS_POLICY_COUNT		3

/* projection: how a context becomes a reduced context */
#define DLINTS_PROJECTION_NONE		0	/* z = x */
#define DLINTS_PROJECTION_GAUSSIAN	1	/* z = P x, entries N(0, scale^2) */

/* flags */
#define DLINTS_FLAG_INTERCEPT	0x01	/* z has one more coordinate, always 1 */
#define DLINTS_FLAGS_KNOWN		DLINTS_FLAG_INTERCEPT

/* generator of projection entries, see core/random.c */
#define DLINTS_GENERATOR_PHILOX		1

/*
 * A model as stored: parameters, counts, then b (one number for each
 * coordinate of z), G and, for a discount below 1, H (packed, see
 * core/linalg.h).  Fields named "unused" are zero and readers insist on it,
 * which leaves them free for later versions.  Values are in the machine's byte
 * order, like all of PostgreSQL's data files; the external binary form is
 * portable.
 */
typedef struct Dlints
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint16		version;		/* DLINTS_FORMAT_VERSION */
	uint8		policy;			/* DLINTS_POLICY_... */
	uint8		projection;		/* DLINTS_PROJECTION_... */
	uint8		generator;		/* DLINTS_GENERATOR_... */
	uint8		flags;			/* DLINTS_FLAG_... */
	uint16		unused1;
	int32		context_dim;	/* n */
	int32		reduced_dim;	/* d; equals n without projection */
	int32		shared_dim;		/* m; 0 without a shared context */
	float8		discount;		/* gamma */
	float8		ridge;			/* lambda */
	float8		exploration;	/* xi */
	float8		projection_scale;	/* kappa; 0 without projection */
	int64		seed;			/* of the projection */
	int64		updates;		/* observations learned */
	float8		weight_sum;		/* sum of gamma^age */
	float8		reward_sum;		/* sum of gamma^age r */
	float8		reward_square_sum;	/* sum of gamma^age r^2 */
	float8		unused2[4];
	float8		values[FLEXIBLE_ARRAY_MEMBER];
} Dlints;

#define DLINTS_HEADER_SIZE	offsetof(Dlints, values)

/* The stored format is these offsets. */
StaticAssertDecl(offsetof(Dlints, version) == 4, "version moved");
StaticAssertDecl(offsetof(Dlints, policy) == 6, "policy moved");
StaticAssertDecl(offsetof(Dlints, projection) == 7, "projection moved");
StaticAssertDecl(offsetof(Dlints, generator) == 8, "generator moved");
StaticAssertDecl(offsetof(Dlints, flags) == 9, "flags moved");
StaticAssertDecl(offsetof(Dlints, unused1) == 10, "unused1 moved");
StaticAssertDecl(offsetof(Dlints, context_dim) == 12, "context_dim moved");
StaticAssertDecl(offsetof(Dlints, reduced_dim) == 16, "reduced_dim moved");
StaticAssertDecl(offsetof(Dlints, shared_dim) == 20, "shared_dim moved");
StaticAssertDecl(offsetof(Dlints, discount) == 24, "discount moved");
StaticAssertDecl(offsetof(Dlints, ridge) == 32, "ridge moved");
StaticAssertDecl(offsetof(Dlints, exploration) == 40, "exploration moved");
StaticAssertDecl(offsetof(Dlints, projection_scale) == 48, "scale moved");
StaticAssertDecl(offsetof(Dlints, seed) == 56, "seed moved");
StaticAssertDecl(offsetof(Dlints, updates) == 64, "updates moved");
StaticAssertDecl(offsetof(Dlints, weight_sum) == 72, "weight_sum moved");
StaticAssertDecl(offsetof(Dlints, reward_sum) == 80, "reward_sum moved");
StaticAssertDecl(offsetof(Dlints, reward_square_sum) == 88, "squares moved");
StaticAssertDecl(offsetof(Dlints, unused2) == 96, "unused2 moved");
StaticAssertDecl(DLINTS_HEADER_SIZE == 128, "values moved");
StaticAssertDecl(sizeof(float8) == sizeof(double), "float8 is not double");

/* What is wrong with a model, for a caller to report in its own words. */
typedef struct ModelProblem
{
	int			sqlerrcode;
	const char *message;
	const char *detail;			/* may be NULL */
} ModelProblem;

static inline bool
ModelHasProjection(const Dlints *model)
{
	return model->projection != DLINTS_PROJECTION_NONE;
}

static inline bool
ModelHasIntercept(const Dlints *model)
{
	return (model->flags & DLINTS_FLAG_INTERCEPT) != 0;
}

/* coordinates of z, and with it the order of the evidence */
static inline int
ModelCoordinates(const Dlints *model)
{
	return model->reduced_dim + (ModelHasIntercept(model) ? 1 : 0);
}

/* weights over a context that a parameter lifts to, the intercept's last */
static inline int
ModelLiftedLen(const Dlints *model)
{
	return model->context_dim + (ModelHasIntercept(model) ? 1 : 0);
}

/* model.c */
extern Dlints *ModelCreate(const Dlints *header);
extern void ModelCheckParameters(const Dlints *header);
extern bool ModelParametersAreValid(const Dlints *header,
									ModelProblem *problem);
extern void ModelAccept(Dlints *model, int sqlerrcode, const char *message);
extern void ModelReject(const ModelProblem *problem, int sqlerrcode,
						const char *message);
extern Dlints *ModelFromDatum(Datum datum);
extern Dlints *ModelCopyFromDatum(Datum datum);
extern Dlints ModelHeaderFromDatum(Datum datum);
extern Size ModelSize(const Dlints *header);
extern void ModelGetEvidence(Dlints *model, Evidence *evidence);
extern void ModelPutCounts(Dlints *model, const Evidence *evidence);
extern void ModelPutEvidence(Dlints *model, const Evidence *evidence);
extern void ModelCheckSameEvidence(const Dlints *left, const Dlints *right);
extern Projection ModelProjection(const Dlints *model);

/* json.c */
extern char *ModelToJson(Dlints *model);
extern Dlints *ModelFromJson(Datum jsonb);
extern const char *PolicyName(uint8 policy);
extern bool PolicyFromName(const char *name, uint8 *policy);

/* typmod.c */
extern void ModelCheckTypmod(const Dlints *model, int32 typmod);

/* type.c */
extern void ModelSend(StringInfo buf, const Dlints *model);
extern Dlints *ModelReceive(StringInfo buf);

#define DatumGetDlintsP(X)			ModelFromDatum(X)
#define PG_GETARG_DLINTS_P(n)		DatumGetDlintsP(PG_GETARG_DATUM(n))
#define PG_GETARG_DLINTS_P_COPY(n)	ModelCopyFromDatum(PG_GETARG_DATUM(n))
#define PG_RETURN_DLINTS_P(x)		PG_RETURN_POINTER(x)

#endif							/* DLINTS_H */
