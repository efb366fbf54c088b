# shellcheck shell=sh
# What scripts do that run in a system made for them

apt()
{
	echo "-- apt-get $*"
	apt-get -q -y "$@" >/root/apt.log 2>&1 </dev/null || { cat /root/apt.log; exit 1; }
}

# WHAT EXPECTED FOUND
expect()
{
	[ "$2" = "$3" ] || { printf 'not ok - %s\n# expected: %s\n# found: %s\n' "$@"; exit 1; }
	printf 'ok - %s\n' "$1"
}
