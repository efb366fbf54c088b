#!/bin/sh
# Read the source with clang-tidy and cppcheck, the scripts with shellcheck,
# the Perl with perlcritic, the Python with pyflakes and the workflows with
# yamllint.  Each finding is shown, and any fails the run.  Suppressions stand,
# with their reasons, in .clang-tidy, in test/.clang-tidy and below.
set -eu
. "$(dirname "$0")/common.sh"

cd "$(dirname "$0")/.."
pg_config=$(find_pg_config) || die "no pg_config with server headers"
headers=$("$pg_config" --includedir-server)
failed=

# check NAME COMMAND ...
check()
{
	name=$1
	shift
	if run_interruptible "$@"; then
		say "$name: nothing found"
	else
		say "$name: see above"
		failed=yes
	fi
}

# Each file by a process of its own, as many at a time as there are processors.
# clang-tidy counts on standard error what it found in the server's headers.
tidy()
{
	jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
	# shellcheck disable=SC2016 # expanded by the inner shell
	printf '%s\n' src/*.c src/core/*.c test/core/*.c test/long/*.c test/fuzz/core/*.c |
		xargs -P "$jobs" -I{} sh -c '
			found=$(clang-tidy --quiet "$1" -- -std=gnu99 -D_GNU_SOURCE \
				-Isrc -Itest/core -isystem "$2" 2>&1) || { printf "%s\n" "$found"; exit 1; }' sh {} "$headers"
}

# A declaration belongs at the start of a block, even if a smaller block would do
# (variableScope).
cpp_check()
{
	cppcheck --quiet --std=c99 --enable=warning,style,performance,portability \
		--inline-suppr --suppress=variableScope --error-exitcode=1 \
		--include=scripts/cppcheck.h -Isrc -Itest/core src test/core test/long test/fuzz/core
}

# Perl compiles against PostgreSQL's test modules, and "perl -c" succeeds even
# if it warns.
perl_check()
{
	modules=$(dirname "$("$pg_config" --pgxs)")/../test/perl
	status=0
	for file in test/t/*.p[lm]; do
		messages=$(perl -I"$modules" -Itest/t -wc "$file" 2>&1) || true
		if [ "$messages" != "$file syntax OK" ]; then
			say "$messages"
			status=1
		fi
	done
	perlcritic --quiet --gentle --verbose '%f:%l: %m (%p)\n' test/t || status=1
	return "$status"
}

check clang-tidy tidy
check cppcheck cpp_check
check shellcheck shellcheck scripts/*.sh .ci/* test/fuzz/*.sh test/fuzz/*/*.sh
check perlcritic perl_check
check pyflakes pyflakes3 bench test
check yamllint yamllint --strict .github .yamllint
[ -z "$failed" ]
