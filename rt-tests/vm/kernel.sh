#!/bin/bash
# Prints the folder that holds one of Debian's kernels: vmlinuz, release (its name) and the modules
# of CAN, of a disk and of its file system below lib/modules. Downloads and unpacks it if it is not in the cache; installs nothing.
#
#   kernel.sh rt|stock
#
# SKIDPAD_CACHE  where kernels are kept (~/.cache/skidpad)
set -euo pipefail
export LC_ALL=C

case ${1-} in
rt) meta=linux-image-rt-amd64 ;;
stock) meta=linux-image-amd64 ;;
*)
    echo "usage: $0 rt|stock" >&2
    exit 2
    ;;
esac
cache=${SKIDPAD_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/skidpad}/kernels
mkdir -p "$cache"

fail() {
    printf '%s: %s\n' "$0" "$1" >&2
    exit 1
}

# The lists of packages may be missing or name a version that the mirror no longer has.
update() {
    if [ "$(id -u)" -eq 0 ]; then
        apt-get -q update >&2
    elif sudo -n true 2>/dev/null; then
        sudo -n apt-get -q update >&2
    else
        return 1
    fi
}

# The package that the meta-package stands for.
resolve() {
    apt-cache depends "$meta" 2>/dev/null |
        awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }'
}

# The name of the package's file, with the version: the key of the cache.
file_name() {
    apt-get download --print-uris "$1" 2>/dev/null | awk 'NR == 1 { print $2 }'
}

# download PACKAGE FOLDER
download() {
    (cd "$2" && apt-get -q -o APT::Sandbox::User=root download "$1" >&2)
}

# Unpacks what the virtual bench needs; the whole package is 400 MB.
unpack() {
    local folder=$1 release
    dpkg-deb --fsys-tarfile "$folder"/*.deb | tar -x -C "$folder" --wildcards './boot/vmlinuz-*' \
        './lib/modules/*/modules.*' './lib/modules/*/kernel/net/can' \
        './lib/modules/*/kernel/drivers/net/can' './lib/modules/*/kernel/fs/ext4' \
        './lib/modules/*/kernel/fs/jbd2' './lib/modules/*/kernel/fs/mbcache.ko' \
        './lib/modules/*/kernel/lib/crc16.ko' './lib/modules/*/kernel/crypto/crc32c_generic.ko' \
        './lib/modules/*/kernel/drivers/block/virtio_blk.ko' \
        './lib/modules/*/kernel/drivers/virtio'
    rm -f "$folder"/*.deb
    mv "$folder"/boot/vmlinuz-* "$folder/vmlinuz"
    release=$(basename "$folder"/lib/modules/*)
    /sbin/depmod -b "$folder" "$release"
    echo "$release" >"$folder/release"
    touch "$folder/with-disk"
}

exec 9>"$cache/lock"
flock 9
package=$(resolve)
if [ -z "$package" ]; then
    update || fail "apt does not know $meta: run apt-get update as root, then try again"
    package=$(resolve)
    [ -n "$package" ] || fail "apt does not know $meta: it needs the package lists of Debian, amd64"
fi
folder=$cache/$(basename "$(file_name "$package")" .deb)
if [ ! -e "$folder/with-disk" ]; then
    part=$(mktemp -d "$cache/part.XXXXXX")
    trap 'rm -rf "$part"' EXIT
    if ! download "$package" "$part"; then
        if ! update || ! download "$package" "$part"; then
            fail "$package could not be downloaded; is there a network? (apt-get download $package)"
        fi
        folder=$cache/$(basename "$part"/*.deb .deb)
    fi
    unpack "$part"
    chmod 755 "$part"
    rm -rf "$folder"
    mv "$part" "$folder"
fi
echo "$folder"
