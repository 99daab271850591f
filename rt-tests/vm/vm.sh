#!/bin/bash
# Boots a kernel in an emulated PC, runs a payload in it and brings its results out. README.md
# explains payloads and modes.
#
#   vm.sh rt|stock|other function|clock PAYLOAD.sh OUT_FOLDER [NAME=VALUE]...
#
# OUT_FOLDER gets console.log, output.txt (what the payload printed) and results/ (what it wrote
# there). Status 0: the payload ended with 0 and its results are complete. A panic, another status,
# a time-out or cut results: status 1, with the end of the console.
#
# VM_KERNEL, VM_BASE, VM_RT   for "other": kernel image, initramfs below ours, real-time core
# VM_APPEND                   more words for the kernel's command line, besides those the payload asks for
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)

fail() {
    echo "vm.sh: $1" >&2
    if [ -s "${out-}/console.log" ]; then
        echo "the end of $out/console.log:" >&2
        tail -n 40 "$out/console.log" | tr -d '\r' | cut -c 1-200 >&2
    fi
    exit 1
}

if [ $# -lt 4 ] || [ ! -f "$3" ]; then
    echo "usage: $0 rt|stock|other function|clock PAYLOAD.sh OUT_FOLDER [NAME=VALUE]..." >&2
    exit 2
fi
kernel=$1 mode=$2 payload=$3 out=$4
shift 4

asks() {
    sed -n "s/^# $1: *//p" "$payload"
}

folder=
core=posix
case $kernel in
rt | stock)
    folder=$("$here/kernel.sh" "$kernel") || exit 1
    image=$folder/vmlinuz
    ;;
other)
    image=${VM_KERNEL:?name the kernel image}
    core=${VM_RT:-posix}
    ;;
*) fail "no kernel '$kernel'; allowed: rt, stock, other" ;;
esac
case $mode in
function) machine=(-smp 2 -accel 'tcg,thread=multi') ;;
clock) machine=(-smp 1 -accel tcg -icount 'shift=0,sleep=off') ;;
*) fail "no mode '$mode'; allowed: function, clock" ;;
esac
disk=
for device in $(asks devices); do
    case $device in
    can) machine+=(-object 'can-bus,id=cb0' -device 'kvaser_pci,canbus=cb0'
        -device 'kvaser_pci,canbus=cb0') ;;
    disk) disk=$out/disk.img ;;
    *) fail "$payload asks for an unknown device '$device'; allowed: can, disk" ;;
    esac
done
seconds=$(asks seconds)

rm -rf "$out"
mkdir -p "$out/results"
if [ -n "$disk" ]; then
    # An empty file system on the first 56 of 64 MB; every write and flush of the guest is kept, in
    # order.
    truncate -s 64M "$disk"
    PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F "$disk" 56M || fail "no file system"
    cp --sparse=always "$disk" "$disk.before"
    : >"$out/disk.writes"
    machine+=(-blockdev "driver=file,node-name=image,filename=$disk"
        -blockdev "driver=file,node-name=writes,filename=$out/disk.writes"
        -blockdev 'driver=blklogwrites,node-name=disk,file=image,log=writes,log-sector-size=512'
        -device 'virtio-blk-pci,drive=disk')
fi
initramfs=$out/initramfs.cpio
"$here/initramfs.sh" "$initramfs" "$payload" "$folder" || fail "no initramfs"
if [ "$kernel" = other ] && [ -n "${VM_BASE-}" ]; then
    # Archives may follow each other at multiples of 4 bytes, and the later one wins.
    cp "$VM_BASE" "$out/base.cpio" || fail "no base initramfs"
    truncate -s %4 "$out/base.cpio"
    cat "$initramfs" >>"$out/base.cpio"
    mv "$out/base.cpio" "$initramfs"
fi

# Nothing that a program prints by chance can be taken for the harness's own lines.
mark=vm-$$-$RANDOM
# noirqdebug: a long stream over the serial line is no interrupt gone wild.
words="console=ttyS0 quiet loglevel=4 panic=-1 oops=panic noirqdebug tsc=reliable"
words="$words vm.mark=$mark vm.VM_RT=$core vm.VM_MODE=$mode"
for word; do
    words="$words vm.$word"
done
words="$words $(asks kernel) ${VM_APPEND-}"
timeout -k 5 "${seconds:-300}" qemu-system-x86_64 -M pc -cpu max -m 1024 "${machine[@]}" \
    -nodefaults -no-user-config -display none -no-reboot -monitor none \
    -serial "file:$out/console.log" -serial "file:$out/results.tar" \
    -kernel "$image" -initrd "$initramfs" -append "$words" </dev/null >"$out/qemu.log" 2>&1 &
qemu=$!
trap 'kill $qemu 2>/dev/null; exit 143' TERM INT HUP

# A guest that has come to its end without switching off would be waited for to the time-out: one that
# stopped (a panic without a reboot, a halt), or one whose last word was said seconds ago.
halted=
said=0
while kill -0 $qemu 2>/dev/null; do
    sleep 0.5
    if grep -qE 'reboot: (System halted|Power down)|end Kernel panic' "$out/console.log" 2>/dev/null; then
        said=$((said + 4))
        halted=1
    elif grep -q "^=== $mark status" "$out/console.log" 2>/dev/null; then
        said=$((said + 1))
    fi
    if [ $said -ge 20 ]; then
        kill $qemu 2>/dev/null
        break
    fi
done
wait $qemu
status=$?
[ $said -lt 20 ] || status=0 # by us
trap - TERM INT HUP
rm -f "$initramfs"
tr -d '\r' <"$out/console.log" |
    sed -n "/^=== $mark payload/,/^=== $mark status/p" >"$out/output.txt"
case $status in
0) ;;
124 | 137) fail "no end after ${seconds:-300} s" ;;
*) fail "qemu ended with status $status: $(head -n 5 "$out/qemu.log")" ;;
esac
end=$(sed -n "s/^=== $mark status //p" "$out/output.txt")
if [ -z "$end" ] && [ -n "$halted" ] && ! grep -q 'Kernel panic' "$out/console.log"; then
    fail "the guest halted before the payload ended"
fi
if [ -z "$end" ]; then
    fail "the guest stopped before the payload ended: $(grep -m 1 -E 'Kernel panic|Oops|BUG:' \
        "$out/console.log" || echo 'no panic was seen')"
fi
bytes=${end##* }
[ "$(stat -c %s "$out/results.tar")" = "$bytes" ] ||
    fail "the results are cut: $(stat -c %s "$out/results.tar") of $bytes bytes"
tar -xzf "$out/results.tar" -C "$out/results" || fail "bad results"
rm -f "$out/results.tar"
[ "${end%% *}" = 0 ] || fail "the payload ended with status ${end%% *}"
