# shellcheck shell=sh
# skidpad run with its log on a disk whose writes are kept, and marks between them of how far the run
# was. The power "fails" afterwards, at any of the writes: rt-tests/vm/power_loss.py.
# tests: hil/test_power_marks
# modules: virtio_pci virtio_blk crc32c_generic ext4
# devices: disk
# files: rt-tests/vm/files/power.yaml
# seconds: 400
set -u

mkdir /disk
mount -t ext4 /dev/vda /disk || exit 1
skidpad run /vm/files/power.yaml --allow-nonrt >run.txt 2>&1 &
run=$!
MARK_DISK=/dev/vda MARK_SOCKET=/tmp/run.sock MARK_SECONDS="${seconds:-6}" test_power_marks \
    >marks.txt 2>&1 || { cat marks.txt run.txt; exit 1; }
kill -INT $run
wait $run
status=$?
umount /disk
cat run.txt
exit $status
