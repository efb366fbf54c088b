#!/bin/sh
# Build and run the fuzz targets in test/fuzz, each for a bounded time.
#
#   fuzz.sh fuzz          what fails is kept in build/fuzz, its path is printed
#   fuzz.sh fuzz-corpus   afterwards keep the fewest inputs that reach as much
#                         in test/fuzz/corpus
#
# Environment:
#   PG_CONFIG      which PostgreSQL
#   FUZZ_SECONDS   for each target (60)
#   FUZZ_TARGETS   which of "posterior projection arithmetic readers" (all)
set -eu
. "$(dirname "$0")/common.sh"

action=$1
scripts=$(cd "$(dirname "$0")" && pwd)
fuzz=$scripts/../test/fuzz
PG_CONFIG=$(find_pg_config) || die "no pg_config with server headers"
export PG_CONFIG

work=$(private_folder dlints-fuzz)
trap 'rm -rf "$work"' EXIT
exit_on_signals
unset MAKEFLAGS MFLAGS MAKELEVEL
OPENBLAS_NUM_THREADS=1
OMP_NUM_THREADS=1
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS

# libFuzzer without a main function, wherever this clang keeps it
fuzzer_library()
{
	for name in "libclang_rt.fuzzer_no_main-$(uname -m).a" libclang_rt.fuzzer_no_main.a; do
		found=$(clang -print-file-name="$name")
		if [ -e "$found" ]; then
			say "$found"
			return
		fi
	done
	return 1
}

build_core()
{
	make -s -C "$work/source" core-fuzzers CC=clang SANITIZE=fuzzer,address,undefined
}

# The extension, which tells libFuzzer where it has been, and the module that
# libFuzzer is in.  A trap needs no library in the server.
build_readers()
{
	library=$(fuzzer_library) || die "this clang comes without libFuzzer"
	"$scripts/build-stage.sh" "$work" CC=clang with_llvm=no \
		COPT="-w -fsanitize=fuzzer-no-link,undefined -fsanitize-trap=undefined"
	make -s -C "$work/source/test/fuzz/server" PG_CONFIG="$PG_CONFIG" with_llvm=no \
		CC=clang COPT=-w FUZZER="$library"
	cp "$work/source/test/fuzz/server/dlints_fuzz.so" "$work/"
}

# run_target TARGET: its status is libFuzzer's
run_target()
{
	set -- "$1" sh "$fuzz/target.sh" "$action" "$work" "$1"
	target=$1
	shift
	if [ "$target" = readers ]; then
		build_readers
		run_interruptible "$scripts/with-private-cluster.sh" --stage "$work/stage" \
			"$@" "$fuzz/server/run.sh"
	else
		build_core
		run_interruptible "$@" "$work/source/build/core/fuzz_$target"
	fi
}

say "Building for $(clang --version | head -n 1)"
"$scripts/build-stage.sh" --copy-only "$work"
chmod 755 "$work"
failed=
for target in ${FUZZ_TARGETS:-posterior projection arithmetic readers}; do
	run_target "$target" || failed="$failed $target"
done
if [ -n "$failed" ]; then
	die "fuzzing found something:$failed"
fi
