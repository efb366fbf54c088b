#!/bin/sh
# Train models on millions of observations, through the core and through SQL, and compare the remaining sums with their
# definition.  Fails if an error exceeds its bound.
set -eu

status=0
make -s -C test/core long
build/core/long_run || status=1
echo
for discount in 0.99 1; do
	build/core/long_run --model "$discount" 1000000 >"$PRIVATE/model.sql"
	dropdb --if-exists long 2>/dev/null
	createdb long
	psql -X -q -d long -c 'CREATE EXTENSION dlints' -f "$PRIVATE/model.sql" -f test/long/evidence.sql || status=1
done
exit "$status"
