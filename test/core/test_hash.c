/*
 * test_hash.c
 *		Feature hashing: the hash is SipHash-2-4 and the signs of a name never
 *		change.
 */
#include "oracle.h"

#include "core/random.h"

typedef struct KnownAnswer
{
	size_t		count;			/* number of bytes 0, 1, 2, ... */
	uint64_t	hash;
} KnownAnswer;

/* The authors' vectors_sip64, as numbers, for the same key as ours */
static const KnownAnswer known_answers[] = {
	{0, UINT64_C(0x726fdb47dd0e0e31)}, {1, UINT64_C(0x74f839c593dc67fd)},
	{2, UINT64_C(0x0d6c8009d9a94f5a)}, {3, UINT64_C(0x85676696d7fb7e2d)},
	{4, UINT64_C(0xcf2794e0277187b7)}, {5, UINT64_C(0x18765564cd99a68d)},
	{6, UINT64_C(0xcbc9466e58fee3ce)}, {7, UINT64_C(0xab0200f58b01d137)},
	{8, UINT64_C(0x93f5f5799a932462)}, {9, UINT64_C(0x9e0082df0ba9e4b0)},
	{10, UINT64_C(0x7a5dbbc594ddb9f3)}, {11, UINT64_C(0xf4b32f46226bada7)},
	{12, UINT64_C(0x751e8fbc860ee5fb)}, {13, UINT64_C(0x14ea5627c0843d90)},
	{14, UINT64_C(0xf723ca908e7af2ee)}, {15, UINT64_C(0xa129ca6149be45e5)},
	{16, UINT64_C(0x3f2acc7f57c29bdb)}, {17, UINT64_C(0x699ae9f52cbe4794)},
	{31, UINT64_C(0x32d892fad841c342)}, {32, UINT64_C(0x7127512f72f27cce)},
	{47, UINT64_C(0xd06c98cd5c0975eb)}
};

static void
test_hash_equals_siphash(void **state)
{
	for (int i = 0; i < LENGTH(known_answers); i++)
	{
		size_t		count = known_answers[i].count;
		unsigned char *bytes = allocate(count + 1);
		size_t		k;

		/* at an odd address, so that nothing relies on alignment */
		for (k = 0; k < count; k++)
			bytes[k + 1] = (unsigned char) k;
		assert_true(hash_name(bytes + 1, count) == known_answers[i].hash);
	}
}

/* ---------- signs ---------- */

typedef struct Golden
{
	const char *name;
	uint64_t	hash;
	uint32_t	minus[8];		/* bit i % 32 of word i / 32 */
} Golden;

/* Computed in Python from the definitions of SipHash and of Philox */
static const Golden goldens[] = {
	{"category=book", UINT64_C(0x995c7160cc0dbc44),
		{0x71350b52, 0x9e4725a3, 0x82858525, 0x0f3b7c6a,
	0x5ab77917, 0xb459a7b3, 0x16691ced, 0xc23dde3b}},
	{"used", UINT64_C(0x07029bca29be1761),
		{0x5d1ab450, 0x6223362d, 0xe6dfa42d, 0x532f413f,
	0x7aa54ff3, 0x36aab517, 0xae055779, 0x709e9761}},
	/* in UTF-8 */
	{"gr\xc3\xb6\xc3\x9f" "e=\xc3\x98", UINT64_C(0x0f332f8270b46f76),
		{0x7e4e6dc9, 0x338eb4e2, 0xfbca1cce, 0x7b678c22,
	0x883e8b65, 0x136af52c, 0x37b3e151, 0xba57ea2c}},
	{"", UINT64_C(0x726fdb47dd0e0e31),
		{0x22ba7f5b, 0x05cbda8a, 0xe66bb4a5, 0xcd50f496,
	0xd12f3a8a, 0xfc482d98, 0xee73c89b, 0x3d7fb16f}}
};

#define GOLDEN_SIGNS	256

static double *
zeros(size_t count)
{
	double	   *sum = guarded(count);

	memset(sum, 0, sizeof(double) * count);
	return sum;
}

static void
test_signs_equal_golden_values(void **state)
{
	for (int g = 0; g < LENGTH(goldens); g++)
	{
		double	   *sum = zeros(GOLDEN_SIGNS);
		int			i;

		assert_true(hash_name(goldens[g].name, strlen(goldens[g].name)) == goldens[g].hash);
		hash_add_signs(goldens[g].hash, 0.3, GOLDEN_SIGNS, sum);
		for (i = 0; i < GOLDEN_SIGNS; i++)
			assert_true(sum[i] == ((goldens[g].minus[i / 32] >> (i % 32)) & 1 ? -0.3 : 0.3));
	}
}

/* The first signs are equal for every count, and nothing beyond the count is written. */
static void
test_signs_do_not_depend_on_count(void **state)
{
	const size_t all = 300;
	double	   *most = zeros(all);

	hash_add_signs(7, -2.0, all, most);
	for (size_t count = 0; count <= all; count++)
	{
		double	   *sum = zeros(count);

		hash_add_signs(7, -2.0, count, sum);
		assert_same_bits(count, sum, most);
	}
}

static void
test_weighted_signs_add_up(void **state)
{
	const double start[3] = {1.5, -4.0, 0.0};
	double	   *sum = guarded_copy(3, start);
	double	   *signs = zeros(3);

	hash_add_signs(9, 1.0, 3, signs);
	hash_add_signs(9, 2.5, 3, sum);
	hash_add_signs(9, -0.5, 3, sum);
	for (int i = 0; i < 3; i++)
		assert_true(sum[i] == start[i] + 2.0 * signs[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test_of(test_hash_equals_siphash),
		test_of(test_signs_equal_golden_values),
		test_of(test_signs_do_not_depend_on_count),
		test_of(test_weighted_signs_add_up)
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
