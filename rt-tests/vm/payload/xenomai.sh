# shellcheck shell=sh
# A real-time core besides Linux: benchmark idle and loaded, beside the core's own latency tool; a
# run and its replay; a system call on purpose; CAN. ../test_xenomai.sh judges what comes out.
#
#   CORE                    cobalt or evl (VM_RT)
#   STEPS, LOAD_STEPS       of the benchmark at each period, idle and loaded
#   PERIODS                 in us, with commas
#   FEED                    process, or table where there is one CPU
#   TOOL_SECONDS            the latency tool, and the loop beside it; 0: neither
#   RUN_SECONDS             of the run
#   CALLS                   so many ticks in a row call Linux
#   CAN_SECONDS             the run with CAN, at CAN_PERIOD_US (1000)
#   LOGS                    which logs come out: run, call, can, with commas (run)
#   SHIM=1                  the programs are those of rt-tests/rt-shim: for tests of this file
# programs: ip
# modules: can-raw vcan
# seconds: 10000
set -u

core=${CORE:-$VM_RT}
periods=${PERIODS:-1000,500,200,100,50}
config=/vm/share/skidpad/config
uname -a
cat /proc/xenomai/version 2>/dev/null

# try NAME COMMAND...: output in NAME.txt, status in NAME.status.
try() {
    name=$1
    shift
    echo "$name: $*"
    "$@" >"$name.txt" 2>&1
    echo $? >"$name.status"
    tail -n 40 "$name.txt"
}

# bench NAME SECONDS [LINE]...: a bench file.
bench() {
    file=$1.yaml seconds=$2
    shift 2
    {
        echo 'kind: bench'
        echo "name: $core"
        echo "duration_s: $seconds"
        # The kernel's misses are a result; leaving real time is a failure.
        echo 'limits: {missed: 1000000000, missed_in_row: 0}'
        printf '%s\n' "$@"
    } >"$file"
}

# ---- the benchmark

try idle skidpad bench --rt "$core" --periods-us "$periods" --steps "${STEPS:-100000}" \
    --feed "${FEED:-process}" --json idle.json --label "$core, idle"
try loaded skidpad bench --rt "$core" --periods-us "$periods" --steps "${LOAD_STEPS:-100000}" \
    --feed "${FEED:-process}" --load all --json loaded.json --label "$core, loaded"

# ---- the loop beside the tool of the core: the same load, period and time

tool_seconds=${TOOL_SECONDS:-10}
if [ "$tool_seconds" -gt 0 ]; then
    PATH=$PATH:/usr/xenomai/bin:/usr/xenomai/sbin:/usr/evl/bin
    sh -c 'while :; do dd if=/dev/zero of=/tmp/fill bs=65536 count=64 2>/dev/null; done' &
    writer=$!
    case $core in
    cobalt) try tool latency -p 50 -T "$tool_seconds" -q ;;
    evl) try tool latmus -m -u -p 50 -T "$tool_seconds" -q ;;
    esac
    # As long as the tool: a longer run meets longer paths.
    try beside skidpad bench --rt "$core" --periods-us 50 --steps $((tool_seconds * 20000)) \
        --feed table --json beside.json
    kill $writer
    wait $writer 2>/dev/null
fi

# ---- a run, its replay, the same on the simulated clock

bench run "${RUN_SECONDS:-5}" "scenario: $config/scenarios/brake_in_turn.yaml"
try run skidpad run run.yaml --rt "$core" --log /tmp/run.mf4
try replay skidpad replay /tmp/run.mf4
try virtual skidpad run run.yaml --rt virtual --log /tmp/virtual.mf4

# ---- one system call of Linux

bench call 3 "scenario: $config/scenarios/brake_in_turn.yaml" \
    "provoke: [{tick: 1000, ticks: ${CALLS:-1}, system_call: true}]"
try call skidpad run call.yaml --rt "$core" --log /tmp/call.mf4
cp /tmp/call.deadlines.txt .

# ---- the ABS unit in the loop: RT-Socket-CAN in the real-time thread, or a bus of Linux

case $core in
cobalt)
    transport=rtdm:rtcan0
    export SHIM_CAN_FILE=/tmp/shim-can # for the stand-in; the real core knows nothing of it
    if [ "${SHIM:-0}" = 0 ]; then
        modprobe xeno_can_virt 2>/dev/null # or in the kernel
        rtcanconfig rtcan0 -b 500000 start
        rtcanconfig rtcan1 -b 500000 start
        cat /proc/rtcan/devices
    fi
    ;;
*)
    transport=socketcan:vcan0
    modprobe vcan 2>/dev/null
    ip link add vcan0 type vcan
    ip link set vcan0 up
    ;;
esac
bench can "${CAN_SECONDS:-100}" "scenario: $config/scenarios/abs_split.yaml" \
    "can: [{name: chassis, bus: $config/can/skidpad_chassis.yaml, transport: \"$transport\"}]" \
    "stand_in: {params: $config/ecu/sedan.yaml}" 'latency: {frame: WheelEdgesFront}'
try can skidpad run can.yaml --rt "$core" --period-us "${CAN_PERIOD_US:-1000}" --log /tmp/can.mf4
cp /tmp/can.deadlines.txt . 2>/dev/null
cat /proc/xenomai/sched/stat 2>/dev/null

for log in $(echo "${LOGS-run}" | tr , ' '); do
    cp "/tmp/$log.mf4" .
done
exit 0
