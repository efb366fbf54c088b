#!/bin/sh
# Try the packages that "make deb" built as their users do: install, use, upgrade,
# remove and purge them, each major version in a system of its own that has
# nothing but what the packages ask for.
set -eu
cd "$(dirname "$0")/../.."

for package in build/deb/postgresql-[0-9]*-dlints_*.deb; do
	major=$(basename "$package" | cut -d - -f 2)
	echo "== PostgreSQL $major"
	scripts/with-system.sh "test/deb/inside.sh $major $package"
done
