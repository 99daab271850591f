#!/bin/bash
# What the demo bus costs in a tick: decode, check, supervise, encode, protect.
#
#   bus.sh table   lines for docs/performance.md
#   bus.sh limit   as TAP: the busiest tick takes at most 5,000 instructions; all frames of the bus
#                  together at most 320 each
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

BUILD=${BUILD:-build}
limit=5000 frame_limit=320 # of a tick, and of a frame where all come in one
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count HOW: frames sent and received at most in a tick, mean and maximum of instructions, ticks.
count() {
    local out=$scratch/$1
    valgrind --tool=callgrind --callgrind-out-file="$out" --combine-dumps=yes --dump-line=no \
        --toggle-collect=bus_tick --dump-after=bus_tick "$BUILD/perf/bus_cost" "$1" \
        >"$out.frames" 2>"$out.log" || { cat "$out.log" >&2; return 1; }
    awk 'NR == FNR { frames = $0; next }
        /^totals:/ && $2 > 0 { n++; sum += $2; if ($2 > most) most = $2 }
        END { if (!n) exit 1; printf "%s %.0f %d %d\n", frames, sum / n, most, n }' \
        "$out.frames" "$out"
}

table() {
    local how sent received mean most ticks
    echo '| demo bus | frames out, in | instructions per tick, mean | maximum |'
    echo '|---|---|---|---|'
    for how in spread together; do
        read -r sent received mean most ticks < <(count $how) || return 1
        echo "| $how | $sent, $received | $mean | $most |"
    done
    echo
    echo "Frames: the most in one of $ticks ticks."
}

limit() {
    local how sent received mean most ticks own_limit tests=0 failed=0
    for how in spread together; do
        tests=$((tests + 1))
        sent=0 received=0 mean=0 most=missing ticks=0
        read -r sent received mean most ticks < <(count $how)
        own_limit=$limit
        [ $how = spread ] || own_limit=$((frame_limit * (sent + received)))
        if [ "$most" != missing ] && [ "$most" -le $own_limit ] &&
            { [ $how = spread ] || [ "$sent $received" = '13 5' ]; }; then
            echo "ok $tests - frames $how: at most $own_limit instructions in a tick"
        else
            echo "not ok $tests - frames $how: at most $own_limit instructions in a tick"
            failed=1
        fi
        echo "# $sent frames out, $received in; mean $mean, maximum $most of $ticks ticks"
    done
    echo "1..$tests"
    return $failed
}

case ${1-} in
table | limit) "$1" ;;
*)
    echo "usage: $0 table|limit" >&2
    exit 2
    ;;
esac
