/*
 * canary.c
 *		Commit one fault of each kind that the sanitizers must report.
 *
 * "make sanitize" provokes each in a server of its own before it trusts their
 * silence:  CREATE FUNCTION canary(cstring) RETURNS integer LANGUAGE c ...
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(canary);

/* a value that the compiler cannot foresee */
static volatile int size = 64;

static pg_noinline int
overrun(char *memory, int len)
{
	memory[len] = 1;
	return memory[len - 1];
}

static int
read_after_free(void)
{
	char	   *volatile memory = malloc((size_t) size);
	char	   *freed = memory;

	memory[0] = 1;
	free(memory);
	return freed[0];
}

static int
overrun_stack(void)
{
	char		memory[64] = {0};

	return overrun(memory, size);
}

static int
read_misaligned(void)
{
	static double numbers[2];
	volatile double *between = (double *) ((char *) numbers + size / 16);

	return (int) *between;
}

static int
overflow_integer(void)
{
	volatile int large = PG_INT32_MAX;

	return large + size;
}

Datum
canary(PG_FUNCTION_ARGS)
{
	const char *fault = PG_GETARG_CSTRING(0);
	int			large = 1024 * size;
	int			result = 0;

	if (strcmp(fault, "malloc") == 0)
		result = overrun(malloc((size_t) size), size);
	else if (strcmp(fault, "palloc") == 0)
		result = overrun(palloc((Size) large), large);
	else if (strcmp(fault, "free") == 0)
		result = read_after_free();
	else if (strcmp(fault, "stack") == 0)
		result = overrun_stack();
	else if (strcmp(fault, "alignment") == 0)
		result = read_misaligned();
	else if (strcmp(fault, "integer") == 0)
		result = overflow_integer();
	else if (strcmp(fault, "assertion") == 0)
		Assert(size == 0);
	else
		elog(ERROR, "unknown fault \"%s\"", fault);
	PG_RETURN_INT32(result);
}
