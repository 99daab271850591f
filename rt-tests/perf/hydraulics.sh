#!/bin/bash
# What a step of the hydraulics costs, over a sequence of ABS, active build-up and leaks.
#
#   hydraulics.sh table   lines for docs/performance.md
#   hydraulics.sh limit   as TAP: no step takes more than 2,500 instructions; with faults that slow
#                         wheels down, which may be solved for several times, 8,000
cd "$(dirname "$0")/../.." || exit 1
. rt-tests/perf/count.sh

count() { count_calls hydraulics_counted "$BUILD/perf/hydraulics_cost" "$@"; }

table() {
    local mean most steps
    read -r mean most steps < <(count) || return 1
    echo '| hydraulics | instructions per step, mean | maximum | steps |'
    echo '|---|---|---|---|'
    echo "| ABS, active build-up, leaks | $mean | $most | $steps |"
    read -r mean most steps < <(count slow) || return 1
    echo "| the same, pressures slow at all wheels | $mean | $most | $steps |"
}

limit() {
    judge hydraulics 2500 step < <(count)
    judge 'slow wheels' 8000 step < <(count slow)
    judged
}

choose 'table limit' "$@"
