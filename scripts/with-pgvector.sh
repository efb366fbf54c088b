#!/bin/sh
# Run a command on a server that has pgvector, too.
#
#   with-server.sh [-u] scripts/with-pgvector.sh FOLDER COMMAND [ARGUMENT ...]
#
# FOLDER is a source checkout of pgvector.  It is copied, built for the private
# server and left as it is.
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

folder=$1
shift
copy=$PRIVATE/pgvector
mkdir "$copy"
(cd "$folder" && tar -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' .) |
	tar -xf - --no-same-owner -C "$copy" || die "the server's account has to be able to read $folder"
echo "Building pgvector"
make -s -C "$copy" -j "$(getconf _NPROCESSORS_ONLN)" with_llvm=no HEADERS= PG_CONFIG="$PG_CONFIG" install >"$copy/make.log" 2>&1 ||
	die "pgvector cannot be built: $(tail -n 1 "$copy/make.log")"
exec "$@"
