#!/bin/sh
# Build the Debian packages, in build/deb: the source, and one package for each
# major version of PostgreSQL whose headers are installed as a package.
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

cd "$(dirname "$0")/.."
target=$PWD/build/deb
source=$target/dlints
log=$target/build.log
rm -rf "$target"
mkdir -p "$source"
tar -cf - --exclude-vcs --exclude='*.o' --exclude='*.bc' --exclude='*.so' --exclude='__pycache__' \
	--exclude=./build --exclude=./results --exclude='./dlints-*.tar.gz' . | tar -xf - -C "$source"

# What was said to the make that runs this is not for those below.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PG_CONFIG
cd "$source"
export PG_SUPPORTED_VERSIONS=installed
pg_buildext updatecontrol
dpkg-buildpackage --no-sign --build=full >"$log" 2>&1 || { tail -n 30 "$log" >&2; die "the rest is in $log"; }

# Code for the processors of the machine that it was built on runs on no other.
! grep -E -e '-m(arch|cpu|tune)=' "$log" || die "the packages are for this machine's processor only"
# "lib" and "doc" stand twice in paths: PostgreSQL wants the one, README.md's links the other.
lintian --pedantic --suppress-tags repeated-path-segment --fail-on error,warning,info,pedantic \
	--allow-root "$target"/*.changes || die "lintian found the above"
rm -rf "$source"
(cd "$target" && sha256sum ./*.deb)
