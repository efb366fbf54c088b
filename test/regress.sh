#!/bin/sh
# Run the regression tests, and print the results as TAP for every version of pg_regress.
status=0
make -s installcheck >"$PRIVATE/regress.log" 2>&1 || status=$?
sed -n -e '/^ok /p; /^not ok /p' -e 's/^test \(.*[^ ]\) *\.\.\. ok.*/ok - \1/p' \
	-e 's/^test \(.*[^ ]\) *\.\.\. FAILED.*/not ok - \1/p' "$PRIVATE/regress.log"
[ "$status" -eq 0 ] || cat "$PRIVATE/regress.log" regression.diffs >&2
echo "1..$(grep -c -e '^test .* \.\.\. ' -e '^ok ' -e '^not ok ' "$PRIVATE/regress.log")"
exit "$status"
