#!/bin/sh
# Test the packages that "make deb" has built: install, use, upgrade, remove and purge them.  Each major version is
# tested in a separate system, which has only the dependencies of the packages.
set -eu
cd "$(dirname "$0")/../.."

for package in build/deb/postgresql-[0-9]*-dlints_*.deb; do
	major=$(basename "$package" | cut -d - -f 2)
	echo "== PostgreSQL $major"
	scripts/with-system.sh "test/deb/inside.sh $major $package"
done
