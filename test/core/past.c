/*
 * past.c
 *		Generate a history, and train memories on it.
 */
#include "past.h"

static double
coefficient(const Past *p, int k, int j)
{
	double		before = cos(3.0 * k + 1);
	double		after = cos(5.0 * k + 2);
	double		turned = p->drift == SLOW ? (double) j / p->count :
		p->drift == ABRUPT && j >= p->count * 9 / 10 ? 1 : 0;

	return (1 - turned) * before + turned * after;
}

static double
reward_of(const Past *p, int j, const double *features, uint64_t *seed)
{
	double		reward = p->noise * dice(seed);

	if (p->drift == CONSTANT)
		return p->level;
	if (p->drift == RARE)
		return p->level + (dice(seed) > 0.98);
	for (int k = 0; k < p->dim; k++)
		reward += coefficient(p, k, j) * features[k];
	return p->level + reward;
}

/* Representation of H in memory "which" of several */
Squares
squares_of(int which, int memories, double fastest)
{
	return !memory_fades(which, memories, fastest) ? SQUARES_NONE :
		memories > 1 ? SQUARES_SUM : SQUARES_MATRIX;
}

/* Factor of weights in a memory after a number of half-lives of the first memory */
double
faded(int which, double half_lives)
{
	return exp2(-half_lives / pow(MEMORY_RATIO, which));
}

/* Train all memories in blocks of different lengths, each with its discount. */
static void
learn_memory(Kept *kept, int which, int count, const double *features, const double *rewards)
{
	const Past *p = &kept->p;
	double		discount = memory_discount(which, p->memories, p->fastest);
	Evidence   *e = evidence_new(p->dim, squares_of(which, p->memories, p->fastest));
	ExactMemory *m = exact_memory_new(p->dim, kept->rewards.reference);
	double		weights[EVIDENCE_BLOCK];
	double		quiet = e->H || e->N2 ? faded(which, p->quiet) : 1;
	exact		weight = 1;
	int			early = count > p->late ? count - p->late : 0;
	int			done = 0;

	for (int j = count - 1; j >= 0; j--)
	{
		if (j == early - 1)
			weight *= quiet;
		exact_memory_add(m, weight, features + j * p->dim, rewards[j]);
		weight *= discount;
	}
	for (int size = 1; done < count; size = size % 50 + 3)
	{
		if (done == early)
			evidence_scale(e, quiet);
		if (size > (done < early ? early : count) - done)
			size = (done < early ? early : count) - done;
		for (int j = 0; j < size; j++)
			weights[j] = pow(discount, size - 1 - j);
		absorb(e, pow(discount, size), size, features + done * p->dim,
			   rewards + done, kept->rewards.reference, weights);
		done += size;
	}
	if (p->late == 0)
		evidence_scale(e, quiet);
	kept->memory[which] = e;
	kept->sums[which] = m;
}

Kept
kept_new(Past p, uint64_t seed)
{
	Kept		kept = {.p = p, .rewards = {.intercept = p.intercept}};
	const double one = 1;
	double	   *features = dice_array(&seed, (size_t) (p.count * p.dim));
	double	   *rewards = guarded((size_t) p.count);

	for (int j = 0; j < p.count; j++)
	{
		if (p.intercept)
			features[j * p.dim + p.dim - 1] = 1;
		rewards[j] = reward_of(&p, j, features + j * p.dim, &seed);
	}
	if (p.intercept && p.count > 0)
		kept.rewards.reference = rewards[0];
	kept.all = exact_memory_new(p.dim, kept.rewards.reference);
	for (int j = 0; j < p.count; j++)
	{
		exact_memory_add(kept.all, 1, features + j * p.dim, rewards[j]);
		totals_absorb(&kept.rewards.totals, 1, rewards + j, kept.rewards.reference, &one);
	}
	for (int j = 0; j < p.memories; j++)
		learn_memory(&kept, j, p.count, features, rewards);
	return kept;
}

MemoryChoice
chosen(const Kept *kept)
{
	const Past *p = &kept->p;
	double	   *work = guarded(memory_choose_work(p->dim, p->memories));
	Evidence	memories[MAX_MEMORIES];
	Evidence   *before[MAX_MEMORIES];
	MemoryChoice choice;

	for (int j = 0; j < p->memories; j++)
	{
		memories[j] = *kept->memory[j];
		before[j] = evidence_copy(kept->memory[j]);
	}
	choice = memory_choose(memories, p->memories, p->ridge, &kept->rewards, work);
	for (int j = 0; j < p->memories; j++)
		assert_same_bits(value_count(before[j]), before[j]->N, memories[j].N);
	return choice;
}
