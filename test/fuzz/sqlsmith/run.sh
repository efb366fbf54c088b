#!/bin/sh
# Let sqlsmith make up queries over tables with models, as a role without rights,
# for a bounded time.  It goes on after crashes and exits with 0, so what counts
# is the server's log.
#
# SQLSMITH_SECONDS   how long (60)
# SQLSMITH_SEED      to repeat a run (1)
set -eu

said=$PRIVATE/sqlsmith
psql -X -q -f test/fuzz/sqlsmith/setup.sql >/dev/null
echo "sqlsmith, seed ${SQLSMITH_SEED:-1}, ${SQLSMITH_SECONDS:-60} seconds"
status=0
timeout "${SQLSMITH_SECONDS:-60}" sqlsmith --verbose --exclude-catalog --seed="${SQLSMITH_SEED:-1}" \
	--target="host=$PGHOST port=$PGPORT user=smith dbname=postgres" >"$said" 2>&1 || status=$?
if [ "$status" -ne 124 ]; then
	tail -n 5 "$said"
	echo "sqlsmith ended by itself, with status $status"
	exit 1
fi
calls=$(psql -X -q -A -t -c "SELECT coalesce(sum(calls), 0)::text || ' calls of ' || count(DISTINCT funcid)::text
	FROM pg_stat_user_functions WHERE funcname ~ '^dlints'")
echo "$(grep -o 'queries: [0-9]*' "$said" | tail -n 1); $calls functions of dlints came to an end"
echo
echo "Errors in the server's log, by SQLSTATE:"
sed -n 's/^\([0-9A-Z]\{5\}\) ERROR: .*/\1/p' "$PRIVATE/log" | sort | uniq -c | sort -rn

if grep -E '^[0-9A-Z]{5} (LOG: +server process .* (was terminated|exited with)|PANIC|FATAL: .*recovery mode)|TRAP:|^XX[0-9A-Z]{3} ERROR: .*(dlints|aggregate support)' \
	"$PRIVATE/log"; then
	exit 1
fi
case $calls in
	'0 '*) echo "sqlsmith did not reach the extension"; exit 1 ;;
esac
echo "No crash, and no internal error of the extension."
