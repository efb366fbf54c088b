/*
 * test_random.c
 *		Random numbers: the generator is Philox4x32-10, and its normals equal their
 *		definition.
 */
#include "oracle.h"

#include "core/random.h"

#define PI			3.141592653589793238462643383279502884L

/* ---------- Philox ---------- */

typedef struct KnownAnswer
{
	uint32_t	counter[4];
	uint32_t	key[2];
	uint32_t	out[4];
} KnownAnswer;

/* Random123, tests/kat_vectors, "philox4x32 10" */
static const KnownAnswer known_answers[] = {
	{{0, 0, 0, 0}, {0, 0},
	{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
	{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	{0xffffffff, 0xffffffff},
	{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	{0xa4093822, 0x299f31d0},
	{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}
};

static void
test_philox_known_answers(void **state)
{
	for (int i = 0; i < LENGTH(known_answers); i++)
	{
		const KnownAnswer *known = &known_answers[i];
		uint32_t	out[4];

		random_philox(known->counter, known->key, out);
		assert_memory_equal(out, known->out, sizeof(out));
	}
}

/* ---------- the normals' definition ---------- */

typedef struct Golden
{
	uint64_t	seed;
	RandomPurpose purpose;
	uint32_t	row;
	int			index;
	double		value;
} Golden;

/*
 * Computed with 50 decimal digits.  With pair = index / 2, Philox of counter
 * (pair, pair >> 32, row, purpose) under key (seed, seed >> 32) gives words
 * o[0..3]; u = (((o[1] o[0]) >> 11) + 1) / 2^53 and v likewise from o[3] o[2];
 * the normal is sqrt(-2 log u) times cos(2 pi v), or sin for an odd index.
 */
static const Golden goldens[] = {
	{UINT64_C(0), RANDOM_PROJECTION, 0, 0, -1.50517605194816872505},
	{UINT64_C(0), RANDOM_PROJECTION, 0, 1, -1.70475090181057242766},
	{UINT64_C(0), RANDOM_PROJECTION, 0, 2, -1.20955462127042490117},
	{UINT64_C(0), RANDOM_PROJECTION, 0, 3, -0.91501422676115640176},
	{UINT64_C(42), RANDOM_PROJECTION, 0, 0, 0.22313596012364417254},
	{UINT64_C(42), RANDOM_PROJECTION, 1, 0, 0.45990798714475966680},
	{UINT64_C(42), RANDOM_PROJECTION, 0, 65534, 1.45371595911552686786},
	{UINT64_C(42), RANDOM_PROJECTION, 0, 65535, 0.37836789082191746303},
	{UINT64_C(42), RANDOM_PROJECTION, 1023, 7, -0.08587339457991902125},
	{UINT64_C(42), RANDOM_DRAW, 0, 0, 1.63909706801142118771},
	{UINT64_C(42), RANDOM_DRAW, 0, 1, 0.81423890071325111251},
	{UINT64_C(0x100000000), RANDOM_PROJECTION, 0, 0, 1.88257380611307190144},
	{UINT64_C(0xffffffffffffffff), RANDOM_DRAW, UINT32_C(0xffffffff), 0,
	0.37566915465068473345},
	{UINT64_C(0x0123456789abcdef), RANDOM_PROJECTION, 5, 11,
	0.06737127050564739594},
	{UINT64_C(0x8000000000000000), RANDOM_DRAW, 0, 3, -1.68643601511488028244},
	{UINT64_C(42), RANDOM_BONUS, 0, 0, 0.22687553933678881008},
	{UINT64_C(42), RANDOM_BONUS, 0, 1, 2.62300302434037530937},
	{UINT64_C(42), RANDOM_BONUS, 1, 0, -0.97007856070170694561},
	{UINT64_C(0xfeedfacecafebeef), RANDOM_BONUS, 999, 49, -1.20872881126623951970}
};

static void
test_normals_equal_golden_values(void **state)
{
	for (int i = 0; i < LENGTH(goldens); i++)
	{
		const Golden *g = &goldens[i];
		size_t		count = (size_t) g->index + 1;
		double	   *normals = guarded(count);

		random_normals(g->seed, g->purpose, g->row, 0, count, normals);
		assert_near(normals[g->index], g->value, 1e-14 * fabs(g->value));
	}
}

/* 64 random bits as the definition's number in (0, 1] */
static exact
unit_interval(uint32_t low, uint32_t high)
{
	uint64_t	bits = ((uint64_t) high << 32) | low;

	return ((exact) (bits >> 11) + 1) / 9007199254740992.0L;
}

static void
test_normals_follow_their_definition(void **state)
{
	const uint64_t seed = UINT64_C(0xfeedfacecafebeef);
	const uint32_t key[2] = {UINT32_C(0xcafebeef), UINT32_C(0xfeedface)};
	const size_t count = 20000;
	double	   *normals = guarded(count);

	random_normals(seed, RANDOM_DRAW, 77, 0, count, normals);
	for (size_t i = 0; i < count; i += 2)
	{
		const uint32_t counter[4] = {(uint32_t) (i / 2), 0, 77, 2};
		uint32_t	o[4];
		exact		radius;
		exact		angle;

		random_philox(counter, key, o);
		radius = sqrtl(-2 * logl(unit_interval(o[0], o[1])));
		angle = 2 * PI * unit_interval(o[2], o[3]);
		assert_near(normals[i], radius * cosl(angle), 1e-14);
		assert_near(normals[i + 1], radius * sinl(angle), 1e-14);
	}
}

/* ---------- ranges and streams ---------- */

static void
test_numbers_do_not_depend_on_count(void **state)
{
	const size_t all = 101;
	double	   *normals = guarded(all);

	random_normals(7, RANDOM_PROJECTION, 3, 0, all, normals);
	for (size_t count = 0; count <= all; count++)
	{
		double	   *fewer = guarded(count);

		random_normals(7, RANDOM_PROJECTION, 3, 0, count, fewer);
		assert_same_bits(count, fewer, normals);
	}
}

static void
test_numbers_do_not_depend_on_first(void **state)
{
	const size_t all = 101;
	double	   *normals = guarded(all);
	size_t		first;

	random_normals(7, RANDOM_BONUS, 3, 0, all, normals);
	for (first = 0; first < 20; first++)
		for (size_t count = 0; first + count <= all; count++)
		{
			double	   *some = guarded(count);

			random_normals(7, RANDOM_BONUS, 3, first, count, some);
			assert_same_bits(count, some, normals + first);
		}
}

TEST_PROGRAM("random",
	test_of(test_philox_known_answers),
	test_of(test_normals_equal_golden_values),
	test_of(test_normals_follow_their_definition),
	test_of(test_numbers_do_not_depend_on_count),
	test_of(test_numbers_do_not_depend_on_first))
