#!/bin/sh
# Read the source with clang-tidy and cppcheck, the scripts with shellcheck,
# the Perl with perlcritic, the Python with pyflakes and pylint, and the workflows with
# yamllint; and look for long lines.  Any finding fails the run.  Suppressions
# stand, with their reasons, in .clang-tidy, in test/.clang-tidy, in .shellcheckrc and below.
set -eu
cd "$(dirname "$0")/.."
pgxs=$(dirname "$("${PG_CONFIG:-pg_config}" --pgxs)")/..
headers=$("${PG_CONFIG:-pg_config}" --includedir-server)
status=0

# By as many processes as there are processors.  clang-tidy counts on standard
# error what it found in the server's headers.
echo "== clang-tidy"
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' src/*.c src/*/*.c test/core/*.c test/long/*.c test/fuzz/core/*.c |
	xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} sh -c '
		found=$(clang-tidy --quiet "$1" -- -std=gnu99 -D_GNU_SOURCE -Isrc -Itest/core -isystem "$2" 2>&1) ||
			{ printf "%s\n" "$found"; exit 1; }' sh {} "$headers" || status=1

# A declaration belongs at the start of a block, even if a smaller block would do;
# and PostgreSQL's hash table, a header, uses members that nothing here does.
echo "== cppcheck"
cppcheck --quiet --std=c99 --enable=warning,style,performance,portability \
	--inline-suppr --suppress=variableScope --suppress=unusedStructMember --error-exitcode=1 \
	--include=scripts/cppcheck.h -Isrc -Itest/core src test/core test/long test/fuzz/core examples || status=1

echo "== shellcheck"
shellcheck scripts/*.sh test/*.sh test/*/*.sh test/*/*/*.sh test/core/*.t .ci/* || status=1

# "perl -c" succeeds even if it warns.
echo "== perl"
for file in test/t/*.p[lm] test/citus/*.pl test/majors/*.pl scripts/*.pm; do
	found=$(perl -I"$pgxs/test/perl" -Itest/t -wc "$file" 2>&1) || true
	[ "$found" = "$file syntax OK" ] || { printf '%s\n' "$found"; status=1; }
done
perlcritic --quiet --gentle --verbose '%f:%l: %m (%p)\n' test/t test/citus test/majors scripts || status=1

# Where a tab is four characters; a message is not split.
echo "== long lines"
for file in src/*.[ch] src/*/*.[ch] test/*/*.[ch] test/*/*/*.[ch] examples/*/*.c \
	bench/*.py bench/*/*.py examples/*/*.py; do
	expand -t 4 "$file" | awk -v file="$file" 'length > 100 && !(/"/ && file ~ /[ch]$/) {
		printf "%s:%d: longer than 100 characters\n", file, NR; found = 1 }
		END { exit found }' || status=1
done

# pyflakes reads a file at a time, and does not see what another one no longer has.
echo "== pyflakes and pylint"
pyflakes3 bench examples test || status=1
pylint --score=n --disable=all --enable=no-name-in-module,unexpected-keyword-arg,no-value-for-parameter \
	--ignored-modules=scipy.linalg.lapack bench || status=1

echo "== yamllint"
yamllint --strict .github .yamllint CITATION.cff || status=1

echo "lint: $([ "$status" -eq 0 ] && echo nothing found || echo see above)"
exit "$status"
