#!/bin/sh
# Make the tarball of a release, if every file agrees on the version, each version
# upgrades to the next, nothing released was changed, and the tarball works.
#
#   dist.sh VERSION
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

version=$1
cd "$(dirname "$0")/.."
git diff --quiet HEAD || die "there are changes that are not committed"
grep -q "^default_version = '$version'" dlints.control || die "dlints.control does not say version $version"
[ "$(sed '/"meta-spec"/,$d' META.json | grep -cF "\"version\": \"$version\"")" -eq 2 ] ||
	die "META.json does not say version $version twice"
grep -qF "\"file\": \"sql/dlints--$version.sql\"" META.json || die "META.json does not name sql/dlints--$version.sql"
[ "$(sed -n '1s/^dlints (\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || die "debian/changelog does not say version $version"
grep -qx "version: $version" CITATION.cff || die "CITATION.cff does not say version $version"
status=$(sed -n 's/.*"release_status": "\(.*\)",/\1/p' META.json)
grep -qF "**Status: $status.**" README.md || die "README.md does not say that the status is $status"
grep -qF "## [$version]" CHANGELOG.md || die "CHANGELOG.md has no section for $version"

# Versions with a script that creates them, oldest first: the last one's is made of
# sql/install, those that were released are kept.
previous=
for next in $({ git ls-files 'sql/dlints--*.sql' | sed -n 's/^sql\/dlints--\([0-9.]*\)\.sql$/\1/p'; echo "$version"; } | sort -uV); do
	step=sql/dlints--$previous--$next.sql
	if [ -n "$previous" ]; then
		grep -q '^\\echo .*\\quit$' "$step" || die "$step lacks the line that keeps psql from running it"
	fi
	previous=$next
done
[ "$previous" = "$version" ] || die "sql/dlints--$previous.sql is of a later version than $version"

make -s "sql/dlints--$version.sql"

# A tag is a release.  What came out with it stays.
for tag in $(git tag --list 'v*'); do
	changed=$(git diff --name-only --no-renames --diff-filter=a "$tag" HEAD -- 'sql/dlints--*' 'test/pgtap/fixtures/format_*')
	[ -z "$changed" ] || die "not what was released with $tag:" "$changed"
	script=sql/dlints--${tag#v}.sql
	[ "$(git ls-tree --name-only "$tag" sql/install/ | while read -r part; do git show "$tag:$part"; done)" = "$(cat "$script")" ] ||
		die "$script is not what $tag creates"
done

tarball=$PWD/dlints-$version.tar.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git archive --format=tar.gz --prefix="dlints-$version/sql/" --add-file="sql/dlints--$version.sql" \
	--prefix="dlints-$version/" -o "$tarball" HEAD
tar -xzf "$tarball" -C "$folder"
"$folder/dlints-$version/scripts/with-server.sh" psql -X -q -v ON_ERROR_STOP=1 \
	-c "CREATE EXTENSION dlints VERSION '$version'" -c 'SELECT dlints_new(1)' >/dev/null ||
	{ rm "$tarball"; die "the tarball does not work"; }
echo "dlints-$version.tar.gz"
