#!/bin/sh
# Xenomai in a guest. On a kernel with the core and a base with its libraries and tools:
#
#   make RT="posix cobalt" XENO_CONFIG=... BUILD=build/cobalt
#   BUILD=build/cobalt VM_KERNEL=bzImage VM_BASE=rootfs.cpio.gz VM_RT=cobalt \
#       rt-tests/vm/test_xenomai.sh [function|clock] [NAME=VALUE]...
#
# NAMEs as in payload/xenomai.sh. Without VM_KERNEL the payload itself is tested: short, with the
# stand-ins of rt-tests/rt-shim, on Debian's kernel; then nothing is said about the cores.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# is NAME STATUS TEXT
is() {
    check "$(grep -qx "$2" "$results/$1.status"; echo $?)" "$core: $3"
}

# number NAME KEY: the first one in NAME.json behind "wake_up", with its sign.
number() {
    awk -v key="\"$2\":" '/"wake_up"/ { on = 1 } on && index($0, key) {
        sub(/.*: */, ""); sub(/,.*/, ""); print; exit }' "$results/$1.json"
}

# benchmark NAME PERIODS: never left real time, and the state is that of the offline run.
benchmark() {
    is "$1" 0 "$1: the benchmark ran, real time was never left"
    check "$(grep -c '"realtime_left": 0' "$results/$1.json" | grep -qx "$2"; echo $?)" \
        "$core: $1: 0 switches at each of $2 periods"
    check "$(grep -c '"state_equal": true' "$results/$1.json" | grep -qx "$2"; echo $?)" \
        "$core: $1: the state of the offline run"
}

# state NAME: the last line of a summary.
state() {
    sed -n 's/^state *//p' "$results/$1.txt"
}

# judge PERIODS CALLS: what the payload wrote; CALLS is the pattern of how many there must be. That
# the unit may be silent for a while on a busy machine, or ticks be skipped, is not judged.
judge() {
    case $core in cobalt) name=MSW bus=rtdm ;; *) name=ISW bus=gateway ;; esac
    benchmark idle "$1"
    benchmark loaded "$1"
    is run 0 'a run never left real time'
    check "$(grep -q "^switches *0 $name" "$results/run.txt"; echo $?)" "$core: and says so"
    is replay 0 'its log replays to the same bits'
    run skidpad replay "$results/run.mf4" --scenario config/scenarios/brake_in_turn.yaml \
        --vehicle config/vehicles/sedan.yaml
    expect_out 'every signal has the same bits' "$core: and here, outside of the guest"
    check "$([ -n "$(state virtual)" ]; echo $?)" "$core: the simulated clock runs"
    if grep -q '^ticks .*, deadlines missed 0 ' "$results/run.txt"; then
        check "$([ "$(state run)" = "$(state virtual)" ]; echo $?)" \
            "$core: the hash of the simulated clock"
    fi
    is call 1 'a system call of Linux has status 1'
    check "$(grep -qE "^switches *$2 $name since the warm-up .*, LEFT REAL TIME first in tick 1[0-9]{3}: system call of Linux" \
        "$results/call.txt"; echo $?)" "$core: counted, in its tick, with the reason"
    check "$(grep -cE '^tick 1[0-9]{3} left real time: .*[(]reason 2[)]' \
        "$results/call.deadlines.txt" | grep -qxE "$2"; echo $?)" "$core: and in the log"
    check "$(grep -qx 1 "$results/can.status" && echo 1 || echo 0)" \
        "$core: a run with CAN never left real time"
    check "$(grep -q "^switches *0 $name" "$results/can.txt"; echo $?)" "$core: CAN: and says so"
    check "$(grep -q "chassis on $bus: .* [1-9][0-9]* received" "$results/can.txt"; echo $?)" \
        "$core: CAN: the unit answers over $bus"
}

# Path lengths, by their difference: the cores anticipate their timers, so that both may be below zero
# or on either side of it. The loop wakes up at most so much later than the tool of the core does.
slower_ns=1000
compare() {
    ours=$(number beside max_ns)
    tool=$(awk -F'|' '/^RTS/ { printf "%.0f\n", 1000 * $4 }' "$results/tool.txt")
    check "$(is_as_fast "$ours" "$tool"; echo $?)" \
        "$core: instruction clock: largest wake-up $ours ns, the core's own tool $tool ns"
}

is_as_fast() {
    [ -n "$1" ] && [ -n "$2" ] && [ $(($1 - $2)) -le $slower_ns ]
}

if [ -n "${VM_KERNEL:-}" ]; then
    core=${VM_RT:?cobalt or evl}
    mode=${1:-function}
    [ $# -eq 0 ] || shift
    if [ "$mode" = clock ]; then
        # One CPU, and every second of the guest is a long one here.
        set -- FEED=table STEPS=10000 LOAD_STEPS=20000 CAN_SECONDS=20 "$@"
    fi
    vm "xenomai-$core-$mode" other "$mode" xenomai "$@"
    expect_boot "$core: boots and ends"
    check "$(grep -q 'first in tick 1000:' "$results/call.txt"; echo $?)" "$core: the very tick"
    judge "$(printf '%s\n' "$@" | sed -n 's/^PERIODS=//p' | tr ',' '\n' | grep -c . |
        sed 's/^0$/5/')" 1
    [ "$mode" != clock ] || compare
    finish
fi

# The comparison itself, on numbers as the real cores gave them.
core=any
results=$scratch
printf '%s\n' '"wake_up": {' '  "min_ns": -1491,' '  "max_ns": -399,' >"$scratch/beside.json"
echo 'RTS|     -1.416|     -1.334|     -1.178|       0|     0|    00:00:10/00:00:10' >"$scratch/tool.txt"
check "$([ "$(number beside max_ns)" = -399 ]; echo $?)" 'a largest wake-up below zero keeps its sign'
compare
check "$(is_as_fast 902 -1328; echo $((1 - $?)))" 'a loop that wakes up later than the tool is found'
check "$(is_as_fast -399 ''; echo $((1 - $?)))" 'a tool that said nothing is no proof'

mkdir "$scratch/build"
cp "${BUILD:-build}"/skidpad-* "${BUILD:-build}"/shim/skidpad-* "$scratch/build"
for core in cobalt evl; do
    BUILD=$scratch/build vm "xenomai-shim-$core" rt function xenomai SHIM=1 CORE=$core \
        STEPS=100 LOAD_STEPS=100 PERIODS=5000,2000 TOOL_SECONDS=0 RUN_SECONDS=2 CAN_SECONDS=8 \
        CALLS=900
    expect_boot "$core: the payload on the stand-in"
    judge 2 '[1-9][0-9]*'
done
finish
