#!/bin/sh
# Run the fuzz targets, each for a bounded time.
#
#   run.sh fuzz          what fails is kept in build/fuzz, its path is printed
#   run.sh fuzz-corpus   afterwards keep the fewest inputs that reach as much
#                        in test/fuzz/inputs: lines of target/name and the bytes
#                        in hexadecimal digits
#
# FUZZ_SECONDS   for each target (60)
# FUZZ_TARGETS   which of "posterior readers" (both)
#
# PRIVATE is the folder of scripts/with-server.sh, which runs this.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
kept=$(cd "$here/../.." && pwd)/build/fuzz
test=$PRIVATE/source/test

# Make the program that takes libFuzzer's arguments.
build()
{
	case $1 in
		readers)
			program=$test/fuzz/server/run.sh
			library=$(clang -print-file-name="libclang_rt.fuzzer_no_main-$(uname -m).a")
			[ -e "$library" ] || library=$(clang -print-file-name=libclang_rt.fuzzer_no_main.a)
			make -s -C "$test/fuzz/server" PG_CONFIG="$PG_CONFIG" with_llvm=no CC=clang COPT=-w FUZZER="$library"
			"$program" --prepare "$folder/known" ;;
		*)
			program=$PRIVATE/source/build/core/fuzz_$1
			make -s -C "$test/core" fuzzers CC=clang SANITIZE=fuzzer,address,undefined ;;
	esac
}

run()
{
	"$program" -rss_limit_mb=0 -max_len=2048 -timeout=20 \
		-artifact_prefix="$folder/found/" "$@" >"$folder/log" 2>&1 || true
}

# Findings are kept.
keep_found()
{
	mkdir -p "$kept"
	cp "$folder/log" "$kept/$1.log"
	echo "Failed. What libFuzzer said: $kept/$1.log"
	find "$folder/found" -type f | while read -r input; do
		cp "$input" "$kept/$1-${input##*/}"
		echo "Input: $kept/$1-${input##*/}"
	done
}

# Write the target's inputs to files in a folder.
unpack_inputs()
{
	mkdir -p "$2"
	TARGET=$1 FOLDER=$2 perl -ne 'm,^$ENV{TARGET}/(\S+) (.*), or next;
		open(my $file, ">:raw", "$ENV{FOLDER}/$1") or die "$1: $!";
		print {$file} pack("H*", $2)' "$here/inputs"
}

# Print a line of the archive for each file of a folder.
pack_inputs()
{
	TARGET=$1 perl -0777 -ne '$ARGV =~ m,([^/]+)$,; print "$ENV{TARGET}/$1 ", unpack("H*", $_), "\n"' "$2"/*
}

# Only covered lines count, not how often: tens of inputs.  Inputs that a developer named are kept; libFuzzer's
# names are hashes.
keep_least()
{
	run -merge=1 -use_counters=0 "$folder/least" "$folder/known" "$folder/new"
	if [ -z "$(ls "$folder/least")" ]; then
		tail -n 20 "$folder/log"
		return 1
	fi
	{
		grep -vE "^$1/[0-9a-f]{40} " "$here/inputs"
		pack_inputs "$1" "$folder/least"
	} | LC_ALL=C sort -u >"$folder/inputs"
	cp "$folder/inputs" "$here/inputs"
	echo "Kept: $(grep -c "^$1/" "$here/inputs") inputs"
}

status=0
for target in ${FUZZ_TARGETS:-posterior readers}; do
	echo
	echo "== $target, ${FUZZ_SECONDS:-60} seconds"
	folder=$PRIVATE/fuzz/$target
	mkdir -p "$folder/new" "$folder/found" "$folder/least"
	unpack_inputs "$target" "$folder/known"
	chmod -R a+rwX "$PRIVATE/fuzz"
	build "$target"
	run -max_total_time="${FUZZ_SECONDS:-60}" -print_final_stats=1 "$folder/new" "$folder/known"
	grep -E '^(Done|accepted:|stat::number_of_exec|SUMMARY)|: (not|ERROR)' "$folder/log" || tail -n 5 "$folder/log"
	if [ -n "$(ls "$folder/found")" ] || ! grep -q '^Done [0-9]* runs' "$folder/log"; then
		keep_found "$target"
		status=1
	elif [ "$1" = fuzz-corpus ]; then
		keep_least "$target" || status=1
	fi
done
exit "$status"
