/*
 * evidence.h
 *		What observations say, under one rate of forgetting: a memory.
 *
 * With reduced contexts z, rewards r and weights w a memory keeps
 *
 *		G = sum of w   z z'		b = sum of w r z		N = sum of w
 *		H = sum of w^2 z z'		R = sum of w (r - c)	S = sum of w (r - c)^2
 *
 * where c is a reference reward of the caller's (0, or near the rewards, so
 * that R and S keep their digits).  Forgetting makes w smaller with age: by
 * discount^age it is Algorithm 1 of Ghoorchian, Kortukov and Maghsudi, whose
 * matrices are Z = G + ridge I and Z~ = H + ridge I at every step.  Where
 * nothing fades H is not kept and G stands for it: a weight then says how many
 * observations there were.
 *
 * Memory is the caller's.  Nothing here allocates, and nothing knows of
 * PostgreSQL.
 */
#ifndef DLINTS_EVIDENCE_H
#define DLINTS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* observations absorbed at a time: one matrix product, two rank updates */
#define EVIDENCE_BLOCK 128

/* Views of the caller's numbers, in this order. */
typedef struct Evidence
{
	int			dim;			/* D */
	double	   *N;				/* one number each */
	double	   *R;
	double	   *S;
	double	   *b;				/* dim numbers */
	double	   *G;				/* linalg_packed_len(dim) */
	double	   *H;				/* as many; NULL where nothing fades */
} Evidence;

extern size_t evidence_value_count(int dim, bool fades);
extern void evidence_bind(Evidence *e, int dim, bool fades, double *values);
extern void evidence_absorb(Evidence *e, double decay, int count,
							const double *reduced, const double *rewards,
							double reference, const double *weights,
							double *work);
extern size_t evidence_absorb_work(int dim, int count);
extern void evidence_scale(Evidence *e, double factor);
extern void evidence_add(Evidence *e, const Evidence *other);
extern bool evidence_subtract(Evidence *e, const Evidence *other,
							  double *work);
extern void evidence_rebase(Evidence *e, double shift);
extern void evidence_settle(Evidence *e);
extern bool evidence_is_valid(const Evidence *e);

#endif							/* DLINTS_EVIDENCE_H */
