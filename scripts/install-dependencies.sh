#!/bin/sh
# Install what "make demo", "make test", "make test-core", "make bench", "make
# load", "make paper", "make peers", "make fuzz", "make sqlsmith" or the checks "make
# valgrind" and "make lint" need.
#
#   install-dependencies.sh demo | test | test-core | bench | load | paper |
#                           peers | fuzz | sqlsmith | valgrind | lint
#
# On Debian, Ubuntu and the like it names the missing packages and installs
# them with apt-get, as root or through sudo.  Elsewhere it goes on if
# everything is there, and otherwise says what to install.  It never creates,
# starts, stops or upgrades a database server.
set -eu
. "$(dirname "$0")/common.sh"

oldest_major=13

# ---------------------------------------------------------------------------
# Run as root:  install-dependencies.sh --as-root install PACKAGE ...
#               install-dependencies.sh --as-root update

clusterconf=/etc/postgresql-common/createcluster.conf
dropin=/etc/postgresql-common/createcluster.d/zz-dlints-no-cluster.conf
policy=/usr/sbin/policy-rc.d
made_dropin=
made_policy=
saved_clusterconf=

restore()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	if [ -n "$made_dropin" ]; then
		rm -f "$dropin"
		rmdir "${dropin%/*}" 2>/dev/null || true
	fi
	if [ -n "$made_policy" ]; then rm -f "$policy"; fi
	if [ -n "$saved_clusterconf" ]; then mv "$saved_clusterconf" "$clusterconf"; fi
	exit "$status"
}

# needrestart, where it is installed, would restart servers of its own accord,
# and apt would upgrade a server because its headers come from the same source.
apt()
{
	NEEDRESTART_SUSPEND=1 DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 \
		-o APT::Get::Upgrade-By-Source-Package=false -o APT::Get::Assume-Yes=true --no-install-recommends "$@" </dev/null
}

cluster_creation_is_off()
{
	[ "$(pg_conftool "$clusterconf" show -bs create_main_cluster 2>/dev/null)" = off ]
}

# Debian's server packages create a cluster and start every cluster there is.
# For the time of the installation, both are switched off.
keep_servers_out()
{
	if ! is_installed postgresql-common; then
		apt install postgresql-common
	fi
	if ! cluster_creation_is_off; then
		mkdir -p "${dropin%/*}"
		made_dropin=yes
		echo "create_main_cluster = false" >"$dropin"
	fi
	if ! cluster_creation_is_off && [ -e "$clusterconf" ]; then
		cp -p "$clusterconf" "$clusterconf.dlints-saved"
		saved_clusterconf=$clusterconf.dlints-saved
		echo "create_main_cluster = false" >>"$clusterconf"
	fi
	cluster_creation_is_off ||
		die "cannot keep the server package from creating a cluster ($clusterconf)"
	if [ ! -e "$policy" ]; then
		made_policy=yes
		{
			echo '#!/bin/sh'
			echo '# Temporary, from the installation of packages for dlints'
			# shellcheck disable=SC2016 # for that script to expand
			echo 'case $1 in postgresql*) exit 101 ;; esac'
			echo 'exit 0'
		} >"$policy"
		chmod 755 "$policy"
	fi
}

as_root()
{
	action=$1
	shift
	trap restore EXIT
	exit_on_signals
	if [ "$action" = update ]; then
		apt update
		return
	fi
	upgraded=$(apt -s install "$@" |
		sed -n 's/^Inst \(postgresql-[0-9][0-9]*\) \[.*/\1/p')
	if [ -n "$upgraded" ] && pg_lsclusters -h 2>/dev/null | grep -q ' online'; then
		die "installing these would upgrade your database server ($upgraded)" \
			"and restart it. Upgrade it when it suits you, then run this again."
	fi
	for package in "$@"; do
		case $package in
			postgresql-common | postgresql-*-*) ;;
			postgresql-*) keep_servers_out ;;
		esac
	done
	apt install "$@"
}

