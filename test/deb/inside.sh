#!/bin/sh
# Do what a user does with the package for a major version of PostgreSQL.  run.sh runs this script in a disposable
# system.
set -eu
major=$1
package=$PWD/$2
# shellcheck source=../inside.sh
. test/inside.sh

# Execute statements as a role, in the database that it owns.
sql()
{
	runuser -u postgres -- psql -X -q -A -t -v ON_ERROR_STOP=1 -d shop -c 'SET ROLE owner' "$@"
}

stop()
{
	pg_ctlcluster "$major" main stop -m immediate 2>/dev/null || true
}
trap stop EXIT

recommended()
{
	sql -c 'SELECT dlints_recommend(m.state, i.id, i.features) FROM model m, item i'
}

# The same extension with a lower version, to be updated
dpkg-deb -R "$package" /root/unpacked
sed -i 's/^Version: .*/&~earlier/' /root/unpacked/DEBIAN/control
dpkg-deb --root-owner-group -b /root/unpacked /root/earlier.deb >/dev/null

apt install /root/earlier.deb
expect 'its dependencies bring a serial BLAS' '' "$(find / -xdev -name 'libopenblas*' -path '*pthread*')"
pg_ctlcluster "$major" main start
runuser -u postgres -- psql -X -q -c 'CREATE ROLE owner' -c 'CREATE DATABASE shop OWNER owner'
sql -c 'CREATE EXTENSION dlints' \
	-c "CREATE TABLE item AS SELECT i AS id, ARRAY[i % 2, 1 - i % 2]::real[] AS features FROM generate_series(1, 2) i" \
	-c "CREATE TABLE model AS SELECT dlints_update_batch(dlints_new(2, exploration => 0), ARRAY[[1, 0], [0, 1]], ARRAY[1, 0]) AS state"
expect 'the owner of a database creates the extension, and is recommended something' 1 "$(recommended)"

apt install "$package"
expect 'upgraded under a server that runs' 1 "$(recommended)"
pg_conftool "$major" main set shared_preload_libraries dlints
pg_ctlcluster "$major" main restart
expect 'preloaded' 1 "$(recommended)"

sql -c 'DROP EXTENSION dlints CASCADE' 2>/dev/null
expect 'dropped, and the table is there' 0 "$(sql -c "SELECT count(*) FROM pg_attribute WHERE attrelid = 'model'::regclass AND attname = 'state'")"
pg_conftool "$major" main remove shared_preload_libraries
pg_ctlcluster "$major" main restart
apt purge "postgresql-$major-dlints"
expect 'purged without a trace' '' "$(find / -xdev \( -path /proc -o -path /root -o -path /var/log \) -prune -o -name '*dlints*' -print)"
expect 'and the server goes on' 2 "$(sql -c 'SELECT count(*) FROM item')"
