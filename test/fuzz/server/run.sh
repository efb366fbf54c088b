#!/bin/sh
# libFuzzer in a server process, with the arguments of its command line.
#
#   run.sh --prepare FOLDER   make the database, and seeds in the folder, once
#   run.sh ARGUMENT ...       run it; this is the command that merging runs, too
set -eu
here=$(cd "$(dirname "$0")" && pwd)
psql="psql -X -q -v ON_ERROR_STOP=1"
module=$here/dlints_fuzz.so

if [ "$1" = --prepare ]; then
	# The extension needs symbols of the module, which therefore is loaded first.
	$psql -c "ALTER DATABASE postgres SET session_preload_libraries = '$module'"
	$psql -v module="$module" -f "$here/setup.sql" \
		-c "CREATE FUNCTION dlints_fuzz(log text, arguments text[]) RETURNS void AS '$module' LANGUAGE C"
	$psql -v folder="$2" -f "$here/../seeds.sql" >/dev/null
	exit
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 777 "$folder"
again="PRIVATE=$PRIVATE PGHOST=$PGHOST PGPORT=$PGPORT PGUSER=$PGUSER PGDATABASE=$PGDATABASE sh $here/run.sh"
# libFuzzer ends the session, which psql takes for a failure.
$psql -c "SELECT dlints_fuzz('$folder/log', ARRAY['$again'$(printf ", '%s'" "$@")])" 2>&1 || true
cat "$folder/log"