is_installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if [ "${1:-}" = --as-root ]; then
	shift
	as_root "$@"
	exit
fi

# ---------------------------------------------------------------------------
# What is there already, however it came

works()
{
	"$@" >/dev/null 2>&1
}

has_command()
{
	works command -v "$1"
}

c_compiler()
{
	command -v gcc || command -v cc
}

has_header()
{
	cc=$(c_compiler) && echo "#include <$1>" | works "$cc" -E -xc -include stddef.h \
		-include stdarg.h -include stdint.h -include setjmp.h -
}

has_library()
{
	cc=$(c_compiler) && echo 'int main(void) { return 0; }' |
		works "$cc" -xc - -o /dev/null -Wl,--no-as-needed "-l$1"
}

# Elsewhere than on Debian there is no way to tell; build-stage.sh warns later.
has_serial_blas()
{
	[ -z "$apt" ] && has_library blas
}

# Debian's packages are for Debian's Python: all of them, unless another one has
# all the libraries.
has_python()
{
	find_python "$python_libraries" >/dev/null || { [ -z "$apt" ] && works python3 -c "import $1"; }
}

has_fuzzer()
{
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		works clang -fsanitize=fuzzer,address,undefined -xc - -o /dev/null
}

has_perl()
{
	works perl -e "use $1; 1"
}

has_certificates()
{
	[ -z "$apt" ] || [ -e /etc/ssl/certs/ca-certificates.crt ]
}

pg_has_headers()
{
	[ -n "$pg_config" ] && has_headers "$pg_config" &&
		[ -e "$("$pg_config" --includedir-server)/postgres.h" ]
}

pg_has_server()
{
	[ -n "$pg_config" ] && has_server "$pg_config"
}

pg_has_client()
{
	[ -n "$pg_config" ] && pgxs_dir=$(dirname "$("$pg_config" --pgxs)") &&
		[ -x "$("$pg_config" --bindir)/psql" ] &&
		[ -x "$pgxs_dir/../test/regress/pg_regress" ] &&
		[ -d "$pgxs_dir/../test/perl" ]
}

pg_has_pgtap()
{
	[ -n "$pg_config" ] && [ -e "$("$pg_config" --sharedir)/extension/pgtap.control" ]
}

pg_has_plpython()
{
	[ -n "$pg_config" ] &&
		[ -e "$("$pg_config" --sharedir)/extension/plpython3u.control" ]
}

# need PACKAGE "what it is" CHECK ...: note what is neither installed as a
# package nor there by other means.  PACKAGE is "-" where no package will do.
packages=
list=
elsewhere=

need()
{
	package=$1 what=$2
	shift 2
	if [ -n "$apt" ] && [ "$package" != - ] && is_installed "$package"; then
		return
	fi
	if "$@"; then
		return
	fi
	if [ -z "$apt" ] || [ "$package" = - ]; then
		elsewhere="$elsewhere
    $what"
	else
		packages="$packages $package"
		list="$list
    $(printf '%-46s %s' "$package" "$what")"
	fi
}

# pg_package NAME: the package with this name's ending for the chosen major
# version, or "-" for a PostgreSQL that did not come as a package.
pg_package()
{
	if [ -n "$pg_packaged" ]; then
		say "$1" | sed "s/N/$major/"
	else
		say -
	fi
}

need_compiler()
{
	need make "make, which runs the build" has_command make
	need gcc "C compiler" works c_compiler
	need libc6-dev "C library headers" has_header stdio.h
	need libblas-dev "BLAS, to link with" has_library blas
	need liblapack-dev "LAPACK, to link with" has_library lapack
	need libopenblas0-serial "fast BLAS and LAPACK without threads" has_serial_blas
}

need_postgresql()
{
	need "$(pg_package postgresql-N)" "PostgreSQL server" pg_has_server
	need "$(pg_package postgresql-server-dev-N)" "PostgreSQL server headers" pg_has_headers
}

