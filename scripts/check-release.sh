#!/bin/sh
# Check what "make dist" cannot see in one line: that each version upgrades to
# the next, that nothing released was changed, and that the tarball builds.
#
#   check-release.sh VERSION
#
# PG_CONFIG chooses the PostgreSQL to build for.
set -eu
. "$(dirname "$0")/common.sh"

version=$1
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
git diff --quiet HEAD || die "there are changes that are not committed"

# Versions with an install script, oldest first
versions=$(git ls-files 'sql/dlints--*.sql' |
	sed -n 's/^sql\/dlints--\([0-9.]*\)\.sql$/\1/p' | sort -V)
[ "$(say "$versions" | tail -n 1)" = "$version" ] ||
	die "sql/dlints--$version.sql is not the last install script"
grep -q "\"file\": \"sql/dlints--$version.sql\"" META.json ||
	die "META.json does not name sql/dlints--$version.sql"

previous=
for next in $versions; do
	if [ -n "$previous" ]; then
		step=sql/dlints--$previous--$next.sql
		[ -e "$step" ] || die "there is no $step"
		grep -q '^\\echo .*\\quit$' "$step" ||
			die "$step lacks the line that keeps psql from running it"
		grep -q '^UPDATE pg_catalog\.pg_proc SET provolatile' "$step" ||
			die "$step does not mark dlints_recommend as volatile (see RELEASING.md)"
	fi
	previous=$next
done

# A tag is a release.  What came out with it stays.
for tag in $(git tag --list 'v*'); do
	for file in $(git ls-tree -r --name-only "$tag" -- sql test/pgtap/fixtures |
		grep -E '^(sql/dlints--|test/pgtap/fixtures/format_)'); do
		git diff --quiet "$tag" HEAD -- "$file" ||
			die "$file is not what was released with $tag"
	done
done

# The tarball builds with "make" alone, away from any repository.
pg_config=$(find_pg_config) || die "no pg_config with server headers"
folder=$(private_folder dlints-dist)
trap 'rm -rf "$folder"' EXIT
exit_on_signals
git archive --prefix="dlints-$version/" HEAD | tar -xf - -C "$folder"
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
make -s -C "$folder/dlints-$version" PG_CONFIG="$pg_config" with_llvm=no
make -s -C "$folder/dlints-$version" PG_CONFIG="$pg_config" with_llvm=no \
	DESTDIR="$folder/stage" install >/dev/null
for file in "$("$pg_config" --pkglibdir)/dlints.so" \
	"$("$pg_config" --sharedir)/extension/dlints.control" \
	"$("$pg_config" --sharedir)/extension/dlints--$version.sql"; do
	[ -e "$folder/stage$file" ] || die "the tarball does not install $file"
done
