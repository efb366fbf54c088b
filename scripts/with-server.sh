#!/bin/sh
# Run a command with a throwaway PostgreSQL server that has dlints.
#
#   with-server.sh [-u] COMMAND [ARGUMENT ...]
#
# PostgreSQL finds its files relative to its programs.  So the installation that
# PG_CONFIG belongs to, of whatever version and from wherever, is copied to a
# private folder, and dlints is built from a copy of this source tree and
# installed there.  The server listens on a Unix socket in that folder and
# nowhere else.  Afterwards it is stopped and everything removed.
#
# The command has in its environment the way to the server (PGHOST and so on), the
# copied PG_CONFIG with its programs first in PATH, and in PRIVATE the folder,
# which holds the source that was built in "source" and the server's log in "log".
#
# Root starts the server under another account.  With -u the command runs so too,
# in the source that was built, and if it fails the folder stays.
#
# Environment:
#   PG_CONFIG         which PostgreSQL (pg_config)
#   CC, COPT, SANITIZE, with_llvm    for make
#   SERVER_SETTINGS   more lines for the server's configuration
#   SERVER_PRELOAD    libraries that the server is started with
#   KEEP=1            keep the folder in any case
# shellcheck disable=SC2086 # $as_server is several words
set -eu

die()
{
	printf 'dlints: %s\n' "$*" >&2
	exit 1
}

unprivileged=
if [ "$1" = -u ]; then
	unprivileged=yes
	shift
fi
top=$(cd "$(dirname "$0")/.." && pwd)
original=$(command -v "${PG_CONFIG:-pg_config}" || true)
case $original in
	[!/]*) original=$PWD/$original ;;
esac
if ! [ -e "$("$original" --pgxs 2>/dev/null)" ] || ! [ -x "$("$original" --bindir)/postgres" ]; then
	die "${PG_CONFIG:-pg_config} is no pg_config of a PostgreSQL with server and headers;" \
		"PG_CONFIG=/path/to/pg_config names one"
fi

# The server's account has to reach the folder, and a socket's path is short.
temporary=${TMPDIR:-/tmp}
if [ "$(id -u)" -eq 0 ] || [ ${#temporary} -gt 60 ]; then
	temporary=/tmp
fi
as_server=
if [ "$(id -u)" -eq 0 ]; then
	account=postgres
	id "$account" >/dev/null 2>&1 || account=nobody
	as_server="runuser -u $account --"
fi
PRIVATE=$(mktemp -d "$temporary/dlints.XXXXXX")
child=

# Stop every server here; tests start more of them.
finish()
{
	status=$?
	trap '' INT TERM HUP
	trap - EXIT
	[ -z "$child" ] || kill -s TERM -- "-$child" || kill "$child" || true
	cd "$PRIVATE"
	find . -name postmaster.pid | while read -r file; do
		$as_server "$bindir/pg_ctl" -D "${file%/*}" -m fast -w -t 60 stop ||
			$as_server "$bindir/pg_ctl" -D "${file%/*}" -m immediate -w stop || true
	done >/dev/null
	cd /
	case $status:$unprivileged in
		0:* | 130:* | 143:* | *:) keep=${KEEP:-} ;;
		*) keep=yes ;;
	esac
	if [ -n "$keep" ]; then
		rm -rf "$PRIVATE/root" "$PRIVATE/data" "$PRIVATE"/tap/tmp_check/*_data
		echo "Logs are in $PRIVATE"
	else
		rm -rf "$PRIVATE"
	fi
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---------- PostgreSQL and dlints ----------

root=$PRIVATE/root
bindir=$root$("$original" --bindir)
mkdir -p "$bindir"
# There may be other programs in that folder: all of /usr/bin, say.
find -L "$("$original" --bindir)" -maxdepth 1 -type f \
	\( -name 'pg*' -o -name postgres -o -name psql -o -name '*db' \) -exec cp {} "$bindir" \;
for folder in "$("$original" --sharedir)" "$("$original" --pkglibdir)"; do
	mkdir -p "$root$folder"
	cp -RL "$folder/." "$root$folder"
done
# Debian's pg_config does not look where it is.
cat >"$bindir/pg_config" <<END
#!/bin/sh
case \$1 in
	--bindir | --sharedir | --pkglibdir) printf %s '$root' ;;
esac
exec '$original' "\$@"
END
chmod 755 "$bindir/pg_config"
PG_CONFIG=$bindir/pg_config
PATH=$bindir:$PATH
export PRIVATE PG_CONFIG PATH

mkdir "$PRIVATE/source"
(cd "$top" && tar -cf - --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' \
	--exclude=./build --exclude=./results .) | tar -xf - --no-same-owner -C "$PRIVATE/source"

# What was said to the make that runs this is not for this one, and bitcode for
# the server's JIT compiler needs its clang, and no sanitizer.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
clang=$(sed -n 's/^CLANG *= *//p' "$(dirname "$("$PG_CONFIG" --pgxs)")/../Makefile.global")
if [ -n "${SANITIZE:-}" ] || ! command -v "${clang:-clang}" >/dev/null; then
	with_llvm=no
fi
make_dlints()
{
	make -s -j "$(getconf _NPROCESSORS_ONLN)" -C "$PRIVATE/source" PG_CONFIG="$PG_CONFIG" \
		${CC:+CC="$CC"} ${with_llvm:+with_llvm="$with_llvm"} "$@"
}
echo "Building dlints for $("$PG_CONFIG" --version)"
if ! make_dlints all || ! make_dlints install >/dev/null; then
	[ -z "$unprivileged" ] || echo "dlints: 0 passed, 1 failed"
	exit 1
fi

# ---------- the server ----------

if [ -n "${SERVER_PRELOAD:-}" ]; then
	mv "$bindir/pg_ctl" "$bindir/pg_ctl_original"
	printf '#!/bin/sh\nLD_PRELOAD="%s" exec "%s" "$@"\n' "$SERVER_PRELOAD" "$bindir/pg_ctl_original" >"$bindir/pg_ctl"
	chmod 755 "$bindir/pg_ctl"
fi

# Nothing in the caller's environment may lead to another server, and a BLAS that
# starts threads is not to.
for variable in $(env | sed -n 's/^\(PG[A-Z]*\)=.*/\1/p'); do
	unset "$variable"
done
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"

here=$(pwd)
cd "$PRIVATE"
mkdir socket
[ -z "$as_server" ] || chown -R "$account:" .
$as_server initdb -D data -U postgres -A trust -N -E UTF8 --no-locale >initdb.log || die "initdb failed"
cat >>data/postgresql.conf <<END
listen_addresses = ''
unix_socket_directories = '$PRIVATE/socket'
unix_socket_permissions = 0700
port = 5432
fsync = off
log_line_prefix = '%m [%p] %q%a '
${SERVER_SETTINGS:-}
END
$as_server pg_ctl -D data -l log -w -t 60 start >start.log || { cat start.log log >&2; die "the server does not start"; }
export PGHOST="$PRIVATE/socket" PGPORT=5432 PGUSER=postgres PGDATABASE=postgres

# ---------- the command ----------

# In a session of its own, which a signal to this script ends.  Standard input
# stays what it was.
exec 3<&0
if [ -n "$unprivileged" ]; then
	cd source
	set -- $as_server env HOME="$PRIVATE" "$@"
else
	cd "$here"
fi
perl -MPOSIX -e 'setsid; exec @ARGV or die "$ARGV[0]: $!\n"' -- "$@" <&3 3<&- &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
