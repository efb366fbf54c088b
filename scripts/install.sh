#!/bin/sh
# Install with apt-get what some of the make targets need.
#
#   install.sh PROFILE ... [server]
#
# debian/control.in says what a profile needs.  The packages are of the major version
# that PG_CONFIG leads to, or of the newest server that is here, or of the
# system's; there is none for a PostgreSQL of other origin.  Headers are those of
# the server that is here, as long as the archive has them: what is built with
# newer ones may want what that server lacks.
# No database server is created, started, stopped or upgraded.
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

if ! command -v apt-get >/dev/null; then
	echo "dlints: packages are installed on Debian and Ubuntu only. Should something be missing here:"
	echo "what is needed ($*) stands, under Debian's names, in debian/control.in."
	exit
fi

work=$(mktemp -d)
mkdir "$work/debian"
createcluster=/etc/postgresql-common/createcluster
dropin=
policy=
trap 'rm -rf "$work" $dropin $policy; [ -z "$dropin" ] || rmdir "$createcluster.d" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# needrestart, where it is installed, would restart servers of its own accord,
# and apt would upgrade a server because its headers come from the same source.
apt()
{
	NEEDRESTART_SUSPEND=1 DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
		-o DPkg::Lock::Timeout=600 -o APT::Get::Upgrade-By-Source-Package=false \
		-o Dir::Etc::Preferences="$work/preferences" --allow-downgrades "$@" </dev/null
}

# The version of a package that is installed
version()
{
	dpkg-query -W -f '${db:Status-Status} ${Version}' "$1" 2>/dev/null | sed -n 's/^installed //p'
}

# Want headers of the version that the server here has, be it a downgrade, if the
# archive offers them.
match_server()
{
	server=
	exact=
	: >"$work/preferences"
	case $profiles in
		*.server*) server=$(version "postgresql-$major") ;;
	esac
	if [ -n "$server" ] &&
		apt-cache madison "postgresql-server-dev-$major" | grep -qF " $server "; then
		exact=" (= $server)"
		printf '%s\n' "Package: postgresql-server-dev-$major" \
			"Pin: version $server" 'Pin-Priority: 1001' '' >"$work/preferences"
	fi
	cat /etc/apt/preferences >>"$work/preferences" 2>/dev/null || true
}

# Say so if headers and server are of two versions all the same.
finish()
{
	headers=$(version "postgresql-server-dev-$major")
	[ -z "$server" ] || [ -z "$headers" ] || [ "$server" = "$headers" ] ||
		echo "dlints: going on with headers of $headers for a server of $server"
	exit
}

# Choose the major version and find out what is missing.
plan()
{
	profiles=pkg.dlints.private$(printf ',pkg.dlints.%s' "$@")
	bindir=
	if [ -n "${PG_CONFIG:-}" ]; then
		bindir=$("$PG_CONFIG" --bindir 2>/dev/null || dirname "$PG_CONFIG")
	elif [ -e "$(pg_config --pgxs 2>/dev/null)" ]; then
		bindir=$(pg_config --bindir)
	fi
	case $bindir in
		/usr/lib/postgresql/*) ;;
		?*) bindir='' profiles=${profiles%,pkg.dlints.server} ;;
	esac
	# shellcheck disable=SC2086 # a pattern
	major=$(printf '%s\n' ${bindir:-/usr/lib/postgresql/*/bin/postgres} |
		sed -n 's,^/usr/lib/postgresql/\([0-9]*\)/.*,\1,p' | sort -n | tail -n 1)
	major=${major:-$(LC_ALL=C apt-cache depends postgresql 2>/dev/null |
		sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p')}
	match_server
	# apt of version 3 takes the alternative where that is wanted anyway.
	offered=$(apt-cache madison "postgresql-$major-pgvector" 2>/dev/null)
	# debhelper itself would not understand its own line with profiles.
	sed "s/PGVERSION/$major/g; s/^ postgresql-server-dev-$major\>/&$exact/
		${offered:+s/^ \(postgresql-$major-pgvector .*\) |.*/ \1,/}
		s/^ debhelper-compat .*)/& <!pkg.dlints.private> <pkg.dlints.deb>/" \
		"$(dirname "$0")/../debian/control.in" >"$work/debian/control"
	apt -s build-dep -P "$profiles" "$work" >"$work/plan" 2>&1
}

if plan "$@" && ! grep -q '^Inst ' "$work/plan"; then
	finish
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "dlints: packages are missing here, which apt-get is to install:"
	sed -n 's/^Inst \([^ ]*\) \[\([^]]*\)\] (\([^ ]*\).*/    \1 \3 in place of \2/p; t
		s/^Inst \([^ ]*\).*/    \1/p; s/^E: /    /p' "$work/plan"
	if ! command -v sudo >/dev/null; then
		grep -q '^E: \|^Inst [^ ]* (' "$work/plan" || finish
		die "that needs root, and there is no sudo"
	fi
	sudo env PATH="$PATH:/usr/sbin:/sbin" PG_CONFIG="${PG_CONFIG:-}" sh "$0" "$@"
	exit
fi

echo "dlints: packages are missing here, which apt-get installs:"
apt update || echo "dlints: the package lists could not be renewed; going on with those that are here"
plan "$@" || { cat "$work/plan" >&2; die "these packages cannot be installed"; }
if grep -q '^Inst postgresql-[0-9]* \[' "$work/plan"; then
	die "this would upgrade a database server. Upgrade it when it suits you, then run this again."
fi
# Debian's server packages create a cluster and start every cluster there is.
# Meanwhile both are switched off.
if grep -q '^Inst postgresql-[0-9]* ' "$work/plan"; then
	[ -e "$createcluster.conf" ] || apt install postgresql-common
	dropin=$createcluster.d/zz-dlints.conf
	mkdir -p "$createcluster.d"
	echo "create_main_cluster = false" >"$dropin"
	[ "$(pg_conftool "$createcluster.conf" show -bs create_main_cluster)" = off ] ||
		die "cannot keep the server's package from creating a cluster (see $createcluster.conf)"
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		policy=/usr/sbin/policy-rc.d
		# shellcheck disable=SC2016 # for that script to expand
		printf '#!/bin/sh\ncase $1 in postgresql*) exit 101 ;; esac\n' >"$policy"
		chmod 755 "$policy"
	fi
	echo "dlints: no database cluster is created or started by what follows."
fi
apt build-dep -P "$profiles" "$work"
finish
