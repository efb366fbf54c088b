#!/bin/sh
# libFuzzer in a server process, with the arguments of its command line.
#
#   run.sh --prepare WORK   make the database and the seeds, once
#   run.sh ARGUMENT ...     run it; this is the command that merging runs, too
#
# PGHOST and PGPORT lead to the server.  WORK holds dlints_fuzz.so.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
psql="$("$PG_CONFIG" --bindir)/psql -X -q -v ON_ERROR_STOP=1"
PGUSER=postgres
PGDATABASE=postgres
export PGUSER PGDATABASE

if [ "$1" = --prepare ]; then
	# The extension needs symbols of the module, which therefore is loaded first.
	$psql -c "ALTER DATABASE postgres SET session_preload_libraries = '$2/dlints_fuzz.so'"
	$psql -v module="$2/dlints_fuzz.so" -f "$here/setup.sql" -f "$here/fuzz.sql"
	$psql -v folder="$2/readers/known" -f "$here/../seeds.sql" >/dev/null
	exit
fi

quoted()
{
	for argument; do
		printf ", '%s'" "$argument"
	done
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 777 "$folder"
again="PGHOST=$PGHOST PGPORT=$PGPORT PG_CONFIG=$PG_CONFIG sh $here/run.sh"
# libFuzzer ends the session, which psql takes for a failure.
$psql -c "SELECT dlints_fuzz('$folder/log', ARRAY['$again'$(quoted "$@")])" 2>&1 || true
cat "$folder/log"
