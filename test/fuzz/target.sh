#!/bin/sh
# Run one fuzz target for FUZZ_SECONDS and judge what it says; see
# scripts/fuzz.sh, which calls this.
#
#   target.sh fuzz|fuzz-corpus WORK TARGET PROGRAM
#
# PROGRAM takes libFuzzer's arguments.  WORK is a folder for everything else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../scripts/common.sh"

action=$1 folder=$2/$3 target=$3 program=$4
kept=$here/../../build/fuzz
seconds=${FUZZ_SECONDS:-60}

# for those programs that run in a server
open_folder()
{
	if [ "$(id -u)" -eq 0 ]; then
		chown -R "$(server_account):$(id -g "$(server_account)")" "$folder"
	fi
}

make_folders()
{
	mkdir -p "$folder/known" "$folder/new" "$folder/found" "$folder/least"
	for input in "$here/corpus/$target/"*; do
		if [ -e "$input" ]; then cp "$input" "$folder/known/"; fi
	done
	open_folder
}

# libFuzzer's last word and its figures, or what it found
show()
{
	grep -E '^(Done|accepted:|stat::number_of_exec|SUMMARY)|: (not|ERROR)' "$1" || tail -n 5 "$1"
}

# What was found stays behind.
keep_found()
{
	mkdir -p "$kept"
	cp "$folder/log" "$kept/$target.log"
	say "Failed. What libFuzzer said: $kept/$target.log"
	for input in "$folder/found/"*; do
		if [ -e "$input" ]; then
			cp "$input" "$kept/$target-${input##*/}"
			say "Input: $kept/$target-${input##*/}"
		fi
	done
}

has_found()
{
	ls "$folder/found/"* >/dev/null 2>&1 || ! grep -q '^Done [0-9]* runs' "$folder/log"
}

run()
{
	"$program" -rss_limit_mb=0 -max_len=2048 -timeout=20 \
		-artifact_prefix="$folder/found/" "$@" >"$folder/log" 2>&1 || true
}

# Only which lines were reached counts, not how often: tens of files.  Those
# that somebody has given a name, for what they found, stay; libFuzzer's names
# are hashes.
keep_least()
{
	run -merge=1 -use_counters=0 "$folder/least" "$folder/known" "$folder/new"
	if ! ls "$folder/least/"* >/dev/null 2>&1; then
		tail -n 20 "$folder/log"
		die "merging left no input of $target"
	fi
	mkdir -p "$here/corpus/$target"
	find "$here/corpus/$target" -type f | grep -E '/[0-9a-f]{40}$' | while read -r input; do
		rm "$input"
	done
	cp "$folder/least/"* "$here/corpus/$target/"
	say "Kept: $(find "$here/corpus/$target" -type f | wc -l) inputs," \
		"$(cat "$here/corpus/$target/"* | wc -c) bytes"
}

say ""
say "== $target, $seconds seconds"
make_folders
if [ "$target" = readers ]; then
	"$program" --prepare "$2"
fi
run -max_total_time="$seconds" -print_final_stats=1 "$folder/new" "$folder/known"
show "$folder/log"
if has_found; then
	keep_found
	exit 1
fi
if [ "$action" = fuzz-corpus ]; then
	keep_least
fi
