#!/bin/sh
# Build the extension and run a command against a private server that has it.
#
#   with-extension.sh COMMAND [ARGUMENT ...]
#
# The command "python3" is the Python that has the libraries needed.
set -eu
. "$(dirname "$0")/common.sh"

scripts=$(cd "$(dirname "$0")" && pwd)
PG_CONFIG=$(find_pg_config) || die "no pg_config with server headers"
export PG_CONFIG
if [ "$1" = python3 ]; then
	python=$(find_python "$python_for_bench") ||
		die "no python3 with numpy, scipy, psycopg2, matplotlib and tqdm"
	shift
	set -- "$python" "$@"
fi

work=$(private_folder dlints-build)
trap 'rm -rf "$work"' EXIT
exit_on_signals

say "Building dlints for $("$PG_CONFIG" --version)"
run_interruptible "$scripts/build-stage.sh" "$work" with_llvm=no
say "Starting a private server"
unset MAKEFLAGS MFLAGS MAKELEVEL
status=0
run_interruptible "$scripts/with-private-cluster.sh" --stage "$work/stage" "$@" || status=$?
exit "$status"
