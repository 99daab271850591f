#!/bin/sh
# The programs of the Cobalt and EVL cores, on the stand-ins of rt-tests/rt-shim: which core is
# taken, what they say without one, and that leaving real time is counted, located and told. Nothing
# here judges timing.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
build=${SKIDPAD_BUILD:-build}
export SKIDPAD_CONFIG_DIR=config

# bench FILE [LINE]: a short run that may miss whatever it likes.
bench() {
    cat >"$1" <<END
kind: bench
name: short
scenario: $PWD/config/scenarios/brake_in_turn.yaml
duration_s: 0.6
realtime: {period_us: 1000}
limits: {missed: 1000000, missed_in_row: 0}
${2-}
END
}
bench "$scratch/clean.yaml"
bench "$scratch/call.yaml" 'provoke: [{tick: 20, ticks: 300, system_call: true}]'

# until_there FILE: a run opens its log when signals are its own already.
until_there() {
    while [ ! -e "$1" ]; do
        sleep 0.01
    done
}

# The programs side by side, as they are installed.
mkdir "$scratch/bin"
cp "$build/skidpad-run" "$build/skidpad-bench" "$build/skidpad-replay" "$build/skidpad-ecu" \
    "$build"/shim/skidpad-*-* "$scratch/bin"
programs=$scratch/bin

for core in cobalt evl; do
    [ $core = cobalt ] && name=MSW about='Cobalt core 3.3.1' || name=ISW about='EVL core, libevl'
    log=$scratch/$core

    run env SHIM_STARTUP=3 "$programs/skidpad-run" "$scratch/clean.yaml" --rt $core --allow-nonrt \
        --log "$log.mf4"
    expect_status 0 "$core: a clean run"
    expect_err "$about" "$core: the start says what was found"
    expect_out "core       $core ($about" "$core: skidpad-run hands over to its program"
    expect_out "switches   0 $name since the warm-up (3 before)" "$core: baseline after the warm-up"
    run "$programs/skidpad-replay" "$log.mf4"
    expect_status 0 "$core: the log replays to the same bits"

    run "$programs/skidpad-run-$core" "$scratch/call.yaml" --allow-nonrt --log "$log.mf4"
    expect_status 1 "$core: a call of Linux in real time has status 1"
    expect_out "LEFT REAL TIME first in tick " "$core: it is told"
    expect_out ": system call of Linux" "$core: with the reason"
    counted=$(printf '%s\n' "$out" | sed -n "s/^switches *\([0-9]*\) $name .*/\1/p")
    check "$(grep -c 'left real time: system call of Linux (reason 2)' "$log.deadlines.txt" |
        grep -qx "$counted"; echo $?)" "$core: each of them is a line with its tick ($counted)"
    check "$(awk '/left real time/ { if ($2 < 20 || $2 >= 320) bad = 1; n++ }
        END { exit bad || n == 0 }' "$log.deadlines.txt"; echo $?)" \
        "$core: in the ticks where it was provoked, and nowhere else"

    for trouble in absent abi; do
        for command in run bench; do
            run env SHIM_CORE=$trouble "$programs/skidpad-$command" --rt $core --allow-nonrt
            expect_status 2 "$core $command: $trouble has status 2"
            expect_err '--rt posix' "$core $command: $trouble says what to do"
        done
    done

    run "$programs/skidpad-bench-$core" --steps 200 --periods-us 2000,1000 --allow-nonrt \
        --json "$log.json"
    expect_status 0 "$core: bench"
    expect_out " |  $name | inputs late" "$core: bench has a column of switches"
    check "$(grep -c '"realtime_left": 0' "$log.json" | grep -qx 2; echo $?)" \
        "$core: JSON has the switches"
    check "$(grep -q "\"core\": \"$core\"" "$log.json"; echo $?)" "$core: JSON names the core"
    run "$programs/skidpad-run-$core" "$scratch/clean.yaml" --allow-nonrt --strict-syscalls
    expect_status 2 "$core: --strict-syscalls is refused"
    run "$programs/skidpad-run-$core" "$scratch/clean.yaml" --allow-nonrt --rt posix
    expect_out 'core       posix' "$core: --rt posix hands back"
    run "$programs/skidpad-run-$core" "$scratch/clean.yaml" --rt virtual
    expect_out 'core       virtual' "$core: --rt virtual needs no core"
done