need_python()
{
	need python3 "Python" has_command python3
	need python3-numpy "Python library numpy, for arithmetic" has_python numpy
	need python3-scipy "Python library scipy, for arithmetic" has_python scipy
	need python3-psycopg2 "Python library psycopg2, which connects" has_python psycopg2
}

need_python_for_bench()
{
	python_libraries=$python_for_bench
	need_python
	need python3-matplotlib "Python library matplotlib, for a chart" has_python matplotlib
	need python3-tqdm "Python library tqdm, for progress" has_python tqdm
}

list_needs()
{
	packages='' list='' elsewhere=''
	need_compiler
	case $purpose in
		test-core | test | valgrind | lint)
			need libcmocka-dev "cmocka, for C unit tests" has_header cmocka.h
			need perl "prove, which runs tests" has_perl TAP::Harness ;;
	esac
	case $purpose in
		test)
			need_postgresql
			need "$(pg_package postgresql-client-N)" "psql, pg_regress, PostgreSQL::Test" pg_has_client
			need "$(pg_package postgresql-N-pgtap)" "pgTAP" pg_has_pgtap
			need libtap-parser-sourcehandler-pgtap-perl "pg_prove, which runs pgTAP" \
				has_command pg_prove
			need libipc-run-perl "Perl's IPC::Run, for tests with servers" has_perl IPC::Run
			python_libraries=$python_for_test
			need_python ;;
		valgrind)
			need valgrind "memcheck, which watches memory" has_command valgrind ;;
		lint)
			need_postgresql
			need clang-tidy "clang-tidy, which reads C" has_command clang-tidy
			need cppcheck "cppcheck, which reads C" has_command cppcheck
			need shellcheck "shellcheck, which reads shell scripts" has_command shellcheck
			need libperl-critic-perl "perlcritic, which reads Perl" has_command perlcritic
			need libipc-run-perl "Perl's IPC::Run, which the tests import" has_perl IPC::Run
			need "$(pg_package postgresql-client-N)" "PostgreSQL::Test, likewise" pg_has_client
			need pyflakes3 "pyflakes, which reads Python" has_command pyflakes3
			need yamllint "yamllint, which reads workflows" has_command yamllint ;;
		demo | bench | load | paper | peers)
			need_postgresql
			need_python_for_bench
			need ca-certificates "for a download over HTTPS" has_certificates ;;
	esac
	case $purpose in
		fuzz)
			need_postgresql
			need clang "clang, which has libFuzzer" has_command clang
			need libclang-rt-dev "clang's libraries, libFuzzer among them" has_fuzzer
			need g++ "C++ library, which libFuzzer is linked with" has_fuzzer ;;
		sqlsmith)
			need_postgresql
			need sqlsmith "sqlsmith, which makes up queries" has_command sqlsmith ;;
	esac
	if [ "$purpose" = peers ]; then
		need "$(pg_package postgresql-plpython3-N)" "PL/Python, a peer" pg_has_plpython
	fi
}

