/*
 * start_first.c
 *		Initialize the sanitizers before all other code.
 *
 * Preloaded into a server that knows nothing of it, AddressSanitizer would be
 * initialised after the server's other libraries; the constructor of one of
 * them allocates memory, and waits for ever.  This object is linked to be
 * initialised first (-z initfirst).
 *
 * UndefinedBehaviorSanitizer reads its options with its first report, and from
 * where the server has by then written the title of a process; and it knows
 * no log_path.  REPORTS is where its reports go, given when this is compiled.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

extern void __asan_init(void);
extern const char *__ubsan_default_options(void);

const char *
__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void __attribute__((constructor))
start(void)
{
	void		(*set_report_path) (const char *);

	__asan_init();

	/* both sanitizers have this function; the second is preloaded after us */
	*(void **) &set_report_path =
		dlsym(RTLD_NEXT, "__sanitizer_set_report_path");
	set_report_path(REPORTS);
}
