#!/bin/bash
# Packs what a guest runs: busybox, our programs and configuration, the programs, files and kernel
# modules that the payload asks for, with the shared libraries they need. README.md has a table of
# what lies where in the guest.
#
#   initramfs.sh OUT.cpio PAYLOAD [KERNEL_FOLDER]     KERNEL_FOLDER as kernel.sh prints it
#
# A payload asks in its comments: "# programs: candump cansend", "# tests: hil/test_can_socket",
# "# modules: can-raw vcan", "# files: rt-tests/vm/some.yaml".
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C

out=$1 payload=$2 kernel=${3-}
BUILD=${BUILD:-build}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
    printf '%s: %s\n' "$0" "$1" >&2
    exit 1
}

asks() {
    sed -n "s/^# $1: *//p" "$payload"
}

# Libraries by their full path, the loader of programs among them.
libraries() {
    local list
    list=$(ldd "$1" 2>/dev/null) || return 0 # a static program
    if grep -q 'not found' <<<"$list"; then
        grep 'not found' <<<"$list" >&2
        fail "$1 lacks shared libraries"
    fi
    awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' <<<"$list"
}

# add_program FILE FOLDER: the program, and in FOLDER what starts it with our libraries, whatever
# libraries the base initramfs has.
add_program() {
    local name library
    name=$(basename "$1")
    cp "$1" "$root/vm/programs/$name"
    strip "$root/vm/programs/$name" 2>/dev/null || true
    while read -r library; do
        [ -e "$root/vm/lib/${library##*/}" ] || cp -L "$library" "$root/vm/lib/"
    done < <(libraries "$1")
    printf '#!/vm/busybox sh\nexec %s /vm/programs/%s "$@"\n' \
        '/vm/lib/ld-linux-x86-64.so.2 --library-path /vm/lib' "$name" >"$root/$2/$name"
    chmod 755 "$root/$2/$name"
}

# The modules and what they need, in the order in which they must be loaded.
add_modules() {
    local release module
    release=$(cat "$kernel/release")
    for module; do
        /sbin/modprobe -d "$kernel" -S "$release" --show-depends "$module" ||
            fail "the kernel $release has no module $module (see unpack in kernel.sh)"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$root/vm/modules/paths"
    while read -r module; do
        cp "$module" "$root/vm/modules/"
        basename "$module" >>"$root/vm/modules/order"
    done <"$root/vm/modules/paths"
    rm "$root/vm/modules/paths"
}

mkdir -p "$root"/{dev,proc,sys,tmp,results,var/tmp} \
    "$root"/vm/{bin,lib,programs,modules,applets,files,libexec/skidpad,share/skidpad}
cp "$(command -v busybox)" "$root/vm/busybox"
cp skidpad "$root/vm/bin/"
cp -r config "$root/vm/share/skidpad/"
cp rt-tests/vm/init "$root/init"
cp "$payload" "$root/vm/payload.sh"
chmod 755 "$root/init"
for program in "$BUILD"/skidpad-*; do
    [ -x "$program" ] && add_program "$program" vm/libexec/skidpad
done
# The shell of the payload is dash: that of busybox prefers its own programs to those in the path.
for name in dash $(asks programs); do
    program=$(PATH=$PATH:/usr/sbin:/sbin command -v "$name") ||
        fail "$name is not installed; 'make setup' installs what is missing"
    add_program "$program" vm/bin
done
for name in $(asks tests); do
    add_program "$BUILD/tests/$name" vm/bin
done
for name in $(asks files); do
    cp "$name" "$root/vm/files/"
done
# Another kernel than Debian's brings its modules in its base initramfs.
modules=$(asks modules)
if [ -n "$modules" ] && [ -n "$kernel" ]; then
    # shellcheck disable=SC2086 # a list of words
    add_modules $modules
fi
(cd "$root" && find . -mindepth 1 -print0 | sort -z |
    cpio --null --quiet --create --format=newc --owner=0:0) >"$out"
