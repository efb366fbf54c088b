#!/bin/sh
# What older major versions have stored goes on in this one: "make majors" has
# with-server.sh -u call this.
#
# FROM names the pg_config of each of the older.  Each is copied and gets dlints
# as this one did.
set -eu

export HERE="$PATH" HERE_CONFIG="$PG_CONFIG" HERE_PRIVATE="$PRIVATE"
failed=0
for older in $FROM; do
	# shellcheck disable=SC2016 # expanded by the inner shell
	PG_CONFIG=$older scripts/with-server.sh sh -c '
		OLD_INSTALLATION=$(dirname "$(dirname "$PG_CONFIG")")
		PATH=$HERE PG_CONFIG=$HERE_CONFIG PRIVATE=$HERE_PRIVATE
		export OLD_INSTALLATION PATH PG_CONFIG PRIVATE
		TESTS=test/majors/majors.pl exec scripts/test.sh' || failed=1
done
exit "$failed"
