#!/bin/sh
# Run a command against a throwaway PostgreSQL server.
#
#   with-private-cluster.sh [--stage FOLDER] [--log FILE] COMMAND [ARGUMENT ...]
#
# The server listens on a Unix socket in a private folder and nowhere else.  It
# loads the extension from FOLDER (a DESTDIR that "make install" filled), not
# from the system's folders.  PGHOST, PGPORT, PGUSER and PGDATABASE lead the
# command to it.  Afterwards the server is stopped and everything removed; the
# exit code is the command's.  --log keeps a copy of the server's log.
# SERVER_SETTINGS in the environment are lines for its configuration.
#
# Started by root, the server runs under an unprivileged account and the
# command as root.
set -eu
. "$(dirname "$0")/common.sh"

stage=
log=
while [ $# -gt 0 ]; do
	case $1 in
		--stage) stage=$2; shift 2 ;;
		--log) log=$2; shift 2 ;;
		--) shift; break ;;
		-*) die "unknown option $1" ;;
		*) break ;;
	esac
done
[ $# -gt 0 ] || die "no command to run"

pg_config=$(find_pg_config) || die "no pg_config with server headers"
has_server "$pg_config" || die "no PostgreSQL server in $("$pg_config" --bindir)"
bindir=$("$pg_config" --bindir)
sharedir=$("$pg_config" --sharedir)
pkglibdir=$("$pg_config" --pkglibdir)

# Nothing in the caller's environment may lead elsewhere.
for variable in $(env | sed -n 's/^\(PG[A-Z]*\)=.*/\1/p'); do
	unset "$variable"
done

base=$(private_folder dlints-cluster)
started=

finish()
{
	status=$?
	trap '' INT TERM HUP
	trap - EXIT
	if [ -n "$started" ]; then
		(cd "$base" && as_server "$bindir/pg_ctl" -D "$base/data" -m fast -w -t 60 stop ||
			as_server "$bindir/pg_ctl" -D "$base/data" -m immediate -w stop) >/dev/null || true
	fi
	if [ -n "$log" ] && [ -e "$base/log" ]; then
		cp "$base/log" "$log" || true
	fi
	rm -rf "$base"
	exit "$status"
}
trap finish EXIT
exit_on_signals

mkdir "$base/socket"
if [ -n "$stage" ]; then
	cp -R "$stage" "$base/stage"
	chmod -R u+rwX "$base/stage"
fi
if [ "$(id -u)" -eq 0 ]; then
	server_account >/dev/null || die "no account \"postgres\" or \"nobody\" to run the server"
	chown -R "$(server_account):$(id -g "$(server_account)")" "$base"
fi

if ! (cd "$base" && as_server "$bindir/initdb" -D "$base/data" -U postgres -A trust \
	-N -E UTF8 --no-locale >"$base/initdb.log" 2>&1); then
	cat "$base/initdb.log" >&2
	die "initdb failed"
fi

{
	say "listen_addresses = ''"
	say "unix_socket_directories = '$base/socket'"
	say "unix_socket_permissions = 0700"
	say "port = 5432"
	say "fsync = off"
	say "log_line_prefix = '%m [%p] %q%a '"
	say "${SERVER_SETTINGS:-}"
} >>"$base/data/postgresql.conf"

if [ -n "$stage" ]; then
	settings=$(cd "$base" && as_server "$bindir/postgres" --describe-config)
	if say "$settings" | grep -q '^extension_destdir	'; then
		say "extension_destdir = '$base/stage'"
	elif say "$settings" | grep -q '^extension_control_path	'; then
		say "extension_control_path = '$base/stage$sharedir:\$system'"
		say "dynamic_library_path = '$base/stage$pkglibdir:\$libdir'"
	elif ! cmp -s "$stage$pkglibdir/dlints.so" "$pkglibdir/dlints.so"; then
		die "this PostgreSQL loads extensions from its own folders only." \
			"Run \"make clean install\" with PG_CONFIG=$pg_config first, then this again."
	fi >>"$base/data/postgresql.conf"
fi

started=yes
if ! (cd "$base" && as_server "$bindir/pg_ctl" -D "$base/data" -l "$base/log" \
	-w -t 60 start >"$base/start.log" 2>&1); then
	cat "$base/start.log" >&2
	tail -n 20 "$base/log" >&2 || true
	die "the private server did not start"
fi

PGHOST=$base/socket
PGPORT=5432
PGUSER=postgres
PGDATABASE=postgres
export PGHOST PGPORT PGUSER PGDATABASE

status=0
run_interruptible "$@" || status=$?
exit "$status"
