#!/bin/sh
# Build with warnings as errors and run every test, each stage on a private
# server of its own.  Ends with one line that counts single checks.
#
# Environment:
#   PG_CONFIG   which PostgreSQL
#   STAGES      which stages, of "core regress pgtap policies tap corpus" (all)
#   CC          which compiler (the server's)
#   SANITIZE    checkers to build with, as in address,undefined (none); beyond
#               the unit tests run-sanitized.sh has to prepare the servers
#   CORE_EXEC   what runs each program of unit tests, as in valgrind (nothing)
#   KEEP=1      keep the folder with the logs even if all went well
set -eu
. "$(dirname "$0")/common.sh"

scripts=$(cd "$(dirname "$0")" && pwd)
stages=${STAGES:-core regress pgtap policies tap corpus}
for stage in $stages; do
	case $stage in
		core | regress | pgtap | policies | tap | corpus) ;;
		*) die "unknown test stage \"$stage\" (known: core regress pgtap policies tap corpus)" ;;
	esac
done

passed=0
failed=0
troubled=
work=$(private_folder dlints-test)
logs=$work/logs
source=$work/source
mkdir "$logs"
chmod 755 "$work" "$logs"

finish()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	# servers of a test that was interrupted before it knew them
	for data in "$work"/tap/tmp_check/*/pgdata; do
		if [ -e "$data/postmaster.pid" ]; then
			(cd "$work" && as_server "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$data" \
				-m immediate -w stop) >/dev/null 2>&1 || true
		fi
	done
	case $status in
		0 | 130 | 143) keep=${KEEP:-} ;;
		*) keep=yes ;;
	esac
	if [ -z "$keep" ]; then
		rm -rf "$work"
	else
		say "Logs are in $logs"
	fi
	exit "$status"
}
trap finish EXIT
exit_on_signals
unset MAKEFLAGS MFLAGS MAKELEVEL

heading()
{
	say ""
	say "== $*"
}

# Add the results of a stage.  STATUS other than 0 without a failed check (a
# program that crashed, a server that did not start) is a failure, and so is a
# stage without a check.
count()
{
	name=$1 ok=$2 not_ok=$3 status=$4
	if [ "$not_ok" -eq 0 ] && [ "$status" -ne 0 ]; then
		not_ok=1
	elif [ $((ok + not_ok)) -eq 0 ]; then
		say "ran no test"
		not_ok=1
	fi
	passed=$((passed + ok))
	failed=$((failed + not_ok))
	if [ "$not_ok" -gt 0 ]; then
		troubled="$troubled $name"
	fi
	say "$name: $ok passed, $not_ok failed"
}

# Count the top-level lines of TAP in a log.  A skipped check has not passed; a
# failure marked TODO is expected.
count_tap()
{
	count "$1" "$(grep '^ok [0-9]' "$2" | grep -vci '# skip' || true)" \
		"$(grep '^not ok [0-9]' "$2" | grep -vci '# TODO' || true)" "$3"
}

# Run a command, its output shown and kept; return its status.
logged()
{
	logfile=$1
	shift
	{
		status=0
		run_interruptible "$@" 2>&1 || status=$?
		echo "$status" >"$logs/.status"
	} | tee "$logfile"
	return "$(cat "$logs/.status")"
}

# Run a command that prints TAP; show failures and totals, keep everything.
logged_tap()
{
	logfile=$1
	shift
	{
		status=0
		run_interruptible "$@" 2>&1 || status=$?
		echo "$status" >"$logs/.status"
	} | tee "$logfile" | sed -n '/^not ok/p; /^ok .*# [Ss][Kk][Ii][Pp]/p; /^#  *\(Failed\|at \|got:\|expected:\|have:\|want:\|caught:\|wanted:\)/p; /^Bail out/p; /^[^ #].* \.\.* *$/p
		/^[^ #].*:.*[Ee]rror/p; /^dlints:/p; /^psql:/p'
	status=$(cat "$logs/.status")
	if [ "$status" -ne 0 ]; then
		say "-- end of $logfile"
		tail -n 30 "$logfile" | cut -c 1-300
	fi
	return "$status"
}

run_core()
{
	heading "C unit tests (cmocka)"
	status=0
	logged "$logs/core-build.log" make -s -C "$source" core-tests \
		SANITIZE="${SANITIZE:-}" ${CC:+CC="$CC"} || status=$?
	: >"$logs/core.log"
	if [ "$status" -eq 0 ] && ls "$source"/build/core/test_* >/dev/null 2>&1; then
		CMOCKA_MESSAGE_OUTPUT=TAP
		export CMOCKA_MESSAGE_OUTPUT
		logged_tap "$logs/core.log" sh -c \
			"cd '$source' && prove --verbose --exec '${CORE_EXEC:-}' build/core/test_* build/core/replay_*" ||
			status=$?
	fi
	count_tap core "$logs/core.log" "$status"
}

run_regress()
{
	heading "Regression tests (pg_regress)"
	status=0
	logged "$logs/regress.log" "$scripts/with-private-cluster.sh" --stage "$work/stage" \
		--log "$logs/regress-server.log" \
		make -s -C "$source" PG_CONFIG="$PG_CONFIG" with_llvm=no installcheck || status=$?
	if [ "$status" -ne 0 ] && [ -e "$source/regression.diffs" ]; then
		cp "$source/regression.diffs" "$logs/"
		say "-- $logs/regression.diffs"
		head -n 200 "$logs/regression.diffs"
	fi
	# PostgreSQL 16 and later print TAP, the others "test name ... ok"
	count regress \
		"$(grep -Ec '^ok |\.\.\. ok\b' "$logs/regress.log" || true)" \
		"$(grep -Ec '^not ok |\.\.\. (FAILED|failed)\b' "$logs/regress.log" || true)" "$status"
}

run_pgtap()
{
	heading "pgTAP"
	status=0
	: >"$logs/pgtap.log"
	if ls "$source"/test/pgtap/*.sql >/dev/null 2>&1; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		logged_tap "$logs/pgtap.log" "$scripts/with-private-cluster.sh" --stage "$work/stage" \
			--log "$logs/pgtap-server.log" sh -ec '
				bindir=$1
				cd "$2"
				"$bindir/createdb" pgtap
				PGDATABASE=pgtap
				export PGDATABASE
				"$bindir/psql" -X -q -v ON_ERROR_STOP=1 \
					-c "CREATE EXTENSION pgtap" -c "CREATE EXTENSION dlints"
				pg_prove --psql-bin "$bindir/psql" --verbose --ext .sql test/pgtap/*.sql' \
			sh "$("$PG_CONFIG" --bindir)" "$source" || status=$?
	fi
	count_tap pgtap "$logs/pgtap.log" "$status"
}

run_policies()
{
	heading "Choices against numpy"
	status=0
	: >"$logs/policies.log"
	python=$(find_python "$python_for_test") ||
		die "no python3 with $python_for_test"
	logged_tap "$logs/policies.log" "$scripts/with-private-cluster.sh" --stage "$work/stage" \
		--log "$logs/policies-server.log" \
		"$python" -B "$source/bench/paper/check.py" || status=$?
	count_tap policies "$logs/policies.log" "$status"
}

run_tap()
{
	heading "Tests with several sessions or servers (TAP)"
	status=0
	: >"$logs/tap.log"
	if ls "$source"/test/t/*.pl >/dev/null 2>&1; then
		pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/..
		mkdir -p "$work/tap/tmp_check" "$work/tap/log"
		cp -R "$source/test/t" "$work/tap/t"
		if [ "$(id -u)" -eq 0 ]; then
			chown -R "$(server_account):$(id -g "$(server_account)")" "$work/tap"
		fi
		# shellcheck disable=SC2016 # expanded by the inner shell
		logged_tap "$logs/tap.log" as_server env HOME="$work/tap" TESTDIR="$work/tap" \
			TESTDATADIR="$work/tap/tmp_check" TESTLOGDIR="$work/tap/log" \
			PG_REGRESS="$pgxs/test/regress/pg_regress" \
			PERL5LIB="$pgxs/test/perl:$work/tap/t" \
			PATH="$("$PG_CONFIG" --bindir):$PATH" \
			DLINTS_STAGE="$work/stage" \
			DLINTS_SHAREDIR="$("$PG_CONFIG" --sharedir)" \
			DLINTS_PKGLIBDIR="$("$PG_CONFIG" --pkglibdir)" \
			sh -c 'cd "$1" && exec prove --verbose t/*.pl' sh "$work/tap" || status=$?
		if [ "$status" -ne 0 ]; then
			cp -R "$work/tap/log" "$logs/tap-servers" 2>/dev/null || true
			cp -R "$work/tap/tmp_check/log" "$logs/tap-servers" 2>/dev/null || true
		fi
	fi
	count_tap tap "$logs/tap.log" "$status"
}

# The inputs that fuzzing has kept for what reads models; those for the core are
# among its unit tests.
run_corpus()
{
	heading "Hostile inputs to the readers"
	status=0
	: >"$logs/corpus.log"
	logged "$logs/corpus-build.log" make -s -C "$source/test/fuzz/server" \
		PG_CONFIG="$PG_CONFIG" with_llvm=no COPT="$warnings" || status=$?
	if [ "$status" -eq 0 ]; then
		cp "$source/test/fuzz/server/dlints_fuzz.so" "$work/"
		chmod 755 "$work/dlints_fuzz.so"
		# shellcheck disable=SC2016 # expanded by the inner shell
		logged_tap "$logs/corpus.log" "$scripts/with-private-cluster.sh" --stage "$work/stage" \
			--log "$logs/corpus-server.log" sh -c 'cd "$2" && exec "$1/psql" -X -q -v module="$3" \
				-f test/fuzz/server/replay.sql' \
			sh "$("$PG_CONFIG" --bindir)" "$source" "$work/dlints_fuzz.so" || status=$?
	fi
	count_tap corpus "$logs/corpus.log" "$status"
}

case " $stages " in
	" core ")
		core_only=1 ;;
	*)
		core_only=
		PG_CONFIG=$(find_pg_config) || die "no pg_config with server headers"
		export PG_CONFIG
		heading "Build for $("$PG_CONFIG" --version), warnings are errors" ;;
esac

# PostgreSQL's own headers are not clean under the two warnings switched off,
# and its flags are those of the compiler it was built with.
warnings="-Werror -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare"
case ${CC:-} in
	*clang*) warnings="$warnings -Wno-unknown-warning-option \
		-Wno-ignored-optimization-argument -Wno-ignored-attributes" ;;
esac
# Bitcode for the JIT compiler would bypass the checkers.
status=0
if [ -n "$core_only" ]; then
	"$scripts/build-stage.sh" --copy-only "$work"
else
	logged "$logs/build.log" "$scripts/build-stage.sh" "$work" \
		COPT="$warnings" ${SANITIZE:+SANITIZE="$SANITIZE" with_llvm=no} || status=$?
fi

if [ "$status" -ne 0 ]; then
	count build 0 1 "$status"
	# What needs no extension can still run.
	case " $stages " in
		*" core "*) stages=core ;;
		*) stages= ;;
	esac
fi
for stage in $stages; do
	"run_$stage"
done

say ""
if [ "$failed" -gt 0 ]; then
	say "Trouble in:$troubled"
fi
say "dlints: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
