/*
 * long_run.c
 *		Train a model of every kind on ten million observations: is the count
 *		exact, how large are the errors of evidence and mean, and does a model
 *		that forgets become slow?  Then retract ten million observations: how
 *		large are the sums that remain?
 *
 *	long_run				prints the table; fails if an error exceeds its bound
 *	long_run --model GAMMA COUNT
 *							evidence of a simple history, for evidence.sql
 */
#include "long_history.h"

#include <stdio.h>
#include <time.h>

#include "core/linalg.h"

#define MILLION			1000000

/* ---------- the table ---------- */

/* print one line of it */
static bool
report(LongHistory h)
{
	const LongResult r = long_history_run(&h);
	bool		kept = long_promises_kept(&h, &r);

	printf("%-22s %5g %5d %8lld %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e %7.0e  %s\n",
		   h.kind->name, h.discount, h.block, (long long) h.count,
		   r.N, r.b, r.G, r.H, long_evidence_promise(&h), r.condition, r.solve,
		   long_mean_promise(&r), r.mean, r.prediction,
		   !kept ? "BROKEN" : r.raised > 0 ? "kept, ridge raised" : "kept");
	(void) fflush(stdout);
	return kept;
}

static bool
report_all(void)
{
	const double discounts[] = {0.99, 1};
	bool		kept = true;

	printf("%-22s %5s %5s %8s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n",
		   "contexts", "gamma", "block", "count", "N", "b", "G", "H", "bound",
		   "cond Z", "solve", "bound", "mean", "reward");
	for (int g = 0; g < LENGTH(discounts); g++)
		for (int k = 0; k < long_kind_count; k++)
		{
			const LongHistory h = {&long_kinds[k], discounts[g],
			10 * MILLION, EVIDENCE_BLOCK};

			kept = report(h) && kept;
		}

	/* one by one, as dlints_update trains on single rewards */
	for (int k = 0; k < long_kind_count; k++)
	{
		const LongHistory h = {&long_kinds[k], 1, MILLION, 1};

		kept = report(h) && kept;
	}
	return kept;
}

/* ---------- trained and retracted ---------- */

static bool
report_return(LongReturn h)
{
	const LongDrift r = long_return_run(&h);
	bool		kept = long_return_kept(&r);

	printf("%-22s %9g %8lld %7lld %7.0e %7.0e  %s\n", h.kind->name, h.half_life,
		   (long long) h.count, (long long) r.refused, r.drift, LONG_DRIFT,
		   kept ? "kept" : r.definite ? "BROKEN" : "BROKEN, indefinite");
	(void) fflush(stdout);
	return kept;
}

static bool
report_returns(void)
{
	const double half_lives[] = {0, 500};
	bool		kept = true;

	printf("\nOne learned, one taken back, %d in between\n"
		   "%-22s %9s %8s %7s %7s %7s\n", LONG_WINDOW,
		   "contexts", "half-life", "count", "refused", "drift", "bound");
	for (int g = 0; g < LENGTH(half_lives); g++)
		for (int k = 0; k < long_kind_count; k++)
		{
			const LongReturn h = {&long_kinds[k], half_lives[g],
				half_lives[g] > 0 ? SQUARES_MATRIX : SQUARES_NONE,
			k % 3 == 0 ? 10 * MILLION : MILLION};

			kept = report_return(h) && kept;
		}
	return kept;
}

/* ---------- speed while sums decay ---------- */

static double
seconds_for(Evidence *e, int count, const double *context, double reward)
{
	const double one = 1;
	double		work[LONG_DIM];
	clock_t		start = clock();

	for (int j = 0; j < count; j++)
		evidence_absorb(e, 0.99, 1, context, &reward, 0, &one, work);
	return (double) (clock() - start) / CLOCKS_PER_SEC;
}

static int
count_subnormals(size_t count, const double *values)
{
	int			found = 0;

	for (size_t i = 0; i < count; i++)
		found += fpclassify(values[i]) == FP_SUBNORMAL;
	return found;
}

/*
 * Without flushing, H would be subnormal after 36,000 empty observations, and
 * b and G after 72,000.  The cost of subnormal arithmetic depends on the CPU,
 * so subnormal numbers are counted, too.
 */
static bool
report_fading(void)
{
	const int	count = 200000;
	const double bound = 2;
	double		context[LONG_DIM];
	const double nothing[LONG_DIM] = {0};
	Evidence   *e = evidence_new(LONG_DIM, SQUARES_MATRIX);
	double		ordinary;
	double		fading;
	int			subnormals;
	bool		kept;

	for (int k = 0; k < LONG_DIM; k++)
		context[k] = sin(k + 1.0);
	seconds_for(e, count, context, 1);
	ordinary = seconds_for(e, count, context, 1);
	fading = seconds_for(e, count, nothing, 0);
	subnormals = count_subnormals(LONG_DIM, e->b) +
		count_subnormals(linalg_packed_len(LONG_DIM), e->G) +
		count_subnormals(linalg_packed_len(LONG_DIM), e->H);
	kept = fading <= bound * ordinary && subnormals == 0;
	printf("\nAn update takes %.2f times as long while sums decay (bound: %g),"
		   " which leaves %d subnormal numbers  %s\n",
		   fading / ordinary, bound, subnormals, kept ? "kept" : "BROKEN");
	return kept;
}

/* ---------- the history of evidence.sql ---------- */

#define SQL_DIM			8

static void
print_array(const char *name, const double *values, int count)
{
	printf("\\set %s '{", name);
	for (int i = 0; i < count; i++)
		printf("%s%.17g", i > 0 ? "," : "", values[i]);
	printf("}'\n");
}

/* Print the lower triangle by rows, as dlints does. */
static void
print_matrix(const char *name, const double *packed)
{
	double		rows[SQL_DIM * (SQL_DIM + 1) / 2];
	int			count = 0;

	for (int i = 0; i < SQL_DIM; i++)
		for (int j = 0; j <= i; j++)
			rows[count++] = packed[linalg_packed_index(SQL_DIM, i, j)];
	print_array(name, rows, count);
}

static void
print_model(double discount, int64_t count)
{
	Evidence   *e = evidence_new(SQL_DIM, squares_under(discount));
	double	   *contexts = guarded(EVIDENCE_BLOCK * SQL_DIM);
	double	   *rewards = guarded(EVIDENCE_BLOCK);
	int			filled = 0;
	int64_t		i;

	for (i = 1; i <= count; i++)
	{
		for (int k = 0; k < SQL_DIM; k++)
			contexts[filled * SQL_DIM + k] = (double) (i * (k + 4) % 11) - 5;
		rewards[filled++] = (double) (i % 5);
		if (filled == EVIDENCE_BLOCK || i == count)
		{
			evidence_learn(e, discount, filled, filled, contexts, rewards);
			filled = 0;
		}
	}
	printf("\\set discount %.17g\n\\set count %lld\n", discount, (long long) count);
	print_array("core_b", e->b, SQL_DIM);
	print_matrix("core_g", e->G);
	print_matrix("core_h", e->H ? e->H : e->G);
}

int
main(int argc, char **argv)
{
	bool		kept;

	if (argc == 4 && strcmp(argv[1], "--model") == 0)
	{
		print_model(strtod(argv[2], NULL), strtoll(argv[3], NULL, 10));
		return 0;
	}
	kept = report_all();
	kept = report_returns() && kept;
	kept = report_fading() && kept;
	return kept ? 0 : 1;
}
