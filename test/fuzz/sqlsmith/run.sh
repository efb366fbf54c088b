#!/bin/sh
# run.sh SECONDS SEED FOLDER: sqlsmith against the server that PGHOST leads to;
# see scripts/sqlsmith.sh, which calls this.  FOLDER is for what sqlsmith says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/common.sh"
psql="$("$PG_CONFIG" --bindir)/psql -X -q -A -t"

$psql -f "$here/setup.sql" >/dev/null
say "sqlsmith, seed $2, $1 seconds"
status=0
timeout "$1" sqlsmith --verbose --exclude-catalog --seed="$2" \
	--target="host=$PGHOST port=$PGPORT user=smith dbname=postgres" \
	>"$3/sqlsmith.out" 2>"$3/sqlsmith.err" || status=$?
if [ "$status" -ne 124 ]; then
	tail -n 5 "$3/sqlsmith.err"
	die "sqlsmith ended by itself, with status $status"
fi
queries=$(grep -o 'queries: [0-9]*' "$3/sqlsmith.err" | tail -n 1)
calls=$($psql -c "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE funcname ~ '^dlints'")
functions=$($psql -c "SELECT count(DISTINCT funcid) FROM pg_stat_user_functions WHERE funcname ~ '^dlints'")
say "${queries:-no query}; $calls calls of $functions functions of dlints came to an end"
if [ -z "$queries" ] || [ "$calls" -eq 0 ]; then
	die "sqlsmith did not reach the extension"
fi
