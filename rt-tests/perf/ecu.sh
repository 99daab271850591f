#!/bin/bash
# What a cycle of the stand-in unit costs, over a full stop of the sedan by pressures and a sine with
# dwell by valves.
#
#   ecu.sh table   lines for docs/performance.md
#   ecu.sh limit   as TAP: no cycle takes more than 40,000 instructions
cd "$(dirname "$0")/../.." || exit 1
. rt-tests/perf/count.sh

count() { count_calls unit_cycle "$BUILD/perf/ecu_cost" count; }

table() {
    local mean most cycles
    read -r mean most cycles < <(count) || return 1
    echo '| stand-in unit | instructions per cycle of 5 ms, mean | maximum | cycles |'
    echo '|---|---|---|---|'
    echo "| full stop and sine with dwell of the sedan | $mean | $most | $cycles |"
    echo
    echo "Car and unit in lock-step: $("$BUILD/perf/ecu_cost" speed)."
}

limit() {
    judge unit 40000 cycle < <(count)
    judged
}

choose 'table limit' "$@"
