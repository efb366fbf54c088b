#!/bin/sh
# Build pgvector from the source checkout that PGVECTOR names, and measure with
# it: "make ann" has with-server.sh call this.  The checkout is left as it is.
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

[ -e "$PGVECTOR/vector.control" ] || die "PGVECTOR=folder names a source checkout of pgvector"
copy=$PRIVATE/pgvector
mkdir "$copy"
(cd "$PGVECTOR" && tar -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' .) |
	tar -xf - --no-same-owner -C "$copy"
echo "Building pgvector"
make -s -C "$copy" -j "$(getconf _NPROCESSORS_ONLN)" with_llvm=no PG_CONFIG="$PG_CONFIG" install >"$copy/make.log" 2>&1 ||
	die "pgvector cannot be built: $(tail -n 1 "$copy/make.log")"

exec "$PYTHON" -m bench.ann "$@"
