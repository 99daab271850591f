#!/bin/sh
# The SocketCAN transport on a real PREEMPT_RT kernel, and the watchdog on it.
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

# The watchdog: what the listener on the bus heard.
heard() { # NAME
    run python3 rt-tests/cli/watchdog_frames.py "$results/$1.log"
    err=$(cat "$results/$1.txt" "$results/$1.mf4.watchdog")
    check "$(printf '%s\n' "$out" | grep -qE '^run [1-9][0-9]* safe [1-9][0-9]+ after 0 wrong 0 jumps [0-9]* taken 0$'; echo $?)" \
        "watchdog, $1: safe frames follow those of the run, counters and checksums go on ($out)"
    expect_err 'in the queue of can0' "watchdog, $1: it says how many frames were on their way"
}
heard killed
heard endless
expect_in endless.mf4.watchdog 'no tick of the run' 'watchdog, endless: it knows why'
finish
