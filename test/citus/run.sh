#!/bin/sh
# Build Citus from the source checkout that CITUS names, and try dlints on a
# coordinator and two workers: "make citus" has with-server.sh -u call this.
#
# The checkout is copied and left as it is.  If Citus is built in it, for this
# PostgreSQL, the copy is not built again.
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	echo "dlints: 0 passed, 1 failed"
	exit 1
}

copy=$PRIVATE/citus
mkdir "$copy"
(cd "$CITUS" && tar -cf - --exclude=./.git .) | tar -xf - -C "$copy" ||
	die "the server's account has to be able to read $CITUS"
cd "$copy"

built_for=$(sed -n 's/^PG_CONFIG *:*= *//p' Makefile.global 2>/dev/null || true)
if [ "$("${built_for:-false}" --version)" != "$("$PG_CONFIG" --version)" ]; then
	echo "Building Citus"
	[ -z "$built_for" ] || make -s clean >/dev/null
	./configure -q --without-libcurl --without-lz4 --without-zstd PG_CONFIG="$PG_CONFIG" >configure.log 2>&1 ||
		die "Citus cannot be configured, see $copy/configure.log"
	# PostgreSQL has this function since 15.20, and Citus has a function of the same name.
	grep -q have_createdb_privilege "$("$PG_CONFIG" --includedir-server)/commands/dbcommands.h" &&
		sed -i 's/^have_createdb_privilege(void)$/citus_&/' src/include/pg_version_compat.h
fi
# One job: with more, libraries of Citus are linked before their parts are compiled.
make -s with_llvm=no PG_CONFIG="$PG_CONFIG" install-extension >make.log 2>&1 ||
	die "Citus cannot be built, see $copy/make.log"

cd "$PRIVATE/source"
TESTS=test/citus/cluster.pl exec scripts/test.sh
