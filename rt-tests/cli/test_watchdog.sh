#!/bin/sh
# The watchdog: a run that is killed, stopped, or caught in an endless loop; one that ends in order;
# bad input. The unit is a process of its own whose log shows what it heard. Nothing here judges
# timing: the time-out is far above what a busy machine holds up a run.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
config=$PWD/config
build=${SKIDPAD_BUILD:-build}
export SKIDPAD_CONFIG_DIR="$config"
port=$((30000 + $$ % 10000))

# bench NAME LINES: a bench whose unit is another process; LINES belong to `watchdog:`.
bench() {
    cat >"$scratch/$1.yaml" <<END
kind: bench
name: watched
scenario: $config/scenarios/coast_down.yaml
duration_s: 600
can:
  - name: chassis
    bus: $config/can/skidpad_chassis.yaml
    transport: "udp:$port:$((port + 1))"
    messages: {WheelPressures: {timeout_ms: 0}}   # a busy machine holds up the unit, too
limits: {missed: 1000000, missed_in_row: 0, violations_per_s: 0}
diagnosis: off
log: $scratch/$1.mf4
control: $scratch/$1.sock
watchdog:
  timeout_ms: 500
$2
END
}
safe='  frames: {WheelEdgesFront: {ValidFL: 0, ValidFR: 0}, Power: {Terminal: off}}
  for_s: 1'

# wait_for FILE TEXT: until the file has it, at most half a minute.
wait_for() {
    for _ in $(seq 300); do
        grep -qs -- "$2" "$1" && return 0
        sleep 0.1
    done
    echo "# $1: no \"$2\" in: $(cat "$1" 2>&1)"
    return 1
}

# gone PID: until the process has ended; a zombie has.
gone() {
    for _ in $(seq 100); do
        grep -qs '^State:[[:space:]]*[^Z]' "/proc/${1:-0}/status" || return 0
        sleep 0.1
    done
    return 1
}

# begin NAME: unit and run; returns when the unit hears the run.
begin() {
    name=$1
    "$build"/skidpad-ecu --can udp:$((port + 1)):$port --quiet --record "$scratch/$name.unit" \
        >"$scratch/$name.ecu" 2>&1 &
    unit=$!
    "$build"/skidpad-run "$scratch/$name.yaml" --allow-nonrt >"$scratch/$name.out" \
        2>"$scratch/$name.err" &
    run=$!
    wait_for "$scratch/$name.unit" ' 0A0#'
    guard=$(pgrep -P $run -f skidpad-watchdog)
}
# heard: ends the unit and says what it heard.
heard() {
    kill $unit
    wait $unit
    frames=$(python3 rt-tests/cli/watchdog_frames.py "$scratch/$name.unit")
    ran="unit's log: $frames"
    out=$(cat "$scratch/$name.out")
    err=$(cat "$scratch/$name.err")
}
# number WORD: of that line.
number() {
    printf '%s\n' "$frames" | sed "s/.*$1 \([0-9]*\).*/\1/"
}
expect_number() { # WORD OPERATOR VALUE NAME
    check "$(test "$(number "$1")" "$2" "$3"; echo $?)" "$4"
}
expect_taken_over() { # WHAT
    expect_number run -gt 0 "$1: the unit heard the run"
    expect_number safe -gt 1 "$1: then safe frames"
    expect_number wrong -eq 0 "$1: every checksum is right"
}

# ---- in order

bench order "$safe"
begin order
kill $run
wait $run
status=$?
heard
expect_status 0 'a run that is asked to end is clean'
expect_number safe -eq 0 'no safe frame while it was healthy, none after it'
check "$([ ! -e "$scratch/order.mf4.watchdog" ]; echo $?)" 'no report'
check "$([ -n "$guard" ] && gone "$guard"; echo $?)" 'the watchdog has ended, too'

# ---- a watchdog that hangs at the end would not have acted

bench hung "$safe"
begin hung
kill -STOP "$guard"
kill $run
wait $run
status=$?
heard
expect_status 1 'a watchdog that hangs at the end: status 1'
check "$(printf '%s\n' "$out" | tail -n 1 | grep -q 'the watchdog ended before the run, or hung'; echo $?)" \
    'a watchdog that hangs at the end: the last line says so'

# ---- killed

bench killed "$safe"
begin killed
kill -9 $run
wait $run
check "$(wait_for "$scratch/killed.mf4.watchdog" 'ends after'; echo $?)" 'killed: the report is beside the log'
heard
expect_taken_over killed
expect_number after -eq 0 'killed: nothing of the run after that'
expect_number jumps -le 1 'killed: the counter goes on (one frame may be lost)'
# By the ticks, if the kernel takes that long to clear away what was killed.
check "$(printf '%s\n' "$err" | grep -qE "the run \(process $run\) (is gone after tick|for [0-9.]+ ms)"; echo $?)" \
    'killed: it says so'
