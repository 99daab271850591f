#!/bin/bash
# What a step of the hydraulics costs, over a sequence of ABS, active build-up and leaks.
#
#   hydraulics.sh table   lines for docs/performance.md
#   hydraulics.sh limit   as TAP: no step takes more than 2,500 instructions
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

BUILD=${BUILD:-build}
limit=2500
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count: mean and maximum of instructions, and the number of steps.
count() {
    local out=$scratch/count
    valgrind --tool=callgrind --callgrind-out-file="$out" --combine-dumps=yes --dump-line=no \
        --toggle-collect=hydraulics_counted --dump-after=hydraulics_counted "$BUILD/perf/hydraulics_cost" \
        >"$out.log" 2>&1 || { cat "$out.log" >&2; return 1; }
    awk '/^totals:/ && $2 > 0 { n++; sum += $2; if ($2 > most) most = $2 }
        END { if (!n) exit 1; printf "%.0f %d %d\n", sum / n, most, n }' "$out"
}

table() {
    local mean most steps
    read -r mean most steps < <(count) || return 1
    echo '| hydraulics | instructions per step, mean | maximum | steps |'
    echo '|---|---|---|---|'
    echo "| ABS, active build-up, leaks | $mean | $most | $steps |"
}

limit() {
    local mean=0 most=missing steps=0
    read -r mean most steps < <(count)
    echo '1..1'
    if [ "$most" = missing ] || [ "$most" -gt $limit ]; then
        echo "not ok 1 - hydraulics: at most $limit instructions in a step"
        echo "# mean $mean, maximum $most of $steps steps"
        return 1
    fi
    echo "ok 1 - hydraulics: at most $limit instructions in a step"
    echo "# mean $mean, maximum $most of $steps steps"
}

case ${1-} in
table | limit) "$1" ;;
*)
    echo "usage: $0 table|limit" >&2
    exit 2
    ;;
esac
