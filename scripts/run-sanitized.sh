#!/bin/sh
# Run the tests with AddressSanitizer and UndefinedBehaviorSanitizer in the
# extension and in the unit tests, and with PostgreSQL's assertions in the
# extension's code.  Any report is a failure.
#
# Environment: PG_CONFIG and STAGES, as for run-tests.sh
#
# The server is the stock one, with the sanitizer's library preloaded.  Not
# checked: single pieces of palloc'ed memory up to 8 kB, which share blocks, and
# what the server, BLAS and LAPACK themselves read and write.
set -eu
. "$(dirname "$0")/common.sh"

scripts=$(cd "$(dirname "$0")" && pwd)
pg_config=$(find_pg_config) || die "no pg_config with server headers"
bindir=$("$pg_config" --bindir)
unset MAKEFLAGS MFLAGS MAKELEVEL

work=$(private_folder dlints-sanitize)
trap 'rm -rf "$work"' EXIT
exit_on_signals
chmod 755 "$work"
mkdir "$work/bin" "$work/reports"
chmod 1777 "$work/reports"

# The programs of PostgreSQL as the tests find them; only pg_ctl is another, which
# starts servers with the sanitizers.
libasan=$(readlink -f "$(gcc -print-file-name=libasan.so)")
libubsan=$(readlink -f "$(gcc -print-file-name=libubsan.so)")
if [ ! -e "$libasan" ] || [ ! -e "$libubsan" ]; then
	die "gcc has no sanitizers here"
fi
gcc -shared -fPIC -Wl,-z,initfirst -DREPORTS="\"$work/reports/ubsan\"" \
	-o "$work/start_first.so" "$scripts/../test/sanitize/start_first.c"
ln -s "$bindir"/* "$work/bin/"
rm -f "$work/bin/pg_ctl" "$work/bin/pg_config"
cat >"$work/bin/pg_ctl" <<END
#!/bin/sh
LD_PRELOAD='$libasan $work/start_first.so $libubsan' exec '$bindir/pg_ctl' "\$@"
END
cat >"$work/bin/pg_config" <<END
#!/bin/sh
case "\$*" in
	--bindir) echo '$work/bin' ;;
	*) exec '$pg_config' "\$@" ;;
esac
END
chmod 755 "$work/bin/pg_ctl" "$work/bin/pg_config"

# A report goes to a file and ends the process.  Stack frames may not move to the
# heap, since the server measures its stack by their addresses; and it need not
# free at its end what it has allocated.
PG_CONFIG=$work/bin/pg_config
SANITIZE=address,undefined,float-cast-overflow
ASAN_OPTIONS=log_path=$work/reports/asan:abort_on_error=1:detect_leaks=0
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0
UBSAN_OPTIONS=print_stacktrace=1
export PG_CONFIG SANITIZE ASAN_OPTIONS UBSAN_OPTIONS

# provoke FAULT FILE WORDS: a session that commits this fault has to be ended, and
# the file whose name begins so to have these words.  The server, which starts
# anew after that, is not stopped before it has.
provoke()
{
	status=0
	# shellcheck disable=SC2016 # expanded by the inner shell
	run_interruptible "$scripts/with-private-cluster.sh" --log "$work/server.log" sh -c '
		status=0
		"$1/psql" -X -q -v library="$2/build/canary" -v fault="$3" \
			-f "$2/test/sanitize/canary.sql" || status=$?
		for attempt in 1 2 3 4 5 6 7 8 9 10; do
			sleep 0.5
			"$1/pg_isready" -q && break
		done
		exit "$status"' \
		sh "$bindir" "$work/source" "$1" >"$work/canary.log" 2>&1 || status=$?
	if [ "$status" -ne 2 ] || ! grep -Eqs "$3" "$work/$2"*; then
		cat "$work/canary.log" "$work/server.log" >&2
		die "the sanitizers do not report this fault: $1"
	fi
	rm -f "$work/reports"/*
	say "reported as it should be: $1"
}

say "== Faults that have to be reported"
"$scripts/build-stage.sh" --copy-only "$work"
make -s -C "$work/source" PG_CONFIG="$PG_CONFIG" SANITIZE="$SANITIZE" build/canary.so
chmod -R go+rX "$work/source"
provoke malloc reports/asan heap-buffer-overflow
provoke palloc reports/asan heap-buffer-overflow
provoke free reports/asan heap-use-after-free
provoke stack reports/asan stack-buffer-overflow
provoke alignment reports/ubsan 'misaligned address'
provoke integer reports/ubsan 'signed integer overflow'
provoke assertion server.log 'TRAP: (FailedAssertion|failed Assert)'

status=0
run_interruptible "$scripts/run-tests.sh" || status=$?
for report in "$work/reports"/*; do
	if [ -e "$report" ]; then
		say "-- a sanitizer's report"
		head -n 60 "$report"
		status=1
	fi
done
say "The sanitizers had $([ "$status" -eq 0 ] && echo nothing || echo something) to report."
exit "$status"
