#!/bin/sh
# Hostile inputs to what reads models, as TAP
createdb corpus &&
	exec psql -X -q -d corpus -v module="$PWD/test/fuzz/server/dlints_fuzz.so" -f test/fuzz/server/replay.sql