# The ABS unit in the loop, in a process of its own: Cobalt by RT-Socket-CAN in the real-time thread,
# EVL by a bus of Linux through the gateway.
abs() {
    cat <<END
can: [{name: chassis, bus: $PWD/config/can/skidpad_chassis.yaml, transport: "$1"}]
stand_in: {params: $PWD/config/ecu/sedan.yaml}
END
}
bench "$scratch/rtdm.yaml" "$(abs rtdm:rtcan0)"
bench "$scratch/udp.yaml" "$(abs udp:20311:20312)"
# Without a priority for the unit below the loop's the lowest one has to do.
run env SHIM_CAN_FILE="$scratch/can" "$programs/skidpad-run-cobalt" "$scratch/rtdm.yaml" \
    --allow-nonrt --priority 2
expect_out 'chassis on rtdm: ' 'cobalt: the bus is RT-Socket-CAN'
expect_out 'switches   0 MSW' 'cobalt: CAN never leaves real time'
check "$(printf '%s\n' "$out" | grep -q ' sent, [1-9][0-9]* received'; echo $?)" \
    'cobalt: the unit answers'
run "$programs/skidpad-run-evl" "$scratch/udp.yaml" --allow-nonrt
expect_out 'chassis on gateway: ' 'evl: the bus goes through the gateway, whatever the period'
expect_out 'switches   0 ISW' 'evl: CAN never leaves real time'
check "$(printf '%s\n' "$out" | grep -q ' sent, [1-9][0-9]* received'; echo $?)" \
    'evl: the unit answers'
run "$programs/skidpad-run" "$scratch/rtdm.yaml" --allow-nonrt --rt posix
expect_status 2 'posix: RT-Socket-CAN is refused'
expect_err 'run with --rt cobalt' 'posix: and why'
run env SHIM_CORE=no-can "$programs/skidpad-run-cobalt" "$scratch/rtdm.yaml" --allow-nonrt
expect_status 2 'cobalt: a socket that fell back to Linux is refused'
expect_err 'one of Linux, not of RTDM' 'cobalt: and why'

# Controllers with one frame in flight, as real ones have: the unit and the run each have their own
# sender, nothing is lost on either side, and both say what their frames waited.
for wire_us in 130 230; do
    rm -f "$scratch/can"
    # Time-outs that a busy machine does not reach: a message that never comes does.
    bench "$scratch/wire.yaml" "$(abs rtdm:rtcan0 | sed '/^stand_in/d; s/}]$/, messages: {'"$(
        printf '%s: {timeout_ms: 1000}, ' WheelPressures TorqueRequest EspStatus EspReference EspAssist
    )"'}}]/')
duration_s: 3"
    sed -i '/^duration_s: 0.6/d' "$scratch/wire.yaml"
    export SHIM_CAN_FILE="$scratch/can" SHIM_CAN_WIRE_US=$wire_us
    "$programs/skidpad-ecu" --can rtdm:rtcan1 --params config/ecu/sedan.yaml --for 60 \
        >"$scratch/unit.txt" 2>&1 &
    unit=$!
    run "$programs/skidpad-run-cobalt" "$scratch/wire.yaml" --allow-nonrt
    kill -TERM $unit
    wait $unit
    unset SHIM_CAN_FILE SHIM_CAN_WIRE_US
    check "$(printf '%s\n' "$out" | grep -q 'not sent'; echo $((1 - $?)))" \
        "$wire_us us on the wire: every frame of the run is sent"
    expect_out 'tick to driver   mean ' "$wire_us us: and it says what they waited"
    expect_out 'send queue       at most ' "$wire_us us: and how many did"
    check "$(printf '%s\n' "$out" | grep -q 'timeout'; echo $((1 - $?)))" \
        "$wire_us us: no message of the unit is missed"
    check "$(grep -q ' out, 0 not sent' "$scratch/unit.txt"; echo $?)" \
        "$wire_us us: every frame of the unit is sent: $(grep 'not sent' "$scratch/unit.txt")"
    check "$(grep -q '^0 MSW since the warm-up' "$scratch/unit.txt"; echo $?)" \
        "$wire_us us: the unit tells of its own switches"
done

# A bus that cannot carry what is sent: the queue is what is bounded, frames that found it full are
# counted and make the status 1, and what waits at the end is not sent long after it.
sed -e 's/^duration_s: 3/duration_s: 1.5/' -e 's/, late: newest//' "$scratch/wire.yaml" >"$scratch/slow.yaml"
export SHIM_CAN_FILE="$scratch/can" SHIM_CAN_WIRE_US=2000
run "$programs/skidpad-run-cobalt" "$scratch/slow.yaml" --allow-nonrt
unset SHIM_CAN_FILE SHIM_CAN_WIRE_US
check "$([ "$status" -ne 0 ]; echo $?)" '2000 us on the wire: not clean'
check "$(printf '%s\n' "$out" | tail -n 1 | grep -q '[1-9][0-9]* frames NOT SENT on the bus'; echo $?)" \
    '2000 us on the wire: the last line names the frames'
