#!/bin/bash
# Instructions that a signal of the demo bus costs in the tick, by callgrind: as TAP, with a limit.
#
#   codec.sh
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C

program=${BUILD:-build}/perf/codec_cost
database=config/can/skidpad_chassis.dbc
# The codec with the loop around it, and a few to spare for other compilers.
limit=40
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count FUNCTION: instructions inside it, and what the program printed.
count() {
    local out=$scratch/$1
    valgrind --tool=callgrind --callgrind-out-file="$out" --toggle-collect="$1" \
        "$program" "$database" >"$out.signals" 2>"$out.log" || { cat "$out.log" >&2; return 1; }
    awk '/^totals:/ { print $2 }' "$out"
}

tests=0
failed=0
for function in put_all get_all; do
    total=$(count "$function") signals=$(cat "$scratch/$function.signals")
    tests=$((tests + 1))
    each=$((${total:-0} / ${signals:-1}))
    if [ "$each" -gt 0 ] && [ "$each" -le $limit ]; then
        echo "ok $tests - $function: at most $limit instructions a signal"
    else
        echo "not ok $tests - $function: at most $limit instructions a signal"
        failed=1
    fi
    echo "# $each a signal, $total for all $signals"
done
echo "1..$tests"
exit $failed
