/*
 * input.h
 *		Functions that the fuzz targets of src/core share: sizes and numbers
 *		from arbitrary bytes, memory that is followed by an unreadable page,
 *		and a check.
 */
#ifndef DLINTS_FUZZ_INPUT_H
#define DLINTS_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The function of a target, with the name that libFuzzer requires */
extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The unused part of an input; zeros follow its end. */
typedef struct Input
{
	const uint8_t *next;
	size_t		left;
} Input;

extern uint8_t take_byte(Input *in);
extern int	take_size(Input *in, int most);
extern double take_number(Input *in);
extern double take_within(Input *in, double least, double most);

/*
 * Arrays of numbers, each followed by a protected page, so that BLAS and
 * LAPACK, which are compiled without checkers, cannot read or write beyond
 * them either.  All are freed at once.
 */
#define WALLED_MOST_NUMBERS 32768	/* bytes of one array */
#define WALLED_MOST_ARRAYS	256		/* arrays at a time */

extern double *walled(size_t count);
extern void walled_reset(void);

extern double *walled_numbers(Input *in, size_t count, double (*take) (Input *));

/* Ends the process, which reports a failure to the fuzzer. */
#define check(condition) \
	((condition) ? (void) 0 : check_failed(#condition, __FILE__, __LINE__))

extern void check_failed(const char *condition, const char *file, int line)
			__attribute__((noreturn));

extern bool same_bits(size_t count, const void *a, const void *b);
extern bool all_are_finite(size_t count, const double *values);
extern double largest(size_t count, const double *values);

#endif							/* DLINTS_FUZZ_INPUT_H */
