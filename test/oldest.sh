#!/bin/sh
# Run the regression tests, with output as TAP, on the oldest minor version of this major version in the package
# archive: a module that was built with newer headers must load there.
set -eu

skip()
{
	echo "1..0 # SKIP $*"
	exit
}

# Files of the package that the private installation has, too
installed()
{
	"$PG_CONFIG" "$1" | sed "s,^$PRIVATE/root,,"
}

package=postgresql-$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
bindir=$(installed --bindir)
here=$(dpkg-query -S "$bindir/postgres" >/dev/null 2>&1 &&
	dpkg-query -W -f '${Version}' "$package") || skip "the server is not of a Debian package"
oldest=$(LC_ALL=C apt-cache madison "$package" | awk '/ Packages$/ { print $3 }' |
	sort -V | head -n 1)
dpkg --compare-versions "$oldest" lt-nl "$here" ||
	skip "the archive has no server older than $here, which all tests run with"

mkdir -p "$PRIVATE/oldest"
cd "$PRIVATE/oldest"
apt-get -q download "$package=$oldest" >download.log 2>&1 ||
	skip "$package $oldest cannot be had: $(tail -n 1 download.log)"
dpkg -x "$package"_*.deb .
cp "$("$PG_CONFIG" --pkglibdir)/dlints.so" ".$(installed --pkglibdir)"
cp "$("$PG_CONFIG" --sharedir)"/extension/dlints* ".$(installed --sharedir)/extension"

".$bindir/initdb" -D data -U "$PGUSER" -A trust -N -E UTF8 --no-locale >initdb.log
export PGPORT=5433
cat >>data/postgresql.conf <<END
listen_addresses = ''
unix_socket_directories = '$PGHOST'
port = $PGPORT
fsync = off
${SERVER_SETTINGS:-}
END
trap '".$bindir/pg_ctl" -D data -m fast -w stop >stop.log' EXIT
LD_PRELOAD=${SERVER_PRELOAD:-} ".$bindir/pg_ctl" -D data -l log -w start >start.log
(cd "$OLDPWD" && test/regress.sh)
