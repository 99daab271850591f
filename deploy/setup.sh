#!/bin/sh
# Installs the Debian packages of the named sets (deploy/packages.txt) that are missing.
#
#   deploy/setup.sh SET...
#
# As root by apt, else by `sudo -n`, else the line to type is printed and the status is 2. apt is
# called only if something is missing.
set -eu

here=$(dirname "$0")
list=$here/packages.txt

if [ $# -eq 0 ]; then
    echo "usage: $0 SET...   (sets: $(awk '!/^#/ && NF {print $1}' "$list" | uniq | xargs))" >&2
    exit 2
fi

wanted=
for set in "$@"; do
    packages=$(awk -v set="$set" '$1 == set {print $2}' "$list")
    if [ -z "$packages" ]; then
        echo "$0: there is no package set '$set' in $list" >&2
        exit 2
    fi
    wanted="$wanted $packages"
done

# Another system names its packages otherwise; the compiler will tell what it lacks.
# shellcheck disable=SC2086 # a list of words
if ! command -v dpkg-query >/dev/null; then
    echo "This is not Debian; what is called there$(printf ' %s' $wanted) must be installed." >&2
    exit 0
fi

# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
    awk '$2 == "installed" {sub(/:.*/, "", $1); print $1}')

# Node is often installed from elsewhere, and Debian's would be in its way.
elsewhere() {
    case $1 in
    nodejs) command -v node ;;
    npm) command -v npm ;;
    *) false ;;
    esac >/dev/null
}

missing=
for package in $wanted; do
    echo "$installed" | grep -qxF "$package" || elsewhere "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    install="apt-get install --no-install-recommends$missing"
    line="su -c 'apt-get update && $install'"
    command -v sudo >/dev/null && line="sudo apt-get update && sudo $install"
    printf 'Debian packages are missing. Type this, then try again:\n\n  %s\n\n' "$line" >&2
    exit 2
fi

echo "Installing:$missing"
# shellcheck disable=SC2086 # as_root and missing are lists of words
{
    $as_root apt-get -q update
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
} || {
    echo "$0: apt could not install:$missing" >&2
    exit 2
}
