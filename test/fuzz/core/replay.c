/*
 * replay.c
 *		Run a fuzz target on its kept inputs, and print the results as TAP.
 *		No fuzzer is required.  A program named replay_NAME reads the lines of
 *		test/fuzz/inputs that begin with "NAME/".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

/* length of a line; "make fuzz" keeps inputs of 2048 bytes at most */
#define MAX_LINE	8192

/* Decode hexadecimal digits and run the target on the bytes. */
static void
replay(const char *digits)
{
	size_t		size = strlen(digits) / 2;

	/* allocated with the size of the input, so that checkers detect reads beyond its end */
	uint8_t    *data = malloc(size > 0 ? size : 1);

	check(data != NULL);
	for (size_t i = 0; i < size; i++)
	{
		const char	byte[] = {digits[2 * i], digits[2 * i + 1], '\0'};
		char	   *end;

		data[i] = (uint8_t) strtoul(byte, &end, 16);
		check(end == byte + 2);
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

int
main(int argc, char **argv)
{
	static char line[MAX_LINE];
	const char *target = strrchr(argv[0], '_');
	FILE	   *file = fopen("test/fuzz/inputs", "r");
	int			count = 0;

	check(argc == 1 && target != NULL && file != NULL);
	target++;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		char	   *digits = strchr(line, ' ');
		char	   *end = strchr(line, '\n');

		check(digits != NULL && end != NULL);
		*digits++ = *end = '\0';
		if (strncmp(line, target, strlen(target)) != 0 || line[strlen(target)] != '/')
			continue;
		replay(digits);
		printf("ok %d - %s\n", ++count, line);
		(void) fflush(stdout);
	}
	check(!ferror(file) && fclose(file) == 0 && count > 0);
	printf("1..%d\n", count);
	return 0;
}
