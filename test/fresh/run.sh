#!/bin/sh
# Run the two commands of README.md in systems made for it.
#
#   run.sh [STATE ...]
#
# inside.sh says which states there are.  TESTS is what it is for "make test".
set -eu
cd "$(dirname "$0")/../.."

[ $# -gt 0 ] || set -- bare older source
passed=0
for state; do
	echo "== $state"
	if scripts/with-system.sh "TESTS='${TESTS:-}' test/fresh/inside.sh $state"; then
		passed=$((passed + 1))
	fi
done
echo "dlints: $passed of $# states passed ($*)"
[ "$passed" -eq $# ]
