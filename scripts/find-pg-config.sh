#!/bin/sh
# Print the path of a pg_config whose PostgreSQL has server headers.
# Without one, print nothing and fail.
set -eu
. "$(dirname "$0")/common.sh"
find_pg_config
