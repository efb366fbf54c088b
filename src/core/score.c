/*
 * score.c
 *		Lanes of weight vectors against contexts.
 */
#include "score.h"

#include "clones.h"

/* contexts that share what is loaded of the weights */
#define TOGETHER	4

/*
 * Pack "count" vectors of "len" numbers, which stand vectors_len apart, into
 * score_rounded(count) * len numbers.  Lanes without a vector are zero.
 */
void
score_pack(int len, int count, const double *vectors, int vectors_len,
		   double *packed)
{
	int			rounded = score_rounded(count);
	int			v;
	int			k;

	for (v = 0; v < rounded; v++)
	{
		const double *vector = vectors + (size_t) v * (size_t) vectors_len;
		double	   *lane = packed + (size_t) (v / SCORE_LANES) * SCORE_LANES *
			(size_t) len + v % SCORE_LANES;

		for (k = 0; k < len; k++)
			lane[(size_t) k * SCORE_LANES] = v < count ? vector[k] : 0.0;
	}
}

/*
 * One body for one context and for several, so that the order of summation
 * cannot differ between them.
 */
#define SCORE_BODY(together) \
	double		sum[together][SCORE_LANES]; \
	int			k; \
	int			c; \
	int			l; \
\
	UNROLL \
	for (c = 0; c < (together); c++) \
		UNROLL \
		for (l = 0; l < SCORE_LANES; l++) \
			sum[c][l] = 0.0; \
	for (k = 0; k < len; k++, lanes += SCORE_LANES) \
	{ \
		UNROLL \
		for (c = 0; c < (together); c++) \
			UNROLL \
			for (l = 0; l < SCORE_LANES; l++) \
				sum[c][l] += lanes[l] * contexts[(size_t) c * (size_t) contexts_len + k]; \
	} \
	for (c = 0; c < (together); c++) \
		for (l = 0; l < SCORE_LANES; l++) \
			scores[(size_t) c * steps.context + (size_t) l * steps.lane] = sum[c][l]

CPU_CLONES
static void
score_several(int len, const double *lanes, const double *contexts,
			  int contexts_len, double *scores, ScoreSteps steps)
{
	SCORE_BODY(TOGETHER);
}

CPU_CLONES
static void
score_one(int len, const double *lanes, const double *contexts,
		  int contexts_len, double *scores, ScoreSteps steps)
{
	SCORE_BODY(1);
}

/*
 * Scores of "count" contexts, which stand contexts_len apart, under the
 * vectors of one pack of lanes.
 */
void
score_lanes(int len, const double *lanes, int count, const double *contexts,
			int contexts_len, double *scores, ScoreSteps steps)
{
	int			c;

	for (c = 0; c + TOGETHER <= count; c += TOGETHER)
		score_several(len, lanes, contexts + (size_t) c * (size_t) contexts_len,
					  contexts_len, scores + (size_t) c * steps.context, steps);
	for (; c < count; c++)
		score_one(len, lanes, contexts + (size_t) c * (size_t) contexts_len,
				  contexts_len, scores + (size_t) c * steps.context, steps);
}
