#!/bin/sh
# Try the packages that "make deb" built as their users do: install, use, upgrade,
# remove and purge them, each major version in a system of its own that has
# nothing but what the packages ask for, and is gone afterwards.
#
# The system is made of the package archives that this one has.
set -eu
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# shellcheck disable=SC2016 # expanded by apt-get
sources=$(apt-get indextargets \
	--format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
	sort -u)
[ -n "$sources" ] || { echo "dlints: apt-get knows no package archive of Debian's" >&2; exit 1; }

for package in build/deb/postgresql-[0-9]*-dlints_*.deb; do
	major=$(basename "$package" | cut -d - -f 2)
	echo "== PostgreSQL $major"
	# The same with a lower version, to be upgraded
	rm -rf "$folder/unpacked"
	dpkg-deb -R "$package" "$folder/unpacked"
	sed -i 's/^Version: .*/&~earlier/' "$folder/unpacked/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$folder/unpacked" "$folder/earlier.deb" >/dev/null
	cp "$package" "$folder/current.deb"

	printf '%s\n' "$sources" | mmdebstrap --quiet --variant=apt --format=null \
		--customize-hook="copy-in $folder/earlier.deb $folder/current.deb test/deb/inside.sh /root" \
		--customize-hook="chroot \"\$1\" sh /root/inside.sh $major" '' /dev/null -
done
