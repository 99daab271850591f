#!/bin/bash
# What a cycle of the stand-in unit costs, over a full stop of the sedan and a sine with dwell.
#
#   ecu.sh table   lines for docs/performance.md
#   ecu.sh limit   as TAP: no cycle takes more than 40,000 instructions
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

BUILD=${BUILD:-build}
limit=40000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count: mean and maximum of instructions, and the number of cycles.
count() {
    local out=$scratch/count
    valgrind --tool=callgrind --callgrind-out-file="$out" --combine-dumps=yes --dump-line=no \
        --toggle-collect=unit_cycle --dump-after=unit_cycle "$BUILD/perf/ecu_cost" count \
        >"$out.log" 2>&1 || { cat "$out.log" >&2; return 1; }
    awk '/^totals:/ && $2 > 0 { n++; sum += $2; if ($2 > most) most = $2 }
        END { if (!n) exit 1; printf "%.0f %d %d\n", sum / n, most, n }' "$out"
}

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
    local mean=0 most=missing cycles=0
    read -r mean most cycles < <(count)
    echo '1..1'
    if ! [[ $most =~ ^[0-9]+$ ]] || [ "$most" -gt $limit ]; then
        echo "not ok 1 - unit: at most $limit instructions in a cycle"
        echo "# mean $mean, maximum $most of $cycles cycles"
        return 1
    fi
    echo "ok 1 - unit: at most $limit instructions in a cycle"
    echo "# mean $mean, maximum $most of $cycles cycles"
}

case ${1-} in
table | limit) "$1" ;;
*)
    echo "usage: $0 table|limit" >&2
    exit 2
    ;;
esac
