#!/bin/sh
# Test that the sanitizers report faults: a session that commits a fault must be ended, and a report or the server's
# log must contain the expected words.
make -s PG_CONFIG="$PG_CONFIG" with_llvm=no COPT= MODULE_big=canary OBJS=test/sanitize/canary.o SHLIB_EXPORTS= canary.so &&
	psql -X -q -c "CREATE FUNCTION canary(cstring) RETURNS integer AS '$PWD/canary' LANGUAGE c" || exit
number=0

# The server is restarted for each fault.
provoke()
{
	number=$((number + 1))
	psql -X -q -c "SELECT canary('$1')" >"$PRIVATE/canary.log" 2>&1
	if [ $? -eq 2 ] && sleep 0.5 && grep -Eqs "$2" "$REPORTS"/* "$PRIVATE/log"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		sed 's/^/# /' "$PRIVATE/canary.log"
	fi
	rm -f "$REPORTS"/*
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		pg_isready -q && break
		sleep 0.5
	done
}

provoke malloc heap-buffer-overflow
provoke palloc heap-buffer-overflow
provoke free heap-use-after-free
provoke stack stack-buffer-overflow
provoke alignment 'misaligned address'
provoke integer 'signed integer overflow'
provoke assertion 'TRAP: (FailedAssertion|failed Assert)'
echo "1..$number"
