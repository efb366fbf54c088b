/*
 * replay.c
 *		Give a fuzz target the inputs that were kept for it, and count them as
 *		TAP.  Needs no fuzzer.  A program named replay_NAME reads the files in
 *		test/fuzz/corpus/NAME.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

/* more than any file that "make fuzz" keeps */
#define MOST_BYTES	(1 << 20)

static void
replay(const char *path)
{
	static uint8_t bytes[MOST_BYTES];
	FILE	   *file = fopen(path, "rb");
	uint8_t    *data;
	size_t		size;

	check(file != NULL);
	size = fread(bytes, 1, sizeof(bytes), file);
	check(!ferror(file) && feof(file));
	check(fclose(file) == 0);

	/* no larger than the input, so that checkers see where it ends */
	data = malloc(size > 0 ? size : 1);
	check(data != NULL);
	memcpy(data, bytes, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int
main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '_');
	char		folder[256];
	struct dirent **entries;
	int			count;
	int			i;

	check(argc == 1 && name != NULL);
	(void) snprintf(folder, sizeof(folder), "test/fuzz/corpus/%s", name + 1);
	count = scandir(folder, &entries, is_visible, alphasort);
	check(count > 0);
	printf("1..%d\n", count);
	for (i = 0; i < count; i++)
	{
		char		path[1024];

		(void) snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		replay(path);
		printf("ok %d - %s\n", i + 1, path);
		(void) fflush(stdout);
		free(entries[i]);
	}
	free(entries);
	return 0;
}
