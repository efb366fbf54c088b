#!/bin/sh
# Learn millions of observations, through the core and through SQL, and compare
# what is left of them with its definition.  Fails if a promise is broken.
#
# Environment: PG_CONFIG
set -eu
. "$(dirname "$0")/common.sh"

scripts=$(cd "$(dirname "$0")" && pwd)
PG_CONFIG=$(find_pg_config) || die "no pg_config with server headers"
export PG_CONFIG
unset MAKEFLAGS MFLAGS MAKELEVEL

work=$(private_folder dlints-long)
trap 'rm -rf "$work"' EXIT
exit_on_signals
chmod 755 "$work"

"$scripts/build-stage.sh" "$work" with_llvm=no
source=$work/source
make -s -C "$source" PG_CONFIG="$PG_CONFIG" build/core/long_run

failed=
run_interruptible "$source/build/core/long_run" || failed=yes

say ""
for discount in 0.99 1; do
	"$source/build/core/long_run" --model "$discount" 1000000 >"$work/model.sql"
	run_interruptible "$scripts/with-private-cluster.sh" --stage "$work/stage" \
		"$("$PG_CONFIG" --bindir)/psql" -X -q -c 'CREATE EXTENSION dlints' \
		-f "$work/model.sql" -f "$source/test/long/evidence.sql" || failed=yes
done
[ -z "$failed" ]
