#!/bin/sh
# Make the tarball of a release. Fails unless every file states the same version, each released
# version upgrades to the next, released files are unchanged, and the tarball works.
#
#   dist.sh VERSION SCRIPT...     the scripts that make builds, which are there
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

version=$1
shift
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git diff --quiet HEAD || die "there are changes that are not committed"
for extension in dlints dlints_pgvector; do
	grep -q "^default_version = '$version'" $extension.control || die "$extension.control does not say version $version"
	grep -qF "\"file\": \"sql/$extension--$version.sql\"" META.json ||
		die "META.json does not name sql/$extension--$version.sql"
done
[ "$(sed '/"meta-spec"/,$d' META.json | grep -cF "\"version\": \"$version\"")" -eq 3 ] ||
	die "META.json does not say version $version three times"
[ "$(sed -n '1s/^dlints (\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || die "debian/changelog does not say version $version"
grep -qx "Version: $version" rpm/dlints.spec || die "rpm/dlints.spec does not say version $version"
grep -qx "version: $version" CITATION.cff || die "CITATION.cff does not say version $version"
status=$(sed -n 's/.*"release_status": "\(.*\)",/\1/p' META.json)
grep -qi "^\*\*$status\.\*\*" README.md || die "README.md does not say that the status is $status"
grep -qF "## [$version]" CHANGELOG.md || die "CHANGELOG.md has no section for $version"

# Each tag is a release. Every released version has an upgrade script to the next one, and
# released upgrade scripts and stored-format fixtures never change.
previous=
for next in $({ git tag --list 'v*' | sed 's/^v//'; echo "$version"; } | sort -uV); do
	for extension in dlints dlints_pgvector; do
		step=sql/$extension--$previous--$next.sql
		[ -z "$previous" ] || grep -q '^\\echo .*\\quit$' "$step" ||
			die "$step lacks the line that keeps psql from running it"
	done
	previous=$next
done
[ "$previous" = "$version" ] || die "version $previous, later than $version, is released"
for tag in $(git tag --list 'v*'); do
	changed=$(git diff --name-only --no-renames --diff-filter=a "$tag" HEAD -- 'sql/dlints*--*--*' 'test/pgtap/fixtures/format_*')
	[ -z "$changed" ] || die "changed since the release $tag:" "$changed"
done

tarball=$PWD/dlints-$version.tar.gz
# shellcheck disable=SC2046 # words
git archive --format=tar.gz --prefix="dlints-$version/sql/" $(printf -- '--add-file=%s ' "$@") \
	--prefix="dlints-$version/" -o "$tarball" HEAD
tar -xzf "$tarball" -C "$folder"
"$folder/dlints-$version/scripts/with-server.sh" psql -X -q -v ON_ERROR_STOP=1 \
	-c "CREATE EXTENSION dlints VERSION '$version'" -c 'SELECT dlints_new(1)' \
	-c "SELECT 1 / count(*) FROM pg_available_extensions
	    WHERE (name, default_version) = ('dlints_pgvector', '$version')" \
	>/dev/null ||
	{ rm "$tarball"; die "the tarball does not work"; }
echo "dlints-$version.tar.gz"
