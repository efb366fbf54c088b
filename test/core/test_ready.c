/*
 * test_ready.c
 *		linalg_ready() detects whether BLAS can allocate its memory; once it
 *		returns true, no operation has to wait for memory.  It is a separate
 *		program, because OpenBLAS allocates its buffer once per process.
 */
#include "oracle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/linalg.h"

#define MEGABYTE	((rlim_t) 1 << 20)
#define ORDER		300

/*
 * Limit the address space to this amount beyond the current use.  If OpenBLAS
 * waits for more, the alarm ends the process.
 */
static void
leave_room(rlim_t room)
{
	FILE	   *statm = fopen("/proc/self/statm", "r");
	char		line[256];		/* the file begins with the number of pages */
	struct rlimit limit;

	assert_non_null(statm);
	assert_non_null(fgets(line, sizeof(line), statm));
	(void) fclose(statm);
	assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = strtoul(line, NULL, 10) *
		(rlim_t) sysconf(_SC_PAGESIZE) + room;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	alarm(60);
}

static void
test_ready_detects_missing_memory(void **state)
{
	bool		openblas = dlsym(RTLD_DEFAULT, "openblas_get_config") != NULL;

	leave_room(64 * MEGABYTE);
	assert_int_equal(linalg_ready(), !openblas);
	assert_int_equal(linalg_ready(), !openblas);
	leave_room(256 * MEGABYTE);
	assert_true(linalg_ready());
}

/* Each operation, with almost no memory left */
static void
test_operations_need_no_further_memory(void **state)
{
	const double weights[LINALG_MAX_UPDATE] = {1.0};
	double	   *full;
	double	   *packed;
	double	   *vectors;
	uint64_t	seed = 11;

	full = dice_array(&seed, SQUARE(ORDER));
	vectors = dice_array(&seed, SQUARE(ORDER));
	packed = guarded(linalg_packed_len(ORDER));
	memset(packed, 0, sizeof(double) * linalg_packed_len(ORDER));
	leave_room(4 * MEGABYTE);
	assert_true(linalg_ready());
	linalg_rank_update(ORDER, LINALG_MAX_UPDATE, vectors, weights, 0.0, packed);
	linalg_add_diagonal(ORDER, 1.0, packed);
	assert_true(linalg_cholesky(ORDER, packed));
	linalg_cholesky_solve(ORDER, packed, ORDER, vectors);
	linalg_solve_lower_transposed(ORDER, packed, ORDER, vectors);
	linalg_solve_lower(ORDER, packed, vectors);
	(void) linalg_trace_product(ORDER, packed, vectors);
	linalg_unpack_lower(ORDER, packed, full);
	linalg_multiply_lower(ORDER, packed, 1, vectors);
	linalg_multiply_lower(ORDER, packed, ORDER, vectors);
	linalg_dot_each(ORDER, ORDER - 1, vectors + ORDER, full, vectors);
	linalg_gram(ORDER, vectors, full);
	linalg_combine(ORDER, 8, vectors, 8, full, 8, vectors + SQUARE(ORDER) / 2, ORDER);
	linalg_project(ORDER, ORDER / 2, vectors, 2, full, vectors + SQUARE(ORDER) / 2, ORDER);
	linalg_cholesky_invert(ORDER, packed);
}

TEST_PROGRAM("ready",
	test_of(test_ready_detects_missing_memory),
	test_of(test_operations_need_no_further_memory))
