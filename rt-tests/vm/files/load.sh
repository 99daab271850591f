# shellcheck shell=sh
# A load for payloads: hackbench and file writes, started again 20 ms after they ended: bounded,
# because every busy second of guest time costs ten of the machine's. Half of its work is to start and
# end processes, which is what keeps kernels busy longest.
load() {
    while :; do
        hackbench -g 1 -f 4 -l 20 >/dev/null
        dd if=/dev/zero of=/tmp/load bs=64k count=16 2>/dev/null
        rm -f /tmp/load
        sleep 0.02
    done
}