# Which PostgreSQL: the given or found one, else the one whose server is
# installed, else the distribution's.
choose_postgresql()
{
	pg_config=$(find_pg_config || true)
	pg_packaged=
	major=
	if [ -n "${PG_CONFIG:-}" ] && [ -z "$pg_config" ]; then
		die "PG_CONFIG is \"$PG_CONFIG\", but there is no such program"
	fi
	if [ -n "$pg_config" ]; then
		major=$(major_version "$pg_config")
		case $("$pg_config" --bindir) in
			"/usr/lib/postgresql/$major/bin") pg_packaged=$apt ;;
		esac
		# pg_config of the client library's headers alone says nothing yet
		if [ -n "${PG_CONFIG:-}" ] && ! has_headers "$pg_config"; then
			pg_packaged=$apt
		fi
	elif [ -n "$apt" ]; then
		pg_packaged=yes
		for found in /usr/lib/postgresql/*/bin/postgres; do
			found=${found#/usr/lib/postgresql/}
			found=${found%%/*}
			case $found in
				*[!0-9]*) continue ;;
			esac
			if [ "$found" -gt "${major:-0}" ]; then
				major=$found
			fi
		done
		if [ -z "$major" ]; then
			major=$(default_major)
		fi
		if [ -z "$major" ]; then
			say "Reading the package lists, to learn which PostgreSQL this system offers"
			run_as_root update || true
			updated=yes
			major=$(default_major)
		fi
		[ -n "$major" ] || die "apt-get knows no package \"postgresql\"." \
			"Are the package sources of this system complete?"
	fi
	if [ -n "$major" ] && [ "$major" -lt "$oldest_major" ]; then
		die "PostgreSQL $major is too old; dlints needs $oldest_major or later." \
			"PG_CONFIG=/path/to/bin/pg_config chooses another one."
	fi
}

default_major()
{
	LC_ALL=C apt-cache depends postgresql 2>/dev/null |
		sed -n 's/^ *Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | head -n 1
}

run_as_root()
{
	if [ "$(id -u)" -eq 0 ]; then
		sh "$0" --as-root "$@"
	elif has_command sudo; then
		sudo sh "$0" --as-root "$@"
	else
		return 1
	fi
}

explain_elsewhere()
{
	cat >&2 <<END
dlints: "make $purpose" lacks what it cannot install. It can install packages only on
Debian, Ubuntu and the like, and none for a PostgreSQL that is not a package.
Missing:
$list$elsewhere

Install these with your system's packages and run "make $purpose" again. In all it
needs, beside a C compiler and make:

    all:   PostgreSQL $oldest_major or later with its server headers; BLAS and LAPACK,
           preferably a serial (single-threaded) OpenBLAS
    test:  cmocka; pgTAP with pg_prove; Perl with prove and IPC::Run;
           PostgreSQL's test programs and modules (pg_regress, PostgreSQL::Test);
           Python 3 with numpy, scipy and psycopg2
    fuzz:  clang with libFuzzer; sqlsmith: that program
    demo, bench, load, paper, peers:
           Python 3 with numpy, scipy, psycopg2, matplotlib and tqdm
    valgrind: cmocka; Perl with prove; valgrind
    lint:  cmocka; clang-tidy, cppcheck, shellcheck, perlcritic, pyflakes3,
           yamllint

If PostgreSQL is there but not found:  make $purpose PG_CONFIG=/path/to/bin/pg_config
END
	exit 1
}

purpose=${1:-}
case $purpose in
	demo | test | test-core | bench | load | paper | peers | fuzz | sqlsmith | valgrind | lint) ;;
	*) die "usage: $0 demo|test|test-core|bench|load|paper|peers|fuzz|sqlsmith|valgrind|lint" ;;
esac

apt=
if has_command apt-get && has_command dpkg-query; then
	apt=yes
fi
updated=
major=
pg_config=
pg_packaged=
case $purpose in
	test-core | valgrind) ;;
	*) choose_postgresql ;;
esac

list_needs
if [ -n "$elsewhere" ]; then
	explain_elsewhere
fi
if [ -z "$packages" ]; then
	exit 0
fi

say "\"make $purpose\" needs these packages, which are missing here:"
say "$list"
say ""
if [ "$(id -u)" -ne 0 ] && ! has_command sudo; then
	die "this needs root, and there is no sudo. Ask your administrator to run
    apt-get install --no-install-recommends$packages"
fi
say "Installing them with apt-get, and what they depend on."
case " $packages " in
	*" postgresql-$major "*)
		say "No database cluster is created or started by that." ;;
esac
if [ -z "$updated" ]; then
	run_as_root update ||
		warn "dlints: the package lists could not be renewed; trying with those that are here"
fi
# shellcheck disable=SC2086 # a list of words
run_as_root install $packages ||
	die "the installation failed; its messages are above. By hand it would be
    apt-get install --no-install-recommends$packages"
