#!/bin/sh
# CAN in the guest: two controllers on one bus, and ISO-TP over a virtual interface.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

vm can rt function can
expect_boot 'the guest has CAN'
expect_in received.txt 'can1  123   [4]  DE AD BE EF' 'a frame with four bytes arrives'
expect_in received.txt 'can1  7FF   [0]' 'an empty frame arrives'
expect_in received.txt 'can1  1ABCDEF0   [8]  01 02 03 04 05 06 07 08' \
    'a frame with a long identifier arrives'
expect_in can0.txt 'bitrate 500000' 'the bus runs at 500 kbit/s'
check "$(tail -n 1 "$results/can0.txt" | grep -qE '^ +12 +3 +0'; echo $?)" \
    'the sender counts three frames of 12 bytes, no error'
check "$([ "$(xargs <"$results/isotp.txt")" = "$(xargs <"$results/sent.txt")" ]; echo $?)" \
    'a message of many frames arrives by ISO-TP'
finish
