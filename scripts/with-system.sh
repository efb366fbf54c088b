#!/bin/sh
# Run a command as root in a system that is made for it, has nothing but apt, and
# is gone afterwards.
#
#   with-system.sh COMMAND
#
# The command, a line of shell, runs in a copy of this source tree.  The system is
# made of the package archives that this one has.
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2016 # expanded by apt-get
sources=$(apt-get indextargets \
	--format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
	sort -u)
[ -n "$sources" ] || { echo "dlints: apt-get knows no package archive of Debian's" >&2; exit 1; }

# Of the environment only the way to the network goes along.
export COMMAND="cd /root/dlints && $1"
# shellcheck disable=SC2016 # expanded by mmdebstrap's shell
printf '%s\n' "$sources" | mmdebstrap --quiet --variant=apt --format=null \
	--customize-hook='mkdir "$1/root/dlints"' \
	--customize-hook="sync-in '$PWD' /root/dlints" \
	--customize-hook='chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		sh -c "$COMMAND" </dev/null' \
	'' /dev/null -
