/*
 * evidence.h
 *		What observations say: discounted, absorbed, concatenated.
 *
 * With reduced contexts z, rewards r and discount gamma, Algorithm 1 of
 * Ghoorchian, Kortukov and Maghsudi keeps
 *
 *		G <- gamma   G + z z'
 *		H <- gamma^2 H + z z'
 *		b <- gamma   b + r z
 *
 * from zero; the paper's matrices are Z = G + ridge I and Z~ = H + ridge I at
 * every step.  With gamma = 1 the two coincide and H is not kept.
 *
 * Memory is the caller's.  Nothing here allocates, and nothing knows of
 * PostgreSQL.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* observations absorbed at a time: one matrix product, two rank updates */
#define EVIDENCE_BLOCK 128

/* what is counted of them; the sums are discounted, too */
typedef struct EvidenceCounts
{
	int64_t		updates;		/* observations seen */
	double		weight_sum;		/* sum of gamma^age */
	double		reward_sum;		/* sum of gamma^age r */
	double		reward_square_sum;	/* sum of gamma^age r^2 */
} EvidenceCounts;

/*
 * The arrays belong to the caller: b has dim numbers, G and H
 * linalg_packed_len(dim) each, one behind the other as evidence_bind puts them.
 */
typedef struct Evidence
{
	int			dim;			/* d */
	double		discount;		/* gamma, in (0, 1] */
	EvidenceCounts counts;
	double	   *b;
	double	   *G;
	double	   *H;				/* NULL when discount is 1 */
} Evidence;

static inline bool
evidence_has_second(double discount)
{
	return discount < 1.0;
}

extern size_t evidence_value_count(int dim, double discount);
extern void evidence_bind(Evidence *e, int dim, double discount,
						  double *values);
extern void evidence_clear(Evidence *e);
extern void evidence_absorb(Evidence *e, int count, double *reduced,
							const double *rewards);
extern void evidence_concat(Evidence *earlier, const Evidence *later);
extern void evidence_settle(Evidence *e);
extern bool evidence_is_valid(const Evidence *e);

#endif							/* DLINTS_EVIDENCE_H */
