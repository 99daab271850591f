#!/bin/sh
# The power fails while a run writes its log: at any moment the file system recovers, and the log is
# there up to what the run says a power cut can take.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

vm power rt function power
expect_boot 'a run logs to a disk'
run python3 rt-tests/vm/power_loss.py "$guests/power" "${BUILD:-build}" "${POINTS:-30}" 1 5
echo "# $out"
expect_status 0 'power loss: the file system recovers, the log replays, no more is lost than the run says'
finish
