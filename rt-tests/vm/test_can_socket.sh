#!/bin/sh
# The SocketCAN transport on a real PREEMPT_RT kernel.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# tests_of NAME: each test of the program in the guest becomes one here.
tests_of() {
    while read -r line; do
        case $line in
        'ok '*) check 0 "$1: ${line#*- }" ;;
        'not ok '*) check 1 "$1: ${line#*- }" ;;
        esac
    done <"$results/socket.txt"
}

vm can_socket rt function can_socket
expect_boot 'the transport passes its tests on PREEMPT_RT'
tests_of rt
finish
