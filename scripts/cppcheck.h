/*
 * cppcheck.h
 *		What cppcheck has to know of PostgreSQL's headers, for it does not
 *		read them.
 */
#define PG_VERSION_NUM	160000
#define uint32			uint32_t
#define lengthof(array)	(sizeof(array) / sizeof((array)[0]))

/* an error does not return */
#define ERROR			21
#define ereport(level, ...) \
	((void) (__VA_ARGS__), (level) >= ERROR ? abort() : (void) 0)
#define ereturn(context, value, ...) \
	return ((void) (__VA_ARGS__), (value))
