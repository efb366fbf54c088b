#!/bin/sh
# Give malformed input to all readers of models, and print the results as TAP.
make -s -C test/fuzz/server PG_CONFIG="$PG_CONFIG" with_llvm=no ${CC:+CC="$CC"} &&
	createdb corpus &&
	exec psql -X -q -d corpus -v module="$PWD/test/fuzz/server/dlints_fuzz.so" -f test/fuzz/server/replay.sql
