# Shared by the scripts in this folder, which read it with ".".
# shellcheck shell=sh

say()
{
	printf '%s\n' "$*"
}

warn()
{
	printf '%s\n' "$*" >&2
}

die()
{
	warn "dlints: $*"
	exit 1
}

# Does this pg_config belong to an installation with the server's headers?
has_headers()
{
	pgxs_file=$("$1" --pgxs 2>/dev/null) && [ -e "$pgxs_file" ]
}

# ... and to one with the server itself?
has_server()
{
	server_dir=$("$1" --bindir 2>/dev/null) &&
		[ -x "$server_dir/postgres" ] && [ -x "$server_dir/initdb" ]
}

# Print the pg_config to use: the caller's, or else the first one found that
# has headers and a server, or else headers.
find_pg_config()
{
	if [ -n "${PG_CONFIG:-}" ]; then
		command -v "$PG_CONFIG"
		return
	fi
	set -- "$(command -v pg_config || true)"
	# shellcheck disable=SC2012 # these names hold no spaces
	for found in $(ls -d /usr/lib/postgresql/*/bin/pg_config \
		/usr/pgsql-*/bin/pg_config 2>/dev/null | sort -t/ -k5,5rV) \
		/usr/local/pgsql/bin/pg_config; do
		set -- "$@" "$found"
	done
	for found in "$@"; do
		if has_headers "$found" && has_server "$found"; then
			say "$found"
			return
		fi
	done
	for found in "$@"; do
		if has_headers "$found"; then
			say "$found"
			return
		fi
	done
	return 1
}

# Major version of a pg_config's PostgreSQL
major_version()
{
	"$1" --version | sed 's/^PostgreSQL \([0-9][0-9]*\).*/\1/'
}

# The server refuses to run as root; root hands it to this account.
server_account()
{
	for account in postgres nobody; do
		if id -u "$account" >/dev/null 2>&1; then
			say "$account"
			return
		fi
	done
	return 1
}

# Run a command under the account that the server runs under
as_server()
{
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	elif command -v runuser >/dev/null; then
		runuser -u "$(server_account)" -- "$@"
	else
		setpriv --reuid "$(server_account)" --regid "$(id -g "$(server_account)")" \
			--clear-groups -- "$@"
	fi
}

# What the test of the policies imports, and what the programs under bench do
python_for_test="numpy, scipy, psycopg2"
# shellcheck disable=SC2034 # for the scripts that read this file
python_for_bench="$python_for_test, matplotlib, tqdm"

# find_python LIBRARIES: print the Python that has them, the one in the PATH or,
# if that is another one, the system's.
find_python()
{
	for found in python3 /usr/bin/python3; do
		if command -v "$found" >/dev/null &&
			"$found" -c "import $1" >/dev/null 2>&1; then
			command -v "$found"
			return
		fi
	done
	return 1
}

# Make a private folder; where root makes it, it has to lie where the server's
# account can reach it, and a Unix socket's path has to be short.
private_folder()
{
	parent=${TMPDIR:-/tmp}
	if [ "$(id -u)" -eq 0 ] || [ ${#parent} -gt 60 ]; then
		parent=/tmp
	fi
	mktemp -d "$parent/$1.XXXXXX"
}

# On a signal, leave through the EXIT trap.  The signal often comes twice, from
# the terminal and from the parent; the second one may not cut the trap short.
exit_on_signals()
{
	trap 'trap "" INT TERM HUP; exit 130' INT
	trap 'trap "" INT TERM HUP; exit 143' TERM HUP
}

# Run a command so that a signal to this script ends the command first.
# Standard input stays what it was.
run_interruptible()
{
	exec 3<&0
	"$@" <&3 3<&- &
	child=$!
	exec 3<&-
	trap 'trap "" INT TERM HUP; kill -TERM $child 2>/dev/null; wait $child; exit 130' INT
	trap 'trap "" INT TERM HUP; kill -TERM $child 2>/dev/null; wait $child; exit 143' TERM HUP
	status=0
	wait "$child" || status=$?
	exit_on_signals
	return "$status"
}
