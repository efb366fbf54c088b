#!/bin/sh
# Run the tests: "make test" has with-server.sh -u call this in the source.
#
# TESTS, where it is not empty, says which: "core" for the unit tests, and paths
set -eu

# The longest come first, so that all jobs end together.
long='009_memory|020_mutated_values|033_layer_traps|035_foreign|040_documents|051_frameworks|060_recommender'
tests=${TESTS:-core test/regress.sh test/oldest.sh test/pgtap/*.sql \
	$(grep -l '^run_checks(' test/python/*.py) test/play/check_http.py test/corpus.sh \
	$(find test/t/*.pl | grep -E "$long") $(find test/t/*.pl | grep -vE "$long")}
prove="prove --harness Harness --timer"
export DLINTS_TALLY="$PRIVATE/tally"
: >"$DLINTS_TALLY"

# For those that start servers of their own, with PostgreSQL's test modules
pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/..
mkdir -p "$PRIVATE/tap/tmp_check" "$PRIVATE/tap/log"
export TESTDIR="$PRIVATE/tap" TESTDATADIR="$PRIVATE/tap/tmp_check" TESTLOGDIR="$PRIVATE/tap/log"
# The limit on a whole background session, which a busy machine must not reach
export PG_TEST_TIMEOUT_DEFAULT="${PG_TEST_TIMEOUT_DEFAULT:-1200}"
export PG_REGRESS="$pgxs/test/regress/pg_regress" PERL5LIB="$PWD/scripts:$PWD/test/t:$pgxs/test/perl"

status=0
# Its faults end all sessions of the server, so nothing may run beside it.
[ -z "${SANITIZE:-}" ] || $prove --source Executable test/sanitize/canary.sh || status=1
case " $tests " in
	*" core "*)
		tests=$(printf ' %s ' "$tests" | sed 's/ core / /')
		make -s -j "$(getconf _NPROCESSORS_ONLN)" -C test/core check PROVE="$prove --jobs 2" \
			${CC:+CC="$CC"} || status=1 ;;
esac
if [ -n "${tests# }" ]; then
	case "$tests " in
		*".sql "*)
			# pgTAP of any version is fine, for a PostgreSQL that is no package.
			share=$("$PG_CONFIG" --sharedir)/extension
			[ -e "$share/pgtap.control" ] || cp /usr/share/postgresql/*/extension/pgtap* "$share"
			createdb pgtap
			psql -X -q -d pgtap -c 'CREATE EXTENSION pgtap' -c 'CREATE EXTENSION dlints'
			prove="$prove --source pgTAP --pgtap-option suffix=.sql --pgtap-option dbname=pgtap" ;;
	esac
	# What changes the installed files comes last, alone.
	files='' alone=''
	for test in $tests; do
		case $(cat "$test") in
			*ExtensionFiles*) alone="$alone $test" ;;
			*) files="$files $test" ;;
		esac
	done
	# Programs with servers of their own often wait, so there is a job more than two processors need.
	jobs=3
	# shellcheck disable=SC2086 # lists of words
	[ -z "$files" ] || $prove --jobs "$jobs" --source Perl --source Executable $files || status=1
	# shellcheck disable=SC2086
	[ -z "$alone" ] || $prove --source Perl $alone || status=1
fi
# What broke without a failed check has failed, too.
awk -v status="$status" '{ passed += $1; failed += $2 }
	END {
		if ((status || !passed) && !failed)
			failed = 1
		printf "dlints: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}' "$DLINTS_TALLY"
