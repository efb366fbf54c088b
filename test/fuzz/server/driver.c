/*
 * driver.c
 *		Run libFuzzer in a server process, which ends with it.
 */
#include "postgres.h"

#include <signal.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "readers.h"

extern int	LLVMFuzzerRunDriver(int *argc, char ***argv,
								int (*callback) (const uint8 *data, size_t size));

static uint64 accepted_count;

static int
OneInput(const uint8 *data, size_t size)
{
	bool		accepted;
	char	   *problem = ReadInput((const char *) data, size, &accepted);

	accepted_count += accepted;
	if (problem)
	{
		fprintf(stderr, "%s\n", problem);
		abort();				/* libFuzzer then keeps the input */
	}
	return 0;
}

static void
SayAccepted(void)
{
	fprintf(stderr, "accepted: " UINT64_FORMAT " inputs\n", accepted_count);
}

PG_FUNCTION_INFO_V1(dlints_fuzz);

/*
 * dlints_fuzz(log text, arguments text[])
 *
 * What libFuzzer says goes to the file "log".  The arguments are those of its
 * command line; the first is the command that starts it again, which it does
 * to merge corpora.  Does not come back.
 */
Datum
dlints_fuzz(PG_FUNCTION_ARGS)
{
	Datum	   *arguments;
	bool	   *nulls;
	int			count;
	int			argc;
	char	  **argv;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT,
					  &arguments, &nulls, &count);
	argc = count;
	argv = palloc0(sizeof(char *) * (count + 1));
	for (int i = 0; i < count; i++)
		argv[i] = TextDatumGetCString(arguments[i]);

	BeginReading();
	if (freopen(text_to_cstring(PG_GETARG_TEXT_PP(0)), "a", stderr) == NULL)
		elog(ERROR, "cannot write to the log");
	atexit(SayAccepted);
	/* libFuzzer installs its handlers only where there are none */
	signal(SIGALRM, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	LLVMFuzzerRunDriver(&argc, &argv, OneInput);
	PG_RETURN_VOID();
}