waited=$(printf '%s\n' "$out" | sed -n 's/.*tick to driver .*max \([0-9]*\).*/\1/p' | head -n 1)
check "$([ "${waited:-9999}" -lt 1500 ]; echo $?)" \
    "2000 us on the wire: no frame waits longer than a full queue takes ($waited ms)"

# What RT-Socket-CAN does not find is told by the unit's program, with what helps there.
run env SHIM_CORE=no-can "$programs/skidpad-ecu" --can rtdm:rtcan1
expect_status 2 'the unit on RT-Socket-CAN is handed over to the program of Cobalt'
expect_err 'one of Linux, not of RTDM' 'which opens it'
mkdir "$scratch/alone"
cp "$build/skidpad-ecu" "$scratch/alone"
run "$scratch/alone/skidpad-ecu" --can rtdm:rtcan1
expect_status 2 'without that program it is refused'
expect_err 'skidpad-ecu-cobalt cannot be run' 'which is named'
expect_err 'make RT="posix cobalt"' 'with how to build it'
run "$programs/skidpad-ecu-cobalt" --can rtdm:rtcan1 --priority 0
expect_status 2 'a unit of Cobalt without a priority is refused'
expect_err 'needs SCHED_FIFO: give 1 to 98' 'and says what it needs'
run env SHIM_CORE=not-fifo "$programs/skidpad-ecu-cobalt" --can rtdm:rtcan1 --for 60
expect_status 3 'a unit whose cycle cannot start ends at once'
expect_err 'SCHED_FIFO' 'and says why'

# auto: the controllers of the core, where both are started.
bench "$scratch/auto.yaml" "$(abs auto)"
rm -f "$scratch/can"
run env SHIM_CAN_FILE="$scratch/can" "$programs/skidpad-run-cobalt" "$scratch/auto.yaml" --allow-nonrt
expect_out 'chassis on rtdm: ' 'cobalt: transport auto takes RT-Socket-CAN'

# A core that is stopped, at the start or just before the first tick.
run env SHIM_CORE=stopped "$programs/skidpad-run-cobalt" "$scratch/clean.yaml" --allow-nonrt
expect_status 2 'cobalt: a stopped core is refused'
expect_err 'corectl --start' 'cobalt: with what to do'
for core in cobalt evl; do
    run env SHIM_CORE=stuck "$programs/skidpad-run-$core" "$scratch/clean.yaml" --allow-nonrt
    expect_status 2 "$core: a core that wakes nobody ends the run after a time"
    expect_err 'did not wake the real-time thread' "$core: and says so"
    rm -f "$scratch/stuck.mf4"
    env SHIM_CORE=stuck "$programs/skidpad-run-$core" "$scratch/clean.yaml" --allow-nonrt \
        --log "$scratch/stuck.mf4" 2>"$scratch/stuck.txt" &
    stuck=$!
    until_there "$scratch/stuck.mf4"
    kill -TERM $stuck
    wait $stuck
    status=$?
    check "$([ $status -eq 2 ] && grep -q 'for 1 s' "$scratch/stuck.txt"; echo $?)" \
        "$core: and sooner after SIGTERM"
done

# Signals that nobody meant for it do not end a run.
"$programs/skidpad-run" "$scratch/clean.yaml" --allow-nonrt --log "$scratch/usr1.mf4" \
    >"$scratch/usr1.txt" 2>&1 &
running=$!
until_there "$scratch/usr1.mf4"
kill -USR1 $running
kill -USR2 $running
wait $running
status=$?
check "$([ $status -eq 0 ] && grep -q '^ticks *600,' "$scratch/usr1.txt"; echo $?)" \
    'SIGUSR1 and SIGUSR2 leave a run alone'

rm "$programs"/skidpad-*-evl
run "$programs/skidpad-run" "$scratch/clean.yaml" --rt evl
expect_status 2 'a core whose program is not there has status 2'
expect_err 'build it with make RT="posix evl"' 'and it is said how to build it'
run "$programs/skidpad-run" "$scratch/clean.yaml" --allow-nonrt
expect_out 'core       posix' 'auto on this kernel is posix'

run make --no-print-directory -n RT='posix cobalt' XENO_CONFIG= BUILD="$scratch/b"
expect_status 2 'make: a core without its libraries has status 2'
expect_err 'set XENO_CONFIG=' 'make: and says what to set'
run make --no-print-directory -n RT='posix xenomai' BUILD="$scratch/b"
expect_err 'allowed are posix, cobalt and evl' 'make: an unknown core'
finish
