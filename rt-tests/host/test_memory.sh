#!/bin/sh
# The host's memory does not grow with the number of runs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

port=$(free_port)
start_host "$port" 0 --record "$scratch/rec" --quiet
resident_kb() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$host/status"; }
# runs COUNT: one after the other, of eight targets, as many as there are places.
runs() {
    run python3 rt-tests/host/target.py run "$port" "$SKIDPAD_KEY" "$1" 500 --names 8
    expect_out "{\"done\": $1}" "$1 runs are recorded"
    rm -f "$scratch"/rec/*
}
runs 20
first=$(resident_kb)
runs 100
last=$(resident_kb)
ran='resident memory' status=0 err='' out="$first kB after 20 runs, $last kB after 120"
echo "# $out"
check "$([ "$last" -lt $((first + 1500)) ]; echo $?)" 'its memory is the same after a hundred more'
check "$([ "$last" -lt 65536 ]; echo $?)" 'and small'
kill "$host"
wait "$host"
check $? 'all of them were complete'
finish
