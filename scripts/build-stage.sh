#!/bin/sh
# Build the extension away from the source tree and install it into a folder.
#
#   build-stage.sh [--copy-only] FOLDER [VARIABLE=VALUE ...]
#
# FOLDER/source is then the copy that was built, FOLDER/stage the installation
# (a DESTDIR).  The variables go to make.  --copy-only builds nothing.
set -eu
. "$(dirname "$0")/common.sh"

root=$(cd "$(dirname "$0")/.." && pwd)
copy_only=
if [ "$1" = --copy-only ]; then
	copy_only=yes
	shift
fi
folder=$1
shift

mkdir -p "$folder/source" "$folder/stage"
(cd "$root" && tar -cf - --exclude=.git --exclude='*.o' --exclude='*.bc' \
	--exclude='*.so' --exclude=./build --exclude=./results .) |
	tar -xf - --no-same-owner -C "$folder/source"
if [ -n "$copy_only" ]; then
	exit
fi

pg_config=$(find_pg_config) || die "no pg_config with server headers"

# Bitcode for the server's JIT compiler needs the clang it was built with.
clang=$(sed -n 's/^CLANG *= *//p' \
	"$(dirname "$("$pg_config" --pgxs)")/../Makefile.global")
if ! command -v "${clang:-clang}" >/dev/null; then
	set -- "$@" with_llvm=no
fi

# The caller's compiler, if it is to be another one than the server's
if [ -n "${CC:-}" ]; then
	set -- "$@" CC="$CC"
fi

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
make -s -j "$jobs" -C "$folder/source" PG_CONFIG="$pg_config" "$@" all
make -s -C "$folder/source" PG_CONFIG="$pg_config" "$@" \
	DESTDIR="$folder/stage" install >/dev/null
chmod -R u+rwX,go+rX,go-w "$folder/stage"

library=$folder/stage$("$pg_config" --pkglibdir)/dlints.so
if ldd "$library" | awk '/blas|lapack/ {print $3}' | while read -r blas; do
	readlink -f "$blas"; done | grep -Eq 'pthread|openmp'; then
	warn "dlints: the system's BLAS is a multi-threaded build, which starts threads" \
		"in every server process. Prefer a serial one (libopenblas0-serial; on" \
		"Debian, update-alternatives chooses, for libopenblas.so.0 too)."
fi
