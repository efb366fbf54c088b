#!/bin/sh
# Run the two commands of README.md as its reader does, in a system where nothing
# matters: run.sh calls this there.
#
#   inside.sh bare      neither server nor headers
#   inside.sh older     the oldest server that the archive has
#   inside.sh source    the same from its source, and no package of it
set -eu
state=$1
# shellcheck source=../inside.sh
. test/inside.sh

# Installed packages of the server
version()
{
	dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true
}

# Install pgvector in the steps that its documentation begins with.
build_postgresql()
{
	cd "/root/$package"-*/
	./configure && make -s -j "$(getconf _NPROCESSORS_ONLN)" && make -s install
}

major=$(apt-cache depends postgresql | sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p')
package=postgresql-$major
oldest=$(apt-cache madison "$package" | awk '{ print $3 }' | sort -V | head -n 1)
apt install --no-install-recommends make
case $state in
	bare) ;;
	older)
		apt install --no-install-recommends \
			"$package=$oldest" "postgresql-client-$major=$oldest" "libpq5=$oldest"
		;;
	source)
		scripts/install.sh source >/root/apt.log 2>&1 || { cat /root/apt.log; exit 1; }
		sed 's/^deb /deb-src /' /etc/apt/sources.list >/etc/apt/sources.list.d/source.list
		apt update
		(cd /root && apt source "$package=$oldest")
		echo "-- configure, make, make install"
		(build_postgresql) >/root/build.log 2>&1 || { tail -n 50 /root/build.log; exit 1; }
		PATH=/usr/local/pgsql/bin:$PATH
		;;
	*)
		echo "there is no state \"$state\"" >&2
		exit 1
		;;
esac
server=$(version "$package")

# A container has no locale settings.
unset LANG LC_ALL
status=0
for target in demo test; do
	echo "-- make $target"
	make "$target" || status=1
done
if [ -n "$server" ]; then
	expect 'the server was not upgraded' "$server" "$(version "$package")"
	expect 'its headers are of its version' "$server" "$(version "postgresql-server-dev-$major")"
fi
exit "$status"
