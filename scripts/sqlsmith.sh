#!/bin/sh
# Let sqlsmith make up queries over tables with models, as a role without
# rights, for a bounded time.  It goes on after crashes and exits with 0, so
# what counts is the server's log.
#
# Environment:
#   PG_CONFIG          which PostgreSQL
#   SQLSMITH_SECONDS   how long (60)
#   SQLSMITH_SEED      to repeat a run (1)
set -eu
. "$(dirname "$0")/common.sh"

scripts=$(cd "$(dirname "$0")" && pwd)
here=$scripts/../test/fuzz/sqlsmith
PG_CONFIG=$(find_pg_config) || die "no pg_config with server headers"
export PG_CONFIG

work=$(private_folder dlints-sqlsmith)
trap 'rm -rf "$work"' EXIT
exit_on_signals
unset MAKEFLAGS MFLAGS MAKELEVEL

"$scripts/build-stage.sh" "$work" with_llvm=no
run_interruptible "$scripts/with-private-cluster.sh" --stage "$work/stage" --log "$work/log" \
	sh "$here/run.sh" "${SQLSMITH_SECONDS:-60}" "${SQLSMITH_SEED:-1}" "$work"

say ""
say "Errors in the server's log, by SQLSTATE:"
sed -n 's/^\([0-9A-Z]\{5\}\) ERROR: .*/\1/p' "$work/log" | sort | uniq -c | sort -rn

if grep -E '^[0-9A-Z]{5} (LOG: +server process .* (was terminated|exited with)|PANIC|FATAL: .*recovery mode)|TRAP:|^XX[0-9A-Z]{3} ERROR: .*(dlints|aggregate support)' \
	"$work/log"; then
	mkdir -p "$scripts/../build/fuzz"
	cp "$work/log" "$scripts/../build/fuzz/sqlsmith-server.log"
	die "see build/fuzz/sqlsmith-server.log"
fi
say "No crash, and no internal error of the extension."
