#!/bin/sh
# Run the tests with AddressSanitizer and UndefinedBehaviorSanitizer in the
# extension and in the unit tests, and with PostgreSQL's assertions in the
# extension's code.  Any report is a failure.
#
# The server is the stock one, with the sanitizers' libraries preloaded.  Not
# checked: single pieces of palloc'ed memory up to 8 kB, which share blocks, and
# what the server, BLAS and LAPACK themselves read and write.
set -eu

work=$(mktemp -d /tmp/dlints-sanitize.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
export REPORTS="$work/reports"
mkdir "$REPORTS"
chmod 755 "$work"
chmod 1777 "$REPORTS"

gcc -shared -fPIC -Wl,-z,initfirst -DREPORTS="\"$REPORTS/ubsan\"" \
	-o "$work/start_first.so" "$(dirname "$0")/../test/sanitize/start_first.c"
# A report goes to a file and ends the process.  Stack frames may not move to the
# heap, since the server measures its stack by their addresses; and it need not
# free at its end what it has allocated.
export SANITIZE=address,undefined,float-cast-overflow UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS="log_path=$REPORTS/asan:abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=0"
SERVER_PRELOAD="$(gcc -print-file-name=libasan.so) $work/start_first.so $(gcc -print-file-name=libubsan.so)"
export SERVER_PRELOAD

status=0
found=nothing
"$(dirname "$0")/with-server.sh" -u scripts/test.sh || status=$?
for report in "$REPORTS"/*; do
	if [ -e "$report" ]; then
		echo "-- a sanitizer's report"
		head -n 60 "$report"
		status=1
		found=something
	fi
done
echo "The sanitizers had $found to report."
exit "$status"