expect_err 'sends 2 safe frames on bus chassis: ' 'killed: and what it does'
expect_err 'bytes in its socket' 'killed: and what of the run may still go out'
check "$(grep -q 'safe frames sent, 0 not taken' "$scratch/killed.mf4.watchdog"; echo $?)" 'killed: and how it went'
check "$(gone "$guard"; echo $?)" 'killed: it ends by itself'

# ---- stopped, and going on again: one sender at a time

bench stopped '  frames: {WheelEdgesFront: {ValidFL: 0, ValidFR: 0}}
  for_s: 0'
begin stopped
kill -STOP $run
check "$(wait_for "$scratch/stopped.mf4.watchdog" 'no tick of the run'; echo $?)" 'stopped: it is noticed'
kill -CONT $run
check "$(wait_for "$scratch/stopped.events.txt" 'the watchdog has taken over'; echo $?)" 'the run that goes on notices, in its events'
run skidpad control "$scratch/stopped.sock" reset
sleep 0.5
kill $run
wait $run
run_status=$?
heard
status=$run_status
expect_status 3 'such a run is a fault'
expect_out 'the watchdog has taken over: this run has sent nothing since' 'which its summary says'
expect_taken_over stopped
expect_number after -le 1 'and it sent no more than the tick it was stopped in'
check "$(gone "$guard"; echo $?)" 'its orderly end ends the watchdog, too'

# ---- an endless loop in the step

bench endless "$safe"
printf 'provoke: [{tick: 300, endless: true}]\n' >>"$scratch/endless.yaml"
begin endless
check "$(wait_for "$scratch/endless.mf4.watchdog" 'ends after'; echo $?)" 'endless: it is noticed'
kill -9 $run
wait $run
heard
expect_taken_over endless
expect_number jumps -le 1 'endless: the counter goes on'
check "$(printf '%s\n' "$err" | grep -qE 'no tick of the run .* for [0-9.]+ ms, the last was [0-9]+;'; echo $?)" \
    'endless: the last tick is told'

# ---- silent by choice

bench silent '  action: silent'
begin silent
kill -9 $run
wait $run
check "$(wait_for "$scratch/silent.mf4.watchdog" 'bus chassis stays silent'; echo $?)" 'silent: it says so'
heard
expect_number safe -eq 0 'silent: and is'

# ---- the watchdog itself is killed

bench alone "$safe"
begin alone
kill -9 "$guard"
check "$(wait_for "$scratch/alone.err" 'is not watched'; echo $?)" 'a run without its watchdog says so'
kill $run
wait $run
status=$?
heard
check "$([ $status -eq 1 ]; echo $?)" 'and is not clean'

# ---- what cannot be

refused() { # LINES TEXT NAME
    bench bad "$1"
    run skidpad run "$scratch/bad.yaml" --allow-nonrt --for 1
    check "$([ $status -eq 2 ] && printf '%s\n' "$err" | grep -qF -- "$2"; echo $?)" "$3"
}
refused '  action: frames' 'missing: the messages to send' 'no frames'
refused '  frames: {WheelEdgesFrnt: {ValidFL: 0}}' 'did you mean' 'a message that is not there'
refused '  frames: {WheelEdgesFront: {ValidFX: 0}}' 'bad.yaml:16:30' 'a signal that is not there, with its place'
refused '  frames: {Power: {Supply: 1e6}}' 'does not fit' 'a value that does not fit'
refused '  frames: {Power: {Supply: power_supply_V}}' 'must be a number or a text' 'a value of the car'
refused '  frames: {WheelPressures: {PressureFL: 0}}' 'the unit under test sends it' "a frame of the unit's"
refused '  action: silent
  frames: {Power: {}}' 'action: frames' 'frames to be silent with'
refused '  frames: {Power: {}}
  bus: other' 'no bus "other"' 'a bus that is not there'
refused '  frames: {Power: {}}
  transport: memory' 'a watchdog cannot send on "memory"' 'a bus where it cannot send'
refused '  frames: {Power: {}}
  transport: rtdm:rtcan0' 'socketcan:can1' 'RT-Socket-CAN without an interface of Linux'
refused '  frames: {Power: {}}
  transport: socketcan:nocan7' 'skidpad watchdog: socketcan:nocan7' 'an interface that is not there'
bench virtual "$safe"
run skidpad run "$scratch/virtual.yaml" --rt virtual --for 1
expect_status 2 'the simulated clock has no watchdog'
expect_err '--no-watchdog' 'and says how to drive without'
run skidpad run "$scratch/virtual.yaml" --rt virtual --for 1 --no-watchdog
expect_status 0 'as it does then'
run skidpad watchdog
expect_status 2 'it is not for the command line'
expect_err 'skidpad run starts this program' 'and says so'

finish
